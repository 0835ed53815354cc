"""fathom export, and fathom convert of models: what is written, what is listed as lost, and what is refused.

Run by ctest (repo:cli_export), or by hand: FATHOM_BIN=build/release/bin/fathom python3 tests/cli_export.py
"""

import json
import xml.etree.ElementTree as ET

import yaml
from cli_case import ROOT, Case, main

SDF = """<?xml version="1.0"?>
<sdf version="1.10">
  <model name="rov">
    <link name="base_link">
      <inertial>
        <mass>11</mass>
        <inertia><ixx>0.2</ixx><iyy>0.3</iyy><izz>0.4</izz></inertia>
        <fluid_added_mass><xx>5</xx><yy>6</yy><zz>7</zz><pp>0.1</pp><qq>0.1</qq><rr>0.1</rr></fluid_added_mass>
      </inertial>
      <collision name="c"><pose>0 0 0.05 0 0 0</pose><geometry><box><size>0.1 0.2 0.55</size></box></geometry></collision>
    </link>
    <plugin filename="gz-sim-hydrodynamics-system" name="gz::sim::systems::Hydrodynamics">
      <link_name>base_link</link_name>
      <xU>-4</xU>
      <zWabsW>-30</zWabsW>
    </plugin>
  </model>
</sdf>
"""


class Export(Case):
    def test_gazebo_files_and_what_is_lost(self):
        summary = self.document("export", "--robot", "bluerov2-heavy", "--to", "gz-sim", "--out", "gz", "--density", "1025")
        names = sorted(p.name for p in (self.here / "gz").iterdir())
        self.assertEqual(names, ["model.config", "model.sdf", "summary.json", "world.sdf"])
        self.assertEqual(json.loads((self.here / "gz/summary.json").read_text()), summary)
        self.assertEqual([summary["format"], summary["density"], summary["robot"]], ["gz-sim", 1025, "bluerov2-heavy"])
        self.assertEqual(len(summary["files"]), 4)
        lost = {loss["key"] for loss in summary["losses"]}
        self.assertLessEqual({"current", "thrusters[0].map", "thrusters[7].transient", "sensors[0]"}, lost)
        self.assertFalse({key for key in lost if key.startswith(("damping", "hull"))})
        model = ET.parse(self.here / "gz/model.sdf").find("model")
        self.assertEqual(len(model.findall("link")), 9)
        self.assertEqual(len(model.findall("plugin")), 9)
        density = ET.parse(self.here / "gz/world.sdf").find("world/plugin/uniform_fluid_density")
        self.assertEqual(float(density.text), 1025)

    def test_every_robot_goes_there_and_back(self):
        for robot in self.robots():
            with self.subTest(robot=robot):
                self.fathom("export", "--robot", robot, "--to", "gz-sim", "--out", f"{robot}-gz", status=0)
                self.fathom("convert", f"{robot}-gz/model.sdf", "--out", f"{robot}-back.yaml", status=0)
                there, back = self.document("models", robot), self.document("models", f"{robot}-back.yaml")
                for matrix in ("M_rb", "M_a", "allocation"):
                    expected, found = there["matrices"][matrix], back["matrices"][matrix]
                    self.assertEqual(len(flat(expected)), len(flat(found)))
                    for key, value in flat(expected).items():
                        self.assertAlmostEqual(value, flat(found)[key], delta=1e-9 * (1 + abs(value)), msg=matrix + key)

    def test_urdf(self):
        self.fathom("export", "--robot", "rexrov", "--to", "urdf", "--out", "urdf", status=0)
        inertial = ET.parse(self.here / "urdf/robot.urdf").find("link/inertial")
        self.assertEqual(float(inertial.find("mass").get("value")), 1862.87)

    def test_text_tells_the_losses_and_the_files(self):
        text = self.fathom("export", "--robot", "nielsen-sphere-open-loop", "--to", "gz-sim", "--out", "gz", status=0).stdout
        self.assertIn("lost on the way", text)
        self.assertIn("written: gz/model.sdf", text)
        self.assertIn("out/export-rexrov-urdf/robot.urdf", self.fathom("export", "--robot", "rexrov", "--to", "urdf", status=0).stdout)

    def test_refuses(self):
        def error(*args):
            before = self.tree()
            result = self.fathom("export", *args, status=2)
            self.assertEqual(self.tree(), before)
            return result.stderr

        self.assertIn("did you mean gz-sim?", error("--robot", "rexrov", "--to", "gzsim"))
        self.assertIn("bluerov2-heavy", error("--robot", "bluerov2-heavi", "--to", "gz-sim"))
        self.assertIn("--to", error("--robot", "rexrov"))
        self.assertIn("--robot", error("--to", "gz-sim"))
        self.assertIn("density", error("--robot", "rexrov", "--to", "gz-sim", "--density", "0"))
        self.write("gz/summary.json", '{"command": "simulate x"}')
        self.assertIn("holds the results of fathom simulate", error("--robot", "rexrov", "--to", "gz-sim", "--out", "gz"))
        self.write("own/model.sdf", (ROOT / "data/robots/rexrov.yaml").read_text())
        self.assertIn("is read in this run", error("--robot", "own/model.sdf", "--to", "gz-sim", "--out", "own"))


class ConvertModel(Case):
    def test_each_value_says_its_place(self):
        self.write("rov.sdf", SDF)
        summary = self.document("convert", "rov.sdf", "--out", "rov.yaml")
        self.assertEqual([summary["format"], summary["robot"], summary["files"]], ["gz-sim", "rov", ["rov.yaml"]])
        self.assertEqual(summary["places"]["hull.added_mass[2][2]"], {"file": "rov.sdf", "line": 8, "tag": "zz"})
        robot = yaml.safe_load((self.here / "rov.yaml").read_text())
        self.assertEqual(robot["hull"]["mass"], {"value": 11.0, "source": "rov.sdf:6 <mass>"})
        self.assertEqual(robot["hull"]["centre_of_buoyancy"]["value"], [0, 0, -0.05])  # down here
        self.assertEqual(robot["damping"][0]["linear"]["source"], "rov.sdf:14 <xU>")
        self.assertEqual(robot["damping"][0]["quadratic"]["value"], [0, 0, 30, 0, 0, 0])
        self.fathom("models", "rov.yaml", status=0)

    def test_a_folder_too_and_by_content(self):
        self.write("rov.model", "\ufeff\n" + SDF[SDF.index("<sdf"):])
        self.fathom("convert", "rov.model", "--out", "results", status=0)
        self.assertEqual(sorted(p.name for p in (self.here / "results").iterdir()), ["rov.yaml", "summary.json"])

    def refusal(self, text, *more, name="bad.sdf"):
        self.write(name, text)
        before = self.tree()
        result = self.fathom("convert", name, "--out", "out.yaml", *more, status=2)
        self.assertEqual(self.tree(), before)
        return result.stderr

    def test_refuses_with_the_line(self):
        self.assertIn("bad.sdf:", self.refusal(SDF[:400]))
        self.assertIn("a model begins with <sdf", self.refusal(""))
        self.assertIn("bad.sdf:6: sdf/model[rov]/link[base_link]/inertial/mass is 'eleven'", self.refusal(SDF.replace(">11<", ">eleven<")))
        self.assertIn("must be a finite number", self.refusal(SDF.replace(">11<", ">nan<")))
        self.assertIn("bad.sdf:5: sdf/model[rov]/link[base_link]/inertial has no <mass>", self.refusal(SDF.replace("<mass>11</mass>", "")))
        self.assertIn("has no <link>", self.refusal('<sdf version="1.10"><model name="m"/></sdf>'))
        two = SDF.replace("</sdf>", SDF[SDF.index("<model"):])
        self.assertIn("holds 2 models, 2 of them with hydrodynamics", self.refusal(two))
        self.assertIn("nested", self.refusal("<a>" * 200000))
        self.assertIn("expression of xacro", self.refusal(SDF.replace(">11<", ">${mass}<")))
        self.assertIn("goes with no --log", self.refusal(SDF, "--run", "3"))
        bomb = '<!DOCTYPE s [<!ENTITY a "9999999999">' + "".join(
            f'<!ENTITY {b} "{("&" + a + ";") * 10}">' for a, b in zip("abcdefgh", "bcdefghi")) + "]>"
        self.assertIn("must be a number", self.refusal(bomb + SDF[SDF.index("<sdf"):].replace(">11<", ">&i;<")))

    def test_physics_that_nature_forbids_is_told_with_the_line(self):
        self.assertIn("bad.sdf:8: hull.added_mass", self.refusal(SDF.replace("<zz>7<", "<zz>-7<")))
        turned = self.refusal(SDF.replace("<xU>-4<", "<xU>4<"))
        self.assertIn("bad.sdf:14: damping[0].linear", turned)
        self.assertIn("(a sign turned over? fathom lint bad.sdf says which)", turned)
        self.assertIn("bad.sdf:7: hull.inertia", self.refusal(SDF.replace("<izz>0.4<", "<izz>4<")))

    def test_does_not_replace_what_it_reads(self):
        self.write("rov.yaml", SDF)
        self.assertIn("is read in this run", self.fathom("convert", "rov.yaml", "--out", "rov.yaml", status=2).stderr)


def flat(value, key=""):
    """All numbers of a document, by their path."""
    if isinstance(value, dict):
        return {k: v for name, item in value.items() for k, v in flat(item, f"{key}.{name}").items()}
    if isinstance(value, list):
        return {k: v for n, item in enumerate(value) for k, v in flat(item, f"{key}[{n}]").items()}
    return {key: value} if isinstance(value, float) else {}


if __name__ == "__main__":
    main()
