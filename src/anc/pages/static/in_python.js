// An adapted function of Python: what calls take, and its text as it can be pasted.

function inPythonCard(python) {
  if (!python) return null;
  const rows = python.rows.map((row) => el("tr", {}, row.map((text, column) => el("td", { class: column ? "" : "words" }, text))));
  const written = python.file === "adapted.py" ? "" : "bad";
  return el("section", { class: "card in-python" },
    el("div", { class: "card-head" }, el("h2", {}, "In Python"), el("span", { class: `chip mono ${written}` }, python.file)),
    el("p", { class: `worth ${python.kind}` }, el("b", {}, python.words), ` ${python.taken}`),
    python.why ? el("p", {}, python.why) : null,
    recordTable(["calls", "original", "adapted"], rows, "Nanoseconds of a call"),
    el("pre", { class: "python-text mono scroller", tabindex: "0", "aria-label": "The adapted function" }, python.text.trim()));
}

function inPythonTiles(python) {
  if (!python) return [];
  return [["in Python", python.tile[0], python.kind, python.tile[1]], ["accepted", python.accepted[0], "", python.accepted[1]]];
}
