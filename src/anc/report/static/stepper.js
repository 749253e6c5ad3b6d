// The stepper: one run, or two side by side, each with its own clock; keys; the step in the address.

async function mountStepper(place, recordings, inAddress) {
  const runs = await Promise.all(recordings.map((data) => Recording.open(data)));
  const alone = runs.length === 1;
  const panels = runs.map((run) => new RunPanel(run, alone));
  const everyone = alone ? panels[0].player : new Player(panels.map((panel) => panel.clock));
  if (!alone) {
    place.append(el("div", { class: "card common" }, el("b", {}, "Both runs"), playerButtons(everyone, "both runs"),
      speedSelect(everyone), el("span", { class: "muted" }, "each keeps its own clock; ← → move both")));
    for (const panel of panels) {
      everyone.listeners.push((playing) => playing && panel.player.isPlaying && panel.player.pause());
      panel.player.listeners.push((playing) => playing && everyone.isPlaying && everyone.pause());
    }
  }
  // The shorter run has the shorter timeline, so that the eye can compare them.
  const longest = Math.max(1, ...runs.map((run) => run.last));
  for (const panel of panels) panel.timeline.node.style.width = `${Math.max(30, (100 * panel.run.last) / longest)}%`;
  place.append(el("div", { class: alone ? "runs" : "runs two" }, panels.map((panel) => panel.node)));
  listenToKeys(everyone);
  const clocks = panels.map((panel) => panel.clock);
  if (inAddress) {
    readAddress(clocks);
    window.addEventListener("hashchange", () => readAddress(clocks));
    for (const clock of clocks) clock.listeners.push(() => writeAddress(clocks));
  }
  for (const panel of panels) panel.show(panel.clock.step);
  return panels;
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

function listenToKeys(player) {
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
    if (!action || event.altKey || event.ctrlKey || event.metaKey) return;
    const tag = event.target.tagName;
    const own = { SELECT: true, SUMMARY: event.key === " ", BUTTON: event.key === " ", TEXTAREA: true };
    if (own[tag]) return;
    if (tag === "INPUT") {
      const kind = event.target.type;
      if (kind === "number" || (kind === "range" && event.key !== " ") || (kind === "checkbox" && event.key === " ")) return;
    }
    event.preventDefault();
    action();
  });
}
