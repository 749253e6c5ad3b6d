// The page of a training run.

const ICONS_PLAY = "M7 4.5v15L20 12z";

startPage(async (data, place) => {
  const population = new PopulationView(data);
  place.append(summaryTiles(trainingTiles(data)));
  place.append(successView(data, population), population.node, diffView(data), matricesView(data));
  if (data.checkpoints) place.append((await CheckpointsView.open(data)).node);
});

function trainingTiles(data) {
  const s = data.summary;
  if (!s) {
    const last = data.faster.length - 1;
    return [["succeeded so far", `${data.faster[last]} of ${data.members.length}`, "good"], ["steps, generic", tickText(data.generic_steps)], ["the run", "not finished"]];
  }
  return [
    ["members right and faster", `${s.members_faster} of ${s.members}`, s.members_faster ? "good" : "bad"],
    ["members right", `${s.members_right} of ${s.members}`],
    ["steps: generic → best", `${tickText(s.steps_generic)} → ${s.steps_best === null ? "–" : tickText(s.steps_best)}`, s.steps_best === null ? "bad" : "good"],
    ["best member", `${s.best_member}, type ${s.type}`, "", s.type_reason],
    ["test cases", String(s.cases_tested)],
    ["time", `${tickText(s.seconds)} s, ${s.stop}`],
  ];
}
