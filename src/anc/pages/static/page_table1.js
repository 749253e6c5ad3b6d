// The page of Table 1.

function rounded(value) {
  return value === null || value === undefined ? "–" : String(Number(value.toFixed(2)));
}

function percent(share) {
  return `${Math.round(100 * share)} %`;
}

// The share of seeds that succeeded without beginning again; older files do not say.
function oneAttempt(row) {
  return row.first_try_successes === undefined ? undefined : row.first_try_successes / Math.max(1, row.seeds);
}

const between = (interval) => (interval ? interval.map(percent).join(" to ") : "–");
const ATTEMPTS = "The paper's success rates are of one attempt for each seed, and so is the column beside them. With restarts, a seed that has found nothing begins again from other weights, within the same run.";

function tableView(data, restarts) {
  const paper = data.paper || {};
  const head = ["task", "generic", "paper", "learned: best", "median", "paper", "success rate", "95 % interval", "paper", ...(restarts ? ["with restarts", "95 % interval"] : []), "seconds"];
  const rows = data.rows.map((row) => {
    const theirs = paper[row.task];
    const cells = [rounded(row.generic), rounded(theirs && theirs.generic), rounded(row.learned_best), rounded(row.learned_median), rounded(theirs && theirs.learned),
      oneAttempt(row) === undefined ? "–" : percent(oneAttempt(row)), between(row.first_try_interval), theirs ? percent(theirs.success_rate) : "–",
      ...(restarts ? [percent(row.success_rate), between(row.interval)] : []), rounded(row.seconds)];
    const papers = new Set([1, 4, 7]);
    return el("tr", {}, el("th", { scope: "row" }, row.task), cells.map((text, i) => el("td", { class: papers.has(i) ? "paper" : "" }, text)));
  });
  const table = el("table", { class: "numbers" }, el("thead", {}, el("tr", {}, head.map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, rows));
  return el("section", { class: "card" },
    el("div", { class: "card-head" }, el("h2", {}, "The table"), el("span", { class: "muted" }, "iterations; learned ones over the successes")), el("div", { class: "scroller", tabindex: "0", role: "region", "aria-label": "The table" }, table),
    el("p", { class: "muted table-note" }, `${restarts ? `${ATTEMPTS} ` : ""}Seconds are of all processes together; they include compilation where a size was new to the machine.`));
}

// Bars for each task; `series` are [class, name, value of a row, its interval]; the paper's values stand on series `paperAt`.
function taskChart(data, { title, yName, series, paperValue, paperAt, high }) {
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
        const middle = (k) => frame.x(i) + (k + 0.5 - series.length / 2) * width;
        series.forEach(([kind, name, value, interval], k) => {
          const v = value(row);
          if (v === null || v === undefined) return;
          const bar = svg("rect", { class: kind, x: middle(k) - width / 2 + 1, y: frame.y(v), width: width - 2, height: Math.max(0.5, frame.bottom - frame.y(v)), rx: 2 });
          explains(bar, () => [tooltipTitle(row.task), el("div", {}, `${name}: ${rounded(v)}`)]);
          frame.plot.append(bar);
          const ends = interval && interval(row);
          if (ends) frame.plot.append(errorBar(frame, middle(k), 100 * ends[0], 100 * ends[1]));
        });
        const theirs = paperValue(row);
        if (theirs !== undefined) frame.plot.append(paperMark(frame, middle(paperAt), theirs, row.task));
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
  const restarts = data.rows.some((row) => row.restarts || oneAttempt(row) === undefined);
  const values = data.rows.flatMap((row) => [row.generic, row.learned_best || 0]);
  const iterations = taskChart(data, {
    title: "iterations before and after",
    yName: "iterations (steps + 1)",
    series: [["bar-generic", "generic", (r) => r.generic], ["bar-median", "learned, median", (r) => r.learned_median], ["bar-best", "learned, best", (r) => r.learned_best]],
    paperValue: (r) => (paper[r.task] ? paper[r.task].learned : undefined),
    paperAt: 2,
    high: Math.max(...values) * 1.08,
  });
  const attempt = ["bar-good", "one attempt, %", (r) => (oneAttempt(r) === undefined ? undefined : 100 * oneAttempt(r)), (r) => r.first_try_interval];
  const again = ["bar-again", "with restarts, %", (r) => 100 * r.success_rate, (r) => r.interval];
  const success = taskChart(data, {
    title: "success rate",
    yName: "success rate (%)",
    series: restarts ? [attempt, again] : [attempt],
    paperValue: (r) => (paper[r.task] ? 100 * paper[r.task].success_rate : undefined),
    paperAt: 0,
    high: 105,
  });
  place.append(tableView(data, restarts), el("section", { class: "card" }, el("div", { class: "chart-grid wide" },
    el("div", {}, iterations.node, legendRow([["bar-generic", "generic"], ["bar-median", "learned, median"], ["bar-best", "learned, best"], ["paper-mark", "the paper, learned"]])),
    el("div", {}, success.node, legendRow([["bar-good", "ours, one attempt"], ...(restarts ? [["bar-again", "ours, with restarts"]] : []), ["paper-mark", "the paper, one attempt"]])))));
});
