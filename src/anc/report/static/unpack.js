// Arrays of numbers that the page carries compressed, as planes of bytes.

const UNITS = 10000; // probabilities are kept in these units

async function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed.data), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const planes = new Uint8Array(await new Response(stream).arrayBuffer());
  const arrays = {};
  let offset = 0;
  for (const [name, length, size] of packed.layout) {
    const numbers = new Uint32Array(length);
    for (let byte = 0; byte < size; byte++) {
      for (let i = 0; i < length; i++) numbers[i] += planes[offset + i] * 2 ** (8 * byte);
      offset += length;
    }
    arrays[name] = numbers;
  }
  return arrays;
}
