// Messages about a listing: diagnostics, close matches of a mistyped word, and the text with a caret.

// A place in one line of the text; line and column count from 1, the column in characters.
function span(line, column, width) {
  return { line, column, width };
}

function diagnostic(severity, message, place, help) {
  const { line, column, width } = place || { line: null, column: null, width: null };
  return { severity, message, line, column, width, help: help || null };
}

function inOrder(mistakes) {
  const at = (each) => [each.line || 0, each.column || 0];
  const before = ([a, b], [c, d]) => a - c || b - d;
  return mistakes.slice().sort((one, two) => before(at(one), at(two)));
}

// The length in characters; a character outside the basic plane is two units of a string here, and one in Python.
function characters(text) {
  return /[\ud800-\udbff]/.test(text) ? [...text].length : text.length;
}

// The number of equal characters in matching blocks: the longest common block, then the same left and right of it.
function matching(a, b) {
  let [best, atA, atB] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    for (let j = 0; j < b.length; j++) {
      let size = 0;
      while (i + size < a.length && j + size < b.length && a[i + size] === b[j + size]) size++;
      if (size > best) [best, atA, atB] = [size, i, j];
    }
  }
  if (!best) return 0;
  const left = matching(a.slice(0, atA), b.slice(0, atB));
  return best + left + matching(a.slice(atA + best), b.slice(atB + best));
}

// An upper bound of the ratio of equal characters: how many they have in common at all.
function mostMatching(a, b) {
  const left = {};
  for (const c of b) left[c] = (left[c] || 0) + 1;
  let common = 0;
  for (const c of a) if (left[c]-- > 0) common++;
  return (2 * common) / (a.length + b.length || 1);
}

const CLOSE = 0.6;
const LONGEST_WORD = 100; // longer ones are no mistyped names

// The known word that is closest to a mistyped one, or null.
function closeMatch(word, known) {
  const wanted = word.toLowerCase();
  if (wanted.length > LONGEST_WORD) return null;
  const folded = new Map();
  for (const candidate of known) folded.set(candidate.toLowerCase(), candidate);
  let [best, found] = [CLOSE, null];
  for (const candidate of folded.keys()) {
    if (mostMatching(candidate, wanted) < best) continue;
    const ratio = (2 * matching(candidate, wanted)) / (candidate.length + wanted.length || 1);
    if (ratio > best || (ratio === best && (found === null || candidate > found))) [best, found] = [ratio, candidate];
  }
  return found === null ? null : folded.get(found);
}

const WIDE_LINE = 100; // characters of a line that a message shows

// The message as the command line prints it, with the line and a caret.
function render(problem, text, name) {
  const head = `${problem.severity}: ${problem.message}`;
  const help = problem.help ? [`  help: ${problem.help}`] : [];
  if (problem.line === null) return [head, ` --> ${name}`, ...help].join("\n");
  const whole = [...(text.split("\n")[problem.line - 1] || "").replace(/\r+$/, "")];
  const begin = whole.length > WIDE_LINE ? Math.max(0, problem.column - 1 - WIDE_LINE / 2) : 0;
  const shown = whole.slice(begin, begin + (whole.length > WIDE_LINE ? WIDE_LINE : whole.length));
  const column = problem.column - begin;
  const cells = shown.map((c) => (c < " " && c !== "\t" ? String.fromCharCode(0x2400 + c.charCodeAt(0)) : c));
  const before = cells.slice(0, column - 1).map((c) => (c === "\t" ? "\t" : " "));
  while (before.length < column - 1) before.push(" ");
  const width = Math.max(1, Math.min(problem.width, Math.max(1, cells.length - column + 2)));
  const margin = " ".repeat(String(problem.line).length);
  return [
    head,
    `${margin}--> ${name}:${problem.line}:${problem.column}`,
    `${margin} |`,
    `${problem.line} | ${cells.join("")}`,
    `${margin} | ${before.join("")}${"^".repeat(width)}`,
    ...help,
  ].join("\n");
}
