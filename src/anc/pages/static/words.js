// One step in words: what was executed, what changed, where the run goes next.

const NOTICED = 0.005; // probability that moved; less than this is not worth a word
const MARKED = 0.02; // ... and not worth a mark

function sure(p) {
  return p > 0.995 ? "" : ` (${short(p)})`;
}

// What to mark in a picture of step t: changes by row.
function markedChanges(run, t) {
  return new Map(changesAt(run, t).filter((c) => c.moved >= MARKED).map((change) => [change.row, change]));
}

function rowName(run, row) {
  if (row < run.cells) return run.registers[row - ROW.registers];
  return `tape[${row - run.cells}]`;
}

// The registers and cells that step t changed, most changed first.
function changesAt(run, t) {
  if (t === 0) return [];
  if (run.changes && run.changes.t === t) return run.changes.found;
  const [before, after] = [run.state(t - 1), run.state(t)];
  const found = [];
  for (let row = ROW.registers; row < run.rowCount; row++) {
    const moved = run.moved(before[row], after[row]);
    if (moved >= NOTICED) found.push({ row, moved, before: before[row], after: after[row] });
  }
  found.sort((a, b) => b.moved - a.moved || b.row - a.row);
  run.changes = { t, found };
  return found;
}

function changeWords(run, change) {
  const [was, is] = [run.bestValue[change.before], run.bestValue[change.after]];
  const [pWas, pIs] = [run.bestP[change.before], run.bestP[change.after]];
  const name = el("b", { class: "mono" }, rowName(run, change.row));
  const from = el("span", { class: "mono was" }, `${was}${sure(pWas)}`);
  const to = el("span", { class: "mono is" }, `${is}${sure(pIs)}`);
  return [name, " ", from, " → ", to];
}

function commandAt(run, t) {
  if (!run.command || run.command.t !== t) run.command = { t, found: findCommand(run, t) };
  return run.command.found;
}

function findCommand(run, t) {
  const [before, state] = [run.state(Math.max(0, t - 1)), run.state(t)];
  const op = run.bestValue[state[ROW.op]];
  const taken = run.operands[op] || 0;
  const operands = ["first", "second"].slice(0, taken).map((place) => {
    const id = state[ROW[place]];
    const register = run.bestValue[id];
    return { place, register, p: run.bestP[id], ...named(run.operand(id, before)) };
  });
  const line = state[ROW.line];
  return {
    line: run.bestValue[line],
    lineP: run.bestP[line],
    op,
    opName: run.ops[op],
    opP: run.bestP[state[ROW.op]],
    out: run.bestValue[state[ROW.out]],
    operands,
  };
}

function named(operand) {
  return { value: operand.value, valueP: operand.p, values: operand.entries };
}

function headline(run, t) {
  const state = run.state(t);
  if (t === 0) {
    const id = state[ROW.line];
    return [`The initial state. The run begins at line ${run.bestValue[id]}${sure(run.bestP[id])}.`];
  }
  const command = commandAt(run, t);
  const values = command.operands.map((o) => `${run.registers[o.register]} = ${o.value}${sure(o.valueP)}`);
  const call = el("b", { class: "mono" }, `${command.opName}${sure(command.opP)}`);
  const withValues = values.length ? [" with ", el("span", { class: "mono" }, values.join(", "))] : [];
  return [`Line ${command.line}${sure(command.lineP)}: `, call, ...withValues];
}

// Where the run goes after step t.
function flowWords(run, t) {
  if (t === 0) return null;
  const command = commandAt(run, t);
  const next = t < run.last ? run.lineIds[t + 1] : null;
  const ends = { stopped: "The run stops.", "past-end": "The run goes past the last line." };
  if (next === null) return ends[run.stop] || "The run is given up here: no more steps were allowed.";
  const to = `line ${run.bestValue[next]}${sure(run.bestP[next])}`;
  if (command.opName !== "JEZ") {
    const expected = command.line + 1 === run.bestValue[next];
    return expected ? null : `Goes on at ${to}.`;
  }
  const tested = command.operands[0];
  const zero = (tested.values.find(([value]) => value === 0) || [0, 0])[1];
  const name = run.registers[tested.register];
  if (zero > 0.995) return `Jumps to ${to}, for ${name} is 0.`;
  if (zero < 0.005) return `Does not jump, for ${name} is ${tested.value}; goes on at ${to}.`;
  return `Jumps with probability ${short(zero * command.opP)}, for ${name} is 0 that likely; goes on at ${to}.`;
}

function stepWords(run, t) {
  const changes = changesAt(run, t);
  const shown = changes.slice(0, 5);
  const items = shown.map((change) => el("li", {}, changeWords(run, change)));
  const more = changes.length - shown.length;
  if (more > 0) {
    items.push(el("li", { class: "muted" }, `and ${more} more, each by at most ${precise(changes[5].moved)}`));
  }
  if (t > 0 && !items.length) items.push(el("li", { class: "muted" }, "no register and no cell changed"));
  const flow = flowWords(run, t);
  return [
    el("p", { class: "headline" }, headline(run, t)),
    items.length ? el("ul", { class: "changes" }, items) : null,
    flow ? el("p", { class: "flow" }, flow) : null,
  ].filter(Boolean);
}
