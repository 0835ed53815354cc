// The bar at the foot of the window: play, scrub, speed, reset of the zoom.
import { element, icon } from "./dom.js";
import { clock, clockUnit, decimalsOf } from "./format.js";

/// `zooms`: the timelines whose zoom can be reset; none where there are no plots.
export function makeControls(timeline, zooms) {
  const decimals = Math.min(3, Math.max(1, decimalsOf(timeline.span / 1000)));
  const show = (t) => clock(t, timeline.span, decimals);
  const unit = clockUnit(timeline.span) === "s" ? "\u202fs" : "";

  const play = element("button.play", { type: "button", onclick: () => (timeline.playing ? timeline.pause() : timeline.play()) });
  const slider = element("input.scrub", {
    type: "range", min: timeline.start, max: timeline.end, step: "any", value: timeline.time, "aria-label": "Time",
    oninput: () => timeline.setTime(slider.valueAsNumber),
  });
  const time = element("output.time", { "aria-live": "off" });
  const speed = element("select.speed", { "aria-label": "Speed", onchange: () => { timeline.speed = Number(speed.value); } },
    ...[1, 2, 5, 10].map((x) => element("option", { value: x }, `${x}\u00d7`)));
  const reset = element("button.reset", { type: "button", onclick: () => zooms.forEach((zoom) => zoom.reset()) }, "Reset zoom");

  const showTime = () => {
    slider.value = timeline.time;
    slider.setAttribute("aria-valuetext", `${show(timeline.time)}${unit}`);
    slider.style.setProperty("--done", `${100 * (timeline.time - timeline.start) / (timeline.span || 1)}%`);
    time.replaceChildren(show(timeline.time), element("span.of", {}, ` / ${show(timeline.end)}${unit}`));
  };
  const showPlay = () => {
    play.replaceChildren(icon(timeline.playing ? "pause" : "play"));
    play.setAttribute("aria-label", timeline.playing ? "Pause" : "Play");
  };
  const showZoom = () => { reset.hidden = !zooms.some((zoom) => zoom.zoomed); };
  timeline.on("time", showTime);
  timeline.on("play", showPlay);
  zooms.forEach((zoom) => zoom.on("view", showZoom));
  showTime(); showPlay(); showZoom();

  return element("div.controls", { role: "group", "aria-label": "Time" }, play, slider, time, speed, ...(zooms.length ? [reset] : []));
}
