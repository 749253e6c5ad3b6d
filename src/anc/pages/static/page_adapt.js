// The page of an adaptation.

startPage(async (data, place) => {
  place.append(summaryTiles([...inPythonTiles(data.python), ...adaptTiles(data)]));
  put(place, [inPythonCard(data.python)]);
  const search = el("div", { class: "stack" }, foundChart(data), remarks(data));
  const answers = data.answers.map((answer) => answerCard(data, answer));
  const [beside, below] = answers.length > 1 ? [null, search] : [search, null];
  place.append(put(el("div", { class: "adapt-grid" }), [...answers, beside]), programsView(data));
  if (below) place.append(below);
  put(place, [seedsView(data.result.seeds, data.unit), droppedView(data.dropped, data.unit)]);
  if (data.examples.length) await mountExamples(data.examples, place);
  put(place, [madeView(data.made)]);
});

// The stepper on one tape or another; keys move the one that is shown.
async function mountExamples(examples, place) {
  const steppers = examples.map(() => el("div", { class: "stepper", hidden: true }));
  const choose = async (chosen) => {
    steppers.forEach((stepper, i) => (stepper.hidden = i !== chosen));
    if (!steppers[chosen].hasChildNodes()) await mountStepper(steppers[chosen], examples[chosen].runs, chosen === 0);
  };
  const buttons = examples.map(({ name }, i) => {
    const button = el("input", { type: "radio", name: "tape", checked: i === 0 });
    button.addEventListener("change", () => choose(i));
    return el("label", { class: "check" }, button, name);
  });
  place.append(el("div", { class: "tape-choice" }, el("h2", { class: "section-title" }, "The programs at work"),
    examples.length > 1 ? el("span", { class: "chips", role: "radiogroup", "aria-label": "Tape" }, buttons) : null), ...steppers);
  await choose(0);
}
