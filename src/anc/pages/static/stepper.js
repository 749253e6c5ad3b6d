// The stepper: one run, or several side by side, each with its own clock; keys; the step in the address.

async function mountStepper(place, recordings, inAddress) {
  const runs = await Promise.all(recordings.map((data) => Recording.open(data)));
  const alone = runs.length === 1;
  const panels = runs.map((run) => new RunPanel(run, alone));
  const everyone = alone ? panels[0].player : new Player(panels.map((panel) => panel.clock));
  if (!alone) {
    const all = runs.length === 2 ? "both" : "all";
    place.append(el("div", { class: "card common" }, el("b", {}, `${all === "both" ? "Both" : "All"} runs`), playerButtons(everyone, `${all} runs`),
      speedSelect(everyone), runs.length > 2 ? chooser(panels) : null, el("span", { class: "muted" }, `each keeps its own clock; ← → move ${all}`)));
    for (const panel of panels) {
      everyone.listeners.push((playing) => playing && panel.player.isPlaying && panel.player.pause());
      panel.player.listeners.push((playing) => playing && everyone.isPlaying && everyone.pause());
    }
  }
  // The shorter run has the shorter timeline, so that the eye can compare them.
  const longest = Math.max(1, ...runs.map((run) => run.last));
  for (const panel of panels) panel.timeline.node.style.width = `${Math.max(30, (100 * panel.run.last) / longest)}%`;
  const used = Math.max(...runs.map(usedCells));
  for (const panel of panels) panel.tape.showCells(Math.max(1, used));
  const grid = el("div", {}, panels.map((panel) => panel.node));
  arrange(grid, panels);
  if (alone) place.prepend(runSummary(runs[0]) || "");
  place.append(stepperLegend(runs), grid);
  listenToKeys(everyone, place);
  const clocks = panels.map((panel) => panel.clock);
  if (inAddress) {
    readAddress(clocks);
    window.addEventListener("hashchange", () => readAddress(clocks));
    for (const clock of clocks) clock.listeners.push(() => writeAddress(clocks));
  }
  for (const panel of panels) panel.show(panel.clock.step);
  return panels;
}

// What marks and colours mean.
function stepperLegend(runs) {
  const marks = [["sign", "▶", "line of this step"], ["sign", "▷", "next line"], ["changed", "", "changed by this step"], ["read", "", "read by it"]];
  const shades = el("i", { class: "mark", "aria-hidden": "true" });
  const shade = () => (shades.style.background = `linear-gradient(90deg, ${[0, 0.25, 0.5, 0.75, 1].map((p) => heatOf(p).css).join(", ")})`);
  const items = marks.map(([kind, sign, words]) => el("span", {}, el("i", { class: `mark ${kind}`, "aria-hidden": "true" }, sign), words));
  if (runs.some((run) => run.isSoft)) {
    items.push(el("span", {}, shades, "probability from 0 to 1"), el("span", {}, el("i", { class: "mark stops" }), "probability that the run has stopped; it halts at the dashed line"));
    onTheme(shade);
    shade();
  }
  return el("div", { class: "stepper-legend", role: "note", "aria-label": "Legend" }, items);
}

// As many columns as runs are shown.
function arrange(grid, panels) {
  const shown = panels.filter((panel) => !panel.node.hidden).length;
  grid.className = panels.length === 1 ? "runs" : `runs several ${["one", "two"][shown - 1] || "many"}`;
  grid.style.setProperty("--shown", shown);
}

// Boxes that say which of the runs to compare; the last one stays.
function chooser(panels) {
  const boxes = panels.map(() => el("input", { type: "checkbox", checked: true }));
  const choose = () => {
    const chosen = boxes.filter((box) => box.checked);
    for (const box of boxes) box.disabled = chosen.length === 1 && box.checked;
    panels.forEach((panel, i) => (panel.node.hidden = !boxes[i].checked));
    arrange(panels[0].node.parentNode, panels);
    for (const panel of panels) panel.show(panel.clock.step);
  };
  const labels = panels.map((panel, i) => el("label", { class: "check" }, boxes[i], panel.run.title));
  return el("span", { class: "chooser", role: "group", "aria-label": "Runs to compare", on: { change: choose } }, labels);
}

function readAddress(clocks) {
  const found = /(?:^|[#&])step=([\d,]+)/.exec(window.location.hash);
  if (!found) return;
  const steps = found[1].split(",").map(Number);
  clocks.forEach((clock, i) => clock.set(steps[Math.min(i, steps.length - 1)]));
}

let addressTimer = null;

// Browsers refuse an address that changes too often: the last change wins, a moment later.
function writeAddress(clocks) {
  clearTimeout(addressTimer);
  addressTimer = setTimeout(() => {
    const steps = clocks.map((clock) => clock.step);
    const same = steps.every((step) => step === steps[0]);
    try {
      window.history.replaceState(null, "", `#step=${same ? steps[0] : steps.join(",")}`);
    } catch (problem) {
      // a page inside another one has no address of its own
    }
  }, 120);
}

// Keys move the stepper while it is to be seen.
function listenToKeys(player, place) {
  const far = () => Math.max(10, Math.round(Math.max(...player.clocks.map((clock) => clock.last)) / 20));
  const keys = {
    ArrowRight: () => player.move(1),
    ArrowLeft: () => player.move(-1),
    PageDown: () => player.move(far()),
    PageUp: () => player.move(-far()),
    Home: () => player.begin(),
    End: () => player.end(),
    " ": () => player.toggle(),
  };
  document.addEventListener("keydown", (event) => {
    const action = keys[event.key];
    if (!action || place.hidden || event.altKey || event.ctrlKey || event.metaKey) return;
    const tag = event.target.tagName;
    const own = { SELECT: true, SUMMARY: event.key === " ", BUTTON: event.key === " ", TEXTAREA: true };
    if (own[tag]) return;
    if (tag === "INPUT") {
      const kind = event.target.type;
      if (kind === "number" || kind === "text" || kind === "radio" || (kind === "range" && event.key !== " ") || (kind === "checkbox" && event.key === " ")) return;
    }
    event.preventDefault();
    action();
  });
}
