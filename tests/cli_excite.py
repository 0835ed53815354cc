"""fathom excite: files that others can read, the same bytes whatever the threads, bad problems told with their place.

Run by ctest (repo:cli_excite), or by hand: FATHOM_BIN=build/release/bin/fathom python3 tests/cli_excite.py
"""

import csv
import math
import os
import re

import numpy as np
import yaml

from cli_case import ROOT, main
from excite_case import GOOD, OURS, Excited, changed, line_of

def at(path, name, t):
    """A coordinate of a trajectory file, as docs/trajectory-file.md says: value and rate."""
    n, knots = path["degree"], path["knots"]
    k = max(k for k in range(len(knots) - 1) if knots[k] <= t or k == 0)
    length = knots[k + 1] - knots[k]
    u, c = (t - knots[k]) / length, path["points"][name][k]
    def bernstein(c):
        m = len(c) - 1
        return sum(math.comb(m, i) * u**i * (1 - u) ** (m - i) * x for i, x in enumerate(c))
    return bernstein(c), bernstein(np.diff(c) * n) / length


class Results(Excited):
    @classmethod
    def setUpClass(cls):
        case = Excited()
        case.setUp()
        cls.addClassCleanup(case.doCleanups)
        cls.stdout = case.excite().stdout
        cls.folder = case.here / "results"
        cls.done = case.summary()

    def test_files_are_there_and_nothing_else(self):
        self.assertEqual(set(os.listdir(self.folder)), OURS)
        self.assertEqual({os.path.basename(name) for name in self.done["files"]}, OURS)
        self.assertEqual(re.findall(r"^written: (.*)$", self.stdout, re.MULTILINE), self.done["files"])

    def test_summary_says_what_was_asked_and_found(self):
        s = self.done
        self.assertEqual(s["command"], "excite p.yaml --seed 1")
        self.assertEqual((s["problem"]["name"], s["problem"]["robot"], s["problem"]["duration_s"]), ("small", "defender-like", 30))
        self.assertEqual((s["problem"]["samples"], s["problem"]["criterion"], s["seed"]), (151, "a-optimal", 1))
        self.assertEqual(s["certificate"]["status"], "converged")
        self.assertTrue(s["inside_limits"] and not s["interrupted"])
        self.assertEqual([start["number"] for start in s["starts"]], [0, 1, 2])
        self.assertEqual(min(start["last"] for start in s["starts"]), s["criterion"])
        self.assertTrue(all(start["last"] < start["first"] for start in s["starts"]))
        self.assertTrue(all(m["margin"] > 0 for m in s["margins"]))
        self.assertIn("thrusters", [m["limit"] for m in s["margins"]])

    def test_predictions_agree_with_each_other(self):
        s = self.done
        relative = np.array([p["sigma"] / p["scale"] for p in s["parameters"]])
        np.testing.assert_allclose([p["relative"] for p in s["parameters"]], relative, rtol=1e-14)
        self.assertAlmostEqual(s["error_rms"], np.sqrt(np.mean(relative**2)), places=12)
        self.assertAlmostEqual(s["criterion"], np.log(np.sum(relative**2)), places=9)  # A-optimal: log tr C
        self.assertLess(s["error_rms"], s["baselines"]["random"]["error_rms"])
        self.assertLess(s["error_rms"], s["baselines"]["sinusoids"]["error_rms"])
        self.assertLessEqual(s["condition_floor"]["value"], s["condition_number"])

    def test_sigma_is_that_of_least_squares_on_the_samples(self):
        """Of a diagonal structure the columns of the regressor can be written down: docs/model.md eqs. 16 to 18."""
        names, values = self.samples()
        u, v, w, r, u_dot, v_dot, w_dot, r_dot = (values[:, names.index(name)]
                                                  for name in ("u", "v", "w", "r", "u_dot", "v_dot", "w_dot", "r_dot"))
        o, one = np.zeros_like(u), np.ones_like(u)
        # In surge, sway, heave, yaw. C(nu) nu of a diagonal M is [-m22 v r, m11 u r, 0, (m22 - m11) u v].
        columns = {"m11": (u_dot, u * r, o, -u * v), "m22": (-v * r, v_dot, o, u * v), "m33": (o, o, w_dot, o),
                   "m66": (o, o, o, r_dot), "d11": (u, o, o, o), "d22": (o, v, o, o), "d33": (o, o, w, o),
                   "d66": (o, o, o, r), "W-B": (o, o, -one, o)}
        self.assertEqual([p["name"] for p in self.done["parameters"]], list(columns))
        Y = np.array(list(columns.values()))  # parameter, row, sample
        G = sum(Y[:, k] @ Y[:, k].T / sigma**2 for k, sigma in enumerate((1, 1, 1, 0.25)))
        np.testing.assert_allclose([p["sigma"] for p in self.done["parameters"]], np.sqrt(np.diag(np.linalg.inv(G))), rtol=1e-9)

    def samples(self):
        lines = (self.folder / "samples.csv").read_text().splitlines()
        self.assertEqual(lines[:3], ["# fathom log 1", "# channel: samples", "# frame: none"])
        header = next(line for line in lines if not line.startswith("#"))
        names = [re.sub(r" \[.*", "", name) for name in header.split(",")]
        values = np.array([[float(x) for x in row] for row in csv.reader(line for line in lines if not line.startswith("#"))
                           if not row[0].startswith("t ")])
        return names, values

    def test_samples_are_the_trajectory(self):
        names, v = self.samples()
        self.assertEqual(v.shape, (151, 37))
        path = yaml.safe_load((self.folder / "trajectory.yaml").read_text())
        self.assertEqual((path["format"], path["problem"], path["robot"]), ("fathom-trajectory-1", "small", "defender-like"))
        self.assertEqual((path["coordinates"], path["units"]), (["x", "y", "z", "roll", "pitch", "yaw"], ["m"] * 3 + ["rad"] * 3))
        for name in path["coordinates"]:
            value, rate = np.transpose([at(path, name, t) for t in v[:, 0]])
            np.testing.assert_allclose(v[:, names.index(name)], value, atol=1e-12)
            np.testing.assert_allclose(v[:, names.index(name + "_rate")], rate, atol=1e-12)
        for k in (0, -1):  # from rest to rest, at the start
            np.testing.assert_allclose(v[k, 1:7], [0, 0, 1, 0, 0, 0], atol=1e-12)
            np.testing.assert_allclose(v[k, 7:19], 0, atol=1e-12)

    def test_waypoints_are_the_trajectory(self):
        rows = list(csv.DictReader((self.folder / "waypoints.csv").read_text().splitlines()))
        path = yaml.safe_load((self.folder / "trajectory.yaml").read_text())
        self.assertEqual([float(row["t"]) for row in rows], list(range(31)))
        for row in rows:
            t = float(row["t"])
            for key, name in (("north", "x"), ("east", "y"), ("down", "z")):
                self.assertAlmostEqual(float(row[key]), at(path, name, t)[0], delta=6e-5)
            yaw = math.degrees(at(path, "yaw", t)[0])
            self.assertAlmostEqual(float(row["yaw_deg"]), yaw, delta=6e-5)
            self.assertTrue(0 <= float(row["heading_deg"]) < 360)
            self.assertLess(abs((float(row["heading_deg"]) - yaw + 180) % 360 - 180), 1e-4)
            speed = math.hypot(*(at(path, name, t)[1] for name in "xyz"))
            self.assertAlmostEqual(float(row["speed"]), speed, delta=6e-5)
        self.assertNotIn("-0.0000", (self.folder / "waypoints.csv").read_text())

    def test_words_for_people(self):
        for words in ("small: 9 parameters of defender-like from 30 s", "m11", "condition number", "sinusoids error", ", heeding the box limits alone;",
                      "certificate: converged", "thrusters", "trajectory.yaml", "report.html"):
            self.assertIn(words, self.stdout)

    def test_report_needs_no_network(self):
        self.needs_no_network(self.folder / "report.html")


class Options(Excited):
    def test_json_stands_alone(self):
        self.json_stands_alone()

    def test_threads_change_no_byte(self):
        self.threads_change_no_byte()

    def test_seed_changes_the_motion(self):
        self.seed_changes_the_motion("first")

    def test_duration_keeps_the_shares(self):
        two = GOOD + "segments:\n  - {name: a, share: 0.25}\n  - {name: b, share: 0.75}\n"
        self.excite("--duration", "24", text=two)
        s = self.summary()
        self.assertEqual(s["problem"]["segments"], [{"name": "a", "duration_s": 6}, {"name": "b", "duration_s": 18}])
        self.assertEqual((s["problem"]["duration_s"], s["problem"]["samples"]), (24, 121))
        self.assertIn("--duration 24", s["command"])

    def test_longer_is_better(self):
        self.excite()
        short = self.summary()["error_rms"]
        self.excite("--duration", "60")
        self.assertLess(self.summary()["error_rms"], short)

    def test_each_criterion_is_best_at_its_own(self):
        found = {}
        for criterion in ("a-optimal", "d-optimal", "condition"):
            result = self.excite("--criterion", criterion, status=None)
            self.assertIn(result.returncode, (0, 1), result.stderr)
            found[criterion] = self.summary()
            self.assertEqual(found[criterion]["problem"]["criterion"], criterion)
        error = {k: s["error_rms"] for k, s in found.items()}
        condition = {k: s["condition_number"] for k, s in found.items()}
        self.assertEqual(min(error, key=error.get), "a-optimal")
        self.assertEqual(min(condition, key=condition.get), "condition")
        self.assertIn("condition number", found["condition"]["criterion_in_words"])

    def test_starts_and_waypoint_interval(self):
        self.excite("--starts", "2", "--waypoint-interval", "7")
        self.assertEqual(len(self.summary()["starts"]), 2)
        self.assertEqual(self.summary()["command"], "excite p.yaml --starts 2 --waypoint-interval 7 --seed 1")
        rows = list(csv.DictReader((self.here / "results/waypoints.csv").read_text().splitlines()))
        self.assertEqual([float(row["t"]) for row in rows], [0, 7, 14, 21, 28, 30])

    def test_command_has_the_path_as_given(self):
        self.write("tanks/p.yaml", GOOD)
        s = self.document("excite", "tanks/../tanks/p.yaml", "--starts", "1", "--out", "results")
        self.assertEqual(s["command"], "excite tanks/../tanks/p.yaml --starts 1 --seed 1")

    def test_sinusoids_that_do_better_are_told(self):
        """Six intervals in half a minute are too few; with thrusters to heed, sinusoids are no fair measure."""
        free = changed("thrusters: 0.8\n", "")
        words = "plain sinusoids are better than this design"
        result = self.excite(text=free + "shape: {kind: spline, interval: 5}\n")
        s = self.summary()
        self.assertLess(s["baselines"]["sinusoids"]["error_rms"], s["error_rms"])
        self.assertIn(words, result.stderr)
        self.assertIn("a shorter shape.interval", result.stderr)
        self.assertTrue(any(words in note for note in s["notes"]))
        self.assertNotIn("heeding the box limits alone", result.stdout)
        result = self.excite(text=free)
        self.assertEqual((result.stderr, self.summary()["notes"]), ("", []))
        self.assertEqual(self.excite(text=GOOD + "shape: {kind: spline, interval: 5}\n").stderr, "")

    def test_default_folder_and_second_run(self):
        self.write("p.yaml", GOOD)
        self.write("out/excite-small/notes.txt", "mine")
        for _ in range(2):
            self.fathom("excite", "p.yaml", status=0)
        self.assertEqual(set(os.listdir(self.here / "out/excite-small")), OURS | {"notes.txt"})

    def test_status_follows_the_certificate(self):
        """Not converged, or converged: the exit status, the summary and standard error say the same."""
        for criterion in ("a-optimal", "condition"):
            result = self.excite("--starts", "1", "--criterion", criterion, status=None)
            s = self.summary()
            good = s["certificate"]["status"] == "converged" and s["inside_limits"]
            self.assertEqual(result.returncode, 0 if good else 1, result.stderr)
            for word in ("stationarity", "complementarity", "margin", "iterations"):
                self.assertEqual(word in result.stderr, not good)
            self.assertEqual("more starts, a longer duration" in result.stderr, s["certificate"]["status"] != "converged")


class Wrong(Excited):
    """Bad problems and bad usage: status 2, the place, nothing written."""

    def test_unknown_problem_gets_the_nearest(self):
        self.refused("tank-defendr", words=["there is no problem 'tank-defendr'", "did you mean tank-defender?"])
        self.refused("zzz", words=["known: ariane", "a path must hold", "two-minutes"])
        self.refused("missing.yaml", words=["missing.yaml"])

    def test_scenario_instead_of_a_problem(self):
        self.refused_text((ROOT / "data/scenarios/open-loop.yaml").read_text(), ["this is a scenario, not a problem", "fathom simulate"])

    def test_boxes_in_conflict(self):
        apart = GOOD + "segments:\n  - {name: left, limits: {x: [-1, 0.5]}}\n  - {name: right, limits: {x: [0.8, 2]}}\n"
        self.refused_text(apart, ["left", "right"])

    def test_limits_that_hold_alone_but_not_together(self):
        """2 s for 1.8 m at 0.4 m/s: the message names the limits in conflict and by how much they are missed."""
        way = changed("start: {position: [0, 0, 1]}", "start: {position: [0, 0, 1]}\nend: {position: [2, 0, 1]}")
        error = self.refused_text(way + "segments:\n  - {name: near, duration: 14, limits: {x: [-0.1, 0.1]}}\n"
                                  "  - {name: across, duration: 2}\n  - {name: far, duration: 14, limits: {x: [1.9, 2.1]}}\n", ["x"])
        self.assertRegex(error, r"x.*(near|across|far)")
        self.assertRegex(error, r"\d (m|m/s|m/s\^2)\b")

    def test_way_too_far_for_the_time(self):
        way = changed("start: {position: [0, 0, 1]}", "start: {position: [-2, 0, 1]}\nend: {position: [2, 0, 1]}")
        self.refused_text(changed("sampling: 0.2", "sampling: 0.05\nshape: {kind: spline, interval: 1}", way),
                          ["end is 4 m of x from the start", "11.6 s", "there are 8 s"], "--duration", "8")

    def test_start_outside_the_tank(self):
        error = self.refused_text(changed("position: [0, 0, 1]", "position: [4, 0, 1]"), ["start"], line=line_of("start:"))
        self.assertIn("4", error)

    def test_duration_too_short(self):
        self.refused_text(GOOD, ["sampling", "samples"], "--duration", "5")
        for duration in ("0", "-3", "nan", "inf"):
            self.write("p.yaml", GOOD)
            self.refused("p.yaml", "--duration", duration, words=["duration"])

    def test_parameter_that_no_motion_shows(self):
        six = re.sub(r"structure: .*", "structure: vehicle-27", GOOD)
        error = self.refused_text(six.replace("duration: 30", "duration: 60"), ["structure", "W", "B", "prior"])
        self.assertRegex(error, r"\bW\b.*\bB\b|\bB\b.*\bW\b")

    def test_options_that_make_no_sense(self):
        self.write("p.yaml", GOOD)
        for option, value in (("--starts", "0"), ("--starts", "many"), ("--criterion", "a-optimol"), ("--threads", "-1"),
                              ("--waypoint-interval", "0"), ("--waypoint-interval", "nan"), ("--seed", "-1"), ("--duration", "x")):
            with self.subTest(f"{option} {value}"):
                self.refused("p.yaml", option, value, words=[option])
        for option, value, *expected in (("--threads", "-1", "a whole number from 1 to 4096"), ("--threads", "x", "a whole number"),
                                         ("--starts", "many", "expected a whole number", "must be 1 to 100000"), ("--starts", "1.5", "a whole number"),
                                         ("--duration", "", "expected a number in s"), ("--duration", "1m", "the unit is s")):
            with self.subTest(f"{option} {value}"):
                error = self.refused("p.yaml", option, value, words=[option, f"'{value}'", *expected])
                self.assertLess(len(error), 200)

    def test_out_that_cannot_be_written(self):
        self.write("p.yaml", GOOD)
        self.write("taken", "a file")
        self.refused("p.yaml", "--out", "taken", words=["is a file, expected a folder"])
        self.refused("p.yaml", "--out", "/proc/fathom", words=["/proc/fathom", "cannot be made"])
        self.write("results/report.html/mine", "kept")
        self.refused("p.yaml", "--out", "results", words=["results/report.html", "cannot be replaced"])


if __name__ == "__main__":
    main()
