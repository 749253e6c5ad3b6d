// The four weight matrices before and after, as the paper's Figure 2c: a row for each line.

const MATRIX_PARTS = [["first", "first operand"], ["second", "second operand"], ["op", "instruction"], ["out", "output"]];

function matricesView(data) {
  const rows = ["before", "after"].map((when) => el("div", { class: "matrix-row" },
    el("h3", {}, when === "before" ? "before (generic)" : `after (member ${data.best})`),
    el("div", { class: "matrix-grid" }, MATRIX_PARTS.map(([part, title]) => matrixView(data[when][part], part === "op" ? data.ops : data.registers, title)))));
  return el("section", { class: "card" },
    el("div", { class: "card-head" }, el("h2", {}, "The weights, as probabilities"), el("span", { class: "muted" }, "one row for each program line; strong is likely")), rows);
}

function matrixView(matrix, columns, title) {
  const canvas = el("canvas", { role: "img", tabindex: "0", "aria-label": `${title}: ${matrix.length} lines, ${columns.length} choices` });
  const node = el("figure", { class: "matrix" }, el("figcaption", {}, title), canvas);
  const left = 22;
  let [w, h, label] = [0, 0, 0];
  const draw = () => {
    const width = node.clientWidth;
    if (!width) return;
    w = Math.min(26, (width - left) / columns.length);
    h = Math.max(3, Math.min(15, 420 / matrix.length));
    label = 8 + 6.2 * Math.min(11, Math.max(...columns.map((name) => name.length)));
    const context = sharpContext(canvas, width, matrix.length * h + label);
    const muted = themeColour("muted");
    matrix.forEach((row, line) => row.forEach((p, column) => {
      context.fillStyle = heatOf(p).css;
      context.fillRect(left + column * w, line * h, w > 5 ? w - 1 : w, h > 5 ? h - 1 : h);
    }));
    context.fillStyle = muted;
    context.font = "10px system-ui, sans-serif";
    context.textAlign = "right";
    context.textBaseline = "middle";
    const every = Math.ceil(11 / h);
    for (let line = 0; line < matrix.length; line += every) context.fillText(line, left - 4, (line + 0.5) * h);
    context.font = "10px ui-monospace, Menlo, Consolas, monospace";
    columns.forEach((name, column) => {
      if (w < 9 && column % Math.ceil(9 / w)) return;
      context.save();
      context.translate(left + (column + 0.5) * w, matrix.length * h + 5);
      context.rotate(-Math.PI / 2);
      context.fillText(name.length > 11 ? `${name.slice(0, 10)}…` : name, 0, 0);
      context.restore();
    });
  };
  onResize(node, draw);
  onTheme(draw);
  explains(canvas, (event) => {
    if (event.offsetX === undefined) return [tooltipTitle(title), el("div", {}, "point at a cell for its probability")];
    const [column, line] = [Math.floor((event.offsetX - left) / w), Math.floor(event.offsetY / h)];
    if (column < 0 || column >= columns.length || line < 0 || line >= matrix.length) return null;
    return [tooltipTitle(`line ${line}, ${title}`), el("div", { class: "mono" }, `${columns[column]}: ${precise(matrix[line][column])}`)];
  });
  return node;
}
