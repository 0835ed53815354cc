// A box-frame vehicle in its own frame: x forward, y starboard, z down.
import {
  BoxGeometry, CapsuleGeometry, ConeGeometry, CylinderGeometry, Group, Mesh, MeshStandardMaterial, Quaternion,
  SphereGeometry, TorusGeometry, Vector3,
} from "three";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";

const material = (colour, more = {}) => new MeshStandardMaterial({ color: colour, roughness: 0.55, metalness: 0.05, ...more });

export function makeVehicle({ size, thrusters }, hull) {
  const [l, w, h] = size;
  const small = Math.min(l, w, h);
  const vehicle = new Group();
  const frame = material(0x3a4853);
  const duct = material(0x1c2730);
  vehicle.userData.dress = (dark) => { // so that it stands out from the water
    frame.color.set(dark ? 0x8c9ca7 : 0x3a4853);
    duct.color.set(dark ? 0x6d7f8b : 0x1c2730);
  };
  const front = material(0xd55e00);
  const add = (geometry, look, x, y, z) => {
    const mesh = new Mesh(geometry, look);
    mesh.position.set(x, y, z);
    vehicle.add(mesh);
    return mesh;
  };

  // The frame: twelve bars; the four around the nose are marked.
  const bar = 0.07 * small;
  for (const a of [-1, 1]) {
    for (const b of [-1, 1]) {
      const [y, z] = [a * (w - bar) / 2, b * (h - bar) / 2];
      add(new BoxGeometry(l - 2 * bar, bar, bar), frame, 0, y, z);
      const look = a > 0 ? front : frame;
      add(new BoxGeometry(bar, w, bar), look, a * (l - bar) / 2, 0, z);
      add(new BoxGeometry(bar, bar, h - 2 * bar), look, a * (l - bar) / 2, b * (w - bar) / 2, 0);
    }
  }
  // Buoyancy above, electronics tube with a dome below.
  for (const side of [-1, 1])
    add(new RoundedBoxGeometry(0.8 * l, 0.34 * w, 0.3 * h, 3, 0.06 * small), material(hull), 0, side * 0.235 * w, -0.3 * h);
  const radius = 0.2 * Math.min(w, h);
  const tube = add(new CapsuleGeometry(radius, 0.6 * l, 6, 20), material(0xdfe6ea, { roughness: 0.3 }), 0, 0, 0.1 * h);
  tube.rotation.z = Math.PI / 2;
  add(new SphereGeometry(0.97 * radius, 24, 16), material(0x16323f, { roughness: 0.1 }), 0.3 * l + 0.12 * radius, 0, 0.1 * h);
  // The nose marking: an arrow ahead of the frame.
  add(new ConeGeometry(0.13 * small, 0.3 * small, 20), front, l / 2 + 0.2 * small, 0, 0).rotation.z = -Math.PI / 2;

  for (const thruster of thrusters) vehicle.add(makeThruster(thruster, 0.17 * small, duct));
  return vehicle;
}

/// A duct with its hub; it pushes along +z of its group, which is turned to the direction.
function makeThruster({ position, direction }, radius, duct) {
  const group = new Group();
  group.add(new Mesh(new TorusGeometry(radius, 0.16 * radius, 8, 28), duct));
  const hub = new Mesh(new CylinderGeometry(0.28 * radius, 0.2 * radius, 1.1 * radius, 14), duct);
  hub.rotation.x = Math.PI / 2;
  group.add(hub);
  const blade = material(0x56b4e9, { roughness: 0.4 });
  for (let k = 0; k < 3; k++) {
    const mesh = new Mesh(new BoxGeometry(0.95 * radius, 0.34 * radius, 0.05 * radius), blade);
    const angle = (2 * Math.PI * k) / 3;
    mesh.position.set(0.5 * radius * Math.cos(angle), 0.5 * radius * Math.sin(angle), 0);
    mesh.rotation.set(0.45, 0, angle, "ZYX");
    group.add(mesh);
  }
  group.position.fromArray(position);
  const towards = new Vector3().fromArray(direction);
  if (towards.length() > 0) group.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), towards.normalize()));
  return group;
}
