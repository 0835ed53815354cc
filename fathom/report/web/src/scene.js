// The 3-D view: tank, water, vehicles moving along their trails. Everything inside `world` has Fathom's own axes
// (north, east, down; bodies forward, starboard, down); `world` alone is turned into three's (y up).
import {
  BackSide, Box3, BoxGeometry, Color, DirectionalLight, DoubleSide, Group, HemisphereLight, Matrix4, Mesh,
  MeshBasicMaterial, MeshStandardMaterial, PerspectiveCamera, PlaneGeometry, Quaternion, Scene as ThreeScene, SphereGeometry, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";
import { makeArrow } from "./arrow.js";
import { indexAt } from "./data.js";
import { element } from "./dom.js";
import { fixed } from "./format.js";
import { Markers, arrowsOf } from "./markers.js";
import { boxEdges, freePlace, niceStep, shadowTexture } from "./pieces.js";
import { colour, isDark, onTheme } from "./theme.js";
import { makeVehicle } from "./vehicle.js";

const bodyColours = [0xe69f00, 0x3a9fdc, 0x009e73, 0xcc79a7, 0x8c9ca7, 0xd55e00];
// The images of north, east and down: east is three's x, up its y, south its z.
const nedToThree = new Matrix4().makeBasis(new Vector3(0, 0, -1), new Vector3(1, 0, 0), new Vector3(0, -1, 0));

export function makeScene(box, item, data, timeline) {
  const probe = document.createElement("canvas");
  if (!probe.getContext("webgl2")) {
    box.append(element("p.no-webgl", {}, "The 3-D view needs WebGL, which this browser does not offer. " +
      "Everything else on this page works without it."));
    return null;
  }
  return new View(box, item, data, timeline);
}

class View {
  constructor(box, item, data, timeline) {
    this.item = item;
    this.timeline = timeline;
    this.themed = []; // functions that colour what depends on light or dark
    this.labels = [];
    this.lines = [];

    this.stage = element("div.stage");
    this.readout = element("div.readout");
    this.followButton = element("button", { type: "button", "aria-pressed": "false", onclick: () => this.setFollow(!this.follow) }, "Follow");
    const home = element("button", { type: "button", onclick: () => { this.setFollow(false); this.fit(); } }, "Reset view");
    this.stage.append(this.readout, element("div.stage-buttons", {}, this.followButton, home));
    box.append(this.stage);

    // Kept after drawing, so that printing and copying find the picture.
    this.renderer = new WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    this.canvas = this.renderer.domElement;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `3-D view: ${item.title}`);
    this.stage.prepend(this.canvas);
    this.camera = new PerspectiveCamera(38, 1, 0.01, 1000);
    this.scene = new ThreeScene();
    this.world = new Group();
    this.world.quaternion.setFromRotationMatrix(nedToThree);
    this.world.updateMatrixWorld(true);
    this.scene.add(this.world);

    this.bodies = item.bodies.map((body, k) => this.addBody(body, k, data));
    this.still = this.bodies.every(({ t }) => t.length < 2); // a picture, not a motion
    this.followButton.hidden = this.readout.hidden = this.still;
    const longest = Math.max(...this.bodies.map(({ size }) => Math.max(...size)), 0.1);
    this.arrows = arrowsOf(item.markers, longest);
    this.bounds = this.findBounds(data);
    this.addLight();
    this.addSurroundings();
    item.paths.forEach((path) => this.addPath(path, data));
    item.waypoints.forEach((point, k) => this.addWaypoint(point, k));
    if (item.markers.length) {
      this.markers = new Markers(this, this.arrows, longest);
      if (this.markers.groups.length > 1) this.stage.append(element("div.stage-buttons.choice", { role: "group" }, ...this.markers.buttons));
    }
    if (item.current && Math.hypot(...item.current) > 0) this.addCurrent(item.current);
    this.addLegend(box);

    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.maxPolarAngle = 0.95 * Math.PI;
    this.controls.addEventListener("change", () => this.ask());
    this.keepPageScrolling();
    timeline.on("time", () => this.ask());
    onTheme(() => { this.colour(); this.ask(); });
    this.colour();
    new ResizeObserver(() => this.resize()).observe(this.stage);
    new IntersectionObserver((entries) => {
      this.inSight = entries[entries.length - 1].isIntersecting;
      if (this.stale) this.ask();
    }).observe(this.stage);
    this.resize();
    this.fit();
  }

  // ---- what stands in the scene

  addLight() {
    const sky = new HemisphereLight(0xffffff, 0x6d8fa3, 2.2);
    const sun = new DirectionalLight(0xffffff, 1.8);
    sun.position.set(-2, 5, 3);
    this.scene.add(sky, sun);
  }

  addBody(body, k, data) {
    const t = data.times(body.t);
    const p = data.values(body.p);
    const q = data.values(body.q);
    const tint = bodyColours[k % bodyColours.length];
    const model = makeVehicle(body, tint);
    this.world.add(model);
    this.themed.push(() => model.userData.dress(isDark()));
    const made = { ...body, t, p, q, model, tint, size: body.size };
    if (t.length > 1) {
      made.stride = Math.ceil(t.length / 1000); // a thousand pieces are a smooth line
      const points = [];
      for (let i = 0; i < t.length; i += made.stride) points.push(p[3 * i], p[3 * i + 1], p[3 * i + 2]);
      points.push(...p.slice(-3));
      made.pieces = points.length / 3 - 1;
      this.line(points, { width: 1.5, tint, opacity: 0.35 });
      made.trail = this.line(points, { width: 3, tint });
    }
    if (this.item.bodies.length > 1) made.label = this.label(body.name, new Vector3(), "body");
    return made;
  }

  findBounds(data) {
    const bounds = new Box3();
    const { tank } = this.item;
    if (tank) return bounds.set(new Vector3(...tank.min), new Vector3(...tank.max));
    const point = new Vector3();
    const include = (p) => { for (let i = 0; i + 2 < p.length; i += 3) bounds.expandByPoint(point.fromArray(p, i)); };
    for (const body of this.bodies) {
      include(body.p);
      if (!body.p.length) bounds.expandByPoint(point.set(0, 0, 0));
      // Of a body that moves its way counts, of one that does not its hull, whatever way it is turned.
      if (this.still) bounds.union(new Box3().setFromCenterAndSize(point, new Vector3().setScalar(0.8 * Math.hypot(...body.size))));
    }
    for (const path of this.item.paths) include(data.values(path.p));
    this.item.waypoints.forEach((p) => include(p));
    for (const { at, arrow } of this.arrows) bounds.expandByPoint(at).expandByPoint(point.copy(at).add(arrow));
    if (bounds.isEmpty()) bounds.expandByPoint(point.set(0, 0, 0));
    const size = bounds.getSize(new Vector3());
    const pad = 0.08 * Math.max(size.x, size.y, size.z);
    return bounds.expandByScalar(this.still && this.bodies.length ? pad : Math.max(0.5, pad));
  }

  addSurroundings() {
    const { min, max } = this.bounds;
    const size = this.bounds.getSize(new Vector3());
    const middle = this.bounds.getCenter(new Vector3());
    this.unit = niceStep(Math.max(size.x, size.y) / 8);

    // Floor and its grid, at the greatest depth.
    const floor = new Mesh(new PlaneGeometry(size.x, size.y), new MeshBasicMaterial({ side: DoubleSide, transparent: true, depthWrite: false }));
    floor.position.set(middle.x, middle.y, max.z);
    floor.renderOrder = -3;
    this.world.add(floor);
    this.themed.push(() => { floor.material.color.set(colour("floor")); floor.material.opacity = isDark() ? 0.9 : 0.85; });
    const grid = [];
    const z = max.z - 0.001 * size.z;
    for (let x = Math.ceil(min.x / this.unit) * this.unit; x <= max.x + 1e-9; x += this.unit) grid.push(x, min.y, z, x, max.y, z);
    for (let y = Math.ceil(min.y / this.unit) * this.unit; y <= max.y + 1e-9; y += this.unit) grid.push(min.x, y, z, max.x, y, z);
    this.segments(grid, 1, "floor-grid", 0.8, -2);

    if (this.item.tank) {
      const glass = new Mesh(new BoxGeometry(size.x, size.y, size.z), new MeshBasicMaterial({ side: BackSide, transparent: true, depthWrite: false }));
      glass.position.copy(middle);
      glass.renderOrder = -4;
      this.world.add(glass);
      this.themed.push(() => { glass.material.color.set(colour("glass")); glass.material.opacity = isDark() ? 0.16 : 0.2; });
      this.segments(boxEdges(min, max), 1.5, "glass-edge", 0.9, -1);
    }
    if (min.z <= 0 && max.z >= 0) { // the water's surface is in sight
      const water = new Mesh(new PlaneGeometry(size.x, size.y), new MeshBasicMaterial({ side: DoubleSide, transparent: true, depthWrite: false }));
      water.position.set(middle.x, middle.y, 0);
      water.renderOrder = 5;
      this.world.add(water);
      this.themed.push(() => { water.material.color.set(colour("water")); water.material.opacity = isDark() ? 0.13 : 0.16; });
      this.segments(boxEdges(new Vector3(min.x, min.y, 0), new Vector3(max.x, max.y, 0)).slice(0, 24), 1.5, "water-edge", 0.9, 6);
    }
    // A soft shadow on the floor shows where above it a vehicle is.
    const texture = shadowTexture();
    for (const body of this.bodies) {
      body.shadow = new Mesh(new PlaneGeometry(1, 1), new MeshBasicMaterial({ map: texture, transparent: true, depthWrite: false, side: DoubleSide, color: 0x000000 }));
      body.shadow.scale.set(1.5 * body.size[0], 1.5 * body.size[1], 1);
      body.shadow.position.z = max.z - 0.002 * size.z;
      body.shadow.renderOrder = -1;
      this.world.add(body.shadow);
    }
    // Which way is north, and how large is it.
    // Beside the edges of the floor that are nearest to the reader, and the upright one furthest to the right.
    const out = 0.05 * Math.max(size.x, size.y);
    const seen = (point) => this.world.localToWorld(point.clone());
    const nearer = (a, b) => (seen(a).distanceTo(this.camera.position) < seen(b).distanceTo(this.camera.position) ? a : b);
    this.label(`north ${metres(size.x)}`, () => nearer(new Vector3(middle.x, min.y - out, max.z), new Vector3(middle.x, max.y + out, max.z)), "side");
    this.label(`east ${metres(size.y)}`, () => nearer(new Vector3(min.x - out, middle.y, max.z), new Vector3(max.x + out, middle.y, max.z)), "side");
    const upright = [[min.x - out, min.y], [min.x, max.y + out], [max.x, min.y - out], [max.x + out, max.y]]
      .map(([x, y]) => new Vector3(x, y, (Math.max(0, min.z) + max.z) / 2));
    if (this.item.tank && max.z > 0) {
      this.label(`depth ${metres(max.z)}`, () => upright.map((point) => [seen(point).project(this.camera).x, point])
        .reduce((a, b) => (b[0] > a[0] ? b : a))[1], "side");
    }
  }

  addPath(path, data) {
    const p = data.values(path.p);
    if (p.length < 6) return;
    this.line(p, { width: 2, token: "path", dashed: path.dashed });
  }

  addWaypoint(point, k) {
    const radius = 0.012 * this.bounds.getSize(new Vector3()).length();
    const ball = new Mesh(new SphereGeometry(Math.min(0.06, radius), 20, 14), new MeshStandardMaterial({ roughness: 0.5 }));
    ball.position.fromArray(point);
    this.world.add(ball);
    this.themed.push(() => ball.material.color.set(colour("path")));
    this.label(String(k + 1), ball.position, "waypoint");
  }

  addCurrent(current) {
    const speed = Math.hypot(...current);
    const size = this.bounds.getSize(new Vector3());
    const length = 0.16 * Math.max(size.x, size.y);
    const look = new MeshStandardMaterial({ roughness: 0.5 });
    this.themed.push(() => look.color.set(colour("series-5")));
    const direction = new Vector3(...current).normalize();
    const arrow = makeArrow(direction.clone().multiplyScalar(length), look);
    const { min, max } = this.bounds;
    const middle = new Vector3(max.x - 0.14 * size.x, min.y + 0.16 * size.y, Math.max(min.z, 0) + 0.22 * (max.z - Math.max(min.z, 0)));
    arrow.position.copy(middle).addScaledVector(direction, -length / 2);
    this.world.add(arrow);
    this.label(`current ${fixed(speed, speed < 0.1 ? 3 : 2)}\u202fm/s`, middle.clone().add(new Vector3(0, 0, -0.12 * length)), "current");
  }

  /// What is what, below the picture.
  addLegend(box) {
    const entries = [];
    const told = new Set();
    const entry = (style, tint, name) => { // what looks and is called alike stands once
      const words = [style, tint, name].join();
      if (told.has(words)) return;
      told.add(words);
      const item = element("span.entry", {}, element(`span.key.${style}`), element("span.name", {}, name));
      item.style.setProperty("--colour", tint);
      entries.push(item);
    };
    for (const body of this.bodies) entry("line", `#${new Color(body.tint).getHexString()}`, body.name);
    for (const path of this.item.paths) entry(path.dashed ? "dashed" : "line", "var(--path)", path.name);
    if (this.item.waypoints.length) entry("points", "var(--path)", "way-points");
    for (const kind of this.markers?.kinds.filter(Boolean) ?? []) entry("line", this.markers.colourOf(kind), kind);
    box.append(element("div.legend", {}, ...entries));
  }

  // ---- pieces

  line(points, { width, tint, token, opacity = 1, dashed = false }) {
    const material = new LineMaterial({ linewidth: width, transparent: opacity < 1, opacity, dashed, alphaToCoverage: false });
    if (tint !== undefined) material.color.set(tint);
    if (token) this.themed.push(() => material.color.set(colour(token)));
    const made = new Line2(new LineGeometry().setPositions(points), material);
    if (dashed) {
      made.computeLineDistances();
      const reach = new Box3().setFromArray(points).getSize(new Vector3()).length();
      material.dashSize = 0.016 * reach;
      material.gapSize = 0.011 * reach;
    }
    made.frustumCulled = false;
    this.lines.push(material);
    this.world.add(made);
    return made;
  }

  segments(points, width, token, opacity, order) {
    const material = new LineMaterial({ linewidth: width, transparent: true, opacity, depthWrite: false });
    this.themed.push(() => material.color.set(colour(token)));
    const made = new LineSegments2(new LineSegmentsGeometry().setPositions(points), material);
    made.renderOrder = order;
    this.lines.push(material);
    this.world.add(made);
  }

  label(text, at, kind) {
    const made = { at, kind, hidden: false, box: element(`span.label.${kind}`, {}, text) };
    this.stage.append(made.box);
    this.labels.push(made);
    return made;
  }

  // ---- how it is seen

  colour() { for (const apply of this.themed) apply(); }

  fit() {
    const corners = [];
    for (const x of [this.bounds.min.x, this.bounds.max.x])
      for (const y of [this.bounds.min.y, this.bounds.max.y])
        for (const z of [this.bounds.min.z, this.bounds.max.z]) corners.push(this.world.localToWorld(new Vector3(x, y, z)));
    const target = this.world.localToWorld(this.bounds.getCenter(new Vector3()));
    const size = this.bounds.getSize(new Vector3());
    // The longer side lies across the picture.
    const height = this.still ? 0.7 : 0.44; // hulls that touch are told apart from above
    const direction = (size.x > size.y ? new Vector3(0.9, height, 0.3) : new Vector3(0.3, height, 0.9)).normalize();
    const reach = size.length();
    const look = (distance) => {
      this.camera.position.copy(target).addScaledVector(direction, distance);
      this.camera.lookAt(target);
      this.camera.updateMatrixWorld();
      return new Box3().setFromPoints(corners.map((corner) => corner.clone().project(this.camera)));
    };
    // Nearest distance at which the corners fill no more than most of the picture; then their middle to its middle.
    this.camera.near = 0.001 * reach;
    this.camera.far = 100 * reach;
    this.camera.updateProjectionMatrix();
    let far;
    for (let round = 0; round < 3; round++) {
      let near = 0.3 * reach;
      far = 12 * reach;
      for (let k = 0; k < 30; k++) {
        const distance = (near + far) / 2;
        const seen = look(distance).getSize(new Vector3());
        if (seen.x < 1.72 && seen.y < 1.6) far = distance; else near = distance;
      }
      const middle = look(far).getCenter(new Vector3());
      const half = Math.tan((this.camera.fov * Math.PI) / 360) * far;
      const [right, up] = [new Vector3(), new Vector3()];
      this.camera.matrixWorld.extractBasis(right, up, new Vector3());
      target.addScaledVector(right, middle.x * half * this.camera.aspect).addScaledVector(up, (middle.y + 0.04) * half);
    }
    look(far);
    this.camera.near = 0.002 * far;
    this.camera.far = 30 * far;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(target);
    this.controls.minDistance = 0.03 * reach;
    this.controls.maxDistance = 6 * reach;
    this.controls.update();
    this.ask();
  }

  setFollow(on) {
    this.follow = on && this.bodies.length > 0;
    this.followButton.setAttribute("aria-pressed", this.follow);
    if (this.follow) {
      const { model, size } = this.bodies[0];
      this.place();
      const at = this.world.localToWorld(model.position.clone());
      const direction = this.camera.position.clone().sub(this.controls.target).normalize();
      this.controls.target.copy(at);
      this.camera.position.copy(at).addScaledVector(direction, 7 * Math.max(...size));
      this.controls.update();
    }
    this.ask();
  }

  /// The wheel scrolls the page until the picture has been clicked.
  keepPageScrolling() {
    let active = false;
    this.canvas.addEventListener("pointerdown", () => { active = true; });
    this.stage.addEventListener("pointerleave", () => { active = false; });
    this.stage.addEventListener("wheel", (event) => { if (!active && !event.ctrlKey) event.stopPropagation(); }, { capture: true });
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.stage;
    if (!width || !height || (width === this.width && height === this.height)) return;
    const first = !this.width;
    Object.assign(this, { width, height });
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    for (const material of this.lines) material.resolution.set(width, height);
    if (first || !this.follow) this.fit();
    else this.ask();
  }

  /// The width of a printed page, or undefined for that of the window.
  setPrintWidth(width) {
    this.stage.style.width = width ? `${width}px` : "";
    this.stage.style.height = width ? `${0.55 * width}px` : "";
    this.resize();
    this.printed?.remove();
    if (!width || !this.width) return;
    this.draw();
    // Browsers print the last composed frame of a WebGL canvas, which has the old size: print a copy.
    this.printed = element("canvas.printed", { width: this.canvas.width, height: this.canvas.height });
    this.printed.getContext("2d").drawImage(this.canvas, 0, 0);
    this.stage.prepend(this.printed);
  }

  /// Draws once, soon; out of sight, when it comes into sight.
  ask() {
    this.stale = true;
    if (this.asked || !this.width || !this.inSight) return;
    this.asked = true;
    requestAnimationFrame(() => { this.asked = false; this.draw(); });
  }

  /// Puts every body where it is at the time of the page.
  place() {
    const { time } = this.timeline;
    for (const body of this.bodies) {
      const { t, p, q, model } = body;
      if (!t.length) continue;
      const i = Math.max(0, indexAt(t, time));
      const j = Math.min(i + 1, t.length - 1);
      const share = t[j] > t[i] ? Math.min(1, Math.max(0, (time - t[i]) / (t[j] - t[i]))) : 0;
      model.position.fromArray(p, 3 * i).lerp(scratch.fromArray(p, 3 * j), share);
      model.quaternion.set(q[4 * i + 1], q[4 * i + 2], q[4 * i + 3], q[4 * i]);
      model.quaternion.slerp(turn.set(q[4 * j + 1], q[4 * j + 2], q[4 * j + 3], q[4 * j]), share);
      if (body.trail) {
        body.trail.visible = i + share > 0;
        body.trail.geometry.instanceCount = Math.min(body.pieces, Math.max(1, Math.round((i + share) / body.stride)));
      }
      if (body.shadow) body.shadow.position.set(model.position.x, model.position.y, body.shadow.position.z);
      const heading = Math.atan2(2 * (model.quaternion.w * model.quaternion.z + model.quaternion.x * model.quaternion.y),
        1 - 2 * (model.quaternion.y ** 2 + model.quaternion.z ** 2));
      if (body.shadow) body.shadow.rotation.z = heading;
      body.heading = ((heading * 180) / Math.PI + 360) % 360;
      if (body.label) body.label.at.copy(model.position).add(scratch.set(0, 0, -0.8 * body.size[2]));
    }
  }

  draw() {
    const before = this.follow && this.world.localToWorld(this.bodies[0].model.position.clone());
    this.place();
    if (before) {
      const moved = this.world.localToWorld(this.bodies[0].model.position.clone()).sub(before);
      this.controls.target.add(moved);
      this.camera.position.add(moved);
      this.camera.lookAt(this.controls.target);
    }
    this.stale = false;
    this.renderer.render(this.scene, this.camera);
    this.showLabels();
    this.showReadout();
  }

  showLabels() {
    const taken = [];
    for (const { at, kind, hidden, box } of this.labels) {
      const p = this.world.localToWorld(scratch.copy(typeof at === "function" ? at() : at)).project(this.camera);
      box.hidden = hidden || p.z > 1 || Math.abs(p.x) > 1 || Math.abs(p.y) > 1;
      if (box.hidden) continue;
      const room = box.offsetWidth / 2 + 4;
      const x = Math.min(this.width - room, Math.max(room, (p.x + 1) / 2 * this.width));
      const middle = (1 - p.y) / 2 * this.height;
      const y = kind === "marker" ? freePlace(x, middle - box.offsetHeight, box, taken) : middle;
      taken.push({ x, y, width: box.offsetWidth, height: box.offsetHeight });
      box.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -50%)`;
    }
  }

  showReadout() {
    const body = this.bodies[0];
    if (!body?.t.length || this.still) return;
    const { x, y, z } = body.model.position;
    const pair = (name, value) => element("span", {}, element("i", {}, name), ` ${value}`);
    this.readout.replaceChildren(pair("north", metres(x)), pair("east", metres(y)), pair("depth", metres(z)),
      pair("heading", `${fixed(body.heading, 0)}\u00b0`));
  }
}

const scratch = new Vector3();
const turn = new Quaternion();
const metres = (value) => `${fixed(value, 2)}\u202fm`;
