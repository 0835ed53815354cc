"""URDF arms as Fathom reads them against Pinocchio's reader: joints, poses, bodies with what is fixed to them, limits,
friction. Arms at random, trees with fixed links among them, and the published ones that FATHOM_DATA has.

FATHOM_ARM_ECHO names the program that reads them.
"""
import json
import os
import pathlib
import random
import subprocess
import tempfile
import unittest

import numpy as np
import pinocchio as pin

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = pathlib.Path(os.environ.get("FATHOM_DATA", ROOT.parent / "shared/data"))


def echo(*files):
    run = subprocess.run([os.environ["FATHOM_ARM_ECHO"], *map(str, files)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def numbers(*values):
    return " ".join(repr(float(v)) for v in values)


def random_inertial(rng):
    """Of a cloud of points, so that the body exists."""
    points, masses = rng.normal(0, .1, (8, 3)), rng.uniform(.1, 1, 8)
    centre = masses @ points / masses.sum()
    inertia = sum(m * ((p - centre) @ (p - centre) * np.eye(3) - np.outer(p - centre, p - centre)) for m, p in zip(masses, points))
    entries = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
    moments = " ".join(f'{name}="{inertia[at]!r}"'.replace("np.float64(", "").replace(")", "") for name, at in entries.items())
    return (f'<inertial><origin xyz="{numbers(*rng.normal(0, .1, 3))}" rpy="{numbers(*rng.uniform(-3, 3, 3))}"/>'
            f'<mass value="{float(masses.sum())!r}"/><inertia {moments}/></inertial>')


def random_urdf(seed):
    """A tree of 2 to 9 joints, each on any link before it."""
    rng = np.random.default_rng(seed)
    links, joints = ['<link name="base"/>'], []
    for k in range(rng.integers(2, 10)):
        kind = ["revolute", "continuous", "prismatic", "fixed"][rng.integers(0, 4) if k else 0]
        parent = "base" if k == 0 else f"link{rng.integers(0, k)}"
        links.append(f'<link name="link{k}">{random_inertial(rng)}</link>')
        joints.append(f'<joint name="joint{k}" type="{kind}"><parent link="{parent}"/><child link="link{k}"/>'
                      f'<origin xyz="{numbers(*rng.normal(0, .3, 3))}" rpy="{numbers(*rng.uniform(-3, 3, 3))}"/>'
                      f'<axis xyz="{numbers(*rng.normal(0, 1, 3))}"/>'
                      f'<limit lower="{float(rng.uniform(-3, 0))!r}" upper="{float(rng.uniform(0, 3))!r}" effort="{float(rng.uniform(1, 99))!r}" velocity="2"/>'
                      f'<dynamics damping="{float(rng.uniform(0, 2))!r}" friction="{float(rng.uniform(0, 2))!r}"/></joint>')
    random.Random(seed).shuffle(joints)
    return f'<robot name="arm{seed}">\n' + "\n".join(links + joints) + "\n</robot>\n"


class UrdfArms(unittest.TestCase):
    def compare(self, arm, file):
        model = pin.buildModelFromUrdf(str(file))
        self.assertEqual(len(arm["joints"]), model.njoints - 1)
        total = 0
        for joint in arm["joints"]:
            k = model.getJointId(joint["name"])
            self.assertLess(k, model.njoints, joint["name"])
            parent = 0 if joint["parent"] is None else model.getJointId(arm["joints"][joint["parent"]]["name"])
            self.assertEqual(model.parents[k], parent)
            np.testing.assert_allclose(joint["position"], model.jointPlacements[k].translation, atol=1e-12)
            np.testing.assert_allclose(joint["rotation"], model.jointPlacements[k].rotation, atol=1e-12)
            body = model.inertias[k]
            self.assertAlmostEqual(joint["mass"], body.mass, places=12)
            np.testing.assert_allclose(joint["centre"], body.lever, atol=1e-12)
            np.testing.assert_allclose(joint["inertia"], body.inertia, atol=1e-12)
            total += joint["mass"]
            self.compare_motion(joint, model, k)
        self.assertAlmostEqual(total, sum(body.mass for body in list(model.inertias)[1:]), places=10)

    def compare_motion(self, joint, model, k):
        data, q = model.createData(), pin.neutral(model)
        pin.computeJointJacobians(model, data, q)
        axis = np.reshape(pin.getJointJacobian(model, data, k, pin.LOCAL), (6, -1))[:, model.idx_vs[k]]
        np.testing.assert_allclose(axis[:3] if joint["slides"] else axis[3:], joint["axis"], atol=1e-12)
        v, at = model.idx_vs[k], model.idx_qs[k]
        if joint["min"] is not None:
            self.assertEqual(joint["min"], model.lowerPositionLimit[at])
            self.assertEqual(joint["max"], model.upperPositionLimit[at])
        self.assertEqual(joint["viscous"], model.damping[v])
        self.assertEqual(joint["coulomb"], model.upperDryFrictionLimit[v])

    def test_random_trees(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder) / f"arm{seed}.urdf" for seed in range(60)]
            for seed, file in enumerate(files):
                file.write_text(random_urdf(seed))
            for arm, file in zip(echo(*files), files):
                with self.subTest(file.name):
                    self.compare(arm, file)

    def test_published_arms(self):
        files = [file for file in (DATA / "arm_ur10e/ur10e.urdf", DATA / "arm_lwr4/kuka_lwr4.urdf") if file.exists()]
        if not files:
            self.skipTest(f"models of real arms are not part of the repository, and {DATA} has none: FATHOM_DATA names their folder")
        for arm, file in zip(echo(*files), files):
            with self.subTest(file.name):
                self.compare(arm, file)


if __name__ == "__main__":
    unittest.main(verbosity=2)
