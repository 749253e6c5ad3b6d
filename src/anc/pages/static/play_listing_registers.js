// Register allocation. Two operands share a register if neither is written while the other is live, and if they do not need
// different initial values. Operands of one line are joined first, then each takes the first register that it fits.

// An operand as a key: a variable is itself, a constant is its number.
function keyOf(operand) {
  return "pinned" in operand ? operand : operand.value;
}

// The lines that can follow each line. L is the end; a jump to an unknown line may go anywhere.
function edgesOf({ nodes, M }) {
  const L = nodes.length;
  const written = new Set(nodes.map((node) => node.out));
  const fixed = (operand) => ("pinned" in operand ? (written.has(operand) ? null : operand.value) : operand.value);
  return nodes.map((node, line) => {
    const jumps = node.op === "JEZ";
    const [condition, target] = jumps ? node.operands.map(fixed) : [1, null];
    const after = [];
    // A run that leaves the last line goes on at line 0 if the program fills its memory; assume that it may.
    if (node.op !== "STOP" && condition !== 0) after.push((line + 1) % L);
    if (jumps && !condition) after.push(...(target === null ? nodes.keys() : [Math.min(target, L)]));
    return [...new Set(after)];
  });
}

function reachable(graph, edges) {
  const [seen, waiting] = [new Set(), [graph.start]];
  while (waiting.length) {
    const line = waiting.pop();
    if (line >= edges.length || seen.has(line)) continue;
    seen.add(line);
    waiting.push(...edges[line]);
  }
  return seen;
}

// The operands that are live before and after each line, as bit masks; `bit` has the bit of each.
function livenessOf({ nodes, declared }, edges) {
  const bit = new Map();
  for (const key of [...declared, ...nodes.flatMap((node) => node.operands.map(keyOf))]) {
    if (!bit.has(key)) bit.set(key, 1n << BigInt(bit.size));
  }
  const bits = (keys) => keys.reduce((mask, key) => mask | bit.get(key), 0n);
  const reads = nodes.map((node) => bits(node.operands.map(keyOf)));
  const kept = nodes.map((node) => (node.out === null ? -1n : ~bit.get(node.out)));
  const [before, after] = [reads.slice(), nodes.map(() => 0n)];
  for (let changed = true; changed; ) {
    changed = false;
    for (let line = nodes.length - 1; line >= 0; line--) {
      const wanted = edges[line].reduce((mask, next) => mask | (before[next] || 0n), 0n); // nothing is live at the end
      if (wanted === after[line]) continue;
      changed = true;
      after[line] = wanted;
      before[line] = reads[line] | (wanted & kept[line]);
    }
  }
  return { before, after, bit };
}

// The variables that change as declared, then what never changes as first read.
function singleGroups(graph, alive) {
  const { nodes, declared, start } = graph;
  const written = new Set(nodes.map((node) => node.out));
  const read = new Set(nodes.flatMap((node) => node.operands.map(keyOf)));
  const [changing, fixed] = [[], new Map()];
  for (const key of new Set([...declared, ...read])) {
    const isVariable = typeof key === "object";
    const [pinned, value] = isVariable ? [key.pinned, key.value] : [null, key];
    const isFixed = !written.has(key) && value !== null;
    const members = alive.bit.get(key);
    const isWanted = isFixed || (alive.before[start] & members) !== 0n;
    const group = { keys: [key], pinned, value, isWanted, members, conflicts: 0n };
    if (isFixed && pinned === null) fixed.set(key, group);
    else if (read.has(key) || pinned !== null) changing.push(group);
  }
  return [...changing, ...[...read].filter((key) => fixed.has(key)).map((key) => fixed.get(key))];
}

// Merge the later group into the earlier one, if they can share a register.
function join(one, two, groupOf) {
  if (one === two) return true;
  if (one.pinned !== null || two.pinned !== null) return false;
  if ((one.conflicts & two.members) !== 0n || (two.conflicts & one.members) !== 0n) return false;
  if (one.isWanted && two.isWanted && (one.value === null || one.value !== two.value)) return false;
  one.keys.push(...two.keys);
  one.members |= two.members;
  one.conflicts |= two.conflicts;
  if (two.isWanted) [one.value, one.isWanted] = [two.value, true];
  for (const key of two.keys) groupOf.set(key, one);
  return true;
}

function withRegisters(graph, alive) {
  const groupOf = new Map(singleGroups(graph, alive).map((group) => [group.keys[0], group]));
  graph.nodes.forEach((node, line) => {
    const group = groupOf.get(node.out);
    if (group) group.conflicts |= alive.after[line] & ~group.members;
  });
  const order = [...groupOf.keys()];
  for (const node of graph.nodes) {
    for (const operand of node.operands) {
      if (groupOf.has(node.out)) join(groupOf.get(node.out), groupOf.get(keyOf(operand)), groupOf);
    }
  }
  const groups = [];
  for (const group of new Set(order.map((key) => groupOf.get(key)))) {
    if (!groups.some((earlier) => join(earlier, group, groupOf))) groups.push(group);
  }
  return numbered(graph, groups);
}

// Pinned groups take the register that they ask for, the others fill the gaps, the sink of needless outputs is last.
function numbered(graph, groups) {
  const at = new Map(groups.filter((group) => group.pinned !== null).map((group) => [group.pinned, group]));
  let free = 0;
  for (const group of groups) {
    if (group.pinned !== null) continue;
    while (at.has(free)) free++;
    at.set(free, group);
  }
  const sink = Math.max(-1, ...at.keys()) + 1;
  const called = new Map(); // the names of each constant
  for (const operand of graph.nodes.flatMap((node) => node.operands)) {
    if ("pinned" in operand) continue;
    if (!called.has(operand.value)) called.set(operand.value, new Set());
    called.get(operand.value).add(operand.name);
  }
  const [registers, names, registerOf] = [[], [], new Map()];
  for (let register = 0; register < sink; register++) {
    const group = at.get(register);
    registers.push(group ? group.value : null);
    names.push(group ? groupName(group, called) : `R${register + 1}`);
    for (const key of group ? group.keys : []) registerOf.set(key, register);
  }
  if (graph.nodes.some((node) => !registerOf.has(node.out))) {
    registers.push(null);
    names.push("sink");
  }
  const lines = graph.nodes.map((node) => {
    const [first = null, second = null] = node.operands.map((each) => registerOf.get(keyOf(each)));
    const out = registerOf.has(node.out) ? registerOf.get(node.out) : sink;
    return { op: node.op, first, second, out, sourceLine: node.span.line };
  });
  const { start, M, set } = graph;
  return { lines, registers, start, names: distinct(names), memory: M, frozen: [], set };
}

function groupName(group, called) {
  const variables = group.keys.filter((key) => typeof key === "object").map((key) => key.name);
  const numbers = group.keys.filter((key) => typeof key === "number").flatMap((key) => [...called.get(key)]);
  return [...new Set(variables.length ? variables : numbers)].join("/");
}

function distinct(names) {
  const found = [];
  for (let name of names) {
    const base = name.replace(/_\d+$/, "");
    for (let number = 2; found.includes(name); number++) name = `${base}_${number}`;
    found.push(name);
  }
  return found;
}

const LONGEST_LISTING = 50000; // characters: the page compiles while one types

// The program of a listing, or its mistakes; warnings and examples come along. `set` and `memory` override the text's.
function compile(text, { set = null, memory = null } = {}) {
  if (text.length > LONGEST_LISTING) {
    const message = `the listing has ${text.length} characters; this page takes at most ${LONGEST_LISTING}`;
    return { program: null, mistakes: [diagnostic("error", message)], warnings: [], examples: [] };
  }
  const tree = new Parser(text, SETS, set).parse();
  const { examples } = tree;
  const failed = (mistakes) => ({ program: null, mistakes: inOrder(mistakes), warnings: [], examples });
  if (tree.mistakes.length) return failed(tree.mistakes);
  const found = compileTree(tree, memory);
  return found.mistakes.length ? failed(found.mistakes) : { ...found, examples };
}

function compileTree(tree, memory) {
  const holes = holesOf(tree);
  const resolver = new Resolver(tree, memory);
  const graph = holes.length ? null : resolver.graph();
  const mistakes = [...holes, ...resolver.mistakes];
  if (mistakes.length) return { program: null, mistakes, warnings: [] };
  const edges = edgesOf(graph);
  const alive = livenessOf(graph, edges);
  const program = withRegisters(graph, alive);
  program.frozen = tree.statements.flatMap((statement, line) => (statement.frozen ? [line] : []));
  return { program, mistakes, warnings: warningsOf(graph, edges, alive) };
}
