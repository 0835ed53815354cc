"""What tests/real/leave_one_out.py counts: crashes, missing standard errors and missing baselines are no wins."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import leave_one_out as loo

IDENTIFIED = {"estimator": "forward", "structure": "diagonal"}
BETTER = {"gain": 0.2, "gain_sigma": 0.1, "ratio": 0.5, "ratio_sigma": 0.1}


def checked(baselines, beyond=()):
    return {"baselines": baselines, "logs": [{"beyond_range": [{"name": name, "share": 0.1} for name in beyond], "compared": 10, "velocities": {}}]}


class Counting(unittest.TestCase):
    def test_a_win_a_tie_and_a_loss(self):
        self.assertEqual(loo.points(0.2, 0.1), 1)
        self.assertEqual(loo.points(-0.05, 0.1), 0.5)
        self.assertEqual(loo.points(-0.2, 0.1), 0)

    def test_without_a_standard_error_it_is_a_tie(self):
        self.assertEqual(loo.points(0.2, None), 0.5)
        self.assertEqual(loo.points(None, None), 0.5)
        one = dict(BETTER, gain_sigma=None, ratio_sigma=None)
        rows = list(loo.rows_of("rov-0", [True] * 3, IDENTIFIED, checked({axis: one for axis in loo.AXES})))
        self.assertEqual([row["score"] for row in rows], [1, 1, 1])

    def test_a_run_that_fails_loses_its_axes(self):
        rows = list(loo.lost_rows("rov-0", [True, False, True], "covariance is not symmetric"))
        self.assertEqual([row["score"] for row in rows], [0, None, 0])
        self.assertEqual(rows[0]["failure"], "covariance is not symmetric")

    def test_missing_baselines_are_lost_and_said(self):
        for missing in (None, {}):
            rows = list(loo.rows_of("rov-0", [True, True, False], IDENTIFIED, checked(missing)))
            self.assertEqual([row["score"] for row in rows], [0, 0, None])
            self.assertEqual(rows[0]["failure"], "validate compares no baseline")

    def test_a_run_outside_the_range_does_not_count(self):
        rows = list(loo.rows_of("rov-0", [True] * 3, IDENTIFIED, checked({axis: BETTER for axis in loo.AXES}, ["sway wrench"])))
        self.assertEqual([row["score"] for row in rows], [None] * 3)

    def test_coverage_is_weighed_by_samples(self):
        self.assertTrue(loo.print_coverage([("surge", 1.0, 10), ("surge", 0.94, 90), ("yaw", 0.95, 100)]))
        self.assertFalse(loo.print_coverage([("surge", 0.80, 10), ("yaw", 1.0, 100)]))
        self.assertTrue(loo.print_coverage([]))


if __name__ == "__main__":
    unittest.main()
