const filter = document.getElementById("filter");
const matches = document.getElementById("matches");
const fields = ["text", "problem", "protocol", "family", "beside"];

const applyFilter = () => {
  const { text, problem, protocol, family, beside } = filter.elements;
  const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
  const here = (wanted, own) => !wanted || own === undefined || wanted === own;
  for (const part of document.querySelectorAll("[data-problem], [data-protocol]")) {
    part.hidden = !(here(problem.value, part.dataset.problem) && here(protocol.value, part.dataset.protocol));
  }
  let shown = 0;
  for (const board of document.querySelectorAll(".board, .matrix")) {
    let rows = 0;
    for (const row of board.querySelectorAll("tr.row")) {
      const label = row.dataset.text.toLowerCase();
      row.hidden = !(words.every((word) => label.includes(word)) && here(family.value, row.dataset.family));
      rows += !row.hidden;
    }
    board.hidden ||= rows === 0;
    for (const body of board.querySelectorAll("tbody")) body.hidden = !body.querySelector("tr.row:not([hidden])");
    if (!board.hidden && board.matches(".board")) shown += rows;
  }
  for (const table of document.querySelectorAll(".matrix table")) table.dataset.beside = beside.value;
  const filtering = words.length || problem.value || protocol.value || family.value;
  matches.textContent = !filtering ? "" : shown ? `${shown} rows of boards` : "Nothing matches.";
};
filter.addEventListener("input", () => {
  for (const name of fields) {
    const field = filter.elements[name];
    remember(name, field.value === (field.options?.[0].value ?? "") ? "" : field.value);
  }
  applyFilter();
});
filter.addEventListener("submit", (event) => event.preventDefault());
const applyState = () => {
  readState();
  for (const name of fields) {
    const field = filter.elements[name];
    field.value = state.get(name) ?? field.options?.[0].value ?? "";
    if (field.selectedIndex === -1) field.selectedIndex = 0;
  }
  applyFilter();
  applySorts();
  go(state.get("at") ?? decodeURIComponent(location.hash.slice(1)));
};
