// The numbers that a page begins with.

function summaryTiles(tiles) {
  return el("section", { class: "tiles", "aria-label": "Summary" }, tiles.map(([name, value, kind, note]) =>
    el("div", { class: `card summary ${kind || ""}` }, el("div", { class: "summary-name" }, name), el("div", { class: "summary-value" }, value), note ? el("div", { class: "muted summary-note" }, note) : null)));
}
