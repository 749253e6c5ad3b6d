// A button with words on it.

function playButton(words, action, kind = "") {
  return el("button", { type: "button", class: `play-button ${kind}`, on: { click: action } }, words);
}
