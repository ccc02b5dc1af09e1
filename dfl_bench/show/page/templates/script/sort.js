const collator = new Intl.Collator("en", { numeric: true });

// Missing values stay last in both directions.
const compare = (a, b, sign) => {
  const noA = a === "" || a === null, noB = b === "" || b === null;
  if (noA || noB) return noA - noB;
  const x = Number(a), y = Number(b);
  return sign * (Number.isNaN(x) || Number.isNaN(y) ? collator.compare(a, b) : x - y);
};

const sortRows = (table, header, sign) => {
  const column = header.cellIndex;
  const value = (row) => row.cells[column].dataset.value ?? "";
  for (const body of table.tBodies) {
    body.append(...[...body.querySelectorAll("tr.row")].sort((a, b) => compare(value(a), value(b), sign)));
  }
};

// A table is a list of rows in the page, or one that its own function sorts; `data-order` is the order it comes in.
const sorters = new Map();
const sortBy = (table, name, direction) => {
  const header = [...table.tHead.rows[0].cells].find((cell) => cell.dataset.name === name);
  if (!header) return;
  for (const other of header.parentElement.children) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", direction);
  (sorters.get(table) ?? sortRows)(table, header, direction === "ascending" ? 1 : -1);
};
for (const table of document.querySelectorAll("table.sortable")) {
  table.tHead.addEventListener("click", (event) => {
    const header = event.target.closest("button")?.closest("th");
    if (!header) return;
    const direction = header.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
    sortBy(table, header.dataset.name, direction);
    const order = `${header.dataset.name},${direction}`;
    remember(`sort.${table.id}`, order === table.dataset.order ? "" : order);
  });
}
const applySorts = () => {
  for (const table of document.querySelectorAll("table.sortable")) {
    const order = state.get(`sort.${table.id}`) ?? table.dataset.order;
    if (order) sortBy(table, order.slice(0, order.lastIndexOf(",")), order.slice(order.lastIndexOf(",") + 1));
  }
};
