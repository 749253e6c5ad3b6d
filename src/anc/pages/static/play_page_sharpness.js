// The one slider: from hardly decided to as good as exact.
class SharpnessSlider {
  constructor(changed) {
    this.input = el("input", { type: "range", min: 0, max: MOST_SHARPNESS, step: 0.1, "aria-label": "Sharpness" });
    this.shown = el("output", { class: "mono" });
    const name = el("b", {}, "Sharpness");
    this.node = el("label", { class: "play-sharpness" }, name, this.input, this.shown);
    explains(name, () => [tooltipTitle("Sharpness"), el("div", {}, "How decided the weights are: the number that their 0 and 1 are multiplied with before the softmax. 20 is as good as exact; at 5 there is room for gradient descent; at 0 every choice is equally likely.")]);
    this.input.addEventListener("input", () => {
      this._show();
      if (!this.waits) requestAnimationFrame(() => this._tell(changed));
      this.waits = true;
    });
  }

  // Once in a frame, however often the slider moves.
  _tell(changed) {
    this.waits = false;
    changed(Number(this.input.value));
  }

  set value(number) {
    this.input.value = number;
    this._show();
  }

  _show() {
    this.shown.textContent = Number(this.input.value).toFixed(1);
  }
}
