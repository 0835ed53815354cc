"""fathom lint: planted faults in robot files and in models of other simulators are named at their line; exit status, JSON, targets.

Run by ctest (repo:cli_lint), or by hand: FATHOM_BIN=build/release/bin/fathom python3 tests/cli_lint.py
"""

import json
import os
import re
import threading

from cli_case import ROOT, Case, line_in, main

SDF = """\
<?xml version="1.0"?>
<sdf version="1.10">
  <model name="box">
    <link name="base_link">
      <inertial>
        <mass>12</mass>
        <inertia><ixx>0.2</ixx><iyy>0.25</iyy><izz>0.3</izz></inertia>
      </inertial>
      <collision name="displaced">
        <pose>0 0 0.02 0 0 0</pose>
        <geometry><box><size>0.3 0.2 0.2</size></box></geometry>
      </collision>
    </link>
    <plugin filename="gz-sim-hydrodynamics-system" name="gz::sim::systems::Hydrodynamics">
      <link_name>base_link</link_name>
      <xDotU>-5</xDotU>
      <yDotV>-8</yDotV>
      <zDotW>-9</zDotW>
      <kDotP>-0.05</kDotP>
      <mDotQ>-0.06</mDotQ>
      <nDotR>-0.06</nDotR>
      <xUabsU>-20</xUabsU>
      <yVabsV>-30</yVabsV>
      <zWabsW>-40</zWabsW>
      <kPabsP>-1</kPabsP>
      <mQabsQ>-1</mQabsQ>
      <nRabsR>-1</nRabsR>
    </plugin>
  </model>
</sdf>
"""

# In robots that ship: what is changed, the rule that must tell it, words that it must hold. The line is that of the change.
ROBOT_FAULTS = {
    "mass in tonnes": ("rexrov", "mass: {value: 1862.87", "mass: {value: 1.863", "density", "tonnes instead of kg"),
    "volume in litres": ("rexrov", "volume: {value: 1.83826", "volume: {value: 0.00183826", "density", "hull.volume"),
    "volume with swapped digits": ("bluerov2-heavy", "volume: 0.0134", "volume: 0.0314", "net-buoyancy", "0.0134 would fit: two digits swapped"),
    "centre of buoyancy below": ("bluerov2-heavy", "centre_of_buoyancy: [0, 0, -0.01]", "centre_of_buoyancy: [0, 0, 0.01]", "upside-down", "sign slip"),
    "lists to one side": ("bluerov2-heavy", "centre_of_buoyancy: [0, 0, -0.01]", "centre_of_buoyancy: [0, 0.01, -0.01]", "rest-attitude", "roll"),
    "inertia in kg cm^2": ("bluerov2-heavy", "inertia: [0.26, 0.23, 0.37]", "inertia: [2600, 2300, 3700]", "scale-inertia", "kg cm^2"),
    "added mass in grams": ("bluerov2-heavy", "added_mass: [6.36,", "added_mass: [6360,", "scale-added-mass", "grams instead of kg"),
    "drag with a moved point": ("rexrov", "linear: [74.82, 69.48, 728.4,", "linear: [74.82, 69.48, 7284,", "scale-damping", "728.4 would fit"),
    "thruster in millimetres": ("bluerov2-heavy", "position: [0.120, 0.218, 0]", "position: [120, 218, 0]", "far-away", "millimetres"),
    "thruster turned by 45 rad": ("bluerov2-heavy", "direction: [0.70710678118655, -0.70710678118655, 0]",
                                  "direction: [0.52532199, 0.85090352, 0]", "degrees", "45 degrees instead of rad"),
    "thruster copied": ("bluerov2-heavy", "position: [0.120, -0.218, 0]", "position: [0.120, 0.218, 0]", "thruster-copy", "copied"),
}

# In the SDF above.
SDF_FAULTS = {
    "added mass of the wrong sign": ("<zDotW>-9<", "<zDotW>9<", "added-mass-sign", "error", "zDotW"),
    "added mass above the mass": ("<zDotW>-9<", "<zDotW>-13<", "explicit-added-mass", "error", "zDotW"),
    "damping that drives": ("<yVabsV>-30<", "<yVabsV>30<", "damping-sign", "error", "yVabsV"),
    "inertia of no body": ("<izz>0.3<", "<izz>0.5<", "rigid-inertia", "error", None),
    "mass in grams": ("<mass>12<", "<mass>12000<", "net-buoyancy", None, None),
    "centre of buoyancy below": ("<pose>0 0 0.02 0 0 0<", "<pose>0 0 -0.02 0 0 0<", "upside-down", "warning", None),
    "drag without a size": ("<xUabsU>-20<", "<xUU>-20<", "drives-one-way", "warning", None),
}


class RobotFiles(Case):
    def test_nothing_is_said_of_robots_that_ship(self):
        for file in self.document("lint", *self.robots())["files"]:
            self.assertEqual((file["loads"], file["for"], file["findings"]), (True, "fathom", []), file["file"])

    def test_planted_faults_are_named_where_they_stand(self):
        for name, (robot, old, new, rule, words) in ROBOT_FAULTS.items():
            with self.subTest(name):
                text = (ROOT / f"data/robots/{robot}.yaml").read_text()
                spoilt = text.replace(old, new, 1)
                self.assertNotEqual(text, spoilt)
                self.write("robot.yaml", spoilt)
                found = json.loads(self.fathom("lint", "robot.yaml", "--json").stdout)["files"][0]
                told = [f for f in found["findings"] if f["rule"] == rule]
                self.assertTrue(told, found["findings"])
                text_told = " ".join(f["key"] + " " + f["message"] + " " + f["hint"] for f in told)
                self.assertIn(words, text_told)
                if rule not in ("thruster-copy",):
                    self.assertEqual(told[0]["line"], line_in(spoilt, new), told[0])

    def test_what_does_not_load_is_shown_too(self):
        """Status 2 as ever, and a velocity at which the damping drives."""
        text = (ROOT / "data/robots/rexrov.yaml").read_text().replace("linear: [74.82,", "linear: [-74.82,")
        self.write("robot.yaml", text)
        found = self.document("lint", "robot.yaml", status=2)["files"][0]
        self.assertFalse(found["loads"])
        self.assertEqual([f["rule"] for f in found["findings"] if f["severity"] == "error"], ["loads"])
        shown = next(f for f in found["findings"] if f["rule"] == "damping-sign")
        power = re.search(r"at nu = \[(.*?)\] it gives (\S+) W", shown["message"])
        u = float(power.group(1).split(",")[0])
        self.assertAlmostEqual(float(power.group(2)), 74.82 * u**2 - 748.22 * abs(u) ** 3, delta=0.01 * float(power.group(2)))

    def test_text_names_the_rule_and_a_remedy(self):
        self.write("robot.yaml", (ROOT / "data/robots/rexrov.yaml").read_text().replace("1862.87, unit", "1.863, unit"))
        text = self.fathom("lint", "robot.yaml", status=1).stdout
        self.assertRegex(text, r"error: robot\.yaml:\d+: hull\.mass = 1\.863 .* 2\.6 x 1\.5 x 1\.6 m.*: no vehicle has that density.*"
                               r"\(.*1863 would fit: tonnes instead of kg\?\) \[density\]")


class Targets(Case):
    def test_added_mass_beyond_an_explicit_scheme(self):
        for robot, line in (("bluerov2-heavy", "added_mass: ["), ("rexrov", "    value:\n      - [779.79")):
            with self.subTest(robot):
                file = ROOT / f"data/robots/{robot}.yaml"
                found = self.document("lint", file, "--for", "gz-sim")["files"][0]["findings"]
                self.assertEqual([f["rule"] for f in found], ["explicit-added-mass"])
                self.assertEqual(found[0]["line"], line_in(file.read_text(), line))
                for words in ("M_rb^-1 M_a", "must be < 1", "acceleration of the step before", "diverges"):
                    self.assertIn(words, found[0]["message"])
                self.assertIn("<fluid_added_mass>", found[0]["hint"])
                self.assertEqual(self.document("lint", file, "--for", "uuv-simulator")["files"][0]["findings"], [])

    def test_a_pipe_is_read_once(self):
        for name in ("pipe", "pipe.yaml"):
            os.mkfifo(self.here / name)
            writer = threading.Thread(target=(self.here / name).write_bytes, args=((ROOT / "data/robots/bluerov2-heavy.yaml").read_bytes(),))
            writer.start()
            self.assertIn("0 errors", self.fathom("lint", f"./{name}", status=0).stdout)
            writer.join()

    def test_an_assembly_in_utf_16(self):
        text = (ROOT / "data/assemblies/bluerov-pair.yaml").read_text()
        for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
            self.write("pair.yaml", text.encode(encoding))
            self.assertIn("0 errors", self.fathom("lint", "pair.yaml", status=0).stdout)

    def test_a_target_that_is_none(self):
        self.assertIn("gz-sim", self.fathom("lint", "rexrov", "--for", "gzsim", status=2).stderr)


class OtherSimulators(Case):
    def lint(self, text, *args):
        self.write("model.sdf", text)
        result = self.fathom("lint", "model.sdf", "--json", *args)
        return result.returncode, json.loads(result.stdout)["files"][0]

    def test_a_good_model(self):
        status, found = self.lint(SDF)
        self.assertEqual((status, found["format"], found["for"], found["loads"]), (0, "gz-sim", "gz-sim", True))
        self.assertEqual([f for f in found["findings"] if f["severity"] != "note"], [])
        self.assertIn("model.sdf: reads as gz-sim for gz-sim, 0 errors, 0 warnings", self.fathom("lint", "model.sdf", status=0).stdout)

    def test_planted_faults_are_named_where_they_stand(self):
        for name, (old, new, rule, severity, tag) in SDF_FAULTS.items():
            with self.subTest(name):
                spoilt = SDF.replace(old, new).replace("</xUabsU>" if "<xUU>" in new else "\0", "</xUU>")
                status, found = self.lint(spoilt)
                told = [f for f in found["findings"] if f["rule"] in (rule, "density" if rule == "net-buoyancy" else rule)]
                self.assertTrue(told, found["findings"])
                if severity:
                    self.assertEqual(told[0]["severity"], severity)
                    self.assertEqual(status, 1 if severity == "error" else 0)
                if tag:
                    self.assertEqual((told[0]["line"], told[0]["tag"]), (line_in(spoilt, new), tag))

    def test_a_target_of_ones_own(self):
        """What gz-sim cannot integrate is no fault for Fathom."""
        spoilt = SDF.replace("<zDotW>-9<", "<zDotW>-13<")
        self.assertEqual(self.lint(spoilt)[0], 1)
        status, found = self.lint(spoilt, "--for", "fathom")
        self.assertEqual((status, found["findings"]), (0, []))

    def test_files_that_cannot_be_read(self):
        for name, text in {"cut.sdf": SDF[:700], "empty.sdf": "", "page.xml": "<html></html>", "bytes.sdf": b"\xff\x00<sdf>"}.items():
            with self.subTest(name):
                self.write(name, text)
                found = self.document("lint", name, status=2)["files"][0]
                self.assertFalse(found["loads"])
                self.assertEqual({f["rule"] for f in found["findings"]}, {"reads"})
        self.assertIn("nowhere.sdf", self.fathom("lint", "nowhere.sdf", status=2).stdout)


class Docs(Case):
    def test_every_rule_has_a_row(self):
        rules = set(re.findall(r'^      \{"([a-z-]+)"', (ROOT / "fathom/exchange/lint.cpp").read_text(), re.MULTILINE))
        self.assertGreater(len(rules), 25)
        rows = [line.split("|")[1] for line in (ROOT / "docs/lint.md").read_text().splitlines() if line.startswith("| `")]
        self.assertEqual(rules, set(re.findall(r"`([a-z-]+)`", " ".join(rows))))


if __name__ == "__main__":
    main()
