"""Fathom's allocation to many thrusters against HiGHS and Clarabel: the scales of the groups, one after the other as
large as can be (docs/model.md eq. 38), and the least weighted sum of squares of the forces that give that wrench.

FATHOM_ALLOCATION_ECHO names the program that allocates.
"""
import json
import os
import subprocess
import unittest

import clarabel
import numpy as np
from scipy import sparse
from scipy.optimize import linprog

GROUPS = [[3, 4], [2], [5], [0, 1]]
# Of one module: two thrusters ahead, three down, one aside, as data/robots/nielsen-bluerov.yaml has them.
PLACES = np.array([[-.10, .10, 0], [-.10, -.10, 0], [.13, .10, 0], [.13, -.10, 0], [-.18, 0, 0], [0, 0, 0]])
WAYS = np.array([[1, 0, 0], [1, 0, 0], [0, 0, -1], [0, 0, -1], [0, 0, -1], [0, 1, 0]])


def columns(places, ways):
    return np.vstack([ways.T, np.cross(places, ways).T])


def grid(shape):
    """Modules on a grid about its middle, some of them turned by 90 degrees."""
    places, ways = [], []
    for k, cell in enumerate(np.ndindex(*shape)):
        turn = np.linalg.matrix_power(np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]]), k % 4 if k % 5 == 0 else 0)
        middle = (np.array(cell) - (np.array(shape) - 1) / 2) * [.5, .4, .3]
        places.append(PLACES @ turn.T + middle)
        ways.append(WAYS @ turn.T)
    return columns(np.vstack(places), np.vstack(ways))


def scattered(rng, n):
    ways = rng.standard_normal((n, 3))
    return columns(rng.standard_normal((n, 3)), ways / np.linalg.norm(ways, axis=1)[:, None])


def case(rng, B, demands, groups):
    """Demands from what the pseudo-inverse gives to far beyond everything; some axes without, some thrusters dead."""
    n = B.shape[1]
    limits = np.stack([-rng.uniform(30, 50, n), rng.uniform(40, 60, n)], 1)
    limits[rng.random(n) < .05] = 0
    most = 40 * np.abs(B).sum(1)
    taus = most * rng.uniform(-1, 1, (demands, 6)) * rng.choice([.1, .4, .7, 1, 3], (demands, 1))
    taus[rng.random((demands, 6)) < .15] = 0
    return {"B": B.tolist(), "limits": limits.tolist(), "weights": rng.uniform(.5, 2, n).tolist(), "groups": groups,
            "demands": taus.tolist()}


def largest_scales(B, limits, groups, tau):
    """HiGHS, one group after the other; scales as lengths of their demands, all in units of the largest force."""
    unit = np.abs(limits).max()
    parts = np.zeros((6, len(groups)))
    for k, group in enumerate(groups):
        parts[group, k] = tau[group] / unit
    lengths = np.linalg.norm(parts, axis=0)
    n, A = B.shape[1], np.hstack([B, -parts / np.where(lengths > 0, lengths, 1)])
    bounds = [tuple(limit / unit) for limit in limits] + [(0, length) for length in lengths]
    scales = np.ones(len(groups))
    for k in np.flatnonzero(lengths):
        goal = np.zeros(A.shape[1])
        goal[n + k] = -1
        result = linprog(goal, A_eq=A, b_eq=np.zeros(6), bounds=bounds, method="highs",
                         options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10})
        assert result.status == 0, result.message
        scales[k] = -result.fun / lengths[k]
        # What it has by the solver's tolerance alone it cannot keep.
        bounds[n + k] = (max(0, -result.fun - 1e-8), max(0, -result.fun))
    return scales


def least_norm(B, limits, weights, tau):
    """Clarabel: the least cost of B f = tau within the limits."""
    n = B.shape[1]
    moves = limits[:, 1] > limits[:, 0]
    A = sparse.csc_matrix(np.vstack([B, np.eye(n)[~moves], np.eye(n)[moves], -np.eye(n)[moves]]))
    b = np.concatenate([tau, limits[~moves, 0], limits[moves, 1], -limits[moves, 0]])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cones = [clarabel.ZeroConeT(6 + int((~moves).sum())), clarabel.NonnegativeConeT(2 * int(moves.sum()))]
    solution = clarabel.DefaultSolver(sparse.diags(2 * weights).tocsc(), np.zeros(n), A, b, cones, settings).solve()
    return solution.obj_val if "Solved" in str(solution.status) else None


class Allocation(unittest.TestCase):
    def check(self, case, ours):
        B, limits, weights = (np.array(case[key]) for key in ("B", "limits", "weights"))
        compared = saturated = beyond_pseudo_inverse = 0
        for tau, given in zip(np.array(case["demands"]), ours):
            f, scales = np.array(given["forces"]), np.array(given["scales"][:len(case["groups"])])
            self.assertTrue(np.all(f >= limits[:, 0]) and np.all(f <= limits[:, 1]))
            wanted = np.zeros(6)
            for group, scale in zip(case["groups"], scales):
                wanted[group] = scale * tau[group]
            np.testing.assert_allclose(B @ f, wanted, atol=1e-9 * (1 + np.linalg.norm(tau)))
            np.testing.assert_allclose(scales, largest_scales(B, limits, case["groups"], tau), atol=1e-6)
            saturated += given["saturated"]
            best = least_norm(B, limits, weights, B @ f)
            if best is None:
                continue
            compared += 1
            beyond_pseudo_inverse += not given["saturated"] and bool(np.any((f == limits[:, 0]) & (limits[:, 0] < 0)))
            self.assertLess(abs(weights @ f**2 - best), 1e-6 * best + 1e-9)
        return compared, saturated, beyond_pseudo_inverse

    def compare(self, cases):
        run = subprocess.run([os.environ["FATHOM_ALLOCATION_ECHO"]], input=json.dumps(cases), check=True,
                             capture_output=True, text=True)
        ours, counts = json.loads(run.stdout), np.zeros(3, int)
        for case in cases:
            counts += self.check(case, ours[:len(case["demands"])])
            ours = ours[len(case["demands"]):]
        demands = sum(len(case["demands"]) for case in cases)
        self.assertGreater(counts[0], .7 * demands)  # Clarabel has an answer
        self.assertGreater(counts[1], .15 * demands)
        self.assertGreater(counts[2], 0)
        return counts

    def test_one_robot(self):
        rng = np.random.default_rng(1)
        self.compare([case(rng, scattered(rng, n), 12, GROUPS) for n in (6, 8, 12, 16)])

    def test_scattered_thrusters(self):
        rng = np.random.default_rng(2)
        self.compare([case(rng, scattered(rng, n), 12, groups) for n in (17, 32, 100)
                      for groups in (GROUPS, [[0, 1, 2, 3, 4, 5]])])

    def test_docked_modules(self):
        rng = np.random.default_rng(3)
        self.compare([case(rng, grid(shape), 12, GROUPS) for shape in ((2, 1, 1), (2, 2, 1), (4, 4, 1), (3, 3, 3))])

    def test_64_modules(self):
        rng = np.random.default_rng(4)
        self.compare([case(rng, grid(shape), 8, GROUPS) for shape in ((4, 4, 4), (64, 1, 1))])


if __name__ == "__main__":
    unittest.main()
