// The settings of a row and what it cost, in a dialog; all text is set as text.
const known = JSON.parse(document.getElementById("details-data").textContent);
const dialog = document.getElementById("details");
const make = (tag, text = "", attributes = {}) => {
  const element = document.createElement(tag);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
};
const facts = (pairs) => {
  const list = make("dl", "", { class: "facts" });
  for (const [name, value, mark] of pairs) {
    const pair = make("div", "", mark ? { class: "changed" } : {});
    pair.append(make("dt", name), make("dd", value));
    list.append(pair);
  }
  return list;
};

const aboutMethod = (name) => {
  const { family, summary, page } = known.methods[name] ?? {};
  const text = make("p", [family, summary].filter(Boolean).join(": "));
  if (page) text.append(" ", make("a", "About this method", { href: page }));
  return text;
};
const aboutRow = (number) => {
  const { method, label, board, score, settings, cost, reason } = known.rows[number];
  const parts = [make("h2", label), make("p", known.boards[board], { class: "muted" }), aboutMethod(method)];
  if (reason) parts.push(make("p", reason, { class: "bad" }));
  if (score) parts.push(make("p", `Normalized regret ${score}`));
  if (settings.length) parts.push(make("h3", "Settings"), facts(settings));
  if (settings.some(([, , changed]) => changed)) parts.push(make("p", "Bold: not the protocol’s.", { class: "note" }));
  if (cost.length) parts.push(make("h3", "Seconds and solves of one seed"), facts(cost));
  return parts;
};
const aboutLine = (numbers) => {
  const { method } = known.rows[numbers[0]];
  const list = make("ul", "", { class: "places" });
  for (const number of numbers) {
    const { board, score, reason } = known.rows[number];
    const item = make("li", `${score || reason} `);
    item.append(make("button", known.boards[board], { type: "button", "data-rows": number }));
    list.append(item);
  }
  return [make("h2", method), aboutMethod(method), make("h3", "Settings on each problem"), list];
};

document.addEventListener("click", (event) => {
  const source = event.target.closest("[data-rows]");
  if (!source || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const numbers = source.dataset.rows.split(" ").map(Number);
  dialog.querySelector("div").replaceChildren(...(numbers.length > 1 ? aboutLine(numbers) : aboutRow(numbers[0])));
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
});
// A click beside the dialog closes it.
dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
