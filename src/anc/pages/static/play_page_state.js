// What the page shows, and the link that holds it: `#program=listk&tape=3,1,2&sharpness=8&step=4`. The text of a program that is not
// one of the paper's is compressed. A link is checked before anything of it is used.

const MOST_TEXT = 20000; // characters of a listing
const MOST_LINK = 30000; // characters of a link
const MOST_CELLS = 256;
const MOST_SHARPNESS = 20;
const TABS = ["run", "train", "adapt", "puzzles"];
const NUMBERS = {
  memory: { low: 1, high: MOST_CELLS, standard: null },
  spare: { low: 0, high: 20, standard: 0 },
  limit: { low: 1, high: 2000, standard: 200 },
  sharpness: { low: 0, high: MOST_SHARPNESS, standard: 8, real: true },
  step: { low: 0, high: 2000, standard: 0 },
  seed: { low: 0, high: 999999, standard: 1 },
};
const KNOWN = ["program", "text", "tape", "tab", "task", "puzzle", "embed", ...Object.keys(NUMBERS)];

class LinkProblem extends Error {}

const FIRST_PROGRAM = "listk";

function standardState(data) {
  const numbers = Object.entries(NUMBERS).map(([name, { standard }]) => [name, standard]);
  const { tape } = data.programs.find(({ name }) => name === FIRST_PROGRAM);
  return { program: FIRST_PROGRAM, text: null, tape, tab: "run", task: null, puzzle: null, embed: false, ...Object.fromEntries(numbers) };
}

// The state that a link describes; throws a LinkProblem with what is wrong with it.
async function stateOfLink(fragment, data) {
  const state = standardState(data);
  const text = fragment.replace(/^#/, "");
  if (!text) return { ...state, ...data.start };
  if (text.length > MOST_LINK) throw new LinkProblem("it is too long");
  const given = new URLSearchParams(text);
  for (const [name, value] of given) {
    if (!KNOWN.includes(name)) throw new LinkProblem(`it names ${JSON.stringify(name.slice(0, 30))}, which this page does not know`);
    if (NUMBERS[name]) state[name] = numberOfLink(name, value);
  }
  const known = data.programs.find(({ name }) => name === given.get("program"));
  if (given.has("program") && !known && !given.has("text")) throw new LinkProblem(`there is no program ${JSON.stringify(given.get("program").slice(0, 30))}`);
  if (known) Object.assign(state, { program: known.name, tape: known.tape });
  if (given.has("text")) Object.assign(state, { program: null, text: await unpackedText(given.get("text")), tape: [] });
  if (given.has("tape")) state.tape = tapeOfLink(given.get("tape"));
  if (given.has("tab")) state.tab = oneOf(given.get("tab"), TABS, "part of the page");
  if (given.has("task")) state.task = oneOf(given.get("task"), Object.keys(data.tasks), "task");
  if (given.has("puzzle")) state.puzzle = oneOf(given.get("puzzle"), data.puzzles.map(({ id }) => id), "puzzle");
  state.embed = given.has("embed");
  state.begins = state.puzzle !== null && !given.has("text") && !given.has("program");
  return state;
}

function numberOfLink(name, text) {
  const { low, high, real } = NUMBERS[name];
  const value = Number(text);
  const isNumber = (real ? /^\d{1,3}(\.\d{1,6})?$/ : /^\d{1,6}$/).test(text);
  if (!isNumber || value < low || value > high) throw new LinkProblem(`its ${name} is not a number from ${low} to ${high}`);
  return value;
}

function tapeOfLink(text) {
  const cells = text === "" ? [] : text.split(",");
  if (cells.length > MOST_CELLS || !cells.every((cell) => /^\d{1,3}$/.test(cell))) throw new LinkProblem("its tape is not a list of numbers");
  return cells.map(Number);
}

function oneOf(word, words, what) {
  if (!words.includes(word)) throw new LinkProblem(`there is no ${what} ${JSON.stringify(String(word).slice(0, 30))}`);
  return word;
}

// The link to a state; what is as usual is left out.
async function linkOfState(state, data) {
  const standard = standardState(data);
  const given = new URLSearchParams();
  if (state.text === null) given.set("program", state.program);
  else given.set("text", await packedText(state.text));
  const usual = state.text === null ? data.programs.find(({ name }) => name === state.program).tape : [];
  const tape = withoutZeros(state.tape);
  if (tape.join() !== withoutZeros(usual).join()) given.set("tape", tape.join(","));
  for (const name of [...Object.keys(NUMBERS), "tab", "task", "puzzle"]) {
    if (state[name] !== null && state[name] !== standard[name]) given.set(name, state[name]);
  }
  if (state.embed) given.set("embed", "");
  return `#${given.toString().replaceAll("%2C", ",")}`;
}

function withoutZeros(tape) {
  let last = tape.length;
  while (last > 0 && tape[last - 1] === 0) last--;
  return tape.slice(0, last);
}

async function packedText(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// Stops reading as soon as a text grows too long: a few bytes may unfold to gigabytes.
async function unpackedText(packed) {
  const damaged = new LinkProblem("its program is damaged");
  let bytes;
  try {
    bytes = Uint8Array.from(atob(packed.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  } catch (problem) {
    throw damaged;
  }
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  for (;;) {
    try {
      const { done, value } = await reader.read();
      text += decoder.decode(value, { stream: !done });
      if (done) return text;
    } catch (problem) {
      throw damaged;
    }
    if (text.length > MOST_TEXT) {
      reader.cancel();
      throw new LinkProblem(`its program is longer than ${MOST_TEXT} characters`);
    }
  }
}
