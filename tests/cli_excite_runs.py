"""fathom excite among other programs: the best so far where it is interrupted, the same bytes whatever the ranks, and a
simulator that follows what it wrote.

Run by ctest (repo:cli_excite_runs), or by hand: FATHOM_BIN=build/release/bin/fathom python3 tests/cli_excite_runs.py
"""

import math
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

import numpy as np

from cli_case import BIN, SANITIZED, main
from excite_case import GOOD, MPIRUN, OURS, RANKS, Excited, changed


class Interrupted(Excited):
    """The best so far is kept; before there is one, what was there stays."""

    LONG = changed("starts: 3", "starts: 100000")

    def begin(self, **env):
        self.write("p.yaml", self.LONG)
        # Whoever runs the tests may ignore SIGHUP, under nohup for one, and children inherit that.
        return subprocess.Popen([BIN, "excite", "p.yaml", "--out", "results"], cwd=self.here, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=self.environment(**env),
                                preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))

    def test_keeps_the_best_so_far(self):
        for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(sent.name):
                shutil.rmtree(self.here / "results", ignore_errors=True)
                process = self.begin()
                time.sleep(5 if SANITIZED else 1)
                process.send_signal(sent)
                out, err = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 1, err)
                self.assertIn("interrupted; this is the best of what", err)
                self.assertIn("INTERRUPTED", out)
                self.assertNotIn("converged after", err)
                self.assertEqual(set(os.listdir(self.here / "results")), OURS)
                s = self.summary()
                self.assertTrue(s["interrupted"] and s["inside_limits"])
                self.assertLess(len(s["starts"]), 100000)
                self.assertEqual(min(start["last"] for start in s["starts"]), s["criterion"])
                self.assertEqual(self.temporaries(), [])

    def test_twice_leaves_nothing_behind(self):
        for pause in (0, 0.002, 0.01, 0.05):
            with self.subTest(pause=pause):
                shutil.rmtree(self.here / "results", ignore_errors=True)
                process = self.begin()
                time.sleep(5 if SANITIZED else 0.5)
                lock = str(self.here / ".results.fathom-lock")  # held while the run lasts
                self.assertEqual(self.temporaries(), [lock], "before there is anything to write")
                process.send_signal(signal.SIGINT)
                time.sleep(pause)
                process.send_signal(signal.SIGINT)
                err = process.communicate(timeout=60)[1]
                self.assertIn(process.returncode, (1, 130), err)
                self.assertEqual(self.temporaries(), [])
                # The second one may also come after the results are in place and before the program ends: then they are whole.
                if process.returncode == 1 or (self.here / "results").exists():
                    self.assertEqual(set(os.listdir(self.here / "results")), OURS)

    def test_nohup_holds(self):
        self.write("p.yaml", GOOD)
        process = subprocess.Popen(["nohup", BIN, "excite", "p.yaml", "--out", "results", "--starts", "20"], cwd=self.here, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment())
        for _ in range(5):
            time.sleep(0.1)
            process.send_signal(signal.SIGHUP)
        err = process.communicate(timeout=60)[1]
        self.assertNotIn("interrupted", err)
        self.assertFalse(self.summary()["interrupted"])

    def test_before_the_first_start(self):
        """The robot file is a pipe that stays silent: the program waits in it until the signal arrives."""
        os.mkdir(self.here / "own")
        os.mkfifo(self.here / "own/defender-like.yaml")
        self.write("results/summary.json", "old")
        process = self.begin(FATHOM_MODELS=str(self.here / "own"))
        with open(self.here / "own/defender-like.yaml", "wb"):
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (130, ""), err)
        self.assertIn("interrupted", err)
        self.assertEqual(self.tree(self.here / "results"), {"summary.json": b"old"})
        self.assertEqual(self.temporaries(), [])


@unittest.skipUnless(MPIRUN, "no mpirun")
class Ranks(Excited):
    def launch(self, n, *args, status=0):
        result = subprocess.run([MPIRUN, "-n", str(n), BIN, "excite", "p.yaml", "--out", "results", "--threads", "1", *args],
                                cwd=self.here, text=True, capture_output=True, timeout=120, env=self.environment(**RANKS))
        self.assertEqual(result.returncode, status, result.stderr)
        return result

    def test_their_number_changes_no_byte(self):
        self.excite("--threads", "1")
        alone = self.tree(self.here / "results")
        for n in (1, 2, 3):
            with self.subTest(ranks=n):
                shutil.rmtree(self.here / "results")
                result = self.launch(n, "--json")
                self.assertEqual(result.stdout.encode(), alone["summary.json"])
                found = self.tree(self.here / "results")
                self.assertEqual(found.keys(), alone.keys())
                self.assertEqual([name for name in found if found[name] != alone[name]], [])

    def test_bad_problem_is_told_once(self):
        self.write("p.yaml", changed("dof: 4", "dof: 5"))
        self.assertEqual(self.launch(2, status=2).stderr.count("p.yaml:4"), 1)


class Followed(Excited):
    """The arrow from excite to simulate: a scenario follows the trajectory."""

    def scenario(self, reference, more=""):
        return ("format: fathom-scenario-1\nname: follow\nduration: 31\nstep: 0.02\nvehicles:\n"
                f"  - {{name: rov, robot: defender-like, control: {{kind: pid}}, reference: {reference}{more}}}\n")

    def column(self, path, *names):
        lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
        header = [re.sub(r" \[.*", "", name) for name in lines[0].split(",")]
        values = np.array([[float(x) if x else math.nan for x in line.split(",")] for line in lines[1:]])
        return values[:, [header.index(name) for name in names]]

    def test_reference_is_the_samples(self):
        self.excite()
        self.write("dive/s.yaml", self.scenario("{trajectory: ../results/trajectory.yaml}"))
        s = self.document("simulate", "dive/s.yaml", "--out", "swim")
        self.assertLess(s["vehicles"][0]["tracking"]["position_rms_m"], 0.05)
        twist = ["u", "v", "w", "p", "q", "r"]
        designed = self.column(self.here / "results/samples.csv", "t", "x", "y", "z", *twist)
        swum = self.column(self.here / "swim/log/rov.reference.csv", "t", "north", "east", "down", *twist)
        np.testing.assert_allclose(swum[:1501:10], designed, atol=1e-9)
        np.testing.assert_allclose(swum[1502:, 4:], 0, atol=0)

    def test_bad_trajectories(self):
        def refused(reference, *words, more=""):
            self.write("s.yaml", self.scenario(reference, more))
            result = self.fathom("simulate", "s.yaml", "--out", "swim", status=2)
            for word in ("s.yaml:6", *words):
                self.assertIn(word, result.stderr)
        self.excite()
        good = (self.here / "results/trajectory.yaml").read_text()
        refused("{trajectory: missing.yaml}", "missing.yaml", "does not exist")
        refused("{trajectory: s.yaml}", "this is a scenario, not a trajectory")
        refused("{trajectory: results/trajectory.yaml, waypoints: [{position: [0, 0, 1]}]}", "stands beside waypoints")
        refused("{trajectory: results/trajectory.yaml, sped: 1}", "'sped'")
        self.write("bad.yaml", changed("degree: 3", "degree: 4", good))
        refused("{trajectory: bad.yaml}", "bad.yaml:", "expected 5 numbers")
        self.write("far.yaml", re.sub(r"(  yaw:\n    - )\[.*\]", r"\1[0, 0, 0, 1e300]", good))
        refused("{trajectory: far.yaml}", "far.yaml:", "has 1e+300 rad, must be within 1e+06 rad of zero")
        self.write("tilted.yaml", re.sub(r"pitch:\n(    - .*\n)+",
                                         lambda m: re.sub(r"\[.*\]", "[0.1, 0.1, 0.1, 0.1]", m.group(0)), good))
        refused("{trajectory: tilted.yaml}", "has a trajectory with roll or pitch", more=", dof: 4")


if __name__ == "__main__":
    main()
