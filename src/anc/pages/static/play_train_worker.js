// Training in a Web Worker. It runs the engine's own text from a Blob, which works on a page opened from a file.

const SLICE = 40; // milliseconds of work between two looks at the messages

function startWorker(source) {
  const text = `"use strict";(${source})().serve(self);`;
  const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const worker = new Worker(address);
  URL.revokeObjectURL(address);
  return worker;
}

// Answers the messages of a page.
function serve(scope) {
  const turn = new MessageChannel(); // a timer would wait several milliseconds each time
  const next = () => turn.port2.postMessage(null);
  const send = (message, buffers = []) => scope.postMessage(message, buffers);
  let job = null;
  turn.port1.onmessage = () => {
    const current = job;
    if (!current || current.isPaused) return;
    attempt(() => current.work());
    if (job === null || current.ended) job = null;
    else if (current.pace === null) next();
    else setTimeout(() => job === current && next(), SLICE);
  };
  const attempt = (action) => {
    try {
      action();
    } catch (problem) {
      job = null;
      send({ type: "problem", message: problem.message, help: null });
    }
  };
  scope.onmessage = ({ data }) => {
    if (data.type === "train") {
      attempt(() => {
        job = null;
        job = new Job(data, send);
        next();
      });
    } else if (job && data.type === "stop") {
      attempt(() => job.end("stopped"));
      job = null;
    } else if (job && data.type === "pause") job.isPaused = true;
    else if (job && data.type === "pace") job.pace = data.pace;
    else if (job && data.type === "resume" && job.isPaused) {
      job.isPaused = false;
      next();
    }
  };
}

// One training, and its messages to the page.
class Job {
  constructor({ task, seed, settings, text, ...options }, send) {
    const { biased = true, every = 0.15, until = "success", more = 1000, pace = null } = options;
    const { program, mistakes } = compile(text);
    if (!program) throw new Error(`the program that training starts from has a mistake: ${mistakes[0].message}`);
    Object.assign(this, { every, until, more, pace, send, ended: false, isPaused: false });
    this.training = new Training({ task, program, settings, seed, biased });
    [this.seconds, this.told, this.toldIteration] = [0, 0, 0];
    const { M, R, N, set, names } = this.training.weights;
    const sizes = { M, R, N, setName: set.name, lines: program.lines.length, names };
    const cases = this.training.validation.slice(0, 5);
    const { genericSteps } = this.training;
    send({ type: "begin", task, seed, ...sizes, text, genericSteps, iterations: settings.iterations, cases });
  }

  get isEnough() {
    const { training } = this;
    return this.until === "success" && training.succeeded && training.iteration - training.best.iteration >= this.more;
  }

  // Trains for a while, at most `pace` iterations a second, then reports if it is time.
  work() {
    const begin = performance.now();
    const { training, pace } = this;
    const last = pace === null ? Infinity : training.iteration + Math.max(1, Math.round((pace * SLICE) / 1000));
    while (performance.now() - begin < SLICE && training.iteration < last && !training.isDone && !this.isEnough) {
      training.advance();
    }
    this.seconds += pace === null ? (performance.now() - begin) / 1000 : SLICE / 1000;
    if (training.isDone || this.isEnough) this.end(this.isEnough ? "succeeded" : "iterations");
    else if (this.seconds - this.told >= this.every) this.tell();
  }

  tell() {
    const { training } = this;
    if (training.iteration === this.toldIteration) return;
    const flat = training.weights.flat.slice();
    const rate = (training.iteration - this.toldIteration) / Math.max(this.seconds - this.told, 1e-9);
    const now = { ...training.latest, ...training.hardened(flat, training.validation), flat, rate, loss: training.report() };
    [this.told, this.toldIteration] = [this.seconds, training.iteration];
    this.send({ type: "progress", ...this.standing(), ...now }, [flat.buffer]);
  }

  end(reason) {
    const { training } = this;
    this.tell();
    this.ended = true;
    const flat = training.best.flat.slice();
    const best = weightsOf(flat, training.weights.M, training.weights.R, training.weights.set);
    const found = { ...training.learner.judge(best, training.test), ...training.hardened(flat, training.test), flat };
    this.send({ type: "end", reason, ...this.standing(), ...found }, [flat.buffer]);
  }

  standing() {
    const { iteration, attempt, begun, succeeded, settings, genericSteps, best, exact } = this.training;
    const { right, steps } = best;
    const bestNow = right < 0 ? null : { right, steps, iteration: best.iteration };
    const about = { iteration, iterations: settings.iterations, attempt, begun, seconds: this.seconds };
    return { ...about, succeeded, genericSteps, best: bestNow, exact };
  }
}
