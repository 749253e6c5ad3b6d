// Cases of the six tasks of the paper's Table 1: the generic distribution of inputs, and the biased one that training adapts to.
// The distributions are those of the Python tasks; the random numbers are the page's own.

class Draw {
  constructor(seed) {
    this.random = generator(seed);
  }

  // A whole number from low to high, both included.
  whole(low, high) {
    return low + Math.floor(this.random() * (high - low + 1));
  }

  wholes(count, low, high) {
    return Array.from({ length: count }, () => this.whole(low, high));
  }

  // `count` different numbers below `end`, in random order.
  sample(count, end) {
    const all = Array.from({ length: end }, (_, i) => i);
    for (let i = 0; i < count; i++) {
      const j = this.whole(i, end - 1);
      [all[i], all[j]] = [all[j], all[i]];
    }
    return all.slice(0, count);
  }

  // Random addresses in start..end-1 for `count` blocks of a size, in random order.
  scatter(count, size, start, end) {
    const free = end - start - count * size;
    const before = this.sample(count, free + count).sort((a, b) => a - b);
    const addresses = new Array(count);
    this.sample(count, count).forEach((which, place) => (addresses[which] = start + before[place] - place + place * size));
    return addresses;
  }
}

// A case from the cells that are not 0, the changes to them and the cells that count.
function caseOf(M, cells, changes, counted) {
  const input = new Array(M).fill(0);
  for (const [cell, value] of cells) input[cell] = value;
  const [output, mask] = [input.slice(), new Array(M).fill(0)];
  for (const [cell, value] of changes) output[cell] = value;
  for (const cell of counted) mask[cell] = 1;
  return { input, output, mask };
}

// Consecutive cells.
function block(start, values) {
  return values.map((value, i) => [start + i, value]);
}

function range(start, end) {
  return Array.from({ length: end - start }, (_, i) => start + i);
}

function accessCase(k, elements) {
  return caseOf(10, [[0, k], ...block(1, elements)], [[0, elements[k]]], [0]);
}

function incrementCase(elements) {
  return caseOf(7, block(0, elements), block(0, elements.map((value) => value + 1)), range(0, 7));
}

function swapCase(p, q, elements, counted) {
  const swapped = elements.slice();
  [swapped[p], swapped[q]] = [elements[q], elements[p]];
  return caseOf(10, [[0, p], [1, q], ...block(2, elements)], block(2, swapped), counted);
}

// Nodes at these addresses, in this order: the pointer to the next one, and the value.
function linkedList(addresses, elements) {
  return addresses.flatMap((address, i) => block(address, [i + 1 < addresses.length ? addresses[i + 1] : 0, elements[i]]));
}

function listkCase(addresses, elements, k, target) {
  const cells = [...block(0, [addresses[0], k, target]), ...linkedList(addresses, elements)];
  return caseOf(20, cells, [[target, elements[k - 1]]], [target]);
}

function additionCase(a, b) {
  return caseOf(15, [[0, a], [1, b]], [[0, a + b]], [0]);
}

function sortCase(elements, counted) {
  const sorted = elements.slice().sort((a, b) => a - b);
  return caseOf(21, block(0, elements), block(0, sorted), range(0, counted));
}

const DISTRIBUTIONS = {
  access: {
    generic(draw) {
      const elements = draw.wholes(draw.whole(1, 9), 1, 9);
      return accessCase(draw.whole(0, elements.length - 1), elements);
    },
    biased: (draw) => accessCase(3, draw.wholes(9, 0, 9)),
  },
  increment: {
    generic: (draw) => incrementCase(draw.wholes(draw.whole(0, 6), 1, 5)),
    biased: (draw) => incrementCase(new Array(6).fill(draw.whole(1, 5))),
  },
  swap: {
    generic(draw) {
      const elements = draw.wholes(draw.whole(1, 8), 1, 9);
      const [p, q] = draw.wholes(2, 0, elements.length - 1);
      return swapCase(p, q, elements, range(2, 2 + elements.length));
    },
    biased: (draw) => swapCase(0, 2, draw.wholes(draw.whole(3, 7), 1, 9), [2, 4]),
  },
  listk: {
    generic(draw) {
      const elements = draw.wholes(draw.whole(1, 8), 1, 19);
      const addresses = draw.scatter(elements.length, 2, 3, 20);
      const used = new Set(linkedList(addresses, elements).map(([cell]) => cell));
      const targets = [2, ...range(3, 20).filter((cell) => !used.has(cell))];
      return listkCase(addresses, elements, draw.whole(1, elements.length), targets[draw.whole(0, targets.length - 1)]);
    },
    biased(draw) {
      const n = draw.whole(2, 7);
      return listkCase(range(0, n).map((i) => 3 + 2 * i), draw.wholes(n, 1, 19), draw.whole(1, n - 1), 2);
    },
  },
  addition: {
    generic(draw) {
      const a = draw.whole(0, 14);
      return additionCase(a, draw.whole(0, 14 - a));
    },
    biased(draw) {
      const a = draw.whole(0, 12);
      return additionCase(a, draw.whole(0, 13 - a));
    },
  },
  sort: {
    generic(draw) {
      const elements = draw.wholes(draw.whole(0, 20), 1, 20);
      return sortCase(elements, elements.length + 1);
    },
    biased(draw) {
      const first = draw.wholes(2, 1, 10);
      return sortCase([...first, draw.whole(Math.max(...first), 20)], 3);
    },
  },
};

function drawCases(task, biased, count, seed) {
  const draw = new Draw(mixedSeed(seed, Object.keys(DISTRIBUTIONS).indexOf(task)));
  const distribution = DISTRIBUTIONS[task][biased ? "biased" : "generic"];
  return Array.from({ length: count }, () => distribution(draw));
}
