"use strict";
(() => {
  const collator = new Intl.Collator("en", { numeric: true });

  // Missing values stay last in both directions.
  const compare = (a, b, sign) => {
    const noA = a === "" || a === null, noB = b === "" || b === null;
    if (noA || noB) return noA - noB;
    const x = Number(a), y = Number(b);
    return sign * (Number.isNaN(x) || Number.isNaN(y) ? collator.compare(a, b) : x - y);
  };

  const turn = (header) => {
    const sign = header.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    for (const other of header.parentElement.children) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
    return sign;
  };

  for (const table of document.querySelectorAll("table.sortable")) {
    table.tHead.addEventListener("click", (event) => {
      const header = event.target.closest("button")?.closest("th");
      if (!header) return;
      const sign = turn(header), column = header.cellIndex;
      for (const body of table.tBodies) {
        const value = (row) => row.cells[column].dataset.value ?? "";
        const rows = [...body.querySelectorAll("tr.row")];
        body.append(...rows.sort((a, b) => compare(value(a), value(b), sign)));
      }
    });
  }

  const filter = document.getElementById("filter");
  const matches = document.getElementById("matches");
  const applyFilter = () => {
    const { text, problem, protocol } = filter.elements;
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const part of document.querySelectorAll("[data-problem]")) {
      const here = (wanted, own) => !wanted || own === undefined || wanted === own;
      part.hidden = !(here(problem.value, part.dataset.problem) && here(protocol.value, part.dataset.protocol));
    }
    let shown = 0;
    for (const board of document.querySelectorAll(".board")) {
      let rows = 0;
      for (const row of board.querySelectorAll("tr.row")) {
        const label = row.dataset.text.toLowerCase();
        row.hidden = !words.every((word) => label.includes(word));
        rows += !row.hidden;
      }
      board.hidden ||= rows === 0;
      for (const body of board.querySelectorAll("tbody")) body.hidden = !body.querySelector("tr.row:not([hidden])");
      if (!board.hidden) shown += rows;
    }
    const filtering = words.length || problem.value || protocol.value;
    matches.textContent = !filtering ? "" : shown ? `${shown} rows` : "Nothing matches.";
  };
  filter.addEventListener("input", applyFilter);
  filter.addEventListener("submit", (event) => event.preventDefault());

  const STEP = 100;
  const { groups, cells, reasons } = JSON.parse(document.getElementById("cell-data").textContent);
  const rows = cells.map(([group, seed, status, regret, seconds, key, reason]) => {
    const [problem, method, protocol] = groups[group];
    const values = [problem, method, protocol, seed, status, regret, seconds, key];
    return { values, reason: reasons[reason], text: [problem, method, protocol, status, key].join(" ").toLowerCase() };
  });
  const table = document.getElementById("cell-table"), more = document.getElementById("more");
  const cellFilter = document.getElementById("cell-filter"), cellMatches = document.getElementById("cell-matches");
  let found = rows, limit = STEP;

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
  const show = () => {
    table.tBodies[0].replaceChildren(...found.slice(0, limit).map(cellRow));
    more.hidden = found.length <= limit;
    more.textContent = `Show ${Math.min(STEP, found.length - limit)} more`;
    const count = (n) => n.toLocaleString("en");
    cellMatches.textContent = found.length ? `${count(Math.min(limit, found.length))} of ${count(found.length)}` : "Nothing matches.";
  };
  cellFilter.addEventListener("submit", (event) => event.preventDefault());
  cellFilter.addEventListener("input", () => {
    const words = cellFilter.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    found = rows.filter(({ text }) => words.every((word) => text.includes(word)));
    limit = STEP;
    show();
  });
  table.tHead.addEventListener("click", (event) => {
    const header = event.target.closest("button")?.closest("th");
    if (!header) return;
    const sign = turn(header), column = header.cellIndex;
    const sorted = (list) => list.sort((a, b) => compare(a.values[column], b.values[column], sign));
    sorted(rows);
    if (found !== rows) sorted(found);
    show();
  });
  more.addEventListener("click", () => {
    limit += STEP;
    show();
  });
  show();
})();
