// How a result was made, what each seed led to, and which candidates were dropped.

function recordTable(head, rows, label) {
  const table = el("table", { class: "record" },
    el("thead", {}, el("tr", {}, head.map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, rows));
  return el("div", { class: "scroller", tabindex: "0", role: "region", "aria-label": label }, table);
}

function madeView(made) {
  if (!made.length) return null;
  return el("section", { class: "card" }, el("div", { class: "card-head" }, el("h2", {}, "How it was made")),
    el("dl", { class: "made" }, made.map(([name, value]) => [el("dt", {}, name), el("dd", { class: name === "command" ? "mono" : "" }, value)]).flat()));
}

function seedsView(seeds, unit) {
  if (!seeds.length) return null;
  const number = (value) => (value === null ? "–" : hundredths(value));
  const rows = seeds.map((seed) => el("tr", { class: seed.best ? "best" : "" }, el("td", {}, `${seed.seed}${seed.best ? " (kept)" : ""}`),
    el("td", {}, number(seed.cost_proved)), el("td", {}, number(seed.cost_unproved)), el("td", {}, seed.seconds.toFixed(1)), el("td", {}, seed.stop)));
  return el("section", { class: "card" },
    el("div", { class: "card-head" }, el("h2", {}, "The seeds"), el("span", { class: "muted" }, `${unit} of the best program of each`)),
    recordTable(["seed", "proved", "unproved", "seconds", "end"], rows, "The seeds"));
}

function droppedView(dropped, unit) {
  if (!dropped.length) return null;
  const severalSeeds = dropped.some((each) => each.seed !== null);
  const rows = dropped.map((each) => el("tr", {},
    el("td", {}, hundredths(each.cost)), el("td", {}, each.lines), el("td", {}, each.method), severalSeeds ? el("td", {}, each.seed) : null,
    el("td", { class: "words" }, el("b", {}, each.why), each.reason ? `: ${each.reason}` : "", each.fails_on ? el("div", { class: "mono muted" }, `fails on ${each.fails_on}`) : null),
    el("td", { class: "words" }, el("details", {}, el("summary", {}, "show"), el("pre", { class: "mono" }, each.program.trim())))));
  const head = [unit, "lines", "found by", ...(severalSeeds ? ["seed"] : []), "why", "listing"];
  return el("section", { class: "card" },
    el("div", { class: "card-head" }, el("h2", {}, "Dropped candidates"), el("span", { class: "muted" }, "right on all samples, but no answer")),
    recordTable(head, rows, "Dropped candidates"));
}
