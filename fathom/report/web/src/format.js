// Numbers and times as the page shows them: a true minus, a thin space between thousands, no needless digits.
const minus = "\u2212";
const thin = "\u202f";

export function fixed(value, decimals) {
  if (!Number.isFinite(value)) return "\u2013";
  const magnitude = Math.abs(value);
  if (magnitude !== 0 && (magnitude >= 1e7 || decimals > 6)) return power(value);
  let [whole, part] = magnitude.toFixed(decimals).split(".");
  if (whole.length > 4) whole = whole.replace(/\B(?=(\d{3})+$)/g, thin);
  const text = part ? `${whole}.${part}` : whole;
  return value < 0 && /[1-9]/.test(text) ? minus + text : text;
}

function power(value) {
  const [digits, exponent] = value.toExponential(2).split("e");
  const superscript = String(Number(exponent)).replace(/./g, (c) => (c === "-" ? "\u207b" : "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[c]));
  return `${digits.replace("-", minus)}\u00b710${superscript}`;
}

/// Decimals that write multiples of a step exactly: 2 for 0.25.
export function decimalsFor(step) {
  for (let decimals = 0; decimals < 10; decimals++)
    if (Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) < 1e-6 * step * 10 ** decimals) return decimals;
  return 10;
}

/// Decimals that tell values of this distance apart.
export const decimalsOf = (step) => (step > 0 ? Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)) : 0);

/// Seconds, or min:s and h:min:s where the page lasts longer than ten minutes.
export function clock(seconds, span, decimals) {
  if (span <= 600) return fixed(seconds, decimals);
  const scale = 10 ** decimals;
  const ticks = Math.round(Math.abs(seconds) * scale);
  const s = (ticks % (60 * scale)) / scale;
  const minutes = Math.floor(ticks / (60 * scale));
  const two = (n) => String(n).padStart(2, "0");
  const rest = s.toFixed(decimals).padStart(decimals ? decimals + 3 : 2, "0");
  const text = span > 3600 ? `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${rest}` : `${minutes}:${rest}`;
  return seconds < 0 && ticks ? minus + text : text;
}

export const clockUnit = (span) => (span <= 600 ? "s" : span <= 3600 ? "min:s" : "h:min:s");
