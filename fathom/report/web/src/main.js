// Fills the plots and 3-D views of the page; figures, texts and tables stand in the HTML already.
import "./style.css";
import { makeControls } from "./controls.js";
import { readData } from "./data.js";
import { Plot } from "./plot.js";
import { makeScene } from "./scene.js";
import { startTheme } from "./theme.js";
import { Timeline } from "./timeline.js";

startTheme();
const data = readData();

/// The range of all times of these items, as a timeline; one that is not a range is widened to be drawn.
function timelineOf(items) {
  const clocks = items.flatMap((item) =>
    [...(item.series ?? []), ...(item.bands ?? []), ...(item.bodies ?? [])].map(({ t }) => data.times(t)).filter((t) => t.length));
  const start = clocks.reduce((least, t) => Math.min(least, t[0]), Infinity);
  const end = clocks.reduce((most, t) => Math.max(most, t[t.length - 1]), -Infinity);
  const moving = end > start;
  return { moving, timeline: moving ? new Timeline(start, end) : new Timeline(start === end ? start - 0.5 : 0, start === end ? start + 0.5 : 1) };
}
const { moving, timeline } = timelineOf(data.items.filter((item) => !item.x_label));

/// What is drawn over something else than time has a cursor and a zoom of its own, and shows its end first.
const zooms = [timeline];
function axisOf(item) {
  if (!item.x_label) return timeline;
  const own = timelineOf([item]).timeline;
  own.setTime(own.end);
  zooms.push(own);
  return own;
}

const plots = [];
const scenes = [];
data.items.forEach((item, k) => {
  const box = document.getElementById(`item-${k}`);
  if (item.kind === "plot") plots.push(new Plot(box, item, data, axisOf(item)));
  else scenes.push(makeScene(box, item, data, timeline));
});
if (moving) document.body.append(makeControls(timeline, plots.length > 0 ? zooms : []));

const printWidth = 640; // of what is drawn: A4 and Letter without margins
const drawn = [...plots, ...scenes].filter(Boolean);
addEventListener("beforeprint", () => drawn.forEach((item) => item.setPrintWidth(printWidth)));
addEventListener("afterprint", () => drawn.forEach((item) => item.setPrintWidth()));

window.fathomReport = { timeline, plots, scenes }; // for the console, and for the test
