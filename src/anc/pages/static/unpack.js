// Arrays of numbers that the page carries compressed, as planes of bytes.

const UNITS = 10000; // probabilities are kept in these units

async function unpack(packed) {
  const text = atob(packed.data);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const planes = new Uint8Array(await new Response(stream).arrayBuffer());
  const arrays = {};
  let offset = 0;
  for (const [name, length, size] of packed.layout) {
    const numbers = new Uint32Array(length);
    for (let byte = 0; byte < size; byte++) {
      const shift = 8 * byte;
      for (let i = 0; i < length; i++) numbers[i] |= planes[offset + i] << shift;
      offset += length;
    }
    arrays[name] = numbers;
  }
  return arrays;
}
