// What `anc adapt` found: when, by which method; the programs; and the numbers in short.

// Okabe and Ito's colours, and shapes for those who cannot tell them apart.
const METHOD_MARKS = ["circle", "square", "diamond", "triangle", "cross"];

// With more methods than colours, the same colour comes with another shape.
function methodShape(index) {
  return METHOD_MARKS[(index + Math.floor(index / METHOD_MARKS.length)) % METHOD_MARKS.length];
}

function methodMark(index, x, y, size = 5.5) {
  const shape = methodShape(index);
  const attributes = { class: `method method-${index % METHOD_MARKS.length}${shape === "cross" ? " open" : ""}` };
  const s = size;
  const shapes = {
    circle: `M${x - s} ${y}a${s} ${s} 0 1 0 ${2 * s} 0a${s} ${s} 0 1 0 ${-2 * s} 0`,
    square: `M${x - s} ${y - s}h${2 * s}v${2 * s}h${-2 * s}z`,
    diamond: `M${x} ${y - s * 1.3}l${s * 1.3} ${s * 1.3}l${-s * 1.3} ${s * 1.3}l${-s * 1.3} ${-s * 1.3}z`,
    triangle: `M${x} ${y - s * 1.2}l${s * 1.2} ${s * 2.1}h${-s * 2.4}z`,
    cross: `M${x - s} ${y - s}l${2 * s} ${2 * s}M${x - s} ${y + s}l${2 * s} ${-2 * s}`,
  };
  return svg("path", { ...attributes, d: shapes[shape] });
}

function foundChart(data) {
  const all = data.methods.flatMap((method) => method.found);
  const generic = data.generic_cost;
  const last = all.length ? Math.max(...all.map(([seconds]) => seconds), 1e-3) * 1.15 : data.result.seconds || 1;
  const high = Math.max(generic, ...all.map(([, steps]) => steps)) * 1.08;
  const chart = new Chart({
    title: "what each method found, and when",
    xName: data.result.evaluations ? "seconds of work" : "seconds",
    yName: `mean ${data.unit}`,
    height: 260,
    range: () => ({ x: [0, last], y: [0, high] }),
    draw: (frame) => {
      const y = frame.y(generic);
      frame.plot.append(svg("line", { class: "reference", x1: frame.left, x2: frame.right, y1: y, y2: y }),
        svg("text", { class: "reference-name", x: frame.right, y: y - 5, "text-anchor": "end" }, "generic program"));
      data.methods.forEach((method, index) => drawMethod(frame, data, method, index, last));
    },
  });
  const legend = el("div", { class: "legend-row" }, data.methods.map((method, index) => {
    const picture = svg("svg", { width: 16, height: 16, viewBox: "0 0 16 16", "aria-hidden": "true" }, methodMark(index, 8, 8));
    return el("span", { class: "method-key" }, picture, ` ${method.name}`);
  }));
  const empty = all.length ? null : el("p", { class: "muted" }, "no method found a faster program");
  return el("section", { class: "card" }, el("div", { class: "card-head" }, el("h2", {}, "The search")), chart.node, legend, empty);
}

function drawMethod(frame, data, method, index, last) {
  let path = "";
  let best = Infinity;
  for (const [seconds, steps] of method.found) {
    if (steps >= best) continue;
    const [x, y] = [frame.x(seconds), frame.y(steps)];
    path += path ? `H${x}V${y}` : `M${x} ${y}`;
    best = steps;
  }
  if (path) frame.plot.append(svg("path", { class: `method-line method-${index % METHOD_MARKS.length}`, d: `${path}H${frame.x(last)}` }));
  for (const [seconds, steps] of method.found) {
    const mark = methodMark(index, frame.x(seconds), frame.y(steps));
    explains(mark, () => [tooltipTitle(method.name), el("div", {}, `${hundredths(steps)} ${data.unit} after ${tickText(seconds)} s`)]);
    frame.plot.append(mark);
  }
}

function programsView(data) {
  return el("section", { class: "card" },
    el("div", { class: "card-head" }, el("h2", {}, "The programs")),
    el("div", { class: "program-grid" }, data.programs.map((program) => el("div", { class: "program-text" },
      el("h3", {}, program.which, el("span", { class: "muted" }, ` ${plural(program.lines.length, "line")}, ${program.file}`)),
      el("div", { class: "register-chips" }, program.registers.map(([name, value]) => el("span", { class: "register-chip mono" }, `${name} = ${value === null ? "–" : value}`))),
      el("div", { class: "program-lines scroller", tabindex: "0", "aria-label": `Listing: ${program.which}` }, program.lines.map(listingLine))))));
}

function listingLine(line, number) {
  return el("div", { class: "line" }, el("span"), el("span", { class: "line-number mono" }, number),
    el("span", { class: "line-text mono" }, line.labels.map((label) => el("span", { class: "label" }, `${label}: `)), line.text));
}

function adaptTiles(data) {
  const r = data.result;
  const better = data.answers.filter((answer) => !answer.is_generic);
  const tiles = [["generic", costText(data, data.generic_cost), "", `${plural(data.programs[0].lines.length, "line")}${data.unit === "steps" ? "" : `, ${stepsText(r.steps_generic)}`}`]];
  for (const answer of better) {
    const note = `${timesFaster(data, answer)}${answer.verdict === answer.which ? "" : `, ${answer.verdict}`}`;
    const kind = data.result.function ? "" : "good"; // fewer steps are no gain to Python
    tiles.push([answer.which, costText(data, answer.cost), answer.which === "proved" ? kind : "doubtful", note]);
  }
  if (!better.length) tiles.push(["better", "none", "bad", "no better program was found"]);
  if (r.cases_tested !== null) tiles.push([r.trust ? "held-out cases" : "test cases", String(r.cases_tested)]);
  if (r.evaluations) tiles.push(["work", r.evaluations.toLocaleString("en"), "", "evaluations"]);
  else if (r.seconds !== null) tiles.push(["time", `${tickText(r.seconds)} s`]);
  if (r.soft) tiles.push(["soft program", stepsText(r.soft.steps), "", `confidence ${tickText(r.soft.confidence)}`]);
  return tiles;
}

function costText(data, cost) {
  return data.unit === "steps" ? stepsText(cost) : `cost ${hundredths(cost)}`;
}

function stepsText(steps) {
  return `${hundredths(steps)} ${steps === 1 ? "step" : "steps"}`;
}
