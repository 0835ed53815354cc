"""Fathom's fits of thrusters against SciPy: non-negative least squares, monotone polynomials with a dead band, pooled
rows of a table, shaft speed over command. And the transients of thrusters as `fathom simulate` runs them against an
integration of docs/model.md eqs. 27, 30, 34 to 36 that shares no code with it.

FATHOM_THRUSTER_ECHO names the program that fits, FATHOM_BIN the one that simulates.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
from math import comb

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import isotonic_regression, least_squares, nnls


def echo(cases):
    run = subprocess.run([os.environ["FATHOM_THRUSTER_ECHO"]], input=json.dumps(cases), check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def basis(u, edge, degree):
    """Column j: what raising all Bernstein coefficients from the j-th on adds."""
    z = np.clip((u - edge) / (u.max() - edge), 0, 1)
    terms = np.stack([comb(degree, i) * z**i * (1 - z)**(degree - i) for i in range(degree + 1)], 1)
    return np.cumsum(terms[:, ::-1], 1)[:, ::-1][:, 1:]


def thruster(rng, noise):
    """One side of a thruster that is no polynomial."""
    u = np.sort(rng.uniform(0, 400, 40))
    u[0] = 0
    forces = 12 * (np.sqrt(1 + .02 * np.maximum(0, u - rng.uniform(10, 90))) - 1)**2
    return u, forces + noise * rng.standard_normal(u.size)


class Thruster(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(7)

    def test_non_negative(self):
        cases = [{"kind": "non_negative", "A": self.rng.standard_normal((12, n)).tolist(), "y": self.rng.standard_normal(12).tolist()}
                 for n in range(1, 7) for _ in range(10)]
        for case, ours in zip(cases, echo(cases)):
            np.testing.assert_allclose(ours["x"], nnls(np.array(case["A"]), np.array(case["y"]))[0], atol=1e-10)

    def test_side(self):
        cases = []
        for k in range(20):
            u, forces = thruster(self.rng, 0.1 * (1 + k % 3))
            cases.append({"kind": "side", "u": u.tolist(), "forces": forces.tolist(), "degree": 1 + k % 5})
        for case, ours in zip(cases, echo(cases)):
            u, forces, degree = np.array(case["u"]), np.array(case["forces"]), case["degree"]
            A = basis(u, ours["edge"], degree)
            np.testing.assert_allclose(ours["forces"], A @ nnls(A, forces)[0], atol=1e-7 * np.abs(forces).max())
            square = np.sum((np.array(ours["forces"]) - forces)**2)
            best = min(nnls(basis(u, edge, degree), forces)[1]**2 for edge in np.linspace(0, .45 * u.max(), 400))
            self.assertLessEqual(square, best * (1 + 1e-4))
            self.assertTrue(np.all(np.diff(ours["forces"]) >= -1e-9))

    def test_pooled(self):
        cases = [{"kind": "pooled", "values": (np.arange(n) + 3 * self.rng.standard_normal(n)).tolist()} for n in range(1, 40)]
        for case, ours in zip(cases, echo(cases)):
            np.testing.assert_allclose(ours["values"], isotonic_regression(case["values"]).x, atol=1e-12)

    def test_shaft(self):
        x = np.linspace(40, 400, 60)
        cases = []
        for p in (0.4, 0.61, 0.9, 1.5):
            speeds = 160 * (x / 100)**p - 55 + self.rng.standard_normal(x.size)
            cases.append({"kind": "shaft", "x": x.tolist(), "speeds": speeds.tolist(), "reference": 100.0})
        for case, ours in zip(cases, echo(cases)):
            w = np.array(case["speeds"])
            fit = least_squares(lambda q: q[0] * (x / 100)**q[1] + q[2] - w, [160, .7, -50], xtol=1e-14, ftol=1e-14, gtol=1e-14)
            sigmas = np.sqrt(np.diag(np.linalg.inv(fit.jac.T @ fit.jac)) * 2 * fit.cost / (x.size - 3))
            np.testing.assert_allclose(ours["values"], fit.x, rtol=1e-4)
            np.testing.assert_allclose(ours["sigmas"], sigmas, rtol=1e-3)
            self.assertAlmostEqual(ours["r2"], 1 - 2 * fit.cost / np.sum((w - w.mean())**2), 8)


ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BIN = os.environ.get("FATHOM_BIN", str(ROOT / "build/release/bin/fathom"))
FLOW = {"share": .6, "time_constant": .2, "stopped_drag": .3}
SIDES = {"T_ww": 8e-4, "T_wu": 0, "reverse": {"T_ww": 6e-4, "T_wu": 0}}
RATES = {"drive": 120, "linear": 6, "quadratic": .02}
VOLTS = {"unit": "volt", "range": [-12, 12]}
NEWTON = {"command": {"unit": "newton", "range": [-40, 40]}, "linear_quadratic": {"forward": [1, 0]}}
THRUSTERS = {  # one of each transient with a flow
    "shaft": ({"command": VOLTS, "propeller": {**SIDES, "shaft": {"linear": 18}}}, {"first_order": {"time_constant": .07}, "axial_flow": FLOW}),
    "motor": ({"command": VOLTS, "propeller": SIDES}, {"motor_rates": RATES, "axial_flow": FLOW}),
    "rates": ({"command": VOLTS, "propeller": SIDES}, {"motor_rates": RATES}),
    "force": (NEWTON, {"first_order": {"time_constant": .1}, "axial_flow": {"share": .4, "time_constant": .3}}),
}
COMMANDS = [[0, 6, 9, 9, 20], [1.2, -8, -4, -4, 30], [2.1, 3, 11, 11, 5], [3.3, 0, 0, 0, 12]]  # time, then one for each thruster


def push(speed, flow, share, drag, forward, reverse):
    T = forward if speed >= 0 else reverse
    slipstream = (forward if flow >= 0 else reverse) * np.sign(flow) * max(0., flow**2 - speed**2)
    return T * abs(speed) * speed + share * T * abs(speed) * (speed - flow) - drag * slipstream


def expected(name, times):
    """Force over time, by DOP853 from command to command."""
    column = 1 + list(THRUSTERS).index(name)
    tau = {"shaft": .07, "force": .1}.get(name)
    flow = THRUSTERS[name][1].get("axial_flow")

    def pace(x):
        return np.sign(x) * np.sqrt(abs(x)) if name == "force" else x

    def rate(_, x, command):
        if tau:
            own = ((18 if name == "shaft" else 1) * command - x[0]) / tau
        else:
            own = RATES["drive"] * command - RATES["linear"] * x[0] - RATES["quadratic"] * abs(x[0]) * x[0]
        return [own, (pace(x[0]) - x[1]) / (flow["time_constant"] if flow else 1)]

    x, result = [0, 0], np.full(len(times), np.nan)
    for at, after in zip(COMMANDS, [*COMMANDS[1:], [times[-1] + .01]]):
        inside = (times >= at[0] - 1e-9) & (times < after[0] - 1e-9)
        # Where a speed passes zero, and where blades become slower than the flow, the right side has a kink.
        solved = solve_ivp(rate, (at[0], after[0]), x, args=(at[column],), method="DOP853", rtol=1e-12, atol=1e-13, max_step=2e-3,
                           t_eval=np.clip(times[inside], at[0], after[0]))
        end = solve_ivp(rate, (at[0], after[0]), x, args=(at[column],), method="DOP853", rtol=1e-12, atol=1e-13, max_step=2e-3)
        x = end.y[:, -1]
        T = (1, 1) if name == "force" else (8e-4, 6e-4)
        share, drag = (flow["share"], flow.get("stopped_drag", 0)) if flow else (0, 0)
        result[inside] = [push(pace(w), a, share, drag, *T) for w, a in solved.y.T]
    return result


class Transients(unittest.TestCase):
    def test_simulate_integrates_them(self):
        thrusters = [{"name": name, "position": [0, .1 * k, 0], "direction": [1, 0, 0], "map": {"assumed": "a test", **of[0]},
                      "transient": {"assumed": "a test", **of[1]}} for k, (name, of) in enumerate(THRUSTERS.items())]
        hull = {"assumed": "a test", "mass": 900, "inertia": [90, 90, 90], "centre_of_mass": [0, 0, 0], "volume": .9, "centre_of_buoyancy": [0, 0, 0],
                "added_mass": [9] * 6}
        robot = {"format": "fathom-robot-1", "name": "bench", "hull": hull, "damping": [{"name": "hull", "assumed": "a test", "linear": [9] * 6}],
                 "thrusters": thrusters}
        scenario = {"format": "fathom-scenario-1", "name": "bench", "duration": 4.5, "step": .01,
                    "integrator": {"kind": "dormand_prince", "relative": 1e-11, "absolute": 1e-12},
                    "vehicles": [{"robot": "bench.yaml", "name": "bench", "start": {"position": [0, 0, 30]},
                                  "control": {"kind": "open_loop", "by": "command", "between": "hold", "commands": COMMANDS}}]}
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "bench.yaml").write_text(json.dumps(robot))
            (folder / "scenario.yaml").write_text(json.dumps(scenario))
            run = subprocess.run([BIN, "simulate", "scenario.yaml", "--out", "out"], cwd=folder, capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stderr)
            (file,) = (folder / "out").rglob("bench.thrusters.csv")
            lines = [line for line in file.read_text().splitlines() if not line.startswith("#")]
        header = [word.split("[")[0].split("(")[0].strip() for word in lines[0].split(",")]
        rows = np.array([[float(x) for x in line.split(",")] for line in lines[1:] if line[0].isdigit() or line[0] == "-"])
        times = rows[:, header.index("t")]
        for name in THRUSTERS:
            with self.subTest(name):
                ours = rows[:, header.index(f"force_{name}")]
                theirs = expected(name, times)
                self.assertGreater(np.ptp(theirs), 10)
                np.testing.assert_allclose(ours, theirs, atol=1e-6 * np.ptp(theirs))


if __name__ == "__main__":
    unittest.main(verbosity=2)
