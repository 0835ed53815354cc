"""Slips of users on two vehicles that nobody has seen: each is named by its remedy or its pair, and correct logs raise no alarm.

A subset of the bench (`./dev bench slips` tries every slip on more vehicles and fits them). Run by ctest (repo:foreign_slips).
"""

import pathlib
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import generate  # noqa: E402
import slip_bench  # noqa: E402
import vehicle  # noqa: E402

SEED, DURATION = 77, 120.0  # s
SLIPS = ("correct", "correct_quaternion", "rates_in_degrees", "depth_sign", "dvl_flu_for_frd", "dvl_turned", "enu_attitude_for_ned",
         "ahrs_late", "commands_late", "thruster_reversed", "undeclared_invalid", "mass_in_pounds")


def two_vehicles():
    """One of each dialect; the first has every sensor, so that each slip is tried."""
    drawn = vehicle.draw_vehicles(40, SEED)
    whole = next(v for v in drawn if v.has_imu and v.has_fix)
    return [whole, next(v for v in drawn if v.dialect != whole.dialect)]


class Slips(unittest.TestCase):
    def test_each_is_named(self):
        with tempfile.TemporaryDirectory(prefix="fathom-foreign-") as scratch:
            scratch = pathlib.Path(scratch)
            vehicles = two_vehicles()
            generate.write(scratch, vehicles, SEED, ["joyA", "sinA"], DURATION)
            tasks = [(scratch / v.name, name) for name in SLIPS for v in vehicles]
            with ThreadPoolExecutor(2) as pool:
                results = list(pool.map(lambda task: slip_bench.try_one(*task, check_only=True), tasks))
        tried = 0
        for (folder, name), result in zip(tasks, results):
            if result is None:
                continue
            tried += 1
            with self.subTest(slip=name, vehicle=folder.name):
                self.assertIn(result[2], ("ok", "remedy", "pair"), result[4])
        self.assertGreaterEqual(tried, 2 * len(SLIPS) - 1)  # the second vehicle may have no gyro


class Verdicts(unittest.TestCase):
    """The judge itself: a bench whose words match everything shows nothing."""

    def test_a_slip_that_nobody_names(self):
        self.assertEqual(slip_bench.judge("depth_sign", "warning: surge hardly moves; `fathom excite` designs a motion", 1), "-")

    def test_two_sensors(self):
        self.assertEqual(slip_bench.judge("depth_sign", "warning: rov.depth and rov.dvl contradict each other in vertical speed", 1), "pair")

    def test_an_alarm_on_a_correct_log(self):
        self.assertEqual(slip_bench.judge("correct", "warning: rov.depth and rov.dvl contradict each other", 1), "ALARM")
        self.assertEqual(slip_bench.judge("correct", "", 2), "ALARM")
        self.assertEqual(slip_bench.judge("correct", "warning: sway is weakly determined", 1), "ok")

    def test_faults_are_counted(self):
        counts = {"correct": {"ALARM": 1, "ok": 3, "-": 0}, "depth_sign": {"ALARM": 0, "remedy": 2, "pair": 1, "-": 2}}
        self.assertEqual(slip_bench.print_counts(counts), 3)


if __name__ == "__main__":
    unittest.main()
