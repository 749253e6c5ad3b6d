// The page of a program for an objective, or of a filled sketch.

function comparisonView(comparison) {
  if (!comparison) return null;
  const { better, equal, worse } = comparison.shares;
  const parts = [["better", better], ["equal", equal], ["worse", worse]];
  const rows = comparison.rows.map(([name, ...values]) => el("tr", {}, el("td", {}, name), values.map((value) => el("td", { class: "number" }, value))));
  const bar = el("div", { class: "shares", role: "img", "aria-label": parts.map(([name, share]) => `${name} ${percentText(share)}`).join(", ") },
    svg("svg", { viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": "true" }, shareBars(parts)));
  return el("section", { class: "card" },
    el("div", { class: "card-head" }, el("h2", {}, "Compared"), el("span", { class: "muted" }, `on ${comparison.instances} ${comparison.fresh ? "held-out instances" : "instances, which the search saw as well"}`)),
    recordTable(comparison.head, rows, "Compared"), bar,
    el("div", { class: "legend-row" }, parts.map(([name, share]) => el("span", {}, el("span", { class: `key share-${name}` }), `${name} on ${percentText(share)}`))));
}

function percentText(share) {
  return `${(100 * share).toFixed(1)} %`;
}

function shareBars(parts) {
  let x = 0;
  return parts.map(([name, share]) => {
    const bar = svg("rect", { class: `share-${name}`, x, y: 0, width: 100 * share, height: 4 });
    x += 100 * share;
    return bar;
  });
}

function holesView(holes) {
  if (!holes.length) return null;
  const rows = holes.map((hole) => el("tr", {}, el("td", {}, `line ${hole.line}, column ${hole.column}`), el("td", { class: "mono" }, hole.filled),
    el("td", { class: "words" }, hole.alternatives.length ? ["as good: ", el("span", { class: "mono" }, hole.alternatives.join(", "))] : `determined${hole.certain ? "" : ", as far as was searched"}`)));
  return el("section", { class: "card" }, el("div", { class: "card-head" }, el("h2", {}, "The holes")), recordTable(["hole", "filled with", ""], rows, "The holes"));
}

function progressView(data) {
  if (!data.progress.length) return null;
  const values = data.progress.map(([, value]) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const room = (most - least || Math.abs(most) || 1) * 0.12;
  const end = Math.max(data.seconds, ...data.progress.map(([seconds]) => seconds), 1e-3);
  const chart = new Chart({
    title: `${data.measure} of the best so far`,
    xName: "seconds",
    yName: data.measure,
    height: 240,
    range: () => ({ x: [0, end], y: [least >= 0 ? Math.max(0, least - room) : least - room, most + room] }),
    draw: (frame) => {
      const path = data.progress.map(([seconds, value], i) => `${i ? `H${frame.x(seconds)}V` : `M${frame.x(seconds)} `}${frame.y(value)}`).join("");
      frame.plot.append(svg("path", { class: "line-median", d: `${path}H${frame.x(end)}` }));
      for (const [seconds, value] of data.progress) {
        const mark = svg("circle", { class: "progress-mark", cx: frame.x(seconds), cy: frame.y(value), r: 3.5 });
        explains(mark, () => [el("div", {}, `${tickText(value)} after ${tickText(seconds)} s`)]);
        frame.plot.append(mark);
      }
    },
  });
  return el("section", { class: "card" }, el("div", { class: "card-head" }, el("h2", {}, "The search")), chart.node);
}

function textsView(texts) {
  return el("section", { class: "card" }, el("div", { class: "card-head" }, el("h2", {}, texts.length > 1 ? "The programs" : "The program")),
    el("div", { class: "program-grid" }, texts.map(([which, file, text]) => el("div", { class: "program-text" },
      el("h3", {}, which, el("span", { class: "muted" }, ` ${file}`)), el("pre", { class: "mono listing-text scroller", tabindex: "0", "aria-label": `Listing: ${which}` }, text.trim())))));
}

function notesView(notes) {
  if (!notes.length) return null;
  return el("section", { class: "card remarks" }, el("div", { class: "card-head" }, el("h2", {}, "Remarks")), notes.map((note) => el("p", {}, note)));
}

startPage((data, place) => {
  const beside = [comparisonView(data.comparison), holesView(data.holes), progressView(data)].filter(Boolean);
  if (beside.length % 2) beside.at(-1).classList.add("wide");
  put(place, [summaryTiles(data.tiles), el("div", { class: "adapt-grid" }, beside), textsView(data.texts), notesView(data.notes), madeView(data.made)]);
});
