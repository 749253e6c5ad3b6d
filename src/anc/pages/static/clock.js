// A clock that walks over the steps of a run, and the buttons for one or several clocks.

const SPEEDS = [1, 2, 5, 10, 30];
const ICONS = {
  first: "M6 5h2.5v14H6zM20 5v14L9.5 12z",
  back: "M17 5v14L6.5 12z",
  play: "M7 4.5v15L20 12z",
  pause: "M6.5 5h4v14h-4zM13.5 5h4v14h-4z",
  forward: "M7 5v14l10.5-7z",
  last: "M15.5 5H18v14h-2.5zM4 5v14l10.5-7z",
};

class Clock {
  constructor(last) {
    this.last = last;
    this.step = 0;
    this.listeners = [];
  }

  get isAtEnd() {
    return this.step >= this.last;
  }

  set(step) {
    const clean = Math.min(this.last, Math.max(0, Math.round(step) || 0));
    if (clean === this.step) return;
    this.step = clean;
    for (const listener of this.listeners) listener(clean);
  }

  move(by) {
    this.set(this.step + by);
  }
}

// Plays one or several clocks together, each at its own step.
class Player {
  constructor(clocks) {
    this.clocks = clocks;
    this.speed = 2;
    this.timer = null;
    this.listeners = [];
  }

  get isPlaying() {
    return this.timer !== null;
  }

  get isAtEnd() {
    return this.clocks.every((clock) => clock.isAtEnd);
  }

  toggle() {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  play() {
    if (this.isAtEnd) for (const clock of this.clocks) clock.set(0);
    this.pause();
    this.timer = setInterval(() => {
      for (const clock of this.clocks) clock.move(1);
      if (this.isAtEnd) this.pause();
    }, 1000 / this.speed);
    this._tell();
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this._tell();
  }

  setSpeed(speed) {
    this.speed = speed;
    if (this.isPlaying) this.play();
  }

  move(by) {
    this.pause();
    for (const clock of this.clocks) clock.move(by);
  }

  begin() {
    this.pause();
    for (const clock of this.clocks) clock.set(0);
  }

  end() {
    this.pause();
    for (const clock of this.clocks) clock.set(clock.last);
  }

  _tell() {
    for (const listener of this.listeners) listener(this.isPlaying);
  }
}

function playerButtons(player, what) {
  const play = iconButton(`Play ${what}`, ICONS.play, () => player.toggle(), { class: "icon-button primary" });
  player.listeners.push((playing) => {
    play.replaceChildren(icon(playing ? ICONS.pause : ICONS.play));
    const label = `${playing ? "Pause" : "Play"} ${what}`;
    play.setAttribute("aria-label", label);
    play.title = `${label} (space)`;
  });
  return el("div", { class: "buttons", role: "group", "aria-label": `Steps of ${what}` },
    iconButton("First step", ICONS.first, () => player.begin(), { class: "icon-button far" }),
    iconButton("One step back", ICONS.back, () => player.move(-1)),
    play,
    iconButton("One step forward", ICONS.forward, () => player.move(1)),
    iconButton("Last step", ICONS.last, () => player.end(), { class: "icon-button far" }));
}

function speedSelect(player) {
  const select = el("select", { class: "speed", "aria-label": "Speed: steps in a second", title: "Steps in a second" },
    SPEEDS.map((speed) => el("option", { value: speed }, `${speed} / s`)));
  select.value = player.speed;
  select.addEventListener("change", () => player.setSpeed(Number(select.value)));
  return select;
}
