// Instruction sets. Their rows are generated from the Python definitions; this is the code that they share.

const LARGEST_MEMORY = 65536;

// Python's remainder and floor division: the result has the sign of the divisor, and both are exact below 2^53.
function modulo(x, y) {
  const rest = x % y;
  return rest !== 0 && rest < 0 !== y < 0 ? rest + y : rest;
}

function floorDivided(x, y) {
  return (x - modulo(x, y)) / y;
}

// The output of a row that could not be translated, from its values for M = 1, 2, 3, ...: bytes, as base64.
function tabulated(text) {
  const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
  return (a, b, M) => bytes[((M - 1) * M * (2 * M - 1)) / 6 + a * M + b];
}

// Rows are [name, operands, effect, output, fast path]; `largest` is the largest memory that all of them have an output for.
function instructionSet(name, largest, rows) {
  const set = { name, largest, N: rows.length, code: Object.create(null), tables: new Map() };
  set.rows = rows.map(([word, operands, effect, output, fast]) => ({ name: word, operands, effect, output, fast }));
  set.names = set.rows.map((row) => row.name);
  set.names.forEach((word, number) => (set.code[word] = number));
  for (const word of ["STOP", "READ", "WRITE", "ADD", "SUB"]) set[word] = set.code[word];
  set.JUMP = set.code.JEZ;
  return set;
}
