// The page of `anc trace --html`.

startPage(async (data, place) => {
  if (data.runs.length === 1) document.getElementById("facts").append(...runFacts(data.runs[0]));
  await mountStepper(place, data.runs, true);
});
