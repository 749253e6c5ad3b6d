// Moves through the two runs of the start page: data-runs holds what the exact machine did.
(() => {
  const PACE = 650; // milliseconds from step to step
  const REST = 4; // steps of rest at the end, before it begins again

  function start(figure) {
    const runs = JSON.parse(figure.dataset.runs);
    const panels = [...figure.querySelectorAll("figure")].map((panel, n) => ({
      panel,
      run: runs[n],
      lines: [...panel.querySelectorAll(".loop-lines li")],
      cells: [...panel.querySelectorAll(".loop-tape li")],
      count: panel.querySelector("output"),
    }));
    const [play, back, on] = figure.querySelectorAll("button");
    const slider = figure.querySelector("input");
    const first = panels[0].cells.map((cell) => Number(cell.querySelector("b").textContent));
    const last = Math.max(...runs.map((run) => run.steps.length));
    let now = 0;
    let timer = null;

    for (const { run, lines } of panels)
      for (const [from, to] of run.jumps_back)
        for (let line = to; line <= from; line++) lines[line].classList.add("in-loop");

    function show(step) {
      now = Math.max(0, Math.min(step, last));
      slider.value = now;
      figure.dataset.step = now;
      for (const { panel, run, lines, cells, count } of panels) {
        const done = Math.min(now, run.steps.length);
        const shown = done ? run.steps[done - 1] : { line: -1, read: null, cell: null, tape: first };
        lines.forEach((line, n) => line.classList.toggle("now", n === shown.line));
        cells.forEach((cell, n) => {
          cell.querySelector("b").textContent = shown.tape[n];
          cell.classList.toggle("read", n === shown.read);
          cell.classList.toggle("wrote", first[n] !== shown.tape[n]);
        });
        count.textContent = done;
        panel.classList.toggle("done", done === run.steps.length);
      }
    }

    function pause() {
      clearInterval(timer);
      timer = null;
      play.textContent = "Play";
    }

    function begin() {
      let resting = 0;
      play.textContent = "Pause";
      timer = setInterval(() => {
        if (now < last) show(now + 1);
        else if (++resting > REST) {
          resting = 0;
          show(0);
        }
      }, PACE);
    }

    play.addEventListener("click", () => (timer === null ? begin() : pause()));
    back.addEventListener("click", () => (pause(), show(now - 1)));
    on.addEventListener("click", () => (pause(), show(now + 1)));
    slider.max = last;
    slider.addEventListener("input", () => (pause(), show(Number(slider.value))));
    show(0);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) show(last);
    else begin();
  }

  document.querySelectorAll(".loop").forEach(start);
})();
