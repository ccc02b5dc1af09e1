// What a reader has chosen stands in the address, so that a link shows the same view.
let state = new URLSearchParams();
const readState = () => {
  state = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
};
const remember = (name, value) => {
  if (value) state.set(name, value);
  else state.delete(name);
  history.replaceState(null, "", `#${state}`);
};

const go = (id) => {
  const target = document.getElementById(id);
  if (!target) return;
  document.querySelector("dialog[open]")?.close();
  for (let part = target; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
  target.scrollIntoView();
};
document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#"]');
  if (!link || link.matches("[data-rows]")) return; // a name shows its settings, see details.js
  event.preventDefault();
  remember("at", link.hash.slice(1));
  go(link.hash.slice(1));
});
