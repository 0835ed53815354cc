"""Fathom's least squares under matrix inequalities against Clarabel, and its certificates against NumPy.

FATHOM_CONIC_ECHO names the program that solves. With the argument `time`, prints how long both take instead.
"""
import json
import os
import subprocess
import sys
import unittest

import numpy as np
from conic_cases import (arm_case, degenerate_case, infeasible_case, linear_matrix, linear_scalar, random_case, smooth_part,
                         solve, value, vehicle_case)


def echo(cases, *arguments):
    run = subprocess.run([os.environ["FATHOM_CONIC_ECHO"], *arguments], input=json.dumps(cases), check=True,
                         capture_output=True, text=True)
    return json.loads(run.stdout)


def adjoint(case, ours):
    """A*(Z) and <constant, Z>."""
    y, constants = np.zeros(case["unknowns"]), 0.0
    for matrix, Z in zip(case["matrices"], ours.get("Z", [])):
        constant, A = linear_matrix(case, matrix)
        y += np.tensordot(A, np.array(Z), 2)
        constants += np.sum(constant * np.array(Z))
    for scalar, z in zip(case["scalars"], ours["z"]):
        constant, a = linear_scalar(case, scalar)
        y += a * z
        constants += constant * z
    return y, constants


def least_eigenvalues(case, x):
    for matrix in case["matrices"]:
        constant, A = linear_matrix(case, matrix)
        yield np.linalg.eigvalsh(constant + np.tensordot(x, A, 1))[0]
    for scalar in case["scalars"]:
        constant, a = linear_scalar(case, scalar)
        yield constant + a @ x


class Conic(unittest.TestCase):
    def check_each(self, check, cases):
        for k, (case, ours) in enumerate(zip(cases, echo(cases))):
            with self.subTest(case=k):
                check(case, ours)

    def check_multipliers(self, ours):
        for Z in ours.get("Z", []):
            self.assertGreaterEqual(np.linalg.eigvalsh(np.array(Z))[0], -1e-14 * np.trace(Z))
        self.assertTrue(all(z >= 0 for z in ours["z"]))

    def check_solution(self, case, ours):
        self.assertEqual(ours["status"], "solved")
        x = np.array(ours["x"])
        self.assertGreater(min(least_eigenvalues(case, x)), 0)
        self.check_multipliers(ours)
        scale = value(case, 0 * x) + abs(ours["f"])
        self.assertAlmostEqual(ours["f"], value(case, x), delta=1e-12 * scale)
        self.assertLessEqual(ours["gap"], max(1e-7 * abs(ours["f"]), 1e-12, 1e-14 * scale))
        theirs, x_theirs = solve(case)
        self.assertIn(str(theirs.status), ("Solved", "AlmostSolved"))
        f = value(case, x_theirs)
        self.assertLessEqual(abs(f - ours["f"]), ours["gap"] + 1e-6 * abs(f) + 1e-8 * scale * (f < 1e-3 * scale))
        if "huber" not in case:  # the dual function, from the multipliers alone
            y, constants = adjoint(case, ours)
            P, q, c = smooth_part(case)
            half = np.linalg.lstsq(P, q + y / 2, rcond=1e-13)[0]
            bound = c - half @ P @ half - constants
            self.assertLessEqual(ours["f"] - bound, 1.001 * ours["gap"] + 1e-11 * scale)

    def check_proof(self, case, ours):
        self.assertEqual(ours["status"], "infeasible")
        self.assertEqual(str(solve(case)[0].status), "PrimalInfeasible")
        self.check_multipliers(ours)
        y, constants = adjoint(case, ours)
        trace = sum(np.trace(Z) for Z in ours["Z"]) + sum(ours["z"])
        self.assertAlmostEqual(trace, 1, delta=1e-12)
        self.assertGreater(ours["infeasibility"], 0)
        self.assertAlmostEqual(-constants, ours["infeasibility"], delta=1e-9 * ours["infeasibility"])
        self.assertLess(abs(y).max(), 1e-7 * ours["infeasibility"])

    def test_random(self):
        self.check_each(self.check_solution, [random_case(seed) for seed in range(28)])

    def test_vehicle_and_arm(self):
        self.check_each(self.check_solution, [vehicle_case(1), vehicle_case(2), arm_case(1), arm_case(2)])

    def test_degenerate(self):
        self.check_each(self.check_solution, [degenerate_case(seed) for seed in range(16)])

    def test_infeasible(self):
        self.check_each(self.check_proof, [infeasible_case(seed) for seed in range(12)])


def race(count=30):
    """Cold solves of the same problems, Clarabel by its own clock; both to a relative gap of 1e-7."""
    for name, make in (("vehicle, 25 unknowns", vehicle_case), ("arm, 75 unknowns", arm_case)):
        cases = [make(seed) for seed in range(count)]
        ours = [result["seconds"] for result in echo(cases, "100")]
        theirs = [min(solve(case, 1e-7)[0].solve_time for _ in range(5)) for case in cases]
        print(f"{name}: Fathom {1e6 * np.median(ours):.0f} us, Clarabel {1e6 * np.median(theirs):.0f} us (best of 5 each), "
              f"ratio {np.median(np.array(theirs) / ours):.0f}")


if __name__ == "__main__":
    if sys.argv[1:] == ["time"]:
        race()
    else:
        unittest.main()
