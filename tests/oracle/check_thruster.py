"""Fathom's fits of thrusters against SciPy: non-negative least squares, monotone polynomials with a dead band, pooled
rows of a table, shaft speed over command.

FATHOM_THRUSTER_ECHO names the program that fits.
"""
import json
import os
import subprocess
import unittest
from math import comb

import numpy as np
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


if __name__ == "__main__":
    unittest.main(verbosity=2)
