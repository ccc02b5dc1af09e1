// Files made here: the texts come with the page, figures are drawn again with a title and a legend.
const save = (name, type, content) => {
  const link = make("a", "", { download: name });
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};
const texts = JSON.parse(document.getElementById("file-data").textContent);
const TYPES = { csv: "text/csv", tex: "application/x-tex" };
document.addEventListener("click", (event) => {
  const name = event.target.closest("button[data-file]")?.dataset.file;
  if (name) save(name, TYPES[name.split(".").pop()], texts[name]);
});

const SVG = "http://www.w3.org/2000/svg";
const draw = (tag, attributes, text = "") => {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  return element;
};
const COLUMN = 110, LINE = 16;
// A figure alone: white, in the light colours, its title above and the methods it shows below.
const alone = (figure) => {
  const shown = figure.querySelector("svg").cloneNode(true);
  const [, , width, height] = shown.getAttribute("viewBox").split(" ").map(Number);
  const methods = JSON.parse(figure.dataset.methods), columns = Math.max(1, Math.floor(width / COLUMN));
  const whole = height + 24 + LINE * Math.ceil(methods.length / columns) + 8;
  const svg = draw("svg", { xmlns: SVG, viewBox: `0 0 ${width} ${whole}`, width, height: whole, fill: "none" });
  const title = draw("text", { x: 4, y: 16, fill: "var(--ink)", "font-size": "13px", "font-weight": "bold" }, figure.dataset.title);
  const picture = draw("g", { transform: "translate(0,24)" });
  picture.append(...shown.childNodes);
  svg.append(draw("rect", { width, height: whole, fill: "#ffffff" }), title, picture);
  methods.forEach((name, i) => {
    const item = document.querySelector(`.legend [data-method="${CSS.escape(name)}"]`);
    const x = 12 + COLUMN * (i % columns), y = height + 32 + LINE * Math.floor(i / columns);
    const place = draw("g", { transform: `translate(${x},${y})` });
    place.append(
      draw("path", { d: item.querySelector("path").getAttribute("d"), fill: `var(--${item.dataset.colour})` }),
      draw("text", { x: 9, y: 4, fill: "var(--ink)", "font-size": "10px" }, name),
    );
    svg.append(place);
  });
  for (const part of svg.querySelectorAll("text")) part.setAttribute("font-family", "Helvetica, Arial, sans-serif");
  const light = (text) => text.replace(/var\(--([\w-]+)\)/g, (_, name) => known.light[name]);
  return light(new XMLSerializer().serializeToString(svg));
};
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-format]");
  if (!button) return;
  const figure = button.closest("figure"), text = alone(figure), format = button.dataset.format;
  if (format === "svg") save(`${figure.dataset.file}.svg`, "image/svg+xml", text);
  else save(`${figure.dataset.file}.pdf`, "application/pdf", pdfOf(text));
});
