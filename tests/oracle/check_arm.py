"""Arms in air against Pinocchio: inverse and forward dynamics, inertia, Coriolis force, derivatives and regressor, on a base
that moves. Random trees and the published arms that FATHOM_DATA has; both sides read the same URDF.

FATHOM_ARM_DUMP names the program that evaluates ours.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
import pinocchio as pin

from check_arm_file import DATA, random_urdf

# Pinocchio's order of a body's ten numbers has Iyy before Ixz.
TEN = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]


def dump(*files):
    run = subprocess.run([os.environ["FATHOM_ARM_DUMP"], *map(str, files)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


class Oracle:
    """The same arm on a free base. `order`: of our joints among its velocities behind the base's six."""

    def __init__(self, file, joints):
        self.model = pin.buildModelFromUrdf(str(file), pin.JointModelFreeFlyer())
        self.model.inertias[1] = pin.Inertia.Zero()  # of the base itself, which is not the arm's
        self.data = self.model.createData()
        self.ids = [self.model.getJointId(name) for name in joints]
        self.order = [self.model.joints[i].idx_v for i in self.ids]

    def state(self, motion):
        """Coordinates, velocities, accelerations, with the base turned so that gravity stays along its z."""
        q = pin.neutral(self.model)
        v, a = np.zeros(self.model.nv), np.zeros(self.model.nv)
        v[:6], a[:6] = motion["nu"], motion["nu_dot"]
        for i, at, x, dx, ddx in zip(self.ids, self.order, motion["q"], motion["dq"], motion["ddq"]):
            joint = self.model.joints[i]
            if joint.nq == 2:  # an unbounded joint goes round a circle
                q[joint.idx_q:joint.idx_q + 2] = np.cos(x), np.sin(x)
            else:
                q[joint.idx_q] = x
            v[at], a[at] = dx, ddx
        return q, v, a


class DryArms(unittest.TestCase):
    def near(self, ours, theirs, scale=None):
        ours, theirs = np.array(ours), np.array(theirs)
        size = max(1.0, np.abs(theirs).max() if scale is None else scale)
        self.assertLess(np.abs(ours - theirs).max(), 1e-10 * size)

    def compare(self, file, arm):
        oracle = Oracle(file, arm["joints"])
        model, data, order = oracle.model, oracle.data, oracle.order
        six = list(range(6))
        for motion in arm["motions"]:
            model.gravity.linear = arm["gravity"] * np.array(motion["down"])  # the base stands in the world's axes
            q, v, a = oracle.state(motion)
            tau = pin.rnea(model, data, q, v, a)
            self.near(motion["efforts"], tau[order])
            self.near(motion["wrench"], tau[six])
            M = pin.crba(model, data, q)
            M = np.triu(M) + np.triu(M, 1).T
            self.near(motion["inertia"], M[np.ix_(order, order)])
            self.near(motion["base_inertia"], M[:6, :6])
            self.near(motion["coupling"], M[np.ix_(six, order)])
            self.near(motion["forward"], a[order], np.abs(a).max() * np.linalg.cond(M[np.ix_(order, order)]) * 1e-3)
            by_q, by_v, _ = pin.computeRNEADerivatives(model, data, q, v, a)
            self.near(motion["by_q"], by_q[np.ix_(order, order)])
            self.near(motion["by_dq"], by_v[np.ix_(order, order)])
            theirs = pin.computeJointTorqueRegressor(model, data, q, v, a)
            columns = [10 * (i - 1) + k for i in oracle.ids for k in TEN]
            self.near(motion["regressor"], theirs[np.ix_(order, columns)])
            still = v.copy()
            still[:6] = 0
            C = np.array(motion["coriolis"])
            model.gravity.linear = np.zeros(3)
            bias = pin.rnea(model, data, q, still, np.zeros(model.nv))
            self.near(C @ np.array(motion["dq"]), bias[order])
            pin.forwardKinematics(model, data, q)
            self.near(motion["places"], [data.oMi[i].translation for i in oracle.ids])

    def test_random_trees(self):
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for seed in range(30):
                files.append(pathlib.Path(folder) / f"arm{seed}.urdf")
                files[-1].write_text(random_urdf(seed))
            for file, arm in zip(files, dump(*files)):
                with self.subTest(file.name):
                    self.compare(file, arm)

    def test_published_arms(self):
        files = [DATA / "arm_ur10e/ur10e.urdf", DATA / "arm_lwr4/kuka_lwr4.urdf"]
        if not all(file.exists() for file in files):
            self.skipTest(f"models of real arms are not part of the repository, and {DATA} has none: FATHOM_DATA names their folder")
        for file, arm in zip(files, dump(*files)):
            with self.subTest(file.name):
                self.compare(file, arm)


if __name__ == "__main__":
    unittest.main()
