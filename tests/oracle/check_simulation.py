"""The simulator against SciPy: the equation of motion written anew in Python, integrated by DOP853.

Runs a scenario with an open loop of thruster forces in a steady current, with thruster lag and with samples of an ideal
IMU, and compares the log with an integration that shares no code with Fathom (Fossen 2011, eqs. 2.26, 6.43, 8.12; the
robot's numbers are read from its file by PyYAML). Run by ctest (repo:simulation); FATHOM_BIN names the program.
"""

import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
import yaml
from scipy.integrate import solve_ivp

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BIN = os.environ.get("FATHOM_BIN", str(ROOT / "build/release/bin/fathom"))
GRAVITY, DENSITY = 9.81, 1025.0
CURRENT = np.array([0.2, -0.1, 0.05])
COMMANDS = [  # t, then the force of each thruster [N]
    [0, 12, -8, 5, 9, 3, -4, 2, 1],
    [1.5, -10, 6, 14, -3, -6, 5, 8, -7],
    [3.2, 4, 4, -12, 10, 0, 9, -9, 3],
]
START = {"p": [1.0, -2.0, 30.0], "rpy_deg": [10.0, -20.0, 130.0], "nu": [0.4, -0.3, 0.2, 0.3, -0.2, 0.5]}
END = 5.0


def value(entry):
    return entry["value"] if isinstance(entry, dict) else entry


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def square(entry):
    entry = np.array(value(entry), dtype=float)
    return np.diag(entry) if entry.ndim == 1 else entry


class Robot:
    """What of the robot file this check needs."""

    def __init__(self, path):
        data = yaml.safe_load(path.read_text())
        hull = data["hull"]
        self.mass, self.volume = value(hull["mass"]), value(hull["volume"])
        self.r_g, self.r_b = np.array(value(hull["centre_of_mass"])), np.array(value(hull["centre_of_buoyancy"]))
        S = skew(self.r_g)
        inertia = square(hull["inertia"]) - self.mass * S @ S
        rigid = np.block([[self.mass * np.eye(3), -self.mass * S], [self.mass * S, inertia]])
        self.M = rigid + square(hull["added_mass"])
        (drag,) = data["damping"]  # one element at the origin
        self.linear, self.quadratic = square(drag["linear"]), np.array(value(drag["quadratic"]), dtype=float)
        self.B, self.lag, self.names = [], [], []
        for thruster in data["thrusters"]:
            e = np.array(value(thruster["direction"]))
            e = e / np.linalg.norm(e)
            self.B.append(np.concatenate([e, np.cross(value(thruster["position"]), e)]))
            self.names.append(thruster["name"])
            transient = thruster["transient"]
            transient = data["thruster_transients"][transient] if isinstance(transient, str) else transient
            self.lag.append(transient["first_order"]["time_constant"])
        self.B, self.lag = np.array(self.B).T, np.array(self.lag)

    def acceleration(self, R, nu, forces):
        relative = nu - np.concatenate([R.T @ CURRENT, np.zeros(3)])
        momentum = self.M @ relative
        coriolis = np.concatenate([np.cross(relative[3:], momentum[:3]),
                                   np.cross(relative[:3], momentum[:3]) + np.cross(relative[3:], momentum[3:])])
        down = R.T @ [0, 0, 1]
        weight, buoyancy = self.mass * GRAVITY * down, -DENSITY * self.volume * GRAVITY * down
        hydrostatic = np.concatenate([weight + buoyancy, np.cross(self.r_g, weight) + np.cross(self.r_b, buoyancy)])
        damping = self.linear @ relative + self.quadratic * np.abs(relative) * relative
        drift = np.concatenate([-np.cross(nu[3:], R.T @ CURRENT), np.zeros(3)])  # d/dt of the current in body axes
        return np.linalg.solve(self.M, self.B @ forces - coriolis - damping + hydrostatic) + drift


def rotation(q):
    w, v = q[0], q[1:]
    return (w * w - v @ v) * np.eye(3) + 2 * np.outer(v, v) + 2 * w * skew(v)


def quaternion(rpy):
    half = np.array(rpy) / 2
    (cr, cp, cy), (sr, sp, sy) = np.cos(half), np.sin(half)
    return np.array([cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy,
                     cr * cp * sy - sr * sp * cy])


def integrate(robot):
    """Dense solution piece by piece: x = p, q, nu, forces."""
    def rate(t, x, target):
        q, nu, forces = x[3:7] / np.linalg.norm(x[3:7]), x[7:13], x[13:]
        R, (p, qq, r) = rotation(q), nu[3:]
        turn = 0.5 * np.array([[0, -p, -qq, -r], [p, 0, r, -qq], [qq, -r, 0, p], [r, qq, -p, 0]]) @ q
        return np.concatenate([R @ nu[:3], turn, robot.acceleration(R, nu, forces), (target - forces) / robot.lag])

    x = np.concatenate([START["p"], quaternion(np.radians(START["rpy_deg"])), START["nu"], np.zeros(len(robot.names))])
    pieces = []
    for k, row in enumerate(COMMANDS):
        end = COMMANDS[k + 1][0] if k + 1 < len(COMMANDS) else END
        piece = solve_ivp(rate, (row[0], end), x, method="DOP853", rtol=1e-11, atol=1e-12, args=(np.array(row[1:], dtype=float),),
                          dense_output=True)
        assert piece.success, piece.message
        pieces.append((row[0], end, piece.sol))
        x = piece.y[:, -1]
    return lambda t: next(sol(t) for begin, end, sol in reversed(pieces) if t >= begin - 1e-12)


SCENARIO = f"""
format: fathom-scenario-1
name: oracle
duration: {END}
STEP
environment: {{density: {DENSITY}, gravity: {GRAVITY}, current: {CURRENT.tolist()}}}
vehicles:
  - name: rov
    robot: own.yaml
    start: {{position: {START["p"]}, attitude_deg: {START["rpy_deg"]}, velocity: {START["nu"][:3]}, rates: {START["nu"][3:]}}}
    sensors: [imu]
    control: {{kind: open_loop, by: force, commands: {COMMANDS}}}
"""


class Simulation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        here = pathlib.Path(cls.folder.name)
        data = yaml.safe_load((ROOT / "data/robots/bluerov2-heavy.yaml").read_text())
        data["sensors"] = [{"name": "imu", "kind": "imu", "rate_hz": 37, "position": [0.1, -0.2, 0.3]}]  # ideal, off the origin
        (here / "own.yaml").write_text(yaml.safe_dump(data))
        cls.usual = cls.simulated(here, "step: 0.01")
        cls.fine = cls.simulated(here, "step: 0.002\nintegrator: {kind: dormand_prince, relative: 1.0e-12, absolute: 1.0e-13}")
        cls.robot = Robot(here / "own.yaml")
        cls.exact = staticmethod(integrate(cls.robot))

    @staticmethod
    def simulated(here, step):
        """The channels state, thrusters and imu of a run."""
        (here / "s.yaml").write_text(SCENARIO.replace("STEP", step))
        result = subprocess.run([BIN, "simulate", "s.yaml", "--out", "out"], cwd=here, capture_output=True, text=True, timeout=120)
        assert result.returncode == 0, result.stderr
        return [np.genfromtxt(here / f"out/log/rov.{name}.csv", delimiter=",", comments="#", skip_header=5)
                for name in ("state", "thrusters", "imu")]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def distance(self, state):
        """The largest difference of a state from SciPy's."""
        worst = 0
        for row in state[::10]:
            x = self.exact(row[0])
            q = x[3:7] / np.linalg.norm(x[3:7])
            q = q if q @ row[4:8] > 0 else -q
            worst = max(worst, np.abs(row[1:4] - x[:3]).max(), np.abs(row[4:8] - q).max(), np.abs(row[8:14] - x[7:13]).max())
        return worst

    def test_motion(self):
        fine, usual = self.distance(self.fine[0]), self.distance(self.usual[0])
        print(f"largest difference from SciPy's state: {fine:.1e} with adaptive steps, {usual:.1e} with RK4 at 100 Hz")
        self.assertLess(fine, 1e-9)
        self.assertLess(usual, 5e-6)
        self.assertEqual(len(self.usual[0]), 501)
        self.assertGreater(np.abs(self.fine[0][-1, 1:4] - self.fine[0][0, 1:4]).max(), 0.3, "it did not move")

    def test_forces_follow_their_commands_with_the_lag(self):
        n = len(self.robot.names)
        for row in self.fine[1][::10]:
            np.testing.assert_allclose(row[1 + n:], self.exact(row[0])[13:], atol=1e-8)

    def test_imu_off_the_origin(self):
        """Specific force at the place of the sensor by differences of SciPy's path, at the sensor's own 37 Hz."""
        arm, h = np.array([0.1, -0.2, 0.3]), 1e-3
        place = lambda t: self.exact(t)[:3] + rotation(self.exact(t)[3:7] / np.linalg.norm(self.exact(t)[3:7])) @ arm
        worst = 0
        for row in self.fine[2]:
            t = row[0]
            if min(abs(t - c[0]) for c in COMMANDS) < 0.02 or t > END - 0.02:
                continue  # where the forces turn, differences blur
            x = self.exact(t)
            R = rotation(x[3:7] / np.linalg.norm(x[3:7]))
            a_n = (place(t + h) - 2 * place(t) + place(t - h)) / h**2
            worst = max(worst, np.abs(row[1:4] - R.T @ (a_n - [0, 0, GRAVITY])).max(), np.abs(row[4:7] - x[10:13]).max())
        print(f"largest difference of the IMU from SciPy's path: {worst:.1e}")
        self.assertLess(worst, 3e-4)  # linear between the ends of a step, and the differences
        self.assertGreater(len(self.fine[2]), 180)


if __name__ == "__main__":
    unittest.main(verbosity=2)
