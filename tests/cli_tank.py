"""fathom identify --what towing and --what decay: campaigns in the tank become drag and restoring that a robot takes; bad ones told.

Run by ctest (repo:cli_tank); FATHOM_BIN names the program.
"""
import json
import shutil

from cli_case import ROOT, Case, main

EXAMPLE = ROOT / "examples/tank"


class Tank(Case):
    def setUp(self):
        super().setUp()
        shutil.copytree(EXAMPLE, self.here / "tank")

    def identify(self, what, campaign, *args, status=0):
        return self.fathom("identify", "--what", what, "--campaign", f"tank/{campaign}.yaml", *args, "--out", "results", status=status)

    def summary(self):
        return json.loads((self.here / "results/summary.json").read_text())

    def change(self, campaign, before, after):
        path = self.here / "tank" / f"{campaign}.yaml"
        text = path.read_text()
        self.assertIn(before, text)
        path.write_text(text.replace(before, after))

    def refused(self, what, campaign, *args, words):
        result = self.identify(what, campaign, *args, status=2)
        self.assertEqual(result.stdout, "")
        for word in words:
            self.assertIn(word, result.stderr)
        self.assertFalse((self.here / "results").exists())

    def names(self):
        return sorted(p.name for p in (self.here / "results").iterdir())

    def test_towing_alone(self):
        self.change("surge", "assume: [sway]", "#")
        stdout = self.identify("towing", "surge").stdout
        self.assertRegex(stdout, r"left out: ahead-6b, \+\d+\.\d sigmas")
        self.assertEqual(self.names(), ["report.html", "result.yaml", "summary.json"])
        summary = self.summary()
        self.assertEqual((summary["what"], summary["axis"]), ("towing", "surge"))
        law = summary["all"]
        for name, truth in (("c1", 2), ("c2", 35)):
            self.assertLess(law[name]["interval_95"][0], truth, law)
            self.assertGreater(law[name]["interval_95"][1], truth, law)
            self.assertAlmostEqual(law[name]["estimate"], sum(law[name]["interval_95"]) / 2)
        self.assertGreater(summary["same_both_ways"], .05)
        named, = [run for run in summary["runs"] if "outlier_sigmas" in run]
        self.assertEqual(named["name"], "ahead-6b")

    def test_towing_into_a_robot(self):
        self.identify("towing", "surge", "--robot", "bluerov2-heavy")
        self.assertEqual(self.names(), ["report.html", "result.yaml", "robot.yaml", "summary.json"])
        sway, = self.summary()["supposed"]
        self.assertEqual(sway["axis"], "sway")
        self.assertAlmostEqual(sway["quadratic"], self.summary()["all"]["c2"]["estimate"] * 7.12 / 6.36, places=9)
        self.assertIn("0 errors", self.fathom("lint", "results/robot.yaml", status=0).stdout)
        self.assertIn("sway not tested", (self.here / "results/robot.yaml").read_text())

    def test_decay(self):
        self.assertIn("comes to rest at -12", self.identify("decay", "roll").stdout)
        summary = self.summary()
        for name, truth in (("restoring", 2.2), ("linear", .08), ("quadratic", .25)):
            found = summary["over_inertia"][name]
            low, high = found["interval_95"]
            self.assertLess(abs(found["estimate"] - truth), 1.5 * (high - low) / 2, name)
        self.assertEqual(summary["coefficients"]["inertia"], {"estimate": .46, "sigma": .03})
        self.identify("decay", "roll", "--robot", "bluerov2-heavy")
        self.assertIn("0 errors", self.fathom("lint", "results/robot.yaml", status=0).stdout)

    def test_decay_without_anything_known(self):
        self.change("roll", "known:", "# known:")
        self.assertIn("ratios alone", self.identify("decay", "roll").stdout)
        self.assertIsNone(self.summary()["coefficients"])
        shutil.rmtree(self.here / "results")
        self.refused("decay", "roll", "--robot", "bluerov2-heavy", words=["known", "is missing"])

    def test_the_same_command_gives_the_same_bytes(self):
        for what, campaign in (("towing", "surge"), ("decay", "roll")):
            self.identify(what, campaign, "--robot", "bluerov2-heavy")
            before = self.tree(self.here / "results")
            self.identify(what, campaign, "--robot", "bluerov2-heavy")
            self.assertEqual(self.tree(self.here / "results"), before)

    def test_bad_campaigns(self):
        for what, campaign, before, after, words in (
                ("towing", "surge", "axis: surge", "axis: serge", ["surge.yaml:4", "did you mean surge?"]),
                ("towing", "surge", "column: m1", "column: m9", ["ahead-2a.csv: 'm9'", "did you mean m1?", "astern-10b.csv: 'm9'"]),
                ("towing", "surge", "file: ahead-2a.csv", "file: lost.csv", ["lost.csv"]),
                ("towing", "surge", "sign: -1, angle", "sgn: -1, angle", ["surge.yaml:11", "sgn", "sign"]),
                ("towing", "surge", "m1, gain", "m1, sign: -1, gain", ["force against their speed"]),
                ("towing", "surge", "unit: m/s", "unit: mm/s", ["the campaign says", "is the column's unit right?"]),
                ("decay", "roll", "unit: deg", "unit: rad", ["roll-1.csv", "degrees?"]),
                ("decay", "roll", "fathom-decay-1", "fathom-towing-1", ["a towing campaign", "--what towing"])):
            with self.subTest(after):
                shutil.copytree(EXAMPLE, self.here / "tank", dirs_exist_ok=True)
                self.change(campaign, before, after)
                self.refused(what, campaign, "--robot", "bluerov2-heavy", words=words)

    def test_one_absurd_cell(self):
        def cell(file, line, column, value):
            path = self.here / "tank" / file
            lines = path.read_text().splitlines()
            row = lines[line - 1].split(",")
            row[column] = value
            path.write_text("\n".join([*lines[:line - 1], ",".join(row), *lines[line:]]) + "\n")
        cell("roll-1.csv", 30, 1, "170")
        self.refused("decay", "roll", words=["roll-1.csv:30: roll = 170, while all others lie between"])
        cell("ahead-4a.csv", 60, 1, "-1")
        self.refused("towing", "surge", "--robot", "bluerov2-heavy", words=["ahead-4a.csv:60: carriage [m/s] = -1, while all others lie between"])
        cell("ahead-4a.csv", 60, 1, "0.4")
        self.change("surge", "quadratic_sigma: 0.4", "quadratic_sigma: 1e12")
        self.refused("towing", "surge", "--robot", "bluerov2-heavy", words=["surge.yaml:12: bracket.quadratic_sigma = 1000000000000, must be 0 to 1e+06"])

    def test_bad_usage(self):
        shutil.rmtree(self.here / "tank")
        for args, words in ((["--what", "towing"], ["--campaign", "is missing"]),
                            (["--what", "decay", "--campaign", "none.yaml"], ["none.yaml"]),
                            (["--what", "towing", "--campaign", "x.yaml", "--log", "x"], ["no --log"]),
                            (["--what", "towing", "--campaign", "x.yaml", "--spread", "1"], ["--spread does nothing with --what towing"]),
                            (["--what", "thruster", "--campaign", "x.yaml"], ["no --campaign"]),
                            (["--robot", "rexrov", "--log", "x", "--campaign", "x.yaml"], ["--what towing"])):
            with self.subTest(" ".join(args)):
                result = self.fathom("identify", *args, status=2)
                for word in words:
                    self.assertIn(word, result.stderr)
                self.assertEqual(self.tree(), {})


if __name__ == "__main__":
    main()
