"""fathom prior: a robot file from the shape of a hull, which every verb takes.

Run by ctest (repo:cli_prior), or by hand: FATHOM_BIN=build/release/bin/fathom python3 tests/cli_prior.py
"""

import json

import yaml
from cli_case import PUSHES, ROOT, Case, main

BOX = """format: fathom-hull-1
name: guess
kind: open_frame
mass: {value: 13.5, source: scale}
shape: {box: [0.457, 0.575, 0.254]}
"""


def hull_of_bluerov():
    """The shape of the BlueROV2 Heavy with its own thrusters and sensors: what a builder knows."""
    robot = yaml.safe_load((ROOT / "data/robots/bluerov2-heavy.yaml").read_text())
    hull = yaml.safe_load(BOX)
    parts = ("thruster_maps", "thruster_transients", "thrusters", "sensors")
    return yaml.safe_dump({**hull, **{key: robot[key] for key in parts}}, sort_keys=False)


class Prior(Case):
    def test_is_clean_and_says_what_it_is(self):
        self.write("hull.yaml", BOX)
        result = self.fathom("prior", "hull.yaml", "--out", "guess.yaml", status=0)
        self.assertIn("added mass", result.stdout)
        self.assertEqual(result.stderr, "")
        lint = self.document("lint", "guess.yaml")
        self.assertEqual(lint["files"][0]["findings"], [])
        robot = yaml.safe_load((self.here / "guess.yaml").read_text())
        for key in ("inertia", "volume", "centre_of_mass", "centre_of_buoyancy", "added_mass"):
            self.assertRegex(robot["hull"][key]["source"], r"^from geometry \(docs/prior.md eq")
            self.assertIn("sigma", robot["hull"][key])
        self.fathom("models", "guess.yaml", status=0)

    def test_writes_a_folder_too(self):
        self.write("hull.yaml", BOX)
        summary = self.document("prior", "hull.yaml", "--out", "results", "--density", "1025")
        self.assertEqual(sorted(p.name for p in (self.here / "results").iterdir()), ["guess.yaml", "summary.json"])
        self.assertEqual(json.loads((self.here / "results/summary.json").read_text()), summary)
        robot = yaml.safe_load((self.here / "results/guess.yaml").read_text())
        self.assertAlmostEqual(robot["hull"]["volume"]["value"], 13.5 / 1025, 12)

    def test_refuses(self):
        def error(text):
            self.write("hull.yaml", text)
            before = self.tree()
            result = self.fathom("prior", "hull.yaml", "--out", "out.yaml", status=2)
            self.assertEqual(self.tree(), before)
            return result.stderr

        self.assertIn("hull.yaml:5: shape has the unknown key 'bxo' (did you mean box?)", error(BOX.replace("box", "bxo")))
        self.assertIn("did you mean open_frame?", error(BOX.replace("open_frame", "openframe")))
        self.assertIn("hull.yaml:4: mass", error(BOX.replace("13.5", "13.5 kg")))
        self.assertIn("holds 0.0667", error(BOX.replace("13.5", "1350")))
        self.assertIn("is a robot file already", error("format: fathom-robot-1\nname: x\n"))
        self.fathom("prior", "nowhere.yaml", status=2)
        self.write("hull.yaml", BOX)
        self.assertIn("is read in this run", self.fathom("prior", "hull.yaml", "--out", "hull.yaml", status=2).stderr)

    def test_warns_of_a_closed_hull_full_of_water(self):
        self.write("hull.yaml", BOX.replace("open_frame", "closed"))
        self.assertIn("displaces only 20 %", self.fathom("prior", "hull.yaml", "--out", "a.yaml", status=0).stderr)

    def test_swims_and_is_improved_by_a_log(self):
        self.write("hull.yaml", hull_of_bluerov())
        self.fathom("prior", "hull.yaml", "--out", "guess.yaml", status=0)
        self.write("own.yaml", PUSHES.format(duration=5).replace("bluerov2-heavy", "guess.yaml"))
        self.fathom("simulate", "own.yaml", "--out", "own", status=0)
        self.write("pushes.yaml", PUSHES.format(duration=60))  # the real vehicle
        self.fathom("simulate", "pushes.yaml", "--out", "day", status=0)
        self.fathom("identify", "--robot", "guess.yaml", "--log", "day/log", "--structure", "diagonal", "--out", "results",
                    "--accept-unseen", status=0, timeout=120)
        found = {row["name"]: row for row in json.loads((self.here / "results/summary.json").read_text())["parameters"]}
        # von Benzon et al. 2022: mass and added mass, quadratic drag.
        truth = {"m11": 19.86, "m22": 20.62, "m33": 32.18, "m66": 0.592, "q11|1|": 141, "q22|2|": 217, "q33|3|": 190}
        def error(name, of):
            return abs(found[name][of] - truth[name])
        better = [name for name in truth if error(name, "estimate") < error(name, "before")]
        self.assertGreaterEqual(len(better), 5, found)
        for name in ("q11|1|", "q22|2|", "m66"):
            self.assertIn(name, better)

    def test_its_first_motion_can_be_designed(self):
        self.write("hull.yaml", hull_of_bluerov())
        self.fathom("prior", "hull.yaml", "--out", "guess.yaml", status=0)
        problem = (ROOT / "data/problems/bluerov2-heavy-6dof.yaml").read_text()
        self.assertIn("robot: bluerov2-heavy\n", problem)
        self.write("problem.yaml", problem.replace("robot: bluerov2-heavy\n", "robot: guess.yaml\n"))
        self.fathom("excite", "problem.yaml", "--starts", "1", "--duration", "30", "--out", "first", status=0, timeout=120)


if __name__ == "__main__":
    main()
