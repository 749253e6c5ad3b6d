// The page of Table 1.

function rounded(value) {
  return value === null || value === undefined ? "–" : String(Number(value.toFixed(2)));
}

function percent(share) {
  return `${Math.round(100 * share)} %`;
}

function tableView(data) {
  const paper = data.paper || {};
  const head = ["task", "generic", "paper", "learned: best", "median", "paper", "success rate", "95 % interval", "paper", "seconds"];
  const rows = data.rows.map((row) => {
    const theirs = paper[row.task];
    const cells = [rounded(row.generic), rounded(theirs && theirs.generic), rounded(row.learned_best), rounded(row.learned_median), rounded(theirs && theirs.learned),
      percent(row.success_rate), row.interval.map(percent).join(" to "), theirs ? percent(theirs.success_rate) : "–", rounded(row.seconds)];
    const papers = new Set([1, 4, 7]);
    return el("tr", {}, el("th", { scope: "row" }, row.task), cells.map((text, i) => el("td", { class: papers.has(i) ? "paper" : "" }, text)));
  });
  const table = el("table", { class: "numbers" }, el("thead", {}, el("tr", {}, head.map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, rows));
  return el("section", { class: "card" },
    el("div", { class: "card-head" }, el("h2", {}, "The table"), el("span", { class: "muted" }, "iterations; learned ones over the successes")), el("div", { class: "scroller", tabindex: "0", role: "region", "aria-label": "The table" }, table));
}

// Bars for each task; `series` are [class, name, value of a row]; `marks` the paper's values.
function taskChart(data, { title, yName, series, paperValue, high, errors }) {
  const rows = data.rows;
  return new Chart({
    title,
    xName: "task",
    yName,
    height: 280,
    range: () => ({ x: [-0.5, rows.length - 0.5], y: [0, high] }),
    xTicks: (frame) => rows.map((row, i) => [i, frame.width / rows.length < 62 ? `${row.task.slice(0, 6)}${row.task.length > 6 ? "…" : ""}` : row.task]),
    draw: (frame) => {
      const slot = frame.x(1) - frame.x(0);
      const width = Math.min(34, (slot * 0.78) / series.length);
      rows.forEach((row, i) => {
        series.forEach(([kind, name, value], k) => {
          const v = value(row);
          if (v === null || v === undefined) return;
          const x = frame.x(i) + (k - series.length / 2) * width;
          const bar = svg("rect", { class: kind, x: x + 1, y: frame.y(v), width: width - 2, height: Math.max(0.5, frame.bottom - frame.y(v)), rx: 2 });
          explains(bar, () => [tooltipTitle(row.task), el("div", {}, `${name}: ${rounded(v)}`)]);
          frame.plot.append(bar);
        });
        if (errors) frame.plot.append(errorBar(frame, frame.x(i), ...errors(row)));
        const theirs = paperValue(row);
        if (theirs !== undefined) frame.plot.append(paperMark(frame, frame.x(i) + (series.length > 1 ? width : 0), theirs, row.task));
      });
    },
  });
}

function errorBar(frame, x, low, high) {
  const [a, b] = [frame.y(low), frame.y(high)];
  return svg("path", { class: "error-bar", d: `M${x} ${a}V${b}M${x - 5} ${a}h10M${x - 5} ${b}h10` });
}

function paperMark(frame, x, value, task) {
  const y = frame.y(value);
  const mark = svg("path", { class: "paper-mark", d: `M${x} ${y - 6}l6 6l-6 6l-6 -6z` });
  explains(mark, () => [tooltipTitle(task), el("div", {}, `the paper: ${rounded(value)}`)]);
  return mark;
}

startPage((data, place) => {
  const paper = data.paper || {};
  const values = data.rows.flatMap((row) => [row.generic, row.learned_best || 0]);
  const iterations = taskChart(data, {
    title: "iterations before and after",
    yName: "iterations (steps + 1)",
    series: [["bar-generic", "generic", (r) => r.generic], ["bar-median", "learned, median", (r) => r.learned_median], ["bar-best", "learned, best", (r) => r.learned_best]],
    paperValue: (r) => (paper[r.task] ? paper[r.task].learned : undefined),
    high: Math.max(...values) * 1.08,
  });
  const success = taskChart(data, {
    title: "success rate",
    yName: "success rate (%)",
    series: [["bar-good", "success rate, %", (r) => 100 * r.success_rate]],
    errors: (r) => [100 * r.interval[0], 100 * r.interval[1]],
    paperValue: (r) => (paper[r.task] ? 100 * paper[r.task].success_rate : undefined),
    high: 105,
  });
  place.append(tableView(data), el("section", { class: "card" }, el("div", { class: "chart-grid wide" },
    el("div", {}, iterations.node, legendRow([["bar-generic", "generic"], ["bar-median", "learned, median"], ["bar-best", "learned, best"], ["paper-mark", "the paper, learned"]])),
    el("div", {}, success.node, legendRow([["bar-good", "ours, with the 95 % interval"], ["paper-mark", "the paper"]])))));
});
