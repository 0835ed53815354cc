"""A robot file's `command_path`: two real vehicles get their models from descriptions and robot files alone, and bad input is told.

Run by ctest (repo:cli_command_path), or by hand: FATHOM_BIN=build/release/bin/fathom python3 tests/cli_command_path.py
"""

import math
import os
import pathlib
import unittest

import yaml

from cli_case import ROOT, Case, main

DATA = pathlib.Path(os.environ.get("FATHOM_DATA", ROOT.parent / "shared/data"))
STUDY = ROOT / "studies/real"
TRANSLATIONS = ["surge", "sway", "heave"]
needs_data = unittest.skipUnless((DATA / "auv_pool_wrench").is_dir() and (DATA / "rov_tank_teleop").is_dir(),
                                 f"recordings are not part of the repository, and {DATA} has none: FATHOM_DATA names their folder")


@needs_data
class Real(Case):
    """What others recorded: a robot file and a description, no code."""

    def converted(self, description, name, *args):
        self.fathom("convert", STUDY / description, *args, "--out", name, status=0, timeout=300)
        return self.here / name / "log"

    def found(self, robot, seen, unseen, estimator="auto"):
        """What identify says of the seen logs, and validate of the others."""
        logs = [word for log in seen for word in ("--log", log)]
        found = self.document("identify", "--robot", robot, *logs, "--accept-bounds", "--accept-unseen", "--structure", "diagonal",
                              "--no-sensor-check", "--estimator", estimator, "--out", "model", timeout=600)
        words = [word for log in unseen for word in ("--log", log)] + [word for log in seen for word in ("--seen", log)]
        return found, self.document("validate", "--robot", "model/robot.yaml", *words, "--dof", "4", "--members", "0", "--out", "check", timeout=600)

    def better(self, checked):
        """In how many of six ways: than constant velocity and a line per axis, by acceleration and by free runs of 5 s."""
        scores = [checked["baselines"][axis] for axis in TRANSLATIONS]
        return sum(score["gain"] > 0 for score in scores) + sum(score["ratio"] < 1 for score in scores)

    def test_auv_that_loses_a_dead_band(self):
        self.fathom("prior", STUDY / "auv_hull.yaml", "--out", "auv.yaml", status=0)
        runs = {k: self.converted("auv_pool_wrench.yaml", f"auv-{k}", "--log", DATA / "auv_pool_wrench", "--run", str(k))
                for k in (0, 1, 3, 4, 6, 7, 9, 10, 12, 13, 15)}
        better, by_default = [], []
        for unseen in ((1, 4, 7, 10, 13), (0, 3, 6, 9, 12, 15)):
            logs = [log for k, log in runs.items() if k not in unseen], [runs[k] for k in unseen]
            by_default.append(self.better(self.found("auv.yaml", *logs, "consistent")[1]))
            found, checked = self.found("auv.yaml", *logs)
            better.append(self.better(checked))
            band = found["command_path"]["dead_band_N"]
            self.assertGreater(band["interval_95"][0], 1)
            self.assertLess(band["interval_95"][1], 5)
            written = yaml.safe_load((self.here / "model/robot.yaml").read_text())["command_path"]["dead_band"]
            self.assertEqual((written["value"], written["sigma"]), (band["estimate"], band["sigma"]))
        self.assertGreaterEqual(sum(better), 11, better)  # of 12: sway of the first set is driven little
        self.assertGreater(sum(better), sum(by_default), by_default)  # or nobody needs another estimator here

    def test_rov_that_a_pilot_steers(self):
        self.fathom("prior", STUDY / "rov_hull.yaml", "--out", "rov.yaml", status=0)
        runs = [self.converted("rov_tank_motion.yaml", f"rov-{k}", "--log", file)
                for k, file in enumerate(sorted((DATA / "rov_tank_teleop").glob("*_real.csv")))]
        self.assertEqual(len(runs), 3)
        better, by_default = [], []
        for run in runs:
            logs = [other for other in runs if other != run], [run]
            by_default.append(self.better(self.found("rov.yaml", *logs, "consistent")[1]))
            found, checked = self.found("rov.yaml", *logs)
            better.append(self.better(checked))
            low, high = found["command_path"]["gain"]["interval_95"]
            self.assertLess(low, 0.36)
            self.assertGreater(high, 0.36)  # what `fathom reproduce real` finds axis by axis, within a tenth
        # Of 18. A vehicle that flips has no 4-DoF model that is right: sway and heave over 5 s are the first to show it.
        self.assertGreaterEqual(sum(better), 14, better)
        self.assertGreater(sum(better), sum(by_default), by_default)


NEWTON = """command_path: {command_path}
thrusters:
  - {{name: port, position: [0, -0.2, 0], direction: [1, 0, 0]}}
  - {{name: starboard, position: [0, 0.2, 0], direction: [1, 0, 0]}}
sensors:
  - {{name: dvl, kind: dvl, noise: {{velocity: 0.01}}}}
  - {{name: ahrs, kind: ahrs, noise: {{attitude: 0.01, heading: 0.01}}}}
  - {{name: gyro, kind: imu, noise: {{rate: 0.01}}}}
"""
BARE = """format: fathom-robot-1
name: newton
hull:
  mass: 10
  inertia: [0.2, 0.2, 0.3]
  centre_of_mass: [0, 0, 0]
  volume: 0.01
  centre_of_buoyancy: [0, 0, -0.01]
  added_mass: [5, 6, 7, 0.1, 0.1, 0.1]
damping:
  - {name: hull, linear: [5, 5, 5, 1, 1, 1]}
"""
NORMALIZED = ", map: {command: {unit: normalized}, linear_quadratic: {forward: [10, 20]}}"


class Refused(Case):
    def robot(self, command_path, normalized=False):
        text = NEWTON.format(command_path=command_path)
        if normalized:
            text = text.replace("direction: [1, 0, 0]", "direction: [1, 0, 0]" + NORMALIZED)
        return self.write("robot.yaml", BARE + text)

    def log(self, channel, columns, value, seconds=10):
        def put(name, header, row):
            rows = "\n".join(",".join(map(str, [k / 10, *row(k / 10)])) for k in range(10 * seconds))
            self.write(f"log/{name}.csv", f"t,{','.join(header)}\n{rows}\n")
        put("rov.dvl", ["velocity_x", "velocity_y", "velocity_z"], lambda t: [math.sin(t), 0.1 * math.cos(t), 0])
        put("rov.ahrs", ["roll", "pitch", "heading"], lambda t: [0, 0.01 * math.sin(t), 0.1 * math.sin(t)])
        if channel:
            put(channel, columns, lambda t: [value * math.sin(t)] * 6)
        return self.here / "log"

    def refused(self, *words):
        result = self.fathom("identify", "--robot", "robot.yaml", "--log", "log", "--out", "out", status=2)
        for word in words:
            self.assertIn(word, result.stderr)
        self.assertFalse((self.here / "out").exists())

    AXES = ["surge", "sway", "heave", "roll", "pitch", "yaw"]

    def test_axes_of_thrusters_that_take_newton(self):
        self.robot("{by: axes}")
        self.log("rov.pilot", self.AXES, 1)
        self.refused("robot.yaml:12: command_path.by = axes", "takes no commands from -1 to 1", "normalized")

    def test_dead_band_below_zero_and_beside_maps(self):
        self.log("rov.wrench", ["X", "Y", "Z", "K", "M", "N"], 1)
        self.robot("{by: wrench, dead_band: -1}")
        self.refused("robot.yaml:12: command_path.dead_band = -1, must be from 0")
        self.robot("{by: wrench, dead_band: 1}", normalized=True)
        self.refused("robot.yaml:12: command_path.dead_band is for thrusters that take newton", "dead_band of its own")

    def test_sticks_beyond_their_range(self):
        self.robot("{by: axes}", normalized=True)
        self.log("rov.pilot", self.AXES, 15000)
        self.refused("rov.pilot.csv:", "must be from -1 to 1", "(us - 1500) / 400")

    def test_log_without_commands(self):
        self.robot("{by: axes}", normalized=True)
        self.log(None, None, 0)
        self.refused("has neither 'rov.pilot' nor 'rov.thrusters'", "surge sway heave roll pitch yaw")
        self.robot("{by: wrench}")
        self.log("rov.pilot", self.AXES, 1)
        self.refused("has no thruster commands, but a pilot's axes", "command_path: {by: axes}")

    def test_dead_band_of_too_short_a_log(self):
        self.robot("{by: wrench, dead_band: 0}")
        self.log("rov.wrench", ["X", "Y", "Z", "K", "M", "N"], 5, seconds=30)
        self.refused("command_path needs 6 pieces of 20 s", "hold dead_band and gain by sigma: 0")


if __name__ == "__main__":
    main()
