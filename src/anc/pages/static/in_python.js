// An adapted function of Python: what calls take, and when that is right, and both texts.

function inPythonCard(python) {
  if (!python) return null;
  const rows = python.rows.map((row) => el("tr", {}, row.map((text, column) => el("td", { class: column ? "" : "words" }, text))));
  const written = python.file === "adapted.py" ? "" : "bad";
  return el("section", { class: "card in-python" },
    el("div", { class: "card-head" }, el("h2", {}, "In Python"), el("span", { class: `chip mono ${written}` }, python.file)),
    el("p", { class: `worth ${python.kind}` }, el("b", {}, python.words), ` ${python.taken}`),
    python.why ? el("p", {}, python.why) : null,
    recordTable(["calls", "original", "adapted"], rows, "Nanoseconds of a call"),
    python.conditions.length ? el("div", {}, el("h3", {}, "right whenever"),
      el("ul", { class: "conditions mono" }, python.conditions.map((words) => el("li", {}, words))),
      python.verdict ? el("p", { class: "muted" }, python.verdict) : null) : null,
    el("div", { class: "python-pair" }, [["your function", python.original], ["adapted", python.adapted]]
      .filter(([, text]) => text).map(([name, text]) => el("div", {}, el("h3", {}, name), pythonText(text, name)))),
    el("details", {}, el("summary", {}, "the whole file"), pythonText(python.text, "The whole file")));
}

function pythonText(text, label) {
  return el("pre", { class: "python-text mono scroller", tabindex: "0", "aria-label": label }, text.trim());
}

function inPythonTiles(python) {
  if (!python) return [];
  return [["in Python", python.tile[0], python.kind, python.tile[1]], ["accepted", python.accepted[0], "", python.accepted[1]]];
}
