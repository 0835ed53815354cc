"""fathom validate: figures that numpy finds too, files that others can read, limits and bad input told.

Run by ctest (repo:cli_validate), or by hand: FATHOM_BIN=build/release/bin/fathom python3 tests/cli_validate.py
"""

import csv
import json
import os
import re
import shutil

import numpy as np

from cli_case import PUSHES, Case, main, one_change

FOUR = ["surge", "sway", "heave", "yaw"]
QUICK = ("--members", "8")


class Validated(Case):
    """Two logs of one plant, swum once for all tests."""

    @classmethod
    def setUpClass(cls):
        case = Case()
        case.setUp()
        cls.addClassCleanup(case.doCleanups)
        cls.logs = []
        for seed in (1, 2):
            case.write("pushes.yaml", PUSHES.format(duration=30))
            case.fathom("simulate", "pushes.yaml", "--seed", str(seed), "--out", f"day{seed}", status=0)
            cls.logs.append(str(case.here / f"day{seed}" / "log"))

    def validate(self, *args, robot="bluerov2-heavy", logs=1, out="results", status=0):
        chosen = [word for log in self.logs[:logs] for word in ("--log", log)]
        return self.fathom("validate", "--robot", robot, *chosen, "--out", out, *args, status=status)

    def summary(self, out="results"):
        return json.loads((self.here / out / "summary.json").read_text())


def columns(path):
    rows = list(csv.reader(line for line in path.read_text().splitlines() if not line.startswith("#")))
    names = [name.split(" ")[0] for name in rows[0]]
    values = np.array([[float(x) if x else np.nan for x in row] for row in rows[1:]])
    return dict(zip(names, values.T))


class Results(Validated):
    label = "long"

    def test_files_are_there_and_nothing_else(self):
        stdout = self.validate(*QUICK, logs=2).stdout
        files = {"summary.json", "report.html", "predicted-day1.csv", "predicted-day2.csv"}
        self.assertEqual(set(os.listdir(self.here / "results")), files)
        self.assertEqual({os.path.basename(name) for name in self.summary()["files"]}, files)
        self.assertEqual(re.findall(r"^written: (.*)$", stdout, re.MULTILINE), self.summary()["files"])
        self.assertIn("4-DoF is", stdout)

    def test_figures_are_those_of_numpy(self):
        self.validate(*QUICK, "--dof", "4")
        log = self.summary()["logs"][0]
        data = columns(self.here / "results/predicted-day1.csv")
        for name, u in zip(FOUR, "uvwr"):
            y, p, low, high = (data[u + what] for what in ("", "_predicted", "_low", "_high"))
            used = np.isfinite(y) & np.isfinite(p) & np.isfinite(low)
            used[np.argmax(used)] = False  # the sample that it starts from
            y, p, low, high = y[used], p[used], low[used], high[used]
            got = log["velocities"][name]
            self.assertEqual(log["compared"], len(y))
            self.assertAlmostEqual(got["rmse"], np.sqrt(np.mean((y - p) ** 2)), places=12)
            self.assertAlmostEqual(got["r2"], 1 - np.sum((y - p) ** 2) / np.sum((y - y.mean()) ** 2), places=9)
            self.assertAlmostEqual(got["nrmse"], got["rmse"] / np.ptp(y), places=12)
            self.assertAlmostEqual(got["mae"], np.mean(abs(y - p)), places=12)
            self.assertAlmostEqual(got["pearson"], np.corrcoef(y, p)[0, 1], places=9)
            self.assertAlmostEqual(got["slope"], np.polyfit(y, p, 1)[0], places=9)
            self.assertAlmostEqual(got["coverage"], np.mean((y >= low) & (y <= high)), places=12)
            self.assertLess(got["warp_mean"], got["mae"] + 1e-12)  # warping only ever helps the sum of squares

    def test_true_model_predicts_well(self):
        self.validate(*QUICK, "--limit", "0.9", "--dof", "6", logs=2)
        s = self.summary()
        self.assertEqual((s["dof"], s["good"], len(s["logs"])), (6, True, 2))
        for name in FOUR:
            self.assertGreater(s["velocities"][name]["r2"]["median"], 0.9, name)
        self.assertIn("roll", s["velocities"])
        four_or_six = s["four_or_six"]
        self.assertEqual(list(four_or_six["4dof"]), FOUR)
        self.assertEqual(four_or_six["six_is_better"], four_or_six["verdict"].startswith("4-DoF is not enough"))
        self.assertEqual(four_or_six["6dof"]["surge"]["r2"], s["velocities"]["surge"]["r2"])

    def test_report_shows_measured_predicted_boxes_and_table(self):
        self.validate(*QUICK, logs=2)
        page = (self.here / "results/report.html").read_text()
        for text in ("day1: surge", "day2: yaw", "R² over logs", "class=\"quartiles\"", "Are four degrees of freedom enough?"):
            self.assertIn(text, page)

    def test_same_bytes_whatever_the_threads(self):
        self.validate(*QUICK, "--threads", "1", out="one")
        self.validate(*QUICK, "--threads", "3", out="three")
        one, three = self.tree(self.here / "one"), self.tree(self.here / "three")
        for name in ("predicted-day1.csv", "report.html"):
            self.assertEqual(one[name], three[name], name)
        self.validate(*QUICK, "--seed", "2", out="other")
        self.assertNotEqual(self.tree(self.here / "other")["predicted-day1.csv"], one["predicted-day1.csv"])

    def test_json_is_the_summary(self):
        printed = json.loads(self.validate(*QUICK, "--json").stdout)
        self.assertEqual(printed, self.summary())


class Options(Validated):
    label = "long"

    def test_without_members_there_are_no_bands(self):
        self.validate("--members", "0")
        self.assertIsNone(self.summary()["logs"][0]["velocities"]["surge"]["coverage"])
        self.assertNotIn("u_low", columns(self.here / "results/predicted-day1.csv"))

    def test_horizon_starts_anew(self):
        self.validate("--members", "0", "--horizon", "2")
        self.assertGreaterEqual(self.summary()["logs"][0]["starts"], 14)

    def test_wrong_current_shows(self):
        self.validate("--members", "0", "--dof", "4", out="still")
        self.validate("--members", "0", "--dof", "4", "--current", "0.3", "-0.2", out="flowing")
        self.assertLess(self.summary("flowing")["least_r2"], self.summary("still")["least_r2"])

    def test_wrong_delay_shows(self):
        self.validate("--members", "0", "--dof", "4", out="prompt")
        self.validate("--members", "0", "--dof", "4", "--delay", "0.5", out="late")
        prompt, late = (self.summary(out)["logs"][0]["velocities"]["surge"] for out in ("prompt", "late"))
        self.assertGreater(late["rmse"], 2 * prompt["rmse"])
        self.assertLess(late["warp_mean"], 0.5 * late["mae"])  # merely late: warping finds the shape

    def test_warping_options_are_used(self):
        means = []
        for more in ((), ("--window", "0"), ("--slope", "symmetric"), ("--ends", "open")):
            self.validate("--members", "0", "--dof", "4", "--delay", "0.3", *more)
            means.append(self.summary()["logs"][0]["velocities"]["surge"]["warp_mean"])
        self.assertAlmostEqual(means[1], self.summary()["logs"][0]["velocities"]["surge"]["mae"], places=12)
        self.assertEqual(len(set(means)), 4, means)

    def test_command_can_be_given_again(self):
        self.validate("--members", "0", "--dof", "4", "--delay", "0.1", "--current", "0.1", "0", "--sensors", "mocap,imu")
        command = self.summary()["command"].split()
        self.fathom(*command, "--out", "again", status=0)
        self.assertEqual(self.tree(self.here / "again")["predicted-day1.csv"], self.tree(self.here / "results")["predicted-day1.csv"])


class Refusals(Validated):
    label = "quick"

    def refused(self, *args, says, **more):
        result = self.validate(*args, status=2, **more)
        self.assertIn(says, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(os.listdir(self.here), [])

    def test_below_the_limit_is_a_failed_check_with_results(self):
        result = self.validate("--members", "0", "--delay", "1", "--limit", "0.999", status=1)
        self.assertIn("below the limit of 0.999", result.stderr)
        self.assertFalse(self.summary()["good"])

    def test_unknown_robot_and_log(self):
        self.refused(robot="bluerov2-havy", says="did you mean bluerov2-heavy")
        result = self.fathom("validate", "--robot", "bluerov2-heavy", "--log", "nowhere", "--out", "results", status=2)
        self.assertIn("nowhere", result.stderr)
        self.assertEqual(os.listdir(self.here), [])

    def test_robot_that_does_not_fit_the_log(self):
        self.refused(robot="defender-like", says="thruster")

    def test_options_out_of_range(self):
        for option, value, says in (("--delay", "-1", "--delay = -1 s, must be 0 to 1"),
                                    ("--horizon", "nan", "--horizon = nan, must be finite"),
                                    ("--window", "2", "--window = 2, must be 0 to 1"),
                                    ("--limit", "1.5", "--limit = 1.5, must be <= 1 (R2 is never above 1)"),
                                    ("--members", "3", "--members = 3, must be 0, or 8 or more"),
                                    ("--dof", "5", "--dof"), ("--ends", "ajar", "--ends")):
            with self.subTest(option=option):
                self.refused(option, value, says=says)


class Honesty(Validated):
    label = "long"

    def test_log_that_was_trained_on_is_told(self):
        self.fathom("identify", "--robot", "bluerov2-heavy", "--log", self.logs[0], "--structure", "diagonal", "--accept-bounds",
                    "--accept-unseen", "--out", "found", status=0)
        result = self.validate("--members", "0", robot="found/robot.yaml", logs=2)
        self.assertIn("fathom: warning: day1 is a log that the robot was identified from", result.stderr)
        self.assertNotIn("day2 is a log", result.stderr)
        self.assertIn("identified from day1: no unseen log", result.stdout)
        self.assertEqual(self.summary()["identified_from"], ["day1"])

    def test_every_log_has_a_file_of_its_own(self):
        logs = []
        for name in ("z/a-2", "x/a", "y/a"):
            shutil.copytree(self.logs[0], self.here / name)
            logs += ["--log", str(self.here / name)]
        self.fathom("validate", "--robot", "bluerov2-heavy", *logs, "--members", "0", "--out", "results", status=0)
        self.assertEqual([log["name"] for log in self.summary()["logs"]], ["a-2", "a", "a-3"])
        for name in self.summary()["files"]:
            self.assertTrue((self.here / name).is_file(), name)
        self.assertEqual(len(set(self.summary()["files"])), 5)

    def test_delay_beyond_a_second(self):
        self.assertIn("--delay = 1000000000 s, must be 0 to 1", self.validate("--delay", "1e9", status=2).stderr)

    def test_empty_numbers_are_refused(self):
        for option in ("--limit", "--from", "--until", "--delay", "--window", "--horizon", "--voltage", "--density"):
            with self.subTest(option):
                error = self.validate(option, "", status=2).stderr
                self.assertIn(f"{option} = '', expected a number", error)
        self.assertIn("--dof = 'five', expected one of 4, 6, auto", self.validate("--dof", "five", status=2).stderr)
        self.assertIn("--threads: '0' is no number of threads, expected a whole number from 1 to 4096", self.validate("--threads", "0", status=2).stderr)
        self.assertIn("--measured-tilt is of a model without roll and pitch", self.validate("--measured-tilt", "--dof", "6", status=2).stderr)
        self.assertEqual(self.tree(), {})

    def test_one_blank_line_before_the_files(self):
        self.assertNotIn("\n\n\n", self.validate("--members", "0").stdout)


class Trust(Case):
    """What is said of a prediction before it is believed: the current, the range of the data, the residuals behind the bands."""

    label = "long"

    @classmethod
    def setUpClass(cls):
        case = Case()
        case.setUp()
        cls.addClassCleanup(case.doCleanups)
        cls.where = case.here
        for name, seed, share in (("calm", 1, 0.3), ("later", 2, 0.3), ("strong", 3, 0.45)):
            scenario = one_change(PUSHES.format(duration=60), "share: 0.3", f"share: {share}") + "environment: {current: [0.2, -0.1, 0]}\n"
            case.write(f"{name}.yaml", scenario)
            case.fathom("simulate", f"{name}.yaml", "--seed", str(seed), "--out", name, status=0)
        case.fathom("identify", "--robot", "bluerov2-heavy", "--log", "calm/log", "--structure", "diagonal", "--estimator", "consistent",
                    "--accept-bounds", "--accept-unseen", "--out", "found", status=0)
        cls.found = str(case.here / "found" / "robot.yaml")

    def validate(self, log, *args, robot=None, out="results", status=0):
        return self.fathom("validate", "--robot", robot or self.found, "--log", str(self.where / log / "log"), *QUICK, "--dof", "4", "--out", out,
                           *args, status=status)

    def summary(self, out="results"):
        return json.loads((self.here / out / "summary.json").read_text())

    def page(self, out="results"):
        return (self.here / out / "report.html").read_text()

    def test_current_is_of_the_beginning_which_is_not_scored(self):
        stdout = self.validate("later").stdout
        log = self.summary()["logs"][0]
        current = log["current"]
        self.assertEqual(current["source"], "estimated")
        self.assertAlmostEqual(current["until_s"], 12, delta=1)
        for found, sigma, truth in zip(current["north_east"], current["sigma"], (0.2, -0.1)):
            self.assertLess(abs(found - truth), 4 * sigma + 0.01)
            self.assertLess(sigma, 0.1)
        self.assertIn("estimated from the log up to", " ".join(stdout.split()))
        self.assertIn("estimated from the log up to", self.page())
        self.assertEqual([d["why"] for d in log["dropped"]][-1], "current estimated from them")
        self.assertLess(log["compared"], 0.82 * log["samples"])
        predicted = columns(self.here / "results/predicted-later.csv")
        self.assertTrue(np.all(np.isnan(predicted["u"][predicted["t"] < current["until_s"] - 0.1])))

    def test_current_that_is_given_scores_the_whole_log(self):
        self.assertNotIn("estimated from the log", self.validate("later", "--current", "0.2", "-0.1").stdout)
        log = self.summary()["logs"][0]
        self.assertEqual((log["current"]["source"], log["current"]["north_east"], log["current"]["until_s"]), ("given", [0.2, -0.1], None))
        self.assertGreater(log["compared"], 0.95 * log["samples"])

    def test_short_log_is_said_to_be_taken_as_still_water(self):
        stdout = self.validate("later", "--until", "30").stdout
        current = self.summary()["logs"][0]["current"]
        self.assertEqual((current["source"], current["north_east"], current["sigma"]), ("still water assumed", [0, 0], [0.03, 0.03]))
        self.assertIn("still water is assumed", " ".join(stdout.split()))
        self.assertIn("still water is assumed", self.page())

    def test_what_is_beyond_the_range_is_said(self):
        self.assertNotIn("leaves the range", self.validate("calm").stderr)
        stderr = self.validate("strong").stderr
        beyond = {b["name"]: b for b in self.summary()["logs"][0]["beyond_range"]}
        self.assertIn("surge wrench", beyond)
        surge = beyond["surge wrench"]
        self.assertTrue(surge["value"] < surge["range"][0] or surge["value"] > surge["range"][1])
        self.assertGreater(surge["share"], 0)
        self.assertIn("strong leaves the range of the identification: ", stderr)
        self.assertIn("surge wrench", stderr)
        self.assertIn("Beyond the range of the identification", self.page())

    def test_bands_without_residuals_are_said_to_be_too_narrow(self):
        stderr = self.validate("later", robot="bluerov2-heavy").stderr
        self.assertIn("no residual statistics", " ".join(stderr.split()))
        self.assertIn("residual statistics", self.page())
        self.assertEqual(self.summary()["residual"], "none")
        self.assertNotIn("residual statistics", self.validate("later", out="of_an_estimate").stderr)

    def test_baselines_are_there_without_seen_logs(self):
        self.assertIn("better than both", self.validate("later").stdout)
        self.assertEqual(set(self.summary()["baselines"]), set(FOUR))
        self.assertIn("No comparison with simple models: the robot file has no line per axis",
                      " ".join(self.validate("later", robot="bluerov2-heavy", out="shipped").stdout.split()))

    def test_measured_tilt_is_of_prediction_band_and_scores(self):
        self.validate("strong", out="level")
        stdout = self.validate("strong", "--measured-tilt", out="tilted").stdout
        self.assertIn("roll and pitch as measured", stdout)
        level, tilted = self.summary("level"), self.summary("tilted")
        self.assertEqual((level["measured_tilt"], tilted["measured_tilt"]), (False, True))
        for word in ("rmse", "coverage"):
            self.assertNotEqual(*(s["logs"][0]["velocities"]["surge"][word] for s in (level, tilted)), word)
        self.assertNotEqual(*(s["baselines"]["surge"]["free_run_error"]["robot"] for s in (level, tilted)))

    def test_seen_logs_leave_a_robot_that_its_own_run_does_not_remove(self):
        self.validate("later", "--seen", str(self.where / "calm" / "log"))
        robot = self.here / "results" / "robot.yaml"
        text = robot.read_text()
        self.assertIn("residual:", text)
        self.assertEqual(self.summary()["residual"], "of the seen logs")
        for more in ((), ("--seen", str(self.where / "calm" / "log"))):
            result = self.validate("later", *more, robot="results/robot.yaml", status=2)
            self.assertIn("is read in this run and would be replaced by its result", result.stderr)
            self.assertEqual(robot.read_text(), text)
        self.validate("later", robot="results/robot.yaml", out="again")

    def test_a_seen_log_is_no_validation(self):
        result = self.validate("later", "--seen", str(self.where / "later" / "log"))
        self.assertRegex(result.stderr, r"warning: \S+ is a log that the robot was identified from, as its source or --seen says: this is no validation")
        self.assertNotIn("is a log that", self.validate("later", "--seen", str(self.where / "calm" / "log"), out="fair").stderr)

    def test_a_sensor_can_be_left_out(self):
        self.validate("later", out="all")
        self.validate("later", "--without", "mocap", out="less")
        velocities = [columns(self.here / out / "predicted-later.csv")["u"] for out in ("all", "less")]
        self.assertFalse(np.array_equal(*velocities, equal_nan=True))
        self.assertEqual(self.summary("less")["command"].count("--without mocap"), 1)
        self.validate("later", "--without", "rov.mocap", out="named")  # as messages name it
        again = columns(self.here / "named" / "predicted-later.csv")["u"]
        self.assertTrue(np.array_equal(again, velocities[1], equal_nan=True))

    def test_ten_warnings_and_the_page_has_all(self):
        logs = []
        for k in range(12):
            shutil.copytree(self.where / "strong" / "log", self.here / f"dive{k}")
            logs += ["--log", str(self.here / f"dive{k}")]
        result = self.fathom("validate", "--robot", self.found, *logs, "--members", "0", "--dof", "4", "--current", "0.2", "-0.1", "--out", "results",
                             status=0)
        lines = [line for line in result.stderr.splitlines() if line.startswith("fathom: ")]
        self.assertEqual(sum(line.startswith("fathom: warning: ") for line in lines), 10)
        self.assertRegex(lines[-1], r"^fathom: and \d+ more warnings( and \d+ more notes?)?: report.html has all$")
        for k in range(12):
            self.assertIn(f"dive{k} leaves the range of the identification", self.page())


if __name__ == "__main__":
    main()
