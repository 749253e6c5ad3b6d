// The last part of the body of playEngine: what it offers to pages and tests.

return {
  sets: SETS,
  compile,
  render,
  listing,
  parseTape,
  fillTape,
  runExact,
  startOf,
  weightsOf,
  soften,
  withSharpness,
  harden,
  probabilities,
  softMachine: (set, M, R, maxSteps) => new SoftMachine(set, M, R, maxSteps),
  softBytes,
  softSeconds,
  lossAndGradient,
  drawCases,
  startWorker,
  serve,
  internals: { pushForward, kindOf, Learner, Training, trainable, withFrozenLines }, // for tests
};
