// The numbers of the page: base64 of little-endian float32, written by fathom/report/page_data.cpp.
export function readData() {
  const { arrays, items } = JSON.parse(document.getElementById("fathom-data").textContent);
  const cache = new Map();
  const once = (index, kind, make) => {
    const key = `${kind}${index}`;
    if (!cache.has(key)) cache.set(key, make(arrays[index]));
    return cache.get(key);
  };
  return {
    items,
    values: (index) => once(index, "v", floats),
    /// Times are a start and steps; each step was rounded so that the running sum follows the clock.
    times: (index) => once(index, "t", ({ start, steps }) => {
      const t = Float64Array.from(floats(steps));
      for (let i = 0, sum = start; i < t.length; i++) t[i] = sum += t[i];
      return t;
    }),
  };
}

function floats(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new Float32Array(bytes.buffer);
}

/// The last index whose time is not after t; -1 if all are.
export function indexAt(times, t) {
  let low = -1;
  let high = times.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle;
  }
  return low;
}
