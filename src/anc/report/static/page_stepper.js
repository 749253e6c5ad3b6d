// The page of `anc trace --html`.

startPage(async (data, place) => {
  if (data.runs.length === 1) document.getElementById("facts").append(...runHead(await Recording.open(data.runs[0])).childNodes[1].childNodes);
  await mountStepper(place, data.runs, true);
});
