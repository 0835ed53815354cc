// Named places with arrows, such as couplings and the forces that they carry. Of several groups one is shown at a time.
import { Group, Mesh, MeshStandardMaterial, SphereGeometry, Vector3 } from "three";
import { makeArrow } from "./arrow.js";
import { element } from "./dom.js";
import { colour } from "./theme.js";

const tokens = ["arrow-0", "arrow-1", "arrow-2"];
const least = 1e-9; // of the longest: no arrow

/// The markers with the arrow that each has in the scene; `longest`: of each group, m.
export function arrowsOf(markers, longest) {
  const reach = new Map();
  for (const { group, vector } of markers) reach.set(group, Math.max(reach.get(group) ?? 0, Math.hypot(...vector)));
  return markers.map((marker) => {
    const most = reach.get(marker.group);
    const arrow = new Vector3(...marker.vector).multiplyScalar(most > 0 ? longest / most : 0);
    return { ...marker, at: new Vector3(...marker.p), arrow };
  });
}

export class Markers {
  /// `view`: the 3-D view that they stand in; `markers` as arrowsOf gives them.
  constructor(view, markers, longest) {
    this.view = view;
    this.kinds = [...new Set(markers.map(({ kind }) => kind))].sort((a, b) => (a === "") - (b === "")); // unnamed last
    this.groups = [...new Set(markers.map(({ group }) => group))];
    this.looks = this.kinds.map((kind, k) => this.look(tokens[k % tokens.length]));
    this.ballLook = this.look("path");
    this.parts = markers.map((marker) => this.add(marker, longest));
    this.buttons = this.groups.map((group) => element("button", { type: "button", onclick: () => this.show(group) }, group));
    this.show(this.groups[0]);
  }

  /// Seen through hulls: a coupling lies between them.
  look(token) {
    const made = new MeshStandardMaterial({ roughness: 0.5, depthTest: false, transparent: true, opacity: 0.95 });
    this.view.themed.push(() => made.color.set(colour(token)));
    return made;
  }

  add({ name, at, arrow, label, kind, group }, longest) {
    const made = new Group();
    made.position.copy(at);
    const ball = new Mesh(new SphereGeometry(0.05 * longest, 20, 14), this.ballLook);
    ball.renderOrder = 7;
    made.add(ball);
    if (arrow.length() > least * longest) {
      const solid = makeArrow(arrow, this.looks[this.kinds.indexOf(kind)], longest);
      solid.traverse((part) => { part.renderOrder = 8; });
      made.add(solid);
    }
    this.view.world.add(made);
    return { made, group, label: this.view.label([name, label].filter(Boolean).join(": "), at.clone().add(arrow), "marker") };
  }

  show(group) {
    for (const part of this.parts) {
      part.made.visible = part.group === group;
      part.label.hidden = part.group !== group;
    }
    this.buttons.forEach((button, k) => button.setAttribute("aria-pressed", this.groups[k] === group));
    this.view.ask();
  }

  colourOf(kind) { return `var(--${tokens[this.kinds.indexOf(kind) % tokens.length]})`; }
}
