"""fathom excite of an arm: files that a controller can move by, the same bytes whatever the threads, bad problems told
with their place, the best so far where it is interrupted.

Run by ctest (repo:cli_excite_arm), or by hand: FATHOM_BIN=build/release/bin/fathom python3 tests/cli_excite_arm.py
"""

import csv
import os
import shutil
import signal
import subprocess
import time
import unittest

import numpy as np
import yaml

from cli_case import BIN, ROOT, SANITIZED, main
from excite_case import MPIRUN, RANKS, Excited, changed, line_of

REACH = """\
format: fathom-excitation-1
name: small
arm: reach-alpha-5
down: [0, 0, -1]
harmonics: 3
period: 20
samples: 40
columns: {friction: viscous, offset: true}
limits:
  e: {speed: 0.4, acceleration: 1}
starts: 3
iterations: 20
"""
ARIANE = """\
format: fathom-excitation-1
name: small
arm: ariane
held: {joint-4: 0}
medium: air
space: motor
measured: current
columns: {friction: none, offset: false, motor: true}
starts: 3
iterations: 20
"""
URDF = """\
format: fathom-excitation-1
name: small
arm: tree.urdf
harmonics: 2
period: 10
samples: 40
columns: {friction: viscous, offset: true}
limits:
  j1: {acceleration: 5}
  j2: {speed: 0.5, acceleration: 5}
  j3: {min: -2, max: 2, speed: 2, acceleration: 5, effort: 20}
starts: 1
iterations: 10
"""
OURS = {"summary.json", "trajectory.csv", "trajectory.yaml", "report.html"}


def table(folder):
    rows = list(csv.reader((folder / "trajectory.csv").read_text().splitlines()))
    return rows[0], np.array(rows[1:], dtype=float)


def series(joint, period, t):
    """docs/arm-excitation.md eq. 1: value, rate and second derivative."""
    value, rate, second = np.full_like(t, joint["middle"]), np.zeros_like(t), np.zeros_like(t)
    for k, (s, c) in enumerate(zip(joint["sin"], joint["cos"]), 1):
        w = 2 * np.pi * k / period
        value += s * np.sin(w * t) + c * np.cos(w * t)
        rate += w * (s * np.cos(w * t) - c * np.sin(w * t))
        second -= w * w * (s * np.sin(w * t) + c * np.cos(w * t))
    return value, rate, second


class InWater(Excited):
    @classmethod
    def setUpClass(cls):
        case = Excited()
        case.setUp()
        cls.addClassCleanup(case.doCleanups)
        cls.stdout = case.excite(text=REACH).stdout
        cls.folder = case.here / "results"
        cls.done = case.summary()

    def test_files_are_there_and_nothing_else(self):
        self.assertEqual(set(os.listdir(self.folder)), OURS)
        self.assertEqual({os.path.basename(name) for name in self.done["files"]}, OURS)

    def test_summary_says_what_was_asked_and_found(self):
        s = self.done
        self.assertEqual(s["command"], "excite p.yaml --seed 1")
        problem = s["problem"]
        self.assertEqual((problem["arm"], problem["medium"], problem["space"], problem["measured"]), ("reach-alpha-5", "water", "joint", "effort"))
        self.assertTrue(s["inside_limits"] and not s["interrupted"])
        self.assertEqual([start["number"] for start in s["starts"]], [0, 1, 2])
        self.assertEqual(min(start["polished"] for start in s["starts"]), s["criterion"])
        self.assertLess(s["condition_number"], s["condition_number_of_random_motions"])
        self.assertTrue(all(m["share_left"] >= 0 for m in s["margins"]))
        self.assertEqual({m["limit"] for m in s["margins"]}, {"position", "joint speed", "joint acceleration", "effort"})
        self.assertTrue(all(p["sigma"] > 0 and p["grouping"] for p in s["parameters"]))

    def test_table_is_the_series_and_keeps_the_limits(self):
        names, v = table(self.folder)
        path = yaml.safe_load((self.folder / "trajectory.yaml").read_text())
        self.assertEqual((path["format"], path["space"], path["period"]), ("fathom-arm-trajectory-1", "joint", 20))
        self.assertEqual(names, ["t"] + [f"{what}.{joint}" for what in ("q", "dq", "ddq") for joint in "edcb"])
        lead = path["lead"]
        self.assertEqual((lead, 20), (self.done["run_in_s"], self.done["motion_s"]))
        np.testing.assert_allclose(v[:, 0], np.arange(len(v)) / 100, atol=1e-9)
        self.assertAlmostEqual(v[-1, 0], 20 + 2 * lead, delta=0.011)
        at_pace = (v[:, 0] >= lead) & (v[:, 0] <= lead + 20)
        for joint in path["joints"]:
            columns = [v[at_pace, names.index(f"{what}.{joint['name']}")] for what in ("q", "dq", "ddq")]
            for found, expected in zip(columns, series(joint, 20, v[at_pace, 0] - lead)):
                np.testing.assert_allclose(found, expected, atol=1e-7)
        speeds = [k for k, name in enumerate(names) if name.startswith("dq.")]
        np.testing.assert_allclose(v[[0, -1]][:, speeds], 0, atol=1e-9)
        for margin in self.done["margins"]:
            if margin["limit"] == "joint speed":
                speed = np.abs(v[:, names.index("dq." + margin["joint"])]).max()
                self.assertLessEqual(speed, margin["allowed"])
                self.assertLess(abs(speed - margin["reached"]), 0.01 * margin["allowed"])
        self.assertEqual([m["allowed"] for m in self.done["margins"] if m["limit"] == "joint speed"], [0.4, 0.5, 0.5, 0.5])

    def test_words_for_people(self):
        for words in ("base parameters of reach-alpha-5 from a period of 20 s", "made of", "condition number", "certificate:", "limit on",
                      "next: take the arm to the first row of trajectory.csv", "fathom identify --what arm --arm reach-alpha-5 --down 0,0,-1 --friction viscous --log RUN.csv", "one period shows", "report.html"):
            self.assertIn(words, self.stdout)

    def test_report_needs_no_network(self):
        self.needs_no_network(self.folder / "report.html")


class Options(Excited):
    def test_json_stands_alone(self):
        self.json_stands_alone(REACH)

    def test_threads_change_no_byte(self):
        self.threads_change_no_byte(ARIANE)

    def test_seed_changes_the_motion(self):
        self.seed_changes_the_motion("last", ARIANE)

    def test_what_a_urdf_has_and_an_arm_has_not_is_told(self):
        shutil.copy(ROOT / "fuzz/arm_urdf_seeds/tree.urdf", self.here)
        stderr = self.excite(text=URDF).stderr
        notes = self.summary()["notes"]
        for words in ("1 meshes: not looked for", "no water in a URDF", "fixed to 'a' and merged into it: 'tool'"):
            note, = [note for note in notes if words in note]
            self.assertIn("tree.urdf: ", note)
            self.assertIn(f"fathom: warning: {note}\n", stderr)
        self.assertIn("no water in a URDF", (self.here / "results/report.html").read_text())

    def test_shafts_where_there_are_motors(self):
        self.excite("--rate", "10", "--duration", "60", text=ARIANE)
        s = self.summary()
        self.assertEqual(s["command"], "excite p.yaml --duration 60 --rate 10 --seed 1")
        self.assertEqual((s["problem"]["period_s"], s["problem"]["held"]), (60, ["joint-4 at 0"]))
        names, v = table(self.here / "results")
        lead = s["run_in_s"]
        self.assertAlmostEqual(len(v), 10 * (60 + 2 * lead) + 1, delta=1)
        v = v[(v[:, 0] >= lead) & (v[:, 0] <= lead + 60)]
        self.assertEqual(names[-6:], [f"{what}.joint-{k}" for what in ("shaft", "shaft_speed") for k in (1, 2, 3)])
        path = yaml.safe_load((self.here / "results/trajectory.yaml").read_text())
        for joint in path["joints"]:
            value, rate, _ = series(joint, 60, v[:, 0] - lead)
            np.testing.assert_allclose(v[:, names.index("shaft." + joint["name"])], value, rtol=1e-7, atol=1e-6)
            np.testing.assert_allclose(v[:, names.index("shaft_speed." + joint["name"])], rate, rtol=1e-7, atol=1e-6)
        self.assertIn("motor speed", {m["limit"] for m in s["margins"]})

    def test_several_periods(self):
        self.excite("--periods", "3", "--rate", "20", text=REACH)
        _, v = table(self.here / "results")
        s = self.summary()
        self.assertEqual((s["motion_s"], s["command"]), (60, "excite p.yaml --rate 20 --periods 3 --seed 1"))
        self.assertAlmostEqual(v[-1, 0], 60 + 2 * s["run_in_s"], delta=0.051)
        begin = np.searchsorted(v[:, 0], s["run_in_s"] + 0.01)
        np.testing.assert_allclose(v[begin, 1:], v[begin + 400, 1:], atol=1e-7)

    def test_each_criterion_is_best_at_its_own(self):
        found = {}
        for criterion in ("condition", "d-optimal"):
            self.excite("--criterion", criterion, text=ARIANE)
            found[criterion] = self.summary()["condition_number"]
        self.assertLess(found["condition"], found["d-optimal"])

    def test_drag_can_be_shown(self):
        text = changed("offset: true", "offset: true, drag: true", REACH)
        self.excite(text=text)
        names = [p["name"] for p in self.summary()["parameters"]]
        self.assertTrue({"gripper.Q1", "gripper.Q2"} & set(names), names)

    def test_a_path_is_seen_from_the_problem(self):
        self.write("arms/mine.yaml", (ROOT / "data/arms/reach-alpha-5.yaml").read_text())
        self.write("problems/p.yaml", changed("arm: reach-alpha-5", "arm: ../arms/mine.yaml", REACH))
        self.fathom("excite", "problems/p.yaml", "--out", "results", "--starts", "1", status=0)

    def test_names_are_completed(self):
        script = ROOT / "cli/completion/fathom.bash"
        words = "COMP_WORDS=(fathom excite rea) COMP_CWORD=2; _fathom; echo ${COMPREPLY[@]}"
        done = subprocess.run(["bash", "-c", f"source {script}; {words}"], cwd=self.here, capture_output=True, text=True, env=self.environment())
        self.assertEqual(done.stdout.split(), ["reach-alpha-5"], done.stderr)

    def test_help_has_arms(self):
        text = self.fathom("excite", "--help", status=0).stdout
        for word in ("arm", "reach-alpha-5", "--rate"):
            self.assertIn(word, text)


class Wrong(Excited):
    """Bad problems and bad usage: status 2, the place, nothing written."""

    def test_both_keys_or_neither(self):
        self.refused_text(REACH + "robot: defender-like\n", ["arm stands beside robot", "leave one of them out"], line=3)
        self.refused_text(changed("arm: reach-alpha-5\n", "", REACH), ["robot", "arm: NAME"])

    def test_unknown_arm(self):
        self.refused_text(changed("reach-alpha-5", "reach-alpha-6", REACH), ["there is no arm 'reach-alpha-6'", "reach-alpha-5"], line=3)

    def test_unknown_key(self):
        self.refused_text(REACH + "colour: red\n", ["colour"], line=line_of("iterations:", REACH) + 1)
        self.refused_text(changed("speed: 0.4", "sped: 0.4", REACH), ["limits.e has the unknown key 'sped'", "did you mean speed?"], line=line_of("  e:", REACH))

    def test_a_joint_without_a_range(self):
        arm = (ROOT / "data/arms/reach-alpha-5.yaml").read_text()
        self.write("free.yaml", changed("limits: {min: 1, max: 5.5, speed: 0.5, effort: 1.5}", "limits: {speed: 0.5, effort: 1.5}", arm))
        self.refused_text(changed("arm: reach-alpha-5", "arm: free.yaml", REACH), ["joint e without a range", "limits with min and max"], line=3)

    def test_current_without_a_motor(self):
        self.refused_text(REACH + "measured: current\n", ["measured is current, but joint e has no motor", "measured: effort"],
                          line=line_of("iterations:", REACH) + 1)

    def test_too_few_samples(self):
        self.refused_text(changed("samples: 40", "samples: 12", REACH), ["samples = 12, must be more than 12"], line=line_of("samples:", REACH))

    def test_limits_that_leave_no_room(self):
        weak = changed("e: {speed: 0.4, acceleration: 1}", "d: {effort: 0.001}", REACH)
        self.refused_text(weak, ["limits leave no room", "above its limit?"], line=line_of("limits:", REACH))

    def test_limits_beyond_the_arm(self):
        self.refused_text(changed("speed: 0.4", "speed: 2", REACH), ["limits.e.speed = 2, beyond the arm's own 0.5"], line=line_of("  e:", REACH))

    def test_options_of_the_other_kind(self):
        self.write("p.yaml", REACH)
        self.refused("p.yaml", "--waypoint-interval", "2", words=["--waypoint-interval", "of a vehicle's problem", "--rate"])
        self.refused("p.yaml", "--rate", "0", words=["--rate", "must be > 0"])
        self.refused("p.yaml", "--rate", "1e9", words=["--rate", "rows"])
        self.refused("two-minutes", "--rate", "10", words=["--rate", "of an arm's problem"])
        self.refused("two-minutes", "--periods", "2", words=["--periods", "of an arm's problem"])


class Interrupted(Excited):
    def test_keeps_the_best_so_far(self):
        self.write("p.yaml", changed("starts: 3", "starts: 100000", ARIANE))
        process = subprocess.Popen([BIN, "excite", "p.yaml", "--out", "results"], cwd=self.here, text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=self.environment())
        time.sleep(8 if SANITIZED else 2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, err)
        self.assertIn("interrupted; this is the best of what", err)
        self.assertIn("INTERRUPTED", out)
        self.assertEqual(set(os.listdir(self.here / "results")), OURS)
        s = self.summary()
        self.assertTrue(s["interrupted"] and s["inside_limits"])
        self.assertLess(len(s["starts"]), 100000)
        self.assertEqual(self.temporaries(), [])


@unittest.skipUnless(MPIRUN, "no mpirun")
class Ranks(Excited):
    def test_their_number_changes_no_byte(self):
        self.excite("--threads", "1", text=ARIANE)
        alone = self.tree(self.here / "results")
        shutil.rmtree(self.here / "results")
        result = subprocess.run([MPIRUN, "-n", "2", BIN, "excite", "p.yaml", "--out", "results", "--threads", "1"], cwd=self.here, text=True,
                                capture_output=True, timeout=120, env=self.environment(**RANKS))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.tree(self.here / "results"), alone)


class Shipped(Excited):
    def test_ship_and_end_well(self):
        for name in ("ariane", "reach-alpha-5"):
            with self.subTest(name):
                shutil.rmtree(self.here / "results", ignore_errors=True)
                self.fathom("excite", name, "--starts", "2", "--out", "results", status=0, timeout=300)
                self.assertTrue(self.summary()["inside_limits"])


if __name__ == "__main__":
    main()
