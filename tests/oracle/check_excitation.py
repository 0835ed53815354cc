"""Fathom's criteria of excitation and their gradients against CasADi's (excitation_graph.py).

FATHOM_EXCITATION_DUMP names the program that prints problems, paths and what Fathom makes of them.
"""
import json
import os
import subprocess
import unittest

import casadi as ca
import numpy as np
from excitation_graph import Graph, sparse
from scipy.interpolate import BPoly

CASES = json.loads(subprocess.run([os.environ["FATHOM_EXCITATION_DUMP"]], check=True, capture_output=True, text=True).stdout)


class Excitation(unittest.TestCase):
    def each(self):
        self.assertEqual([case["problem"]["structure"]["name"] for case in CASES], ["vehicle-23", "vehicle-23", "vehicle-24"])
        for case in CASES:
            with self.subTest(problem=case["problem"]["name"]):
                yield case, Graph(case["problem"]), np.array(case["x"])

    def test_paths_are_smooth_and_begin_and_end_at_rest(self):
        for case, graph, x in self.each():
            problem, basis = case["problem"], case["problem"]["basis"]
            knots, width = np.array(basis["knots"]), basis["degree"] + 1
            for k, c in enumerate(graph.moving):
                points = (sparse(basis["points"]) @ x[k * graph.free : (k + 1) * graph.free]
                          + problem["start"][c] * np.array(basis["start"]) + problem["end"][c] * np.array(basis["end"]))
                path = BPoly(points.reshape(-1, width).T, knots)
                ends = [path(knots[0]), path(knots[-1])] + [path(knots[i], nu) for i in (0, -1) for nu in (1, 2)]
                np.testing.assert_allclose(ends, [problem["start"][c], problem["end"][c], 0, 0, 0, 0], atol=1e-11)
                pieces = [BPoly(points.reshape(-1, width)[[i]].T, knots[i : i + 2]) for i in range(len(knots) - 1)]
                for a, b, knot in zip(pieces, pieces[1:], knots[1:]):
                    np.testing.assert_allclose([a(knot, nu) for nu in range(3)], [b(knot, nu) for nu in range(3)], atol=1e-11)

    def test_information_is_the_stacked_regressors(self):
        for case, graph, x in self.each():
            expected = np.array(ca.Function("G", [graph.x], [graph.information()])(x))
            ours = np.array(case["information"])
            size = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
            np.testing.assert_array_less(abs(ours - expected) / size, 1e-12)

    def test_values_and_gradients(self):
        for case, graph, x in self.each():
            for ours in case["values"]:
                with self.subTest(criterion=ours["criterion"], power=ours["power"]):
                    f = graph.criterion(ours["criterion"], ours["power"])
                    value, gradient = ca.Function("f", [graph.x], [f, ca.gradient(f, graph.x)])(x)
                    self.assertAlmostEqual(ours["value"], float(value), delta=1e-9 * (1 + abs(float(value))))
                    gradient = np.array(gradient).ravel()
                    self.assertGreater(abs(gradient).max(), 1e-3)
                    np.testing.assert_allclose(ours["gradient"], gradient, rtol=0, atol=1e-8 * abs(gradient).max())


if __name__ == "__main__":
    unittest.main()
