// A solid arrow from the origin of its group along `vector`, which is as long as it.
import { ConeGeometry, CylinderGeometry, Group, Mesh, Quaternion, Vector3 } from "three";

const up = new Vector3(0, 1, 0);

/// `width`: of the arrow whose proportions it has; a shorter one is as thick, so that it can still be seen.
export function makeArrow(vector, look, width = vector.length()) {
  const length = vector.length();
  const tip = Math.min(0.25 * width, 0.6 * length);
  const arrow = new Group();
  const shaft = new Mesh(new CylinderGeometry(0.025 * width, 0.025 * width, length - tip, 12), look);
  shaft.position.y = (length - tip) / 2;
  const head = new Mesh(new ConeGeometry(0.34 * tip, tip, 20), look);
  head.position.y = length - tip / 2;
  arrow.add(shaft, head);
  arrow.quaternion.copy(new Quaternion().setFromUnitVectors(up, vector.clone().normalize()));
  return arrow;
}
