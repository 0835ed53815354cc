// One plot: lines, points and bands over time or an axis of its own, drawn by uPlot; the legend, the cursor and the zoom
// are the page's own.
import uPlot from "uplot";
import { indexAt } from "./data.js";
import { element } from "./dom.js";
import { clock, clockUnit, decimalsFor, decimalsOf, fixed } from "./format.js";
import { colour, onTheme, seriesColour } from "./theme.js";

const font = (size) => `${size}px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif`;
const missing = (values) => Array.from(values, (y) => (Number.isFinite(y) ? y : null));

export class Plot {
  constructor(box, item, data, timeline) {
    this.timeline = timeline;
    this.item = item;
    const { rows, series, entries, bands } = assemble(item, data);
    this.entries = entries;

    this.values = [];
    const legend = element("div.legend", {}, ...entries.map((entry) => this.legendEntry(entry)));
    const yName = [item.y_label, item.y_unit && `(${item.y_unit})`].filter(Boolean).join(" ");
    this.frame = element("div.plot-frame");
    const isTime = !item.x_label;
    const xName = isTime ? `time (${clockUnit(timeline.span)})` : item.x_label;
    const xText = (x, decimals) => (isTime ? clock(x, timeline.span, decimals) : fixed(x, decimals));
    box.append(legend, element("div.y-name", {}, yName), this.frame, element("div.x-name", {}, xName));

    this.u = new uPlot({
      width: Math.max(200, this.frame.clientWidth), height: this.height(),
      legend: { show: false },
      padding: [item.marks.length ? 20 : 8, 10, 0, 0],
      scales: { x: { time: false, range: (u, min, max) => [min ?? timeline.view.min, max ?? timeline.view.max] }, y: { range: padded } },
      axes: [
        axis({ space: 64, size: 30, ...(isTime && timeline.span > 600 ? { incrs: clockSteps } : {}), values: (u, splits, i, space, step) => splits.map((x) => xText(x, decimalsFor(step))) }),
        axis({ space: 34, size: axisWidth, values: (u, splits, i, space, step) => splits.map((y) => fixed(y, decimalsFor(step))) }),
      ],
      cursor: {
        x: false, y: false, points: { show: false },
        drag: { x: true, y: false, dist: 5, setScale: true },
        bind: { dblclick: () => () => { timeline.reset(); return null; } },
      },
      series, bands,
      hooks: {
        setScale: [(u, key) => { if (key === "x") timeline.setView(u.scales.x.min, u.scales.x.max); }],
        drawClear: [(u) => this.drawMarks(u)],
        ready: [() => this.showTime()], // only now it has a width
      },
    }, rows, this.frame);

    this.head = element("div.playhead");
    this.u.over.append(this.head);
    this.listen();
    timeline.on("time", () => this.showTime());
    timeline.on("view", () => { this.u.setScale("x", timeline.view); this.showTime(); });
    onTheme(() => this.u.redraw(false, true));
    new ResizeObserver(() => {
      if (this.frame.clientWidth !== this.u.width) this.resize(this.frame.clientWidth);
    }).observe(this.frame);
    this.u.setScale("x", timeline.view);
    if (!entries.some((entry) => (entry.y ?? entry.t).some(Number.isFinite))) this.frame.append(element("p.empty", {}, "No samples"));
    this.showTime();
  }

  height() { return this.frame.clientWidth < 420 ? 190 : 220; }

  resize(width, height = this.height()) {
    if (width <= 0) return;
    this.u.setSize({ width, height });
    this.showTime();
  }

  /// The width of a printed page, or undefined for that of the window.
  setPrintWidth(width) { this.resize(width ?? this.frame.clientWidth, width && 0.27 * width); }

  legendEntry(entry) {
    const value = element("span.value");
    this.values.push(value);
    const button = element("button", { type: "button", "aria-pressed": "true", title: "Show or hide" },
      element(`span.key.${entry.style}`), element("span.name", {}, entry.name), value);
    button.style.setProperty("--colour", `var(--${entry.colour === undefined ? "mark" : `series-${entry.colour % 7}`})`);
    button.addEventListener("click", () => {
      const show = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", show);
      this.u.batch(() => entry.columns.forEach((column) => this.u.setSeries(column, { show })));
    });
    return button;
  }

  /// Puts the cursor and the numbers of the legend at the time of the page.
  showTime() {
    const { time, view } = this.timeline;
    const inside = time >= view.min && time <= view.max;
    this.head.hidden = !inside;
    if (inside) {
      const share = (time - view.min) / (view.max - view.min || 1);
      this.head.style.transform = `translateX(${(share * this.u.over.clientWidth).toFixed(1)}px)`;
    }
    const { min, max } = this.u.scales.y;
    const decimals = Math.min(6, decimalsOf((max - min) / 300));
    this.entries.forEach((entry, k) => {
      const index = nearest(entry.t, time);
      const text = index < 0 || !entry.y ? "" : fixed(entry.y[index], decimals);
      if (this.values[k].textContent !== text) this.values[k].textContent = text;
    });
  }

  drawMarks(u) {
    const { ctx, bbox } = u;
    const ratio = devicePixelRatio;
    const marks = this.item.marks.filter((mark) => mark.t >= this.timeline.view.min && mark.t <= this.timeline.view.max);
    ctx.save();
    ctx.strokeStyle = colour("mark");
    ctx.fillStyle = colour("ink-2");
    ctx.lineWidth = ratio;
    ctx.font = font(11 * ratio);
    ctx.textBaseline = "bottom";
    let end = -Infinity; // how far the labels reach
    for (const mark of marks) {
      const x = Math.round(u.valToPos(mark.t, "x", true));
      ctx.setLineDash([3 * ratio, 3 * ratio]);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      const label = mark.label.length > 32 ? `${mark.label.slice(0, 31)}\u2026` : mark.label;
      const width = ctx.measureText(label).width;
      const left = Math.max(bbox.left, Math.min(x - width / 2, bbox.left + bbox.width - width));
      if (left <= end) continue; // no room: the line alone, until the reader zooms in
      end = left + width + 8 * ratio;
      ctx.fillText(label, left, bbox.top - 4 * ratio);
    }
    ctx.restore();
  }

  /// Hover and touch move the time; two fingers, Ctrl with the wheel and the trackpad zoom; a sideways wheel pans.
  listen() {
    const { u, timeline } = this;
    const over = u.over;
    const at = (event) => u.posToVal(event.clientX - over.getBoundingClientRect().left, "x");
    const fingers = new Map();
    over.addEventListener("pointerdown", (event) => {
      if (event.pointerType !== "mouse") fingers.set(event.pointerId, event.clientX);
    });
    for (const end of ["pointerup", "pointercancel", "pointerleave"])
      over.addEventListener(end, (event) => fingers.delete(event.pointerId));
    over.addEventListener("pointermove", (event) => {
      if (event.pointerType === "mouse") {
        if (!timeline.playing) timeline.setTime(at(event));
        return;
      }
      if (fingers.size === 2) {
        const before = [...fingers.values()];
        fingers.set(event.pointerId, event.clientX);
        const after = [...fingers.values()];
        const left = over.getBoundingClientRect().left;
        const middle = (pair) => u.posToVal((pair[0] + pair[1]) / 2 - left, "x");
        const apart = (pair) => Math.max(12, Math.abs(pair[0] - pair[1]));
        const pivot = middle(before);
        const moved = pivot - middle(after);
        timeline.zoom(apart(before) / apart(after), pivot);
        timeline.pan(moved);
      } else if (fingers.size === 1) {
        fingers.set(event.pointerId, event.clientX);
        timeline.setTime(at(event));
      }
    });
    over.addEventListener("click", (event) => timeline.setTime(at(event)));
    over.addEventListener("wheel", (event) => {
      const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
      if (event.ctrlKey || event.metaKey) timeline.zoom(Math.exp(event.deltaY * 0.004), at(event));
      else if (sideways && timeline.zoomed) timeline.pan(event.deltaX / over.clientWidth * (timeline.view.max - timeline.view.min));
      else return;
      event.preventDefault();
    }, { passive: false });
  }
}

/// uPlot's table: the union of all times, and one column for each line and each edge of a band.
function assemble(item, data) {
  const tables = [];
  const series = [{}];
  const entries = [];
  const bands = [];
  const limits = [];
  const stroke = (index) => () => seriesColour(index);
  const bandColour = (band, k) => {
    const named = item.series.findIndex((s) => s.name === band.name);
    return named >= 0 ? named : k;
  };
  item.bands.forEach((band, k) => {
    const t = data.times(band.t);
    const c = bandColour(band, k);
    const first = series.length;
    tables.push([t, missing(data.values(band.high)), missing(data.values(band.low))]);
    for (let edge = 0; edge < 2; edge++) series.push({ width: 0, points: { show: false }, stroke: "transparent" });
    bands.push({ series: [first, first + 1], fill: () => seriesColour(c) + "2e" });
    entries.push({ name: band.name, style: "band", colour: c, t, columns: [first, first + 1] });
  });
  item.series.forEach((s, k) => {
    const t = data.times(s.t);
    const y = data.values(s.y);
    tables.push([t, missing(y)]);
    if (s.style === "limit") {
      const named = item.series.findIndex((other) => other.name === s.name && other.style !== "limit");
      limits.push({ name: s.name, t, column: series.length });
      series.push({ stroke: named >= 0 ? stroke(named) : () => colour("mark"), width: 1.25, dash: [4, 4], points: { show: false } });
      return;
    }
    const points = s.style === "points";
    const dotted = s.style === "line" && k >= 7; // the colours begin anew
    entries.push({ name: s.name, style: dotted ? "dotted" : s.style, colour: k, t, y, columns: [series.length] });
    series.push({
      stroke: stroke(k), width: points ? 0 : 1.75, dash: s.style === "dashed" ? [7, 5] : dotted ? [2, 3] : undefined,
      ...(points ? { paths: () => null } : {}),
      points: { show: points, size: 4.5, width: 0, fill: stroke(k), stroke: stroke(k) },
    });
  });
  // A limit belongs to the line of its name; those without one share an entry, which has no number.
  for (const limit of limits) {
    const owner = entries.find((entry) => entry.style !== "band" && entry.name === limit.name);
    if (owner) owner.columns.push(limit.column);
    else entries.push({ name: limit.name, style: "dashed", t: limit.t, columns: [limit.column] });
  }
  // The entries of lines come first in the legend; a band has no number of its own.
  entries.sort((a, b) => (a.style === "band") - (b.style === "band"));
  const filled = tables.filter((table) => table[0].length);
  if (!filled.length) return { rows: [[], ...series.slice(1).map(() => [])], series, entries, bands };
  const expand = 2; // of uPlot.join: a gap stays a gap between the times of the other series
  return { rows: uPlot.join(tables, tables.map((table) => table.map(() => expand))), series, entries, bands };
}

/// Where times read min:s, the ticks stand at round minutes.
const clockSteps = [
  ...[1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1].flatMap((power) => [power, 2 * power, 5 * power]),
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 18000, 36000, 86400, 172800, 432000, 864000,
];

function axis(options) {
  return {
    font: font(11), stroke: () => colour("ink-2"), gap: 6,
    grid: { stroke: () => colour("grid"), width: 1 },
    ticks: { show: false },
    ...options,
  };
}

function axisWidth(u, values) {
  const longest = Math.max(0, ...(values ?? []).map((text) => text.length));
  return Math.max(44, 14 + 6.6 * longest);
}

function padded(u, min, max) {
  if (min == null || max == null) return [0, 1];
  const room = max > min ? 0.07 * (max - min) : Math.abs(min) * 0.1 || 1;
  return [min - room, max + room];
}

/// The sample nearest to a time, -1 outside the series.
function nearest(times, t) {
  if (!times.length || t < times[0] || t > times[times.length - 1]) return -1;
  const before = indexAt(times, t);
  return before + 1 < times.length && times[before + 1] - t < t - times[before] ? before + 1 : before;
}
