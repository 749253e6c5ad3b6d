// Light and dark: the system's choice, or the reader's; and the colours that a canvas needs.

const themeListeners = [];
const darkQuery = window.matchMedia("(prefers-color-scheme: dark)");

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : darkQuery.matches;
}

function onTheme(listener) {
  themeListeners.push(listener);
}

// Views that `make` builds listen to the theme; what is returned makes them stop.
function whileThemed(make) {
  const before = themeListeners.length;
  make();
  const added = new Set(themeListeners.slice(before));
  return () => themeListeners.splice(0, themeListeners.length, ...themeListeners.filter((listener) => !added.has(listener)));
}

function themeChanged() {
  const button = document.getElementById("theme");
  if (button) {
    const label = isDark() ? "Light colours" : "Dark colours";
    button.setAttribute("aria-label", label);
    button.title = label;
  }
  for (const listener of themeListeners) listener();
}

function startTheme() {
  const chosen = remember("anc-theme");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
  darkQuery.addEventListener("change", themeChanged);
  const button = document.getElementById("theme");
  if (button) {
    button.append(icon("M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 2v14a7 7 0 0 1 0-14z"));
    button.addEventListener("click", () => {
      const next = isDark() ? "light" : "dark";
      document.documentElement.dataset.theme = next;
      remember("anc-theme", next);
      themeChanged();
    });
  }
  themeChanged();
}

function themeColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

// One hue from the paper to ink, so that lightness alone tells probabilities apart.
const RAMPS = {
  light: [[241, 244, 247], [214, 229, 243], [158, 202, 225], [66, 146, 198], [8, 81, 156], [8, 48, 107]],
  dark: [[16, 21, 28], [22, 46, 76], [25, 84, 135], [41, 128, 188], [110, 185, 232], [214, 238, 255]],
};

function rampAt(share) {
  const stops = isDark() ? RAMPS.dark : RAMPS.light;
  const place = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const low = Math.min(Math.floor(place), stops.length - 2);
  return stops[low].map((from, i) => Math.round(from + (stops[low + 1][i] - from) * (place - low)));
}

// Small probabilities matter to a reader: they are drawn a little stronger than they are.
function probabilityShare(p) {
  return Math.pow(Math.min(Math.max(p, 0), 1), 0.7) * 0.86;
}

// The colours of probabilities 0, 1/255, ..., 1 in the theme of this moment.
const rampTables = {};

function rampTable() {
  const theme = isDark() ? "dark" : "light";
  rampTables[theme] ||= Array.from({ length: 256 }, (_, i) => {
    const colour = rampAt(probabilityShare(i / 255));
    return { colour, css: rgb(colour), ink: inkOn(colour) };
  });
  return rampTables[theme];
}

// The colour of a probability: {colour, css, ink on it}.
function heatOf(p) {
  return rampTable()[Math.round(Math.min(1, p) * 255)];
}

// A heat map of many small cells: a pixel for each, stretched where it is drawn.
class Heat {
  constructor(columns, rows) {
    this.small = new OffscreenCanvas(columns, rows);
    this.pixels = new ImageData(columns, rows);
    this.table = rampTable();
  }

  set(column, row, p) {
    const { colour } = this.table[Math.round(p * 255)];
    const at = 4 * (row * this.pixels.width + column);
    this.pixels.data[at] = colour[0];
    this.pixels.data[at + 1] = colour[1];
    this.pixels.data[at + 2] = colour[2];
    this.pixels.data[at + 3] = 255;
  }

  clearColumn(column) {
    for (let at = 4 * column + 3; at < this.pixels.data.length; at += 4 * this.pixels.width) this.pixels.data[at] = 0;
  }

  draw(context, x, y, width, height) {
    this.small.getContext("2d").putImageData(this.pixels, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.small, x, y, width, height);
  }
}

function rgb(colour) {
  return `rgb(${colour[0]},${colour[1]},${colour[2]})`;
}

function inkOn(colour) {
  const [r, g, b] = colour.map((c) => {
    const share = c / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.21 ? "#10151c" : "#ffffff";
}
