"""What Gazebo Sim would make of an exported model, against Fathom's own accelerations.

FATHOM_EXPORT_DUMP names the program that prints the files and Fathom's results. The files are read here once more, with
nothing of Fathom in it: XML by Python's own parser, and the equations as Gazebo's documents state them (SDF 1.10 <inertial>;
gz::sim::systems::Hydrodynamics, Buoyancy, Thruster; docs/export.md says where they were read), in forward-port-up and
east-north-up.

Left out of the comparison:
- the spin of propellers: they are taken as locked, as velocity control at a constant speed holds them, without their gyroscopic moment;
- currents: the physics engine has the velocity over ground (a loss that every export lists);
- quadratic drag away from the origin, where the export lists it as a loss: such robots are compared at rest alone.
"""
import json
import os
import subprocess
import unittest
import xml.etree.ElementTree as ET

import numpy as np
from scipy.spatial.transform import Rotation

DATA = json.loads(subprocess.run([os.environ["FATHOM_EXPORT_DUMP"]], check=True, capture_output=True, text=True).stdout)
FLIP = np.diag([1.0, -1.0, -1.0])  # forward-starboard-down <-> forward-port-up
FLIP6 = np.diag([1.0, -1.0, -1.0, 1.0, -1.0, -1.0])
ENU_NED = np.array([[0.0, 1, 0], [1, 0, 0], [0, 0, -1]])


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def vector(element):
    return np.array([float(word) for word in element.text.split()])


def number(parent, tag, default=0.0):
    element = parent.find(tag)
    return default if element is None else float(element.text)


def position(element):
    """Of a <pose> without rotation, which is all that the exporter writes."""
    pose = element.find("pose")
    if pose is None:
        return np.zeros(3)
    values = vector(pose)
    assert not values[3:].any()
    return values[:3]


class GazeboModel:
    def __init__(self, world_text):
        world = ET.fromstring(world_text).find("world")
        self.gravity = vector(world.find("gravity"))
        self.density = float(world.find("plugin[@name='gz::sim::systems::Buoyancy']/uniform_fluid_density").text)
        model = world.find("model")
        plugin = model.find("plugin[@name='gz::sim::systems::Hydrodynamics']")
        base_name = plugin.find("link_name").text
        links = {link.get("name"): link for link in model.findall("link")}
        base = links[base_name]
        assert base.find("pose") is None
        self.origins = {}
        self.inertia = np.zeros((6, 6))
        self.weights, self.displaced = [], []
        for name, link in links.items():
            pose = link.find("pose")
            assert name == base_name or pose.get("relative_to") == base_name
            self.origins[name] = position(link)
            self.add_dry_link(link, self.origins[name])
            for collision in link.findall("collision"):
                self.displaced.append((np.prod(vector(collision.find("geometry/box/size"))), self.origins[name] + position(collision)))
        self.inertia += self.fluid_added_mass(base)
        self.read_damping(plugin)
        self.read_thrusters(model)

    def add_dry_link(self, link, origin):
        inertial = link.find("inertial")
        m, c = float(inertial.find("mass").text), origin + position(inertial)
        i = {tag: number(inertial.find("inertia"), tag) for tag in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")}
        I = np.array([[i["ixx"], i["ixy"], i["ixz"]], [i["ixy"], i["iyy"], i["iyz"]], [i["ixz"], i["iyz"], i["izz"]]])
        S = skew(c)
        self.inertia += np.block([[m * np.eye(3), -m * S], [m * S, I - m * S @ S]])
        self.weights.append((m, c))

    @staticmethod
    def fluid_added_mass(link):
        """21 tags of a symmetric matrix about the link's origin, positive."""
        tags = link.find("inertial/fluid_added_mass")
        M = np.zeros((6, 6))
        for i, a in enumerate("xyzpqr"):
            for j, b in list(enumerate("xyzpqr"))[i:]:
                M[i, j] = M[j, i] = number(tags, a + b)
        return M

    def read_damping(self, plugin):
        assert plugin.find("disable_added_mass").text == "true" and plugin.find("disable_coriolis").text == "true"
        known = {"link_name", "disable_added_mass", "disable_coriolis"}
        self.linear, self.quadratic = np.zeros((6, 6)), np.zeros((6, 6, 6))
        for i, force in enumerate("xyzkmn"):
            for j, velocity in enumerate("UVWPQR"):
                self.linear[i, j] = number(plugin, force + velocity)
                known.add(force + velocity)
                for k, speed in enumerate("UVWPQR"):
                    self.quadratic[i, j, k] = number(plugin, f"{force}{velocity}abs{speed}")
                    known.add(f"{force}{velocity}abs{speed}")
        assert {tag.tag for tag in plugin} <= known, {tag.tag for tag in plugin} - known

    def read_thrusters(self, model):
        joints = {joint.get("name"): joint for joint in model.findall("joint")}
        self.thrusters = []
        for plugin in model.findall("plugin[@name='gz::sim::systems::Thruster']"):
            joint = joints[plugin.find("joint_name").text]
            axis = vector(joint.find("axis/xyz"))
            self.thrusters.append((self.origins[joint.find("child").text], axis / np.linalg.norm(axis)))

    def acceleration(self, R_world_body, nu, forces):
        """Of the base link's origin, in its own axes (forward, port, up)."""
        momentum = self.inertia @ nu
        wrench = -np.concatenate([np.cross(nu[3:], momentum[:3]),
                                  np.cross(nu[3:], momentum[3:]) + np.cross(nu[:3], momentum[:3])])
        D = -self.linear - self.quadratic @ np.abs(nu)
        wrench -= D @ nu
        g = R_world_body.T @ self.gravity

        def push(force, at):
            return np.concatenate([force, np.cross(at, force)])
        for m, c in self.weights:
            wrench += push(m * g, c)
        for volume, c in self.displaced:
            wrench += push(-self.density * volume * g, c)
        assert len(forces) == len(self.thrusters)
        for force, (at, axis) in zip(forces, self.thrusters):
            wrench += push(force * axis, at)
        return np.linalg.solve(self.inertia, wrench)


class Export(unittest.TestCase):
    def check(self, entry, samples):
        model = GazeboModel(entry["files"]["world.sdf"])
        worst = 0
        for s in samples:
            R_nb = Rotation.from_quat(np.roll(s["q_nb_wxyz"], -1)).as_matrix()
            ours = FLIP6 @ np.array(s["nu_dot"])
            theirs = model.acceleration(ENU_NED @ R_nb @ FLIP, FLIP6 @ np.array(s["nu_b"]), s["forces"])
            worst = max(worst, abs(ours - theirs).max() / abs(ours).max())
        return worst

    def test_accelerations(self):
        whole = 0
        for entry in DATA["robots"]:
            with self.subTest(robot=entry["name"]):
                drag_is_lost = any(key.startswith("damping") for key in entry["losses"])
                whole += not drag_is_lost
                if not drag_is_lost:
                    self.assertLess(self.check(entry, entry["moving"]), 1e-9)
                self.assertLess(self.check(entry, entry["at_rest"]), 1e-9)
        self.assertGreaterEqual(whole, 18)  # every robot that ships, and those at random with full matrices at the origin
        self.assertGreaterEqual(len(DATA["robots"]), 18)

    def test_drag_that_is_lost_is_listed(self):
        """No export that differs from the robot keeps silent about it."""
        for entry in DATA["robots"]:
            with self.subTest(robot=entry["name"]):
                if self.check(entry, entry["moving"]) > 1e-9:
                    self.assertTrue(any(key.startswith("damping") for key in entry["losses"]))

    def test_the_check_can_fail(self):
        """A sign of one tag, and nothing else, is seen."""
        entry = next(e for e in DATA["robots"] if e["name"] == "bluerov2-heavy" or "bluerov2" in e["name"])
        for tag in ("zz", "xU", "size"):
            text = entry["files"]["world.sdf"]
            start = text.index(f"<{tag}>") + len(tag) + 2
            end = text.index("<", start)
            words = text[start:end].split()
            changed = " ".join([repr(1.001 * float(words[0])), *words[1:]])
            wrong = {**entry, "files": {"world.sdf": text[:start] + changed + text[end:]}}
            self.assertGreater(self.check(wrong, entry["moving"]), 1e-7, tag)


if __name__ == "__main__":
    unittest.main()
