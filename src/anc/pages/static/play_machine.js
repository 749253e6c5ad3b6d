// What the engine offers to the page and to tests.

return {
  sets: SETS,
  compile,
  render,
  listing,
  parseTape,
  fillTape,
  runExact,
  startOf,
};
