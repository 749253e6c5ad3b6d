// Programs read from weights: each choice with its probability; two of them line by line.

// A choice that is hardly likelier than the others is not named.
function isLikely(p, choices) {
  return p > Math.min(0.5, 2 / choices);
}

// A row's choices: {op: [index, p], first: ..., second: ..., out: ...}
function choicesOf(matrices, line) {
  const found = {};
  for (const part of ["op", "first", "second", "out"]) {
    const row = matrices[part][line];
    const best = row.reduce((b, p, i) => (p > row[b] ? i : b), 0);
    found[part] = [best, row[best]];
  }
  return found;
}

function taken(data, choices) {
  const used = data.operands[choices.op[0]];
  return ["out", "op", ...["first", "second"].slice(0, used)];
}

// The line as the program that it most likely is; parts that differ from `other` are marked.
function choiceLine(data, choices, other) {
  const used = taken(data, choices);
  const token = (part) => {
    const [index, p] = choices[part];
    const names = part === "op" ? data.ops : data.registers;
    const text = isLikely(p, names.length) ? names[index] : "–";
    const differs = other && other[part][0] !== index;
    const node = el("span", { class: `token${differs ? " differs" : ""}` }, el("span", { class: "token-name" }, text), el("small", {}, short(p)));
    node.style.opacity = 0.45 + 0.55 * p;
    return node;
  };
  const operands = used.slice(2).flatMap((part, i) => (i ? [", ", token(part)] : [token(part)]));
  return el("span", { class: "choice-line mono" }, token("out"), " = ", token("op"), "(", operands, ")");
}

function linesDiffer(data, a, b) {
  const used = taken(data, b);
  return a.op[0] !== b.op[0] || used.some((part) => a[part][0] !== b[part][0]);
}

function diffView(data) {
  const visited = new Set(data.visited);
  const rows = [];
  let changed = 0;
  for (let line = 0; line < data.M; line++) {
    const [before, after] = [choicesOf(data.before, line), choicesOf(data.after, line)];
    const differs = linesDiffer(data, before, after);
    const counts = visited.has(line);
    if (differs && counts) changed++;
    rows.push(el("tr", { class: `${counts ? "" : "unvisited"}${differs ? " changed" : ""}` },
      el("th", { class: "mono", scope: "row" }, line),
      el("td", {}, choiceLine(data, before, differs ? after : null)),
      el("td", {}, choiceLine(data, after, differs ? before : null))));
  }
  const box = el("input", { type: "checkbox" });
  const table = el("table", { class: "diff" },
    el("thead", {}, el("tr", {}, el("th", {}, ""), el("th", {}, "before (generic)"), el("th", {}, `after (member ${data.best})`))),
    el("tbody", {}, rows));
  box.addEventListener("change", () => table.classList.toggle("show-unvisited", box.checked));
  const hidden = data.M - visited.size;
  return el("section", { class: "card" },
    el("div", { class: "card-head" }, el("h2", {}, "The program before and after"),
      el("span", { class: "muted" }, `of the lines that the test cases visit, ${changed} changed`),
      hidden ? el("label", { class: "check muted" }, box, `also ${plural(hidden, "line")} not visited`) : null),
    registerDiff(data), el("div", { class: "scroller" }, table));
}

// A register by its number, with the name that it had in the generic program.
function registerLabel(data, r) {
  const name = data.register_names[r];
  return [data.registers[r], name ? el("span", { class: "muted" }, ` (${name})`) : null, " = "];
}

// The first values of the registers, before and after.
function registerDiff(data) {
  const value = (row) => {
    const best = row.reduce((b, p, i) => (p > row[b] ? i : b), 0);
    return [isLikely(row[best], row.length) ? String(best) : "–", row[best]];
  };
  const items = data.registers.map((_, r) => {
    const [was, pWas] = value(data.before.registers[r]);
    const [is, pIs] = value(data.after.registers[r]);
    const words = was === is ? [is, el("small", {}, short(pIs))] : [was, el("small", {}, short(pWas)), " → ", el("b", {}, is), el("small", {}, short(pIs))];
    return el("span", { class: `register-chip mono${was === is ? "" : " differs"}` }, registerLabel(data, r), words);
  });
  return el("div", { class: "register-chips", "aria-label": "First values of the registers" }, items);
}
