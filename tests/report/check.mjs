// Opens the pages of fathom_report_sample in a browser, from the disk and without a network, and uses them as a reader
// would. Run by ctest (repo:report): node check.mjs SAMPLE_PROGRAM NODE_MODULES [FOLDER FOR SCREENSHOTS]
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [program, modules, shots] = process.argv.slice(2);
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
if (!existsSync(executablePath) || !existsSync(join(modules, "playwright-core"))) {
  console.log(`skipped: needs ${executablePath} and playwright-core in ${modules} (./dev deps)`);
  process.exit(77);
}
const { chromium } = createRequire(join(resolve(modules), "_"))("playwright-core");

const folder = mkdtempSync(join(tmpdir(), "fathom_report_"));
execFileSync(program, [folder]);
const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run"],
});

// A small window: without a GPU each frame of the 3-D view costs the processor a while.
/// A page of its own for each test; whatever the console says or the page asks for counts against it.
async function open(name, options = {}, prepare = async () => {}) {
  const context = await browser.newContext({ viewport: { width: 800, height: 560 }, offline: true, ...options });
  const page = await context.newPage();
  page.complaints = [];
  page.on("console", (message) => { if (message.type() !== "log") page.complaints.push(`console: ${message.text()}`); });
  page.on("pageerror", (error) => page.complaints.push(`error: ${error.stack}`));
  page.on("request", (request) => { if (!/^(file|data|blob):/.test(request.url())) page.complaints.push(`request: ${request.url()}`); });
  page.on("dialog", (dialog) => { page.complaints.push("a dialog"); dialog.dismiss(); });
  await prepare(page);
  await page.goto(pathToFileURL(join(folder, `${name}.html`)).href);
  await page.waitForFunction(() => window.fathomReport);
  await frames(page);
  return page;
}

async function close(page) {
  assert.deepEqual(page.complaints, []);
  await page.context().close();
}

const frames = (page, n = 3) => page.evaluate(async (count) => {
  for (let k = 0; k < count; k++) await new Promise(requestAnimationFrame);
}, n);
/// Of the plots over time.
const views = (page) => page.evaluate(() => fathomReport.plots.filter(({ item }) => !item.x_label).map(({ u }) => [u.scales.x.min, u.scales.x.max]));
const time = (page) => page.evaluate(() => fathomReport.timeline.time);
const near = (a, b, tolerance) => assert.ok(Math.abs(a - b) <= tolerance, `${a} is not within ${tolerance} of ${b}`);
const shown = async (page, locator) => { await locator.scrollIntoViewIfNeeded(); return locator.boundingBox(); };

/// Pixels of the 3-D view, as a list of numbers small enough to compare.
const picture = (page) => page.evaluate(() => {
  const copy = document.createElement("canvas");
  copy.width = 160; copy.height = 90;
  const context = copy.getContext("2d");
  context.drawImage(document.querySelector(".stage canvas"), 0, 0, 160, 90);
  return Array.from(context.getImageData(0, 0, 160, 90).data);
});
const difference = (a, b) => a.reduce((count, value, k) => count + (Math.abs(value - b[k]) > 12 ? 1 : 0), 0);

const tests = {
  async "plots are drawn, with units, gaps and legends that hide"() {
    const page = await open("sample");
    const plots = await page.evaluate(() => fathomReport.plots.map(({ u }) => {
      const { width, height } = u.ctx.canvas;
      const { data } = u.ctx.getImageData(0, 0, width, height);
      const colours = new Set();
      let inked = 0;
      for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 200) { inked++; colours.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]); }
      return { inked, colours: colours.size };
    }));
    assert.equal(plots.length, 7);
    for (const { inked, colours } of plots) assert.ok(inked > 500 && colours > 10, `${inked} pixels, ${colours} colours`);
    assert.equal(await page.locator(".plot .y-name").first().textContent(), "u (m/s)");
    assert.equal(await page.locator(".plot .x-name").first().textContent(), "time (s)");
    assert.match(await page.locator(".thinned").textContent(), /^shown: [34]\d\d\d of 21\u202f601 samples \(gyroscope\)$/);
    assert.equal(await page.locator("tbody tr").count(), 6);

    // A gap in the data is a gap in the line.
    const [inside, outside] = await page.evaluate(() => {
      const { u } = fathomReport.plots[1];
      const copy = document.createElement("canvas"); // a second look at uPlot's own would be a warning
      Object.assign(copy, { width: u.ctx.canvas.width, height: u.ctx.canvas.height });
      const context = copy.getContext("2d");
      context.drawImage(u.ctx.canvas, 0, 0);
      const { data, width } = context.getImageData(0, 0, copy.width, copy.height);
      const blue = (t) => { // pixels of the first series around a time
        const x = Math.round(u.valToPos(t, "x", true));
        let n = 0;
        for (let i = 0; i < data.length; i += 4)
          if (Math.abs((i / 4) % width - x) < 4 && data[i + 3] > 100 && data[i] < 60 && data[i + 2] > 140) n++;
        return n;
      };
      return [blue(26.5), blue(10)];
    });
    assert.equal(inside, 0);
    assert.ok(outside > 3);

    // A legend hides its series.
    const button = page.locator(".plot .legend button", { hasText: "reference" }).first();
    const column = () => page.evaluate(() => fathomReport.plots[0].u.series.map((s) => s.show));
    const before = await column();
    await button.click();
    assert.equal(await button.getAttribute("aria-pressed"), "false");
    assert.equal((await column()).filter((show) => !show).length, before.filter((show) => !show).length + 1);
    await button.click();
    assert.deepEqual(await column(), before);
    await close(page);
  },

  async "dragging zooms all plots, double-click and button reset"() {
    const page = await open("sample");
    const over = page.locator(".plot .u-over").nth(1);
    const box = await shown(page, over);
    const drag = async (from, to) => {
      await page.mouse.move(box.x + from * box.width, box.y + box.height / 2);
      await page.mouse.down();
      await page.mouse.move(box.x + to * box.width, box.y + box.height / 2, { steps: 6 });
      await page.mouse.up();
      await frames(page);
    };
    const whole = await views(page);
    for (const [min, max] of whole) { near(min, 0, 1e-6); near(max, 54, 1e-6); }
    await drag(0.25, 0.5);
    for (const [min, max] of await views(page)) { near(min, 13.5, 0.3); near(max, 27, 0.3); }
    await page.mouse.dblclick(box.x + 0.7 * box.width, box.y + box.height / 2);
    await frames(page);
    assert.deepEqual(await views(page), whole);
    await drag(0.5, 0.6);
    assert.ok((await views(page)).every(([min]) => min > 26));
    await page.getByRole("button", { name: "Reset zoom" }).click();
    await frames(page);
    assert.deepEqual(await views(page), whole);
    assert.ok(await page.getByRole("button", { name: "Reset zoom" }).isHidden());
    await page.mouse.move(box.x + 0.5 * box.width, box.y + box.height / 2);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -300);
    await page.keyboard.up("Control");
    await frames(page);
    for (const [min, max] of await views(page)) { assert.ok(max - min < 30); near((min + max) / 2, 27, 0.5); }
    await close(page);
  },

  async "hovering a plot moves the time everywhere"() {
    const page = await open("sample");
    await shown(page, page.locator(".stage"));
    await frames(page);
    const before = await picture(page);
    const box = await shown(page, page.locator(".plot .u-over").nth(2));
    await page.mouse.move(box.x + box.width / 3, box.y + 40);
    await frames(page);
    near(await time(page), 18, 0.2);
    const heads = await page.evaluate(() => fathomReport.plots.filter(({ item }) => !item.x_label).map(({ head, u }) =>
      new DOMMatrix(getComputedStyle(head).transform).m41 / u.over.clientWidth));
    for (const share of heads) near(share, 1 / 3, 0.01);
    await page.evaluate(() => document.querySelector(".stage").scrollIntoView());
    await frames(page);
    assert.ok(difference(before, await picture(page)) > 20, "the vehicle has not moved");
    near(Number((await page.locator(".plot .value").first().textContent()).replace("\u2212", "-")), 0.2, 0.15);
    await close(page);
  },

  async "a plot over something else than time keeps to itself"() {
    const page = await open("sample");
    const card = page.locator(".plot", { hasText: "Search" });
    assert.equal(await card.locator(".x-name").textContent(), "iteration");
    const own = () => page.evaluate(() => {
      const { u, head, timeline } = fathomReport.plots.find(({ item }) => item.x_label);
      return { view: [u.scales.x.min, u.scales.x.max], time: timeline.time, head: new DOMMatrix(getComputedStyle(head).transform).m41 / u.over.clientWidth };
    });
    const box = await shown(page, card.locator(".u-over"));
    assert.deepEqual((await own()).view, [0, 700]);
    near((await own()).head, 1, 0.01); // the end is what matters
    assert.equal(await card.locator(".legend .value").first().textContent(), "9.50");
    const whole = await views(page);
    await page.mouse.move(box.x + 0.25 * box.width, box.y + 40);
    await frames(page);
    near((await own()).time, 175, 2);
    assert.equal(await time(page), 0);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.5 * box.width, box.y + 40, { steps: 6 });
    await page.mouse.up();
    await frames(page);
    near((await own()).view[0], 175, 3);
    near((await own()).view[1], 350, 3);
    assert.deepEqual(await views(page), whole);
    await page.getByRole("button", { name: "Reset zoom" }).click();
    await frames(page);
    assert.deepEqual((await own()).view, [0, 700]);
    // A limit without a line of its name has an entry of its own.
    const entry = card.locator(".legend button", { hasText: "floor" });
    assert.equal(await entry.locator(".value").textContent(), "");
    await entry.click();
    assert.deepEqual(await page.evaluate(() => fathomReport.plots.find(({ item }) => item.x_label).u.series.map((s) => s.show)), [true, true, false]);
    await close(page);
  },

  async "bars have lengths, values and colours, on a desk and a phone"() {
    for (const options of [{ viewport: { width: 1280, height: 800 } }, { colorScheme: "dark" }, { viewport: { width: 375, height: 740 }, isMobile: true }]) {
      const page = await open("sample", options);
      const card = page.locator(".bars");
      assert.equal(await card.locator(".y-name").textContent(), "relative (%), logarithmic");
      assert.deepEqual(await card.locator(".legend .name").allTextContents(), ["design", "sinusoids"]);
      const bars = await card.locator(".groups ul li").evaluateAll((all) => all.map((bar) => {
        const [i, value] = [bar.querySelector("i"), bar.querySelector(".value")];
        return { share: i.clientWidth / bar.clientWidth, colour: getComputedStyle(i).backgroundColor, value: value.textContent, title: bar.title,
          end: value.getBoundingClientRect().right, left: i.getBoundingClientRect().left };
      }));
      assert.equal(bars.length, 22);
      // From 0.01 to 100: 0.1 stands at a quarter, each decade adds a quarter.
      [0.25, 0.5, 0.75, 1].forEach((share, k) => near(bars[2 * k].share, share, 0.01));
      assert.deepEqual([bars[0].title, bars[7].value, bars[21].value], ["m11, design: 0.1 %", "\u2013", "\u221e"]);
      assert.notEqual(bars[0].colour, bars[1].colour);
      const cardBox = await card.boundingBox();
      for (const bar of bars) assert.ok(bar.end < cardBox.x + cardBox.width, `${bar.title} leaves its card`);
      // Ticks stand where the bars begin and end.
      const ticks = await card.locator(".ticks").first().locator("span").evaluateAll((all) => all.map((tick) => [tick.textContent, tick.getBoundingClientRect().left]));
      assert.deepEqual(ticks.map(([text]) => text), ["0.01", "0.1", "1", "10", "100"]);
      near(ticks[0][1], bars[0].left, 1);
      await close(page);
    }
  },

  async "the 3-D view shows, plays, scrubs, follows and turns"() {
    const page = await open("sample");
    await shown(page, page.locator(".stage"));
    await frames(page);
    const start = await picture(page);
    assert.ok(new Set(start).size > 20, "the 3-D view is blank");
    // North, east and down are where they belong, the vehicle is upright.
    const [north, east, down, nose, belly] = await page.evaluate(() => {
      const { world, camera, bodies } = fathomReport.scenes[0];
      const V = camera.position.constructor;
      const image = (x, y, z) => world.localToWorld(new V(x, y, z)).toArray().map(Math.round);
      const body = (x, y, z) => new V(x, y, z).applyQuaternion(bodies[0].model.quaternion).toArray();
      return [image(1, 0, 0), image(0, 1, 0), image(0, 0, 1), body(1, 0, 0), body(0, 0, 1)];
    });
    assert.deepEqual([north, east, down].map((v) => v.map((x) => x + 0)), [[0, 0, -1], [1, 0, 0], [0, -1, 0]]);
    assert.ok(belly[2] > 0.95, "the vehicle lies on its back");
    assert.ok(Math.abs(nose[2]) < 0.2);

    await page.getByLabel("Speed").selectOption("10");
    await page.getByRole("button", { name: "Play" }).click();
    await page.waitForFunction(() => fathomReport.timeline.time > 4);
    await page.getByRole("button", { name: "Pause" }).click();
    const paused = await time(page);
    await frames(page);
    assert.equal(await time(page), paused);
    const played = await picture(page);
    assert.ok(difference(start, played) > 20, "playing changes nothing");

    await page.locator(".scrub").fill("30");
    await frames(page);
    near(await time(page), 30, 1e-6);
    const scrubbed = await picture(page);
    assert.ok(difference(played, scrubbed) > 20, "scrubbing changes nothing");
    assert.match(await page.locator(".time").textContent(), /^30\.00 \/ 54\.00\u202fs$/);

    await page.getByRole("button", { name: "Follow" }).click();
    await frames(page);
    const followed = await picture(page);
    assert.ok(difference(scrubbed, followed) > 200, "following changes nothing");
    const offset = () => page.evaluate(() => fathomReport.scenes[0].camera.position.distanceTo(
      fathomReport.scenes[0].world.localToWorld(fathomReport.scenes[0].bodies[0].model.position.clone())));
    const distance = await offset();
    await page.evaluate(() => fathomReport.timeline.setTime(45));
    await frames(page);
    near(await offset(), distance, 1e-3);

    const box = await page.locator(".stage canvas").boundingBox();
    await page.mouse.move(box.x + 300, box.y + 200);
    await page.mouse.down();
    await page.mouse.move(box.x + 420, box.y + 230, { steps: 4 });
    await page.mouse.up();
    await frames(page);
    assert.ok(difference(followed, await picture(page)) > 200, "turning changes nothing");
    await close(page);
  },

  async "bodies at rest have marks with arrows, one group at a time"() {
    const page = await open("still");
    await shown(page, page.locator(".stage"));
    await frames(page);
    const start = await picture(page);
    assert.ok(new Set(start).size > 20, "the 3-D view is blank");
    assert.ok(await page.locator(".readout").isHidden());
    assert.ok(await page.getByRole("button", { name: "Follow" }).isHidden());
    assert.equal(await page.locator(".controls").count(), 0);
    const labels = async () => (await page.locator(".label.marker:visible").allTextContents()).sort();
    assert.deepEqual(await labels(), ["aft: 1 N", "fore: 2 N"]);
    assert.deepEqual(await page.locator(".scene .legend .name").allTextContents(), ["A", "B", "coupling", "pulls apart", "presses together"]);
    // The arrows are to scale, the longest is as long as the longest body; each group for itself.
    const lengths = await page.evaluate(() => fathomReport.scenes[0].arrows.map(({ arrow }) => arrow.length()));
    [0.457, 0.2285, 0.457, 0].forEach((length, k) => near(lengths[k], length, 1e-6));
    // Two labels at nearly one place do not cover each other.
    const boxes = await page.locator(".label.marker:visible").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
    assert.ok(boxes[0].bottom <= boxes[1].top + 0.5 || boxes[1].bottom <= boxes[0].top + 0.5, "labels cover each other");
    const button = page.getByRole("button", { name: "full surge" });
    assert.equal(await button.getAttribute("aria-pressed"), "false");
    await button.click();
    await frames(page);
    assert.equal(await button.getAttribute("aria-pressed"), "true");
    assert.deepEqual(await labels(), ["aft: 0 N", "fore: 30 N"]);
    assert.ok(difference(start, await picture(page)) > 20, "another group looks the same");
    await close(page);
  },

  async "light and dark"() {
    const page = await open("sample", { colorScheme: "light" });
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await background();
    await page.emulateMedia({ colorScheme: "dark" });
    const dark = await background();
    assert.notEqual(light, dark);
    await page.emulateMedia({ colorScheme: "light" });
    assert.equal(await background(), light);
    await page.locator("#theme").click();
    assert.equal(await background(), dark);
    await page.locator("#theme").click();
    assert.equal(await background(), light);
    await close(page);
  },

  async "a phone needs no sideways scrolling, and fingers work"() {
    const page = await open("sample", { viewport: { width: 375, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
    const widths = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.deepEqual(widths, [375, 375]);
    const over = page.locator(".plot .u-over").nth(1);
    const box = await shown(page, over);
    const finger = (type, pointerId, share) => over.dispatchEvent(type, { pointerType: "touch", pointerId,
      clientX: box.x + share * box.width, clientY: box.y + 50, isPrimary: pointerId === 1, bubbles: true });
    await finger("pointerdown", 1, 0.45);
    await finger("pointermove", 1, 0.4);
    near(await time(page), 0.4 * 54, 0.4);
    await finger("pointerdown", 2, 0.6);
    await finger("pointermove", 2, 0.8);
    await finger("pointerup", 1, 0.4);
    await finger("pointerup", 2, 0.8);
    await frames(page);
    for (const [min, max] of await views(page)) near(max - min, 27, 1);
    await close(page);
  },

  async "hostile names stay text"() {
    const page = await open("hostile");
    assert.equal(await page.evaluate(() => window.broken), undefined);
    assert.equal(await page.locator("img, b").count(), 0);
    assert.equal(await page.locator("script").count(), 2);
    const bad = `</script><script>window.broken=1</script><img src=x onerror='window.broken=1'>"&amp;\\x01\\xff]]>-->`;
    assert.equal(await page.title(), bad);
    assert.equal(await page.locator("h1").textContent(), bad);
    assert.equal(await page.locator(".plot .legend .name").first().textContent(), bad);
    assert.equal(await page.locator(".scene .legend .name").first().textContent(), bad);
    await close(page);
  },

  async "pages without content open"() {
    for (const name of ["empty", "bare"]) {
      const page = await open(name);
      if (name === "bare") assert.equal(await page.getByText("No samples").count(), 2);
      await close(page);
    }
  },

  async "without WebGL the page says so and the plots work"() {
    const page = await open("sample", {}, (fresh) => fresh.addInitScript(() => {
      const get = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
        return kind.startsWith("webgl") ? null : get.call(this, kind, ...rest);
      };
    }));
    assert.match(await page.locator(".no-webgl").textContent(), /needs WebGL/);
    assert.equal((await views(page)).length, 6);
    assert.equal(await page.locator(".groups i").count(), 22);
    await page.locator(".scrub").fill("20");
    near(await time(page), 20, 1e-6);
    await close(page);
  },

  async "prints, in light colours"() {
    const page = await open("sample", { colorScheme: "dark" });
    const pdf = await page.pdf({ format: "A4", printBackground: true });
    assert.ok(pdf.length > 50_000);
    await page.emulateMedia({ media: "print" });
    assert.ok(await page.locator(".controls").isHidden());
    await close(page);
  },

  async "the page without data is small"() {
    const { size } = statSync(join(folder, "empty.html"));
    assert.ok(size < 900_000, `${size} bytes`);
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  const begin = Date.now();
  try {
    await test();
    console.log(`ok   ${name} (${Date.now() - begin} ms)`);
  } catch (error) {
    failed++;
    console.log(`FAIL ${name}\n${error.stack}`);
  }
}
if (shots) {
  for (const [name, options] of Object.entries({ light: { colorScheme: "light" }, dark: { colorScheme: "dark" },
    phone: { viewport: { width: 375, height: 740 }, deviceScaleFactor: 2 } })) {
    const page = await open("sample", { viewport: { width: 1360, height: 900 }, ...options });
    await page.evaluate(() => fathomReport.timeline.setTime(21.4));
    await frames(page, 5);
    await page.screenshot({ path: join(shots, `${name}.png`) });
    await close(page);
  }
}
await browser.close();
rmSync(folder, { recursive: true });
console.log(failed ? `${failed} failed` : "all passed");
process.exit(failed ? 1 : 0);
