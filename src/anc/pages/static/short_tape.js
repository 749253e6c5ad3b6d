// A tape in a row of tiles; many zeros that nobody points at become one.

const FEW_ZEROS = 5;
const MANY_TILES = 60; // more may have to be scrolled

// [first, last] cells of each tile; a run of zeros is one tile if it is long and nothing in it is marked.
function tapeParts(cells, marked) {
  const parts = [];
  for (let cell = 0; cell < cells.length; cell++) {
    let last = cell;
    while (last < cells.length && cells[last] === 0 && !marked.has(last)) last++;
    if (last - cell > FEW_ZEROS) {
      parts.push([cell, last - 1]);
      cell = last - 1;
    } else {
      parts.push([cell, cell]);
    }
  }
  return parts;
}

function tapeRow(name, cells, { marked = [], why = "" } = {}) {
  const special = new Set(marked);
  const tiles = tapeParts(cells, special).map(([first, last]) => (first === last ? tapeTile(first, cells[first], special.has(first)) : zeroTile(first, last)));
  const reach = tiles.length > MANY_TILES ? "0" : null;
  const row = el("div", { class: "tape-row", role: "list", "aria-label": name, tabindex: reach }, tiles);
  return el("div", { class: "named-tape" }, el("div", { class: "tape-name" }, name, why ? el("span", { class: "muted" }, ` ${why}`) : null), row);
}

function tapeTile(cell, value, isMarked) {
  const words = `cell ${cell}: ${value}${isMarked ? ", spoken of" : ""}`;
  return el("span", { class: `tile${isMarked ? " marked" : ""}`, role: "listitem", "aria-label": words },
    el("span", { class: "tile-address mono" }, cell), el("span", { class: "tile-value mono" }, value));
}

function zeroTile(first, last) {
  return el("span", { class: "tile zeros muted", role: "listitem", "aria-label": `cells ${first} to ${last}: 0` },
    el("span", { class: "tile-address mono" }, `${first}–${last}`), el("span", { class: "tile-value mono" }, `${last - first + 1} × 0`));
}
