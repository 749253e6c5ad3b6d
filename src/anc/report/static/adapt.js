// What `anc adapt` found: when, by which method, under which condition, and what the verdict is.

// Okabe and Ito's colours, and shapes for those who cannot tell them apart.
const METHOD_MARKS = ["circle", "square", "diamond", "triangle", "cross"];

function methodMark(index, x, y, size = 5.5) {
  const attributes = { class: `method method-${index % METHOD_MARKS.length}` };
  const s = size;
  const shapes = {
    circle: `M${x - s} ${y}a${s} ${s} 0 1 0 ${2 * s} 0a${s} ${s} 0 1 0 ${-2 * s} 0`,
    square: `M${x - s} ${y - s}h${2 * s}v${2 * s}h${-2 * s}z`,
    diamond: `M${x} ${y - s * 1.3}l${s * 1.3} ${s * 1.3}l${-s * 1.3} ${s * 1.3}l${-s * 1.3} ${-s * 1.3}z`,
    triangle: `M${x} ${y - s * 1.2}l${s * 1.2} ${s * 2.1}h${-s * 2.4}z`,
    cross: `M${x - s} ${y - s}l${2 * s} ${2 * s}M${x - s} ${y + s}l${2 * s} ${-2 * s}`,
  };
  return svg("path", { ...attributes, d: shapes[METHOD_MARKS[index % METHOD_MARKS.length]] });
}

function foundChart(data) {
  const all = data.methods.flatMap((method) => method.found);
  const generic = data.result.steps_generic;
  const last = all.length ? Math.max(...all.map(([seconds]) => seconds), 1e-3) * 1.15 : data.result.seconds || 1;
  const high = Math.max(generic, ...all.map(([, steps]) => steps)) * 1.08;
  const chart = new Chart({
    title: "what each method found, and when",
    xName: "seconds",
    yName: "mean steps",
    height: 260,
    range: () => ({ x: [0, last], y: [0, high] }),
    draw: (frame) => {
      const y = frame.y(generic);
      frame.plot.append(svg("line", { class: "reference", x1: frame.left, x2: frame.right, y1: y, y2: y }),
        svg("text", { class: "reference-name", x: frame.right, y: y - 5, "text-anchor": "end" }, "generic program"));
      data.methods.forEach((method, index) => drawMethod(frame, method, index, last));
    },
  });
  const legend = el("div", { class: "legend-row" }, data.methods.map((method, index) => {
    const picture = svg("svg", { width: 16, height: 16, viewBox: "0 0 16 16", "aria-hidden": "true" }, methodMark(index, 8, 8));
    return el("span", { class: "method-key" }, picture, ` ${method.name}`);
  }));
  const empty = all.length ? null : el("p", { class: "muted" }, "no method found a faster program");
  return el("section", { class: "card" }, el("div", { class: "card-head" }, el("h2", {}, "The search")), chart.node, legend, empty);
}

function drawMethod(frame, method, index, last) {
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
    explains(mark, () => [tooltipTitle(method.name), el("div", {}, `${tickText(steps)} steps after ${tickText(seconds)} s`)]);
    frame.plot.append(mark);
  }
}

function verdictCard(data) {
  const verdict = data.result.verdict || {};
  const kinds = { proved: "good", refuted: "bad" };
  const words = {
    proved: "Proved: on every input that fulfils the precondition, the adapted program gives what the generic one gives.",
    refuted: "Refuted: there is an input on which the two programs differ.",
    unknown: "Unknown: neither a proof nor a counter-example was found.",
  };
  const facts = [verdict.how ? `how: ${verdict.how}` : null, verdict.reason, verdict.seconds !== undefined && verdict.seconds !== null ? `${tickText(verdict.seconds)} s` : null].filter(Boolean);
  const conditions = data.result.precondition || [];
  return el("section", { class: `card verdict ${kinds[verdict.kind] || ""}` },
    el("div", { class: "card-head" }, el("h2", {}, "The verdict"), el("span", { class: `chip ${kinds[verdict.kind] || ""}` }, verdict.kind || "unknown")),
    el("p", {}, words[verdict.kind] || words.unknown),
    facts.length ? el("p", { class: "muted" }, facts.join("; ")) : null,
    verdict.counterexample ? [el("h3", {}, "Counter-example"), tapeRow(verdict.counterexample)] : null,
    el("h3", {}, "Precondition"),
    conditions.length ? el("ul", { class: "conditions" }, conditions.map((text) => el("li", { class: "mono" }, text))) : el("p", { class: "muted" }, "none: every input"),
    data.result.guard ? [el("h3", {}, "Guard"), el("p", {}, data.result.guard)] : null,
    (data.result.notes || []).map((note) => el("p", { class: "muted" }, note)));
}

function tapeRow(cells) {
  return el("div", { class: "tape-row", role: "list", "aria-label": "Tape" }, cells.map((value, cell) =>
    el("span", { class: "tile", role: "listitem", "aria-label": `cell ${cell}: ${value}` }, el("span", { class: "tile-address mono" }, cell), el("span", { class: "tile-value mono" }, value))));
}

function programsView(data) {
  return el("section", { class: "card" },
    el("div", { class: "card-head" }, el("h2", {}, "The programs")),
    el("div", { class: "program-grid" }, data.programs.map((program) => el("div", { class: "program-text" },
      el("h3", {}, program.which, el("span", { class: "muted" }, ` ${plural(program.lines.length, "line")}, ${program.file}`)),
      el("div", { class: "register-chips" }, program.registers.map(([name, value]) => el("span", { class: "register-chip mono" }, `${name} = ${value === null ? "–" : value}`))),
      program.lines.map((line, number) => el("div", { class: "line" }, el("span"), el("span", { class: "line-number mono" }, number),
        el("span", { class: "line-text mono" }, line.labels.map((label) => el("span", { class: "label" }, `${label}: `)), line.text)))))));
}

function adaptTiles(data) {
  const r = data.result;
  const faster = r.steps_adapted !== null && r.steps_adapted < r.steps_generic;
  const kinds = { proved: "good", refuted: "bad" };
  const verdict = (r.verdict || {}).kind || "unknown";
  const right = r.correct === true ? "all right" : r.correct === false ? "not all right" : `${tickText(Number(r.correct))} right`;
  const tiles = [
    ["steps: generic → adapted", `${tickText(r.steps_generic)} → ${r.steps_adapted === null ? "–" : tickText(r.steps_adapted)}`, faster ? "good" : "bad", faster ? `${tickText(r.steps_generic / r.steps_adapted)} times faster` : "no faster program"],
    ["verdict", verdict, kinds[verdict]],
  ];
  if (r.cases_tested !== undefined) tiles.push(["test cases", `${r.cases_tested}, ${right}`]);
  if (r.method) tiles.push(["found by", r.method]);
  if (r.seconds !== undefined) tiles.push(["time", `${tickText(r.seconds)} s`]);
  if (r.soft) tiles.push(["soft program", `${tickText(r.soft.steps)} steps`, "", `${r.soft.type ? `type ${r.soft.type}, ` : ""}confidence ${tickText(r.soft.confidence)}`]);
  return tiles;
}
