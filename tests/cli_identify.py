"""fathom identify: the plant's own parameters come back, files that others can read, bounds and bad input told.

Run by ctest (repo:cli_identify), or by hand: FATHOM_BIN=build/release/bin/fathom python3 tests/cli_identify.py
"""

import json
import math
import os
import re
import shlex
import shutil
import unittest

import numpy as np
import yaml

from cli_case import Case, main

# A pilot's pushes in still water, as a robot file says: of the plant every number is known.
SCENARIO = """format: fathom-scenario-1
name: pushes
duration: {duration}
vehicles:
  - name: rov
    robot: plant.yaml
    start: {{position: [0, 0, 20]}}
    command_delay: 0.06
    control: {control}
"""
PUSHES = "{{kind: joystick, share: 0.3, axes: [{}], hold: [0.5, 4]}}"
FOUR = ["surge", "sway", "heave", "yaw"]
OURS = {"robot.yaml", "residuals.csv", "report.html", "summary.json"}
LINEAR, QUADRATIC = [20, 30, 35, 1, 1, 1], [140, 200, 190, 1.5, 1.5, 1.5]
NAMES = ["m11", "m22", "m33", "m66", "d11", "d22", "d33", "d66", "q11|1|", "q22|2|", "q33|3|", "q66|6|", "W-B"]


def with_damping(case, name, linear, quadratic, mass=None):
    """bluerov2-heavy with other damping and perhaps mass, in a file of that name."""
    robot = yaml.safe_load(case.fathom("models", "bluerov2-heavy", "--yaml", status=0).stdout)
    if mass:
        robot["hull"]["mass"]["value"] = mass
    element = {"name": "hull", "assumed": "for a test", "linear": {"value": linear}, "quadratic": {"value": quadratic}}
    return case.write(name, yaml.safe_dump({**robot, "damping": [element]}))


def swum(case, name, duration=40, control=PUSHES.format("surge, sway, heave, yaw"), seed=1):
    case.write("scenario.yaml", SCENARIO.format(duration=duration, control=control))
    case.fathom("simulate", "scenario.yaml", "--seed", str(seed), "--out", name, status=0)
    return case.here / name / "log"


class Day:
    """Logs of one plant, and what is found from the first: done once for all tests."""


def setUpModule():
    case = Case()
    case.setUp()
    unittest.addModuleCleanup(case.doCleanups)
    Day.robot = with_damping(case, "plant.yaml", LINEAR, QUADRATIC)  # each well above zero, so that no bound is near
    Day.log, Day.second = swum(case, "day1", duration=40), swum(case, "day2", duration=20, seed=2)
    Day.usual = case.here / "usual"
    Day.stdout = case.fathom("identify", "--robot", Day.robot, "--log", Day.log, "--structure", "diagonal", "--out", Day.usual, status=0).stdout


class Identified(Case):
    def identify(self, *args, logs=None, robot=None, structure="diagonal", out="results", status=0):
        chosen = [word for log in logs or [Day.log] for word in ("--log", str(log))]
        return self.fathom("identify", "--robot", str(robot or Day.robot), *chosen, "--structure", structure, "--out", out, *args, status=status)

    def summary(self, out="results"):
        return json.loads((self.here / out / "summary.json").read_text())

    def values(self, out="results", key="estimate"):
        return {p["name"]: p[key] for p in self.summary(out)["parameters"]}

    def refused(self, *words, args=(), **more):
        """Status 2, words on standard error, no result."""
        before = self.tree()
        result = self.identify(*args, status=2, **more)
        self.assertEqual(result.stdout, "")
        for word in words:
            self.assertIn(word, result.stderr)
        self.assertEqual(self.tree(), before)


class Results(Identified):
    label = "long"

    def test_files_are_there_and_nothing_else(self):
        files = self.summary(Day.usual)["files"]
        self.assertEqual(set(os.listdir(Day.usual)), OURS)
        self.assertEqual({os.path.basename(name) for name in files}, OURS)
        self.assertEqual(re.findall(r"^written: (.*)$", Day.stdout, re.MULTILINE), files)
        for words in ("13 parameters of structure diagonal, 4-DoF, from 1 log", "95 % interval", "instrumental", "condition number",
                      "certificate: within", "every parameter is seen", "Smoothed with white jerk", "no condition holds"):
            self.assertIn(words, Day.stdout)

    def test_parameters_of_the_plant_come_back(self):
        s = self.summary(Day.usual)
        self.assertEqual([p["name"] for p in s["parameters"]], NAMES)
        for p in s["parameters"]:
            truth = p["before"]  # the robot file is the plant
            self.assertLess(abs(p["estimate"] - truth), 5 * p["sigma"], p)
            half = 1.959964 * p["sigma"]
            np.testing.assert_allclose(p["interval_95"], [p["estimate"] - half, p["estimate"] + half], atol=0.05 * p["sigma"])
            self.assertTrue(p["seen"])
        for name, share in (("m11", 0.2), ("m22", 0.2), ("m33", 0.1), ("m66", 0.05), ("q66|6|", 0.05)):
            p = next(p for p in s["parameters"] if p["name"] == name)
            self.assertLess(abs(p["estimate"] - p["before"]), share * p["before"], p)
        self.assertAlmostEqual(s["delay_s"], 0.06, delta=0.01)
        self.assertTrue(s["good"])

    def test_start_values_do_not_matter(self):
        guess = with_damping(self, "guess.yaml", np.multiply(2, LINEAR).tolist(), np.multiply(0.5, QUADRATIC).tolist())
        self.identify(robot=guess)
        self.assertNotEqual(self.values(Day.usual, "before")["q11|1|"], self.values(key="before")["q11|1|"])
        for name, value in self.values(Day.usual).items():
            self.assertTrue(math.isclose(value, self.values()[name], rel_tol=1e-3, abs_tol=1e-3), name)

    def test_robot_loads_with_what_was_found(self):
        self.assertEqual(self.document("models", str(Day.usual / "robot.yaml"))["name"], "bluerov2-heavy-identified")
        robot = yaml.safe_load((Day.usual / "robot.yaml").read_text())
        self.assertIn("Identified from day1", robot["notes"])
        kept = robot["identified"]
        self.assertEqual(kept["structure"], "diagonal")
        self.assertIn("from day1", kept["source"])
        self.assertIn("structure diagonal, consistent estimate", kept["source"])
        self.assertAlmostEqual(kept["delay"][0], self.summary(Day.usual)["delay_s"])

    def test_residuals_are_those_of_the_summary(self):
        self.identify(logs=[Day.log, Day.second])
        s = self.summary()
        rows = [line.split(",") for line in (self.here / "results/residuals.csv").read_text().splitlines()]
        self.assertEqual(rows[0], ["log", "t [s]", "surge [N]", "sway [N]", "heave [N]", "yaw [N m]"])
        values = np.array(rows[1:], dtype=float)
        self.assertEqual(len(values), s["samples"])
        self.assertEqual(set(values[:, 0]), {0, 1})
        self.assertEqual([log["name"] for log in s["logs"]], ["day1", "day2"])
        for k, name in enumerate(FOUR):
            self.assertAlmostEqual(s["residuals"][name]["rms"], np.sqrt(np.mean(values[:, 2 + k] ** 2)), places=6)
            self.assertLess(s["residuals"][name]["rms"], 0.3 * s["residuals"][name]["wrench_rms"])

    def test_json_is_the_summary(self):
        result = self.identify("--json")
        self.assertEqual(json.loads(result.stdout), self.summary())

    def test_report_needs_no_network(self):
        page = (Day.usual / "report.html").read_text()
        for words in ("Identification of bluerov2-heavy", "Residual of surge", "Autocorrelation of the residuals", "Evidence", "Estimators side by side"):
            self.assertIn(words, page)
        self.assertNotRegex(page, r'(src|href)="https?:')

    def test_data_choose_the_structure(self):
        stdout = self.identify(structure="auto").stdout
        s = self.summary()
        tried = {c["name"]: c for c in s["structures"]}
        self.assertEqual([c["name"] for c in s["structures"] if c["chosen"]], [s["structure"]])
        self.assertIn(s["structure"], ("diagonal", "6dof"))  # the plant is diagonal; roll and pitch show its inertia, too
        self.assertGreater(tried["linear"]["error"], tried["diagonal"]["error"])
        self.assertTrue(tried["6dof"]["tried"])  # the pilot never rolls it, but it does roll
        self.assertRegex(stdout, rf"(?m)^{s['structure']} .* chosen$")


class Options(Identified):
    label = "long"

    def test_bound_hit_is_status_1_unless_accepted(self):
        result = self.identify("--bound", "m11=30:", status=1)
        self.assertIn("bound hit: m11 >= 30", result.stderr)
        self.assertIn("BOUND HIT: m11 >= 30", result.stdout)
        s = self.summary()
        self.assertEqual((s["good"], s["active_constraints"]), (False, ["m11 >= 30"]))
        self.assertAlmostEqual(self.values()["m11"], 30, delta=0.01)
        self.identify("--bound", "m11=30:", "--accept-bounds")
        self.assertTrue(self.summary()["good"])
        self.identify("--bound", "m11=10:40")  # wide enough

    def test_dry_body_that_is_too_heavy_hits_a_bound(self):
        heavy = with_damping(self, "heavy.yaml", LINEAR, QUADRATIC, mass=25)
        self.assertIn("m11 >= 25 of the dry body", self.identify(robot=heavy, status=1).stderr)
        self.assertGreater(self.values()["m11"], 25)
        lighter = self.identify("--no-dry-body", robot=heavy, status=1)  # written, with what is wrong with it
        self.assertIn("lighter than the dry body of the robot file", lighter.stderr)
        self.assertLess(self.summary()["dry_body_share"], 1)
        self.assertLess(self.values()["m11"], 25)

    def test_unseen_parameter_is_status_1_unless_accepted(self):
        strict = ("--unseen-share", "0.004")  # of the wrench; what tells linear from quadratic damping is weak
        result = self.identify(*strict, status=1)
        self.assertRegex(result.stderr, r"the logs do not show .*q11\|1\|.*accept it with --accept-unseen")
        s = self.summary()
        self.assertIn("q11|1|", s["unseen"]["parameters"])
        self.assertNotIn("m66", s["unseen"]["parameters"])
        self.assertEqual([p["name"] for p in s["parameters"] if not p["seen"]], s["unseen"]["parameters"])
        self.assertTrue(any("d11" in text and "q11|1|" in text for text in s["unseen"]["unidentifiable_directions"]))
        self.assertIn("NOT SEEN: ", result.stdout)
        self.identify(*strict, "--accept-unseen")

    def test_other_estimators_give_values_and_intervals_of_their_own(self):
        stdout = self.identify("--estimator", "weighted").stdout
        other = next(e for e in self.summary()["estimators"] if e["name"] == "weighted")
        self.assertEqual(list(self.values().values()), other["values"])
        np.testing.assert_allclose(list(self.values(key="sigma").values()), other["sigmas"], rtol=1e-9)
        self.assertNotEqual(self.values(key="sigma"), self.values(Day.usual, "sigma"))
        self.assertEqual({p["naive_sigma"] for p in self.summary()["parameters"]}, {None})
        self.assertIn("Values and intervals are those of the weighted estimator", stdout)

    def test_commands_whose_clock_is_late_are_told(self):
        late = self.here / "late"
        shutil.copytree(Day.log, late)
        lines = (late / "rov.thrusters.csv").read_text().splitlines()
        first = next(k for k, line in enumerate(lines) if re.match(r"-?[0-9]", line))
        for k in range(first, len(lines)):
            t, rest = lines[k].split(",", 1)
            lines[k] = f"{float(t) + 0.3:.9g},{rest}"
        (late / "rov.thrusters.csv").write_text("\n".join(lines) + "\n")
        self.refused("rov.thrusters contradicts", "s late", logs=[late])
        result = self.identify("--accept-bounds", "--accept-unseen", "--no-sensor-check", logs=[late])
        s = self.summary()
        self.assertTrue(s["delay_at_limit"])
        self.assertLess(s["delay_s"], 0.02)
        self.assertLess(s["delay_wanted_s"], -0.1)
        self.assertIn("fathom: warning: delay at its limit", result.stderr)
        for text in (result.stdout, result.stderr):
            self.assertIn("delay at its limit", text)
            self.assertIn("the commands' clock may be off", text.replace("\n", " "))
        self.assertFalse(self.summary(Day.usual)["delay_at_limit"])

    def test_evidence_of_the_fit(self):
        s = self.summary(Day.usual)
        self.assertTrue(s["settled"])
        self.assertEqual(s["noise_share"], 1)
        self.assertGreater(s["bandwidth_s"], 0.4)
        self.assertIn(f"stood still after {s['rounds']} rounds", Day.stdout)
        self.assertIn("100 % of the sensors' noise is taken out", Day.stdout)

    def test_output_error_refines(self):
        stdout = self.identify("--output-error").stdout
        s = self.summary()
        self.assertTrue(s["output_error"]["converged"] and s["good"])
        self.assertLess(s["output_error"]["cost_after"], s["output_error"]["cost_before"])
        self.assertNotEqual(self.values(), self.values(Day.usual))
        for name in ("m11", "m22", "m33", "m66"):
            p = next(p for p in s["parameters"] if p["name"] == name)
            self.assertLess(abs(p["estimate"] - p["before"]), 0.2 * p["before"], p)
        self.assertIn("Refined by output error", stdout.replace("\n", " "))
        self.refused("--output-error", args=["--output-error", "--estimator", "robust"], out="none")

    def test_delay_and_current_as_told(self):
        self.identify("--delay", "0.05", "--current", "none")
        s = self.summary()
        self.assertEqual((s["delay_s"], s["delay_sigma_s"], s["delay_estimated"]), (0.05, 0, False))
        self.assertEqual((s["current"], s["current_estimated"]), ([0, 0, 0], False))

    def test_from_and_until_choose_a_stretch(self):
        self.identify("--from", "5", "--until", "30")
        log = self.summary()["logs"][0]
        self.assertLess(abs(log["usable"] * log["interval_s"] - 25), 0.5)
        self.assertIn("outside from and until", [drop["why"] for drop in log["dropped"]])


class Folders(Identified):
    """Nothing that is read, and nothing of another verb, is written over."""
    label = "long"

    def kept(self, *words, out, **more):
        before = self.tree(Day.usual.parent)
        error = self.identify(out=str(out), status=2, **more).stderr
        for word in (*words, "choose another folder with --out"):
            self.assertIn(word, error)
        self.assertEqual(self.tree(Day.usual.parent), before)

    def test_robot_that_is_read(self):
        mine = self.write("me/robot.yaml", Day.robot.read_text())
        self.refused("me/robot.yaml", "is read in this run", robot=mine, out="me")
        self.refused("me/robot.yaml", "is read in this run", robot=mine, out="me/../me/")

    def test_results_of_another_verb(self):
        self.kept("is read in this run and would be replaced", out=Day.log.parent)
        self.kept("is read in this run", out=Day.log)
        self.assertIn("holds the results of fathom identify",
                      self.fathom("simulate", Day.robot.parent / "scenario.yaml", "--out", Day.usual, status=2).stderr)

    def test_the_same_verb_again(self):
        self.identify()
        self.identify()

    def test_command_can_be_given_to_a_shell(self):
        mine = self.write("my robots/it's.yaml", Day.robot.read_text())
        self.identify("--bound", "q11|1|=0:", robot=mine)
        words = shlex.split(self.summary()["command"])
        self.assertEqual(words[words.index("--robot") + 1], str(mine))
        self.assertEqual(words[words.index("--bound") + 1], "q11|1|=0:")

    def test_nothing_is_left_of_a_failed_run(self):
        self.refused("too short to smooth", args=["--from", "10", "--until", "10.5"], out="not/there/yet")


class BadInput(Identified):
    label = "quick"

    def changed(self, channel, change):
        """The log with one file changed, row by row of numbers."""
        folder = self.here / "changed"
        folder.mkdir()
        for path in Day.log.iterdir():
            text = path.read_text()
            if path.stem == channel:
                lines = text.splitlines(keepends=True)
                first = 1 + next(k for k, line in enumerate(lines) if not line.startswith("#"))
                text = "".join(lines[:first] + [",".join(row) + "\n" for row in change([line.strip().split(",") for line in lines[first:]])])
            (folder / path.name).write_text(text)
        return [folder]

    def test_words_that_are_not_there(self):
        self.refused("--what thruster takes a --table", args=["--what", "thruster"])
        self.refused("--what", "expected one of vehicle", args=["--what", "wing"])
        self.refused("--structure = 'diagnal'", "did you mean diagonal?", structure="diagnal")
        self.refused("there is no robot", robot="bluerov3")
        self.refused("nowhere", "does not exist", logs=["nowhere"])
        self.refused("--estimator", "expected one of auto, consistent", args=["--estimator", "magic"])
        self.refused("did you mean robust?", args=["--estimator", "robst"])

    def test_options_out_of_range(self):
        for option, value, words in (("--bound", "m11", "expected NAME=MIN:MAX"), ("--bound", "m11=a:2", "expected NAME=MIN:MAX"),
                                     ("--bound", "m12=1:2", "'m12' is no parameter of structure diagonal"), ("--bound", "m11=3:2", "a smaller and a larger"),
                                     ("--delay", "soon", "expected auto, or seconds"), ("--delay", "-1", "expected auto, or seconds"),
                                     ("--blur", "0", "--blur = 0 s, must be > 0 and <= 20"), ("--blur", "400", "<= 20 (s, not ms?)"), ("--delay", "150", "such as 0.15 for 150 ms"),
                                     ("--thrust-sigma", "2", "such as 0.02 for 2 %"), ("--blur", "nan", "--blur = nan, must be finite"), ("--from", "", "--from = '', expected a number in s"),
                                     ("--density", "1e9", "must be 500 to 2000 (fresh 1000, sea 1025)"),
                                     ("--blur", "0.0005", "blur = 0.0005 s, must be at least 0.01 s"),
                                     ("--unseen-share", "-1", "--unseen-share = -1, must be > 0"), ("--voltage", "0", "--voltage = 0 V, must be > 0"), ("--density", "-1", "density")):
            with self.subTest(f"{option} {value}"):
                self.refused(words, args=[option, value])
        self.refused("must be later than --from 9", args=["--from", "9", "--until", "3"])
        self.refused("from = 900 s, but the log ends at 39.99 s", args=["--from", "900"])
        self.refused("--bound 'dd' is no parameter (", args=["--bound", "dd=9:2"], structure="auto", logs=["nowhere"])

    def test_log_too_short(self):
        self.refused("too short to smooth", args=["--from", "10", "--until", "10.5"])
        self.refused("day1: log is too short: ", "for the 27 parameters of structure quadratic", args=["--until", "9"], structure="quadratic")

    def test_no_motion_in_a_degree_of_freedom(self):
        with_damping(self, "plant.yaml", LINEAR, QUADRATIC)
        log = swum(self, "calm", duration=20, control=PUSHES.format("surge"))
        self.refused("calm: sway hardly moves", "yaw hardly moves", "fathom excite", logs=[log])

    def test_roll_and_pitch_need_no_command(self):
        self.identify(structure="6dof", status=0)  # they move, by what couples them to the rest
        for name, true in (("m44", 0.449), ("m55", 0.365)):
            low, high = next(p for p in self.summary()["parameters"] if p["name"] == name)["interval_95"]
            self.assertTrue(low < true < high, f"{name}: {low} {high}")

    def test_commands_outside_the_map(self):
        logs = self.changed("rov.thrusters", lambda rows: [[r[0], "7.5", *r[2:]] for r in rows])
        self.refused("outside [-1, 1] of the thruster's map", logs=logs)

    def test_times_that_go_back_or_repeat(self):
        logs = self.changed("rov.ahrs", lambda rows: rows[:50] + rows[20:])
        self.refused("rov.ahrs", logs=logs)

    def test_columns_without_a_number(self):
        logs = self.changed("rov.thrusters", lambda rows: [[r[0], "", *r[2:]] for r in rows])
        self.refused("rov.thrusters", logs=logs)

    def test_robot_that_the_log_is_not_of(self):
        self.refused("which robot defender-like does not have, and not its vertical_front (", robot="defender-like")

    def test_estimate_below_the_dry_body(self):
        heavy = with_damping(self, "heavy.yaml", LINEAR, QUADRATIC, mass=25)  # more than body and water together
        self.assertIn("lighter than the dry body of the robot file", self.identify("--estimator", "weighted", robot=heavy, status=1).stderr)
        mass = next(p for p in self.summary()["parameters"] if p["name"] == "m11")
        self.assertLess(mass["estimate"], 25)
        low, high = mass["interval_95"]
        self.assertTrue(low < mass["estimate"] < high)


if __name__ == "__main__":
    main()
