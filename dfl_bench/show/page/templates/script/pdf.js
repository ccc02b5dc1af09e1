// A small PDF of an SVG that our figures are made of: paths, lines, rectangles and text in the standard fonts.
const HELVETICA = // widths of the letters from the space on, in thousandths of the font size
  [278,278,355,556,556,889,667,191,333,333,389,584,278,333,278,278,556,556,556,556,556,556,556,556,556,556,278,278,584,584,584,556,
    1015,667,667,722,722,667,611,778,722,278,500,667,556,833,722,778,667,778,722,667,611,722,667,944,667,667,611,278,278,278,469,556,
    333,556,556,500,556,556,278,556,556,222,222,500,222,833,556,556,556,556,333,500,278,556,500,722,500,500,500,334,260,334,584];
const BEYOND = { "–": 0x96, "—": 0x97, "’": 0x92, "…": 0x85, "†": 0x86, "‡": 0x87, "−": 0x2d };
const ARROWS = { "↑": 0xad, "↓": 0xaf }; // in the font Symbol
const code = (letter) => BEYOND[letter] ?? (letter.charCodeAt(0) < 256 ? letter.charCodeAt(0) : 0x3f);
const width = (text) => [...text].reduce((sum, letter) => sum + (HELVETICA[code(letter) - 32] ?? 556), 0) / 1000;
const short = (number) => String(+number.toFixed(3));

const outline = (path) => {
  const d = path.getAttribute("d"), out = [];
  if (/a/i.test(d)) { // arcs are circles of a few pixels: forty corners look round
    for (let i = 0, length = path.getTotalLength(); i < 40; i += 1) {
      const { x, y } = path.getPointAtLength((length * i) / 40);
      out.push(`${short(x)} ${short(y)} ${i ? "l" : "m"}`);
    }
    return `${out.join(" ")} h`;
  }
  let x = 0, y = 0;
  for (const [, command, rest] of d.matchAll(/([MLHVCZ])([^MLHVCZ]*)/gi)) {
    const relative = command === command.toLowerCase(), kind = command.toUpperCase();
    const numbers = (rest.match(/-?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?/gi) ?? []).map(Number);
    const step = { M: 2, L: 2, H: 1, V: 1, C: 6, Z: 1 }[kind];
    if (kind === "Z") out.push("h");
    for (let i = 0; i + step <= numbers.length && kind !== "Z"; i += step) {
      const at = numbers.slice(i, i + step);
      const fromX = relative ? x : 0, fromY = relative ? y : 0;
      const points = kind === "H" ? [at[0] + fromX, y] : kind === "V" ? [x, at[0] + fromY] : at.map((n, j) => n + (j % 2 ? fromY : fromX));
      [x, y] = points.slice(-2);
      out.push(`${points.map(short).join(" ")} ${kind === "M" && !i ? "m" : kind === "C" ? "c" : "l"}`);
    }
  }
  return out.join(" ");
};
const shapes = {
  path: outline,
  line: (line) => {
    const [x1, y1, x2, y2] = ["x1", "y1", "x2", "y2"].map((name) => short(Number(line.getAttribute(name) ?? 0)));
    return `${x1} ${y1} m ${x2} ${y2} l`;
  },
  rect: (rect) => `${["x", "y", "width", "height"].map((name) => short(Number(rect.getAttribute(name) ?? 0))).join(" ")} re`,
};

const colour = (text) => {
  const parts = (text.match(/[\d.]+/g) ?? []).map(Number);
  return text === "none" || parts.length < 3 || parts[3] === 0 ? null : parts.slice(0, 3).map((n) => short(n / 255)).join(" ");
};
const painted = (element, style) => {
  const fill = colour(style.fill), stroke = parseFloat(style.strokeWidth) ? colour(style.stroke) : null;
  if (!fill && !stroke) return "";
  const dash = style.strokeDasharray === "none" ? "" : `[${style.strokeDasharray.match(/[\d.]+/g).join(" ")}] 0 d `;
  const pen = stroke ? `${stroke} RG ${parseFloat(style.strokeWidth)} w ${dash}` : "";
  return `${fill ? `${fill} rg ` : ""}${pen}${shapes[element.tagName](element)} ${fill && stroke ? "B" : fill ? "f" : "S"}`;
};
const written = (element, style) => {
  const size = parseFloat(style.fontSize), bold = Number(style.fontWeight) >= 600;
  const shift = { start: 0, middle: 0.5, end: 1 }[style.textAnchor] ?? 0;
  const left = Number(element.getAttribute("x") ?? 0);
  let y = Number(element.getAttribute("y") ?? 0);
  const lines = (element.children.length ? [...element.children] : [element]).map((line) => {
    y += Number(line.getAttribute("dy") ?? 0);
    const x = left - shift * width(line.textContent) * size;
    const runs = line.textContent.split(/([↑↓])/).filter(Boolean).map((run) => {
      const codes = run in ARROWS ? [ARROWS[run]] : [...run].map(code);
      const hex = codes.map((n) => n.toString(16).padStart(2, "0")).join("");
      return `/${run in ARROWS ? "F3" : bold ? "F2" : "F1"} ${size} Tf <${hex}> Tj`;
    });
    return `1 0 0 -1 ${short(x)} ${short(y)} Tm ${runs.join(" ")}`;
  });
  return `${colour(style.fill) ?? "0 0 0"} rg BT ${lines.join(" ")} ET`;
};

const pdfOf = (text) => {
  const holder = document.body.appendChild(make("div", "", { class: "offscreen" }));
  const svg = holder.appendChild(document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true));
  const { width: across, height: down } = svg.viewBox.baseVal, faint = new Map();
  const drawn = [...svg.querySelectorAll("path, line, rect, text")].map((element) => {
    const style = getComputedStyle(element);
    const strength = short(style.opacity * (element.tagName === "text" || colour(style.fill) ? style.fillOpacity : style.strokeOpacity));
    const ink = style.display === "none" || strength === "0" ? "" : (element.tagName === "text" ? written : painted)(element, style);
    if (!ink) return "";
    if (!faint.has(strength)) faint.set(strength, `/G${faint.size}`);
    const { a, b, c, d, e, f } = element.getCTM();
    return `q ${[a, b, c, d, e, f].map(short).join(" ")} cm ${faint.get(strength)} gs ${ink} Q`;
  });
  holder.remove();
  const page = `1 0 0 -1 0 ${short(down)} cm\n${drawn.filter(Boolean).join("\n")}\n`;
  const states = [...faint].map(([strength, name]) => `${name} << /ca ${strength} /CA ${strength} >>`).join(" ");
  const font = (name, encoding) => `<< /Type /Font /Subtype /Type1 /BaseFont /${name} ${encoding ? "/Encoding /WinAnsiEncoding " : ""}>>`;
  const fonts = `/F1 ${font("Helvetica", true)} /F2 ${font("Helvetica-Bold", true)} /F3 ${font("Symbol", false)}`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${short(across)} ${short(down)}] /Contents 4 0 R /Resources << /Font << ${fonts} >> /ExtGState << ${states} >> >> >>`,
    `<< /Length ${page.length} >>\nstream\n${page}endstream`,
  ];
  let file = "%PDF-1.4\n";
  const places = objects.map((object, i) => {
    const place = file.length;
    file += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, "0")} 00000 n \n`;
  });
  const end = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join("")}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${end}\n%%EOF\n`;
  return file;
};
