"""fathom demo, the main job: what it prints and writes. Small (--quick), so that it also runs where nothing is optimised;
how good the whole of it is, is `fathom reproduce identification`'s to say.

Run by ctest (repo:cli_demo); FATHOM_BIN names the program.
"""
import html
import json
import math
import os

from cli_case import Case, main

OURS = {"log", "unseen", "nominal.yaml", "robot.yaml", "trajectory.yaml", "report.html", "summary.json",
        "model.sdf", "pool_day_nominal_identified.urdf", "pool_day_nominal_identified.m"}
VELOCITIES = ["surge", "sway", "heave", "yaw"]


class Demo(Case):
    def test_json_is_the_summary_with_the_time(self):
        printed = self.document("demo", "--quick", "--out", "results")
        self.assertLessEqual({"seconds", "excitation", "identification", "validation", "report"}, set(printed))
        self.assertGreater(printed.pop("seconds"), 0)
        self.assertEqual(printed, json.loads((self.here / "results/summary.json").read_text()))
        self.assertEqual(printed["report"], "results/report.html")
        self.check_estimate(printed["identification"])
        for key in ("r2", "r2_linear", "r2_joystick", "r2_joystick_linear", "in_95_percent_band"):
            numbers = printed["validation"][key]
            self.assertEqual(list(numbers), VELOCITIES)
            self.assertTrue(all(x <= 1 for x in numbers.values()), numbers)
        for velocity in VELOCITIES:
            self.assertGreater(printed["validation"]["r2"][velocity], 0.9)
        tracking = {key: x["position_rms_m"] for key, x in printed["tracking"].items()}
        self.assertLess(tracking["identified"], 0.5 * tracking["alone"])
        self.assertTrue(printed["checks_hold"])
        self.assertTrue(all(check["holds"] for check in printed["checks"]))

    def check_estimate(self, estimate):
        parameters = estimate["parameters"]
        self.assertEqual(estimate["intervals_that_hold"], sum(p["holds"] for p in parameters))
        for p in parameters:
            self.assertEqual(p["holds"], p["low"] <= p["true"] <= p["high"])
            self.assertTrue(math.isclose(p["high"] - p["low"], 2 * 1.959964 * p["sigma"], rel_tol=1e-9), p)
        m11 = next(p for p in parameters if p["name"] == "m11")
        self.assertAlmostEqual(m11["true"], 17.04 + 7.6, msg="mass and added mass of studies/pool-day/plant.yaml")
        self.assertLess(abs(m11["estimate"] - m11["true"]), 0.1 * m11["true"])
        self.assertIn(estimate["structure"], [c["structure"] for c in estimate["candidates"]])

    def test_in_words(self):
        """The files that it names are there, and the program can read them."""
        self.write("out/demo/notes.txt", "mine")
        self.write("out/demo/log/rov.old.csv", "# fathom log 1\nold\n")
        result = self.fathom("demo", "--quick", status=0)
        self.assertEqual(set(os.listdir(self.here / "out/demo")), OURS | {"notes.txt"})
        self.assertEqual((self.here / "out/demo/notes.txt").read_text(), "mine")
        self.assertFalse((self.here / "out/demo/log/rov.old.csv").exists(), "channels of two runs mix")
        self.assertTrue(result.stdout.endswith("report: out/demo/report.html\n"), result.stdout)
        summary = json.loads((self.here / "out/demo/summary.json").read_text())
        for p in summary["identification"]["parameters"]:
            self.assertIn(f"{p['low']:.3f} .. {p['high']:.3f}", result.stdout)
        estimate = summary["identification"]
        self.assertIn(f"{estimate['intervals_that_hold']} of {len(estimate['parameters'])} intervals hold", result.stdout)
        for robot in ("nominal", "robot"):
            self.fathom("lint", f"out/demo/{robot}.yaml", status=0)
        again = next(line.split() for line in result.stdout.splitlines() if line.startswith("  fathom identify"))
        found = json.loads(self.fathom(*again[1:], "--out", "found", "--json", status=0).stdout)
        self.assertEqual(found["structure"], estimate["structure"])
        for old, new in zip(estimate["parameters"], found["parameters"], strict=True):
            self.assertTrue(math.isclose(old["estimate"], new["estimate"], rel_tol=1e-3, abs_tol=1e-3), (old, new))
            self.assertTrue(math.isclose(old["sigma"], new["sigma"], rel_tol=0.01), (old, new))
        self.assertEqual(estimate["active_constraints"], found["active_constraints"])
        for name in estimate["active_constraints"]:
            self.assertIn(f"BOUND HIT: {name}\n", result.stdout)
            self.assertIn(f"BOUND HIT: {html.escape(name)}", (self.here / "out/demo/report.html").read_text())
        again = next(line.split() for line in result.stdout.splitlines() if line.startswith("  fathom validate"))
        self.assertEqual(again[:2], ["fathom", "validate"])
        self.fathom(*again[1:], "--members", "8", "--out", "again", status=0)

    def test_the_same_seed_gives_the_same_bytes_on_any_number_of_threads(self):
        trees = []
        for threads in ("1", "3"):
            (self.here / threads).mkdir()
            self.fathom("demo", "--quick", "--out", "results", "--threads", threads, cwd=self.here / threads, status=0)
            trees.append(self.tree(self.here / threads))
        self.assertEqual(trees[0].keys(), trees[1].keys())
        self.assertEqual([name for name in trees[0] if trees[0][name] != trees[1][name]], [])


if __name__ == "__main__":
    main()
