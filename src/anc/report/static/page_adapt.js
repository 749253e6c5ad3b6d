// The page of an adaptation.

startPage(async (data, place) => {
  place.append(summaryTiles(adaptTiles(data)));
  place.append(el("div", { class: "adapt-grid" }, foundChart(data), verdictCard(data)), programsView(data));
  if (data.runs.length) {
    place.append(el("h2", { class: "section-title" }, "Both programs on an example"));
    const stepper = el("div");
    place.append(stepper);
    await mountStepper(stepper, data.runs, true);
  }
});
