// Small things that the 3-D view is made of.
import { CanvasTexture } from "three";

/// The height, near the wanted one, at which a label covers none of those that stand already.
export function freePlace(x, wanted, { offsetWidth: width, offsetHeight: height }, taken) {
  const step = height + 3;
  for (let k = 0; k < 9; k++) {
    const y = wanted + step * Math.ceil(k / 2) * (k % 2 ? -1 : 1);
    if (!taken.some((other) => Math.abs(other.x - x) < (other.width + width) / 2 && Math.abs(other.y - y) < (other.height + height) / 2)) return y;
  }
  return wanted;
}

/// 1, 2 or 5 times a power of ten, no less than `step`.
export function niceStep(step) {
  const power = 10 ** Math.floor(Math.log10(step));
  return [1, 2, 5, 10].find((k) => k * power >= step) * power;
}

/// The twelve edges, the four of the upper face first.
export function boxEdges(a, b) {
  const points = [];
  for (const z of [a.z, b.z]) {
    const ring = [[a.x, a.y], [b.x, a.y], [b.x, b.y], [a.x, b.y]];
    ring.forEach(([x, y], k) => { const [u, v] = ring[(k + 1) % 4]; points.push(x, y, z, u, v, z); });
  }
  for (const x of [a.x, b.x]) for (const y of [a.y, b.y]) points.push(x, y, a.z, x, y, b.z);
  return points;
}

/// A round spot that fades.
export function shadowTexture() {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const context = canvas.getContext("2d");
  const fade = context.createRadialGradient(32, 32, 4, 32, 32, 32);
  fade.addColorStop(0, "rgba(0,0,0,0.34)");
  fade.addColorStop(1, "rgba(0,0,0,0)");
  context.fillStyle = fade;
  context.fillRect(0, 0, 64, 64);
  return new CanvasTexture(canvas);
}
