"""fathom assemble: docked robots built, checked, shown and merged into robot files that every verb takes.

Run by ctest (repo:cli_assemble), or by hand: FATHOM_BIN=build/release/bin/fathom python3 tests/cli_assemble.py
"""

import json
import re

import yaml
from cli_case import PUSHES, ROOT, Case, main

# Two equal vehicles, the second ahead of the first.
TRAIN = """format: fathom-robot-1
name: train
title: Two in a row
assembly:
  modules:
    - {name: A, robot: nielsen-bluerov}
    - {name: B, robot: nielsen-bluerov}
  couplings:
    - {name: dock, between: [A.bow, B.stern]}
"""
LOOSE = TRAIN.replace("    - {name: B, robot: nielsen-bluerov}\n", """    - {name: B, robot: nielsen-bluerov}
    - {name: C, robot: nielsen-bluerov, position: [0, 3, 0]}
""")
SHIPPED = sorted(path.stem for path in (ROOT / "data/assemblies").glob("*.yaml"))


class Assemble(Case):
    def case_of(self, summary, name, cluster=0):
        return next(case for case in summary["clusters"][cluster]["cases"] if case["name"] == name)

    def test_every_assembly_that_ships(self):
        self.assertGreaterEqual(len(SHIPPED), 4)
        for name in SHIPPED:
            with self.subTest(name):
                summary = self.document("assemble", name, "--out", name)
                self.assertEqual(sorted(p.name for p in (self.here / name).iterdir()),
                                 sorted([*(f"{c['name']}.yaml" for c in summary["clusters"]), "report.html", "summary.json"]))
                self.assertEqual(json.loads((self.here / name / "summary.json").read_text()), summary)
                for cluster in summary["clusters"]:
                    masses = [m["mass"] for m in summary["modules"] if m["merged_into"] == cluster["name"]]
                    self.assertAlmostEqual(cluster["merged"]["mass"], sum(masses), 9)
                    # Weight and buoyancy hold no closed system together by themselves: what goes through is finite.
                    for case in cluster["cases"]:
                        for load in case["loads"].values():
                            self.assertTrue(all(isinstance(x, float) for x in load))

    def test_results_go_to_a_folder_of_that_name(self):
        self.document("assemble", "bluerov-pair")
        self.document("assemble", ROOT / "examples/vehicle-with-arm/heavy-alpha-5.yaml")
        self.assertEqual({p.name for p in (self.here / "out").iterdir()}, {"assemble-bluerov-pair", "assemble-heavy-alpha-5"})

    def test_a_vehicle_with_an_arm_becomes_a_robot(self):
        example = ROOT / "examples/vehicle-with-arm/heavy-alpha-5.yaml"
        summary = self.document("assemble", example, "--out", "whole")
        robot = yaml.safe_load((self.here / "whole/heavy-alpha-5.yaml").read_text())
        arm = yaml.safe_load((ROOT / "data/arms/reach-alpha-5.yaml").read_text())["arm"]
        hull = yaml.safe_load((ROOT / "data/robots/bluerov2-heavy.yaml").read_text())["hull"]
        vehicle = {key: hull[key]["value"] if isinstance(hull[key], dict) else hull[key] for key in ("mass", "volume")}
        masses = sum(joint["link"]["mass"]["value"] for joint in arm["joints"])
        self.assertAlmostEqual(summary["mass"] - vehicle["mass"], masses, 9)
        # Level and still, what the vehicle must give for the arms is their weight in water.
        wet = masses - 1000 * (summary["volume"] - vehicle["volume"])
        self.assertAlmostEqual(summary["wrench_for_arms"][2], -9.81 * wet, 6)
        self.assertEqual(self.document("models", "whole/heavy-alpha-5.yaml")["name"], robot["name"])
        self.assertTrue(self.document("lint", example)["files"][0]["loads"])
        self.document("assemble", example, "--out", "alone.yaml")
        self.assertEqual(yaml.safe_load((self.here / "alone.yaml").read_text()), robot)

    def test_what_a_vehicle_with_arms_is_not(self):
        example = ROOT / "examples/vehicle-with-arm/heavy-alpha-5.yaml"
        self.assertIn("this is a vehicle with arms, not one body", self.fathom("models", example, status=2).stderr)
        self.assertIn("--push is for docked robots", self.fathom("assemble", example, "--push", "A: X=1", status=2).stderr)
        self.assertIn("--origin is for docked robots", self.fathom("assemble", example, "--origin", "first_module", status=2).stderr)
        self.write("bad.yaml", example.read_text().replace("d: 1.57", "d: 4"))
        self.assertIn("bad.yaml:13: arms[0].posture.d = 4, but joint d goes from 0.01 to 3.4 rad", self.fathom("assemble", "bad.yaml", status=2).stderr)

    def test_loads_by_hand(self):
        self.write("train.yaml", TRAIN)
        summary = self.document("assemble", "train.yaml", "--push", "A: X=10", "--push", "A: X=2")
        # Equal modules: half of the push goes through the coupling, and presses.
        push = self.case_of(summary, "push")["loads"]["dock"]
        self.assertAlmostEqual(push[0], -6, 9)
        for value in push[1:]:
            self.assertAlmostEqual(value, 0, 9)
        # Each vehicle pushes itself.
        for value in self.case_of(summary, "full surge")["loads"]["dock"]:
            self.assertAlmostEqual(value, 0, 6)
        self.assertEqual(summary["couplings"], [{"name": "dock", "between": ["A.bow", "B.stern"], "turn_deg": 0.0, "in_loop": False}])
        size = yaml.safe_load((ROOT / "data/robots/nielsen-bluerov.yaml").read_text())["hull"]["size"]["value"]
        self.assertAlmostEqual(summary["modules"][1]["position"][0], size[0], 9)
        text = self.fathom("assemble", "train.yaml", "--push", "A: X=12", status=0).stdout
        self.assertRegex(text, r"dock +push +-6 +0 +0 +0 +0 +0\n")

    def test_case_a_of_the_thesis_rests_at_45_degrees(self):
        rest = self.document("assemble", "nielsen-case-a")["clusters"][0]["at_rest"]
        self.assertAlmostEqual(abs(rest["roll_deg"]), 45, 6)
        self.assertAlmostEqual(rest["pitch_deg"], 0, 6)
        # 40 kg of displaced water, 0.1 / sqrt 2 m from the centre of mass.
        self.assertAlmostEqual(rest["righting_moment"], 40 * 9.81 * 0.1 / 2**0.5, 6)

    def test_merged_robot_is_taken_by_every_verb(self):
        self.fathom("assemble", "bluerov-pair", "--out", "pair.yaml", status=0)
        self.assertEqual(self.document("lint", "pair.yaml")["files"][0]["loads"], True)
        shown = self.document("models", "pair.yaml")
        self.assertEqual(len(shown["matrices"]["allocation"][0]), 12)
        self.fathom("export", "--robot", "pair.yaml", "--to", "gz-sim", "--out", "gazebo", status=0)
        self.write("own.yaml", PUSHES.format(duration=5).replace("bluerov2-heavy", "pair.yaml"))
        run = self.document("simulate", "own.yaml", "--out", "own")
        self.assertGreater(run["vehicles"][0]["distance_m"], 0)

    def test_origin(self):
        self.write("train.yaml", TRAIN)
        common = self.document("assemble", "train.yaml", "--out", "a")["clusters"][0]["merged"]
        first = self.document("assemble", "train.yaml", "--origin", "first_module", "--out", "b")["clusters"][0]["merged"]
        for value in common["centre_of_mass"]:
            self.assertAlmostEqual(value, 0, 12)
        self.assertAlmostEqual(first["centre_of_mass"][0], 0.483 / 2, 9)
        self.assertAlmostEqual(first["M"][0][0], common["M"][0][0], 9)

    def test_failed_thrusters(self):
        self.write("train.yaml", TRAIN)
        names = self.document("assemble", "train.yaml")["clusters"][0]["merged"]["thrusters"]
        self.assertEqual(len(names), 12)
        summary = self.document("assemble", "train.yaml", *(word for name in names[:6] for word in ("--fail", name)))
        cluster = summary["clusters"][0]
        self.assertEqual(cluster["failed"], names[:6])
        self.assertEqual(cluster["reach"]["rank"], cluster["reach_after"]["rank"])  # the other vehicle carries the first along
        self.assertGreater(cluster["reach"]["alone"]["X"][1], 1.9 * cluster["reach_after"]["alone"]["X"][1])
        result = self.fathom("assemble", "train.yaml", "--fail", names[0][:-1] + "x", status=2)
        self.assertIn("--fail = ", result.stderr)
        self.assertIn("which is no thruster of train", result.stderr)
        all_failed = self.document("assemble", "train.yaml", *(word for name in names for word in ("--fail", name)))["clusters"][0]
        self.assertEqual(all_failed["reach_after"], {"rank": 0, "unreachable": list("XYZKMN"), "alone": None})

    def test_several_clusters(self):
        self.write("loose.yaml", LOOSE)
        summary = self.document("assemble", "loose.yaml", "--out", "loose")
        self.assertEqual([c["modules"] for c in summary["clusters"]], [["A", "B"], ["C"]])
        self.assertEqual([c["name"] for c in summary["clusters"]], ["train-1", "train-2"])
        self.fathom("models", "loose/train-2.yaml")
        result = self.fathom("assemble", "loose.yaml", "--out", "one.yaml", status=2)
        self.assertIn("one file, but there are 2 clusters (name a folder", result.stderr)

    def test_report_is_one_page(self):
        self.write("train.yaml", TRAIN)
        self.fathom("assemble", "train.yaml", "--pose", "roll=90", "--out", "a", status=0)
        html = (self.here / "a/report.html").read_text()
        for words in ("train at rest in the water", "What the couplings of train carry", "posed", "train.yaml", "Allocation"):
            self.assertIn(words, html)

    def test_refuses(self):
        self.write("train.yaml", TRAIN)
        before = self.tree()

        def error(*args):
            result = self.fathom("assemble", *args, status=2)
            self.assertEqual(result.stdout, "")
            self.assertEqual(self.tree(), before)
            return result.stderr

        self.assertIn("did you mean bluerov-pair?", error("bluerov-pari"))
        self.assertIn("nowhere.yaml", error("nowhere.yaml"))
        self.assertIn("--push = 'A X=1', expected MODULE: AXIS=NUMBER, ... (such as", error("train.yaml", "--push", "A X=1"))
        self.assertIn("--push is on 'Q', which is no module of train (there are A, B)", error("train.yaml", "--push", "Q: X=1"))
        self.assertIn("--push has the unknown name 'x', expected one of X, Y, Z, K, M, N", error("train.yaml", "--push", "A: x=1"))
        self.assertIn("--push has 'X=nan', expected NAME=NUMBER", error("train.yaml", "--push", "A: X=nan"))
        self.assertIn("--push has '', expected NAME=NUMBER", error("train.yaml", "--push", "A:"))
        self.assertIn("--push says X twice", error("train.yaml", "--push", "A: X=1, X=2"))
        self.assertIn("--pose has the unknown name 'yaw', expected one of roll, pitch", error("train.yaml", "--pose", "yaw=3"))
        self.assertIn("centre_of_mass, first_module", error("train.yaml", "--origin", "centre"))
        self.assertIn("must be 500 to 2000", error("train.yaml", "--density", "1"))
        self.write("bad.yaml", TRAIN.replace("B.stern", "B.strn"))
        self.write("twice.yaml", TRAIN + "    - {name: again, between: [A.bow, B.bow]}\n")
        before = self.tree()
        self.assertRegex(error("bad.yaml"), r"bad\.yaml:9: .*did you mean B.stern\?")
        self.assertIn("twice.yaml:10:", error("twice.yaml"))
        self.assertIn("is read in this run", error("train.yaml", "--out", "train.yaml"))

    def test_help_shows_an_example_that_works(self):
        text = self.fathom("assemble", "--help", status=0).stdout
        example = re.search(r"Example:\n  fathom assemble (\S+) --push \"(.*)\"", text)
        self.fathom("assemble", example[1], "--push", example[2], status=0)


if __name__ == "__main__":
    main()
