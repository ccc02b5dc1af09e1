const STEP = 100;
const { groups, cells, reasons } = JSON.parse(document.getElementById("cell-data").textContent);
const cellRows = cells.map(([group, seed, status, regret, seconds, key, reason]) => {
  const [problem, method, protocol] = groups[group];
  const values = [problem, method, protocol, seed, status, regret, seconds, key];
  return { values, reason: reasons[reason], text: [problem, method, protocol, status, key].join(" ").toLowerCase() };
});
const cellTable = document.getElementById("cells-table"), more = document.getElementById("more");
const cellFilter = document.getElementById("cell-filter"), cellMatches = document.getElementById("cell-matches");
let found = cellRows, limit = STEP;

const cellRow = ({ values, reason }) => {
  const tr = document.createElement("tr");
  values.forEach((value, column) => {
    const td = document.createElement("td");
    td.textContent = value === null ? "" : column === 5 ? value.toFixed(4) : column === 6 ? value.toPrecision(3) : value;
    td.className = ["", "", "", "number", value === "ok" ? "" : "bad", "number", "number", "key"][column];
    if (column === 4 && reason) td.title = reason;
    tr.append(td);
  });
  return tr;
};
const showCells = () => {
  cellTable.tBodies[0].replaceChildren(...found.slice(0, limit).map(cellRow));
  more.hidden = found.length <= limit;
  more.textContent = `Show ${Math.min(STEP, found.length - limit)} more`;
  const count = (n) => n.toLocaleString("en");
  cellMatches.textContent = found.length ? `${count(Math.min(limit, found.length))} of ${count(found.length)}` : "Nothing matches.";
};
const filterCells = () => {
  const words = cellFilter.elements.cells.value.toLowerCase().split(/\s+/).filter(Boolean);
  found = cellRows.filter(({ text }) => words.every((word) => text.includes(word)));
  limit = STEP;
  showCells();
};
cellFilter.addEventListener("submit", (event) => event.preventDefault());
cellFilter.addEventListener("input", () => {
  remember("cells", cellFilter.elements.cells.value);
  filterCells();
});
sorters.set(cellTable, (table, header, sign) => {
  const column = header.cellIndex;
  for (const list of new Set([cellRows, found])) list.sort((a, b) => compare(a.values[column], b.values[column], sign));
  showCells();
});
more.addEventListener("click", () => {
  limit += STEP;
  showCells();
});
