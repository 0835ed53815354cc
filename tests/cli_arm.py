"""fathom identify --what arm: runs of an arm become base parameters, links that exist and errors on runs not seen; bad input told.

Run by ctest (repo:cli_arm); FATHOM_BIN names the program.
"""
import json
import shutil

from cli_case import ROOT, Case, main

EXAMPLE = ROOT / "examples/arm"
URDF = """\
<robot name="two links">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.2 0 0"/><mass value="3"/>
    <inertia ixx="0.004" iyy="0.045" izz="0.045" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="fore"><inertial><origin xyz="0.15 0 0"/><mass value="1.5"/>
    <inertia ixx="0.002" iyy="0.015" izz="0.015" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><mesh filename="fore.stl"/></geometry></visual></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="0" velocity="2"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="0.4 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-2.6" upper="2.6" effort="40" velocity="2"/></joint>
</robot>
"""


def half_width(parameter):
    low, high = parameter["interval_95"]
    return (high - low) / 2


class Arm(Case):
    def setUp(self):
        super().setUp()
        shutil.copytree(EXAMPLE, self.here / "arm")

    def identify(self, *args, status=0):
        return self.fathom("identify", "--what", "arm", "--arm", "arm/arm.yaml", "--log", "arm/run-1.csv", *args, "--out", "results", status=status)

    def summary(self):
        return json.loads((self.here / "results/summary.json").read_text())

    def test_foretells_another_run(self):
        text = self.identify("--test", "arm/run-2.csv").stdout
        self.assertIn("run-2 (not seen before)", text)
        self.assertEqual(sorted(p.name for p in (self.here / "results").iterdir()), ["arm.yaml", "report.html", "summary.json"])
        summary = self.summary()
        self.assertEqual((summary["what"], summary["name"], summary["effort"], summary["medium"]), ("arm", "two-links", "N m", "air"))
        seen, unseen = summary["runs"]
        self.assertTrue(seen["seen"] and not unseen["seen"])
        for joint, by_the_file in zip(unseen["joints"], unseen["by_the_file"]):
            self.assertGreater(joint["r2"], .99)
            self.assertLess(joint["rmse"], .5 * by_the_file["rmse"])
        self.assertGreater(summary["consistent"]["least_pseudo_inertia_eigenvalue"], 0)
        self.assertLess(summary["consistent"]["gap"], 1e-3)
        self.assertIn("two-links", (self.here / "results/report.html").read_text())

    def test_finds_what_make_py_says(self):
        self.identify("--friction", "coulomb", "--estimator", "weighted")
        found = {p["name"]: p for p in self.summary()["parameters"]}
        for name, truth in (("fore.mx", 2.1 * .19), ("shoulder.viscous", .9), ("elbow.viscous", .4), ("shoulder.offset", .3)):
            self.assertLess(abs(found[name]["estimate"] - truth), 2 * half_width(found[name]) + .02, name)
        self.assertFalse((self.here / "results/arm.yaml").exists())

    def test_the_written_arm_explains_the_run(self):
        self.identify("--no-offset")
        before = self.summary()["runs"][0]["joints"]
        self.fathom("identify", "--what", "arm", "--arm", "results/arm.yaml", "--log", "arm/run-1.csv", "--no-offset", "--out", "again", status=0)
        after = json.loads((self.here / "again/summary.json").read_text())["runs"][0]["by_the_file"]
        for one, two in zip(before, after):
            self.assertAlmostEqual(one["rmse"], two["rmse"], delta=.01 * one["rmse"])

    def test_estimators_and_held_out_share(self):
        for estimator in ("ordinary", "weighted", "robust", "consistent"):
            self.identify("--estimator", estimator, "--hold-out", "0.4", "--derivatives", "spline")
            runs = self.summary()["runs"]
            self.assertEqual([run["seen"] for run in runs], [True, False])
            for joint in runs[1]["joints"]:
                self.assertGreater(joint["r2"], .98, estimator)

    def test_currents_with_gains(self):
        self.fathom("identify", "--what", "arm", "--arm", "arm/arm.yaml", "--log", "arm/run-1.csv", "--by-current", "--gains", "1,1", "--out", "results",
                    status=0)
        summary = self.summary()
        self.assertEqual(summary["effort"], "A")
        self.assertIn("elbow.motor_inertia", {p["name"] for p in summary["parameters"]} | set(summary["consistent"]["standard_parameters"]))

    def test_shafts_of_gears_are_joints_times_their_ratio(self):
        arm = (EXAMPLE / "arm.yaml").read_text()
        for joint in ("shoulder", "elbow"):
            arm = arm.replace(f"- name: {joint}\n", f"- name: {joint}\n      actuator: {{source: test, gear: {{ratio: 50}}, motor: {{k_t: 0.02}}}}\n")
        self.write("geared.yaml", arm)
        lines = (EXAMPLE / "run-1.csv").read_text().splitlines()
        names = lines[0].split(",")
        turned = [i for i, name in enumerate(names) if name.startswith("q.")]
        rows = [[str(50 * float(x)) if i in turned else x for i, x in enumerate(line.split(","))] for line in lines[1:]]
        self.write("shafts.csv", "\n".join(",".join(row) for row in [[n.replace("q.", "shaft.") for n in names], *rows]))
        found = []
        for log, more in (("arm/run-1.csv", []), ("shafts.csv", ["--rest-shaft-speed", "1"])):
            self.fathom("identify", "--what", "arm", "--arm", "geared.yaml", "--log", log, *more, "--out", "results", status=0)
            found.append(self.summary())
        self.assertIn("--rest-shaft-speed 1", found[1]["command"])
        self.assertEqual(found[0]["rows_at_rest"], found[1]["rows_at_rest"])
        for one, two in zip(*(f["parameters"] for f in found)):
            self.assertAlmostEqual(one["estimate"], two["estimate"], delta=1e-6 * abs(one["estimate"]) + 1e-9)

    def test_water_as_unknowns(self):
        text = self.identify("--medium", "water", "--fit-water", "buoyancy,drag", "--no-offset").stdout
        summary = self.summary()
        self.assertEqual((summary["medium"], summary["water_fitted"]), ("water", ["buoyancy", "drag"]))
        self.assertIn("--fit-water buoyancy,drag", summary["command"])
        drag = [p for p in summary["parameters"] if ".Q" in p["name"]]
        self.assertTrue(drag)
        # Linear drag of what turns about the first joint is one with that joint's friction.
        self.assertIn("shoulder.viscous", {p["name"]: p["grouping"] for p in summary["parameters"]}["upper.D5"])
        for parameter in drag:  # the bench stands in air
            self.assertIn(parameter["name"], text)
            self.assertLess(abs(parameter["estimate"]), 3 * half_width(parameter) + .02, parameter["name"])
        self.assertIn("identified", (self.here / "results/arm.yaml").read_text())
        self.assertIn("fore.Q5", (self.here / "results/report.html").read_text())

    def test_what_a_urdf_has_and_an_arm_has_not_is_told(self):
        self.write("links.urdf", URDF)
        result = self.fathom("identify", "--what", "arm", "--arm", "links.urdf", "--log", "arm/run-1.csv", "--down", "0,0,1", "--out", "results",
                             status=0)
        notes = self.summary()["notes"]
        self.assertEqual(len(notes), 5, notes)
        page = (self.here / "results/report.html").read_text()
        self.assertIn("Of reading the arm", page)
        for note, words in zip(notes, ("effort = 0 of joint shoulder", "1 meshes: not looked for", "no water in a URDF", "'two links' is called two_links",
                                       "the arm stands on 'base'")):
            self.assertTrue(note.startswith("links.urdf: "), note)
            self.assertIn(words, note)
            self.assertIn(f"fathom: note: {note}\n", result.stderr)
        self.assertNotIn("links.urdf: ", result.stdout)
        self.assertEqual((self.identify().stderr, self.summary()["notes"]), ("", []))

    def damaged(self, line, column, value):
        lines = (EXAMPLE / "run-1.csv").read_text().splitlines()
        row = lines[line - 1].split(",")
        row[column] = str(value)
        lines[line - 1] = ",".join(row)
        self.write("damaged.csv", "\n".join(lines) + "\n")
        return ["identify", "--what", "arm", "--arm", "arm/arm.yaml", "--log", "damaged.csv", "--test", "arm/run-2.csv", "--out", "results"]

    def test_outliers_are_named_and_left_out(self):
        self.identify("--test", "arm/run-2.csv")
        right = {p["name"]: p["estimate"] for p in self.summary()["parameters"]}
        for column, value, words in ((1, 6.3, "position of joint 'shoulder' = 6.3 rad"), (3, 500, "effort of joint 'shoulder' = 500")):
            result = self.fathom(*self.damaged(702, column, value), status=0)
            self.assertIn(f"damaged.csv:702: {words}", result.stderr)
            outlier, = self.summary()["runs"][0]["outliers"]
            self.assertEqual((outlier["line"], outlier["value"]), (702, value))
            for parameter in self.summary()["parameters"]:
                self.assertLess(abs(parameter["estimate"] - right[parameter["name"]]), half_width(parameter), parameter["name"])
            self.assertIn("1 outliers left out, the first in line 702", result.stdout)

    def test_clocks_that_jump_are_errors(self):
        result = self.fathom(*self.damaged(702, 0, 100), status=2)
        self.assertIn("damaged.csv:702: the clock jumps: time 100 s stands between 6.99 s and 7.01 s", result.stderr)
        self.assertFalse((self.here / "results").exists())

    def test_a_fit_that_is_worse_than_the_file_fails(self):
        # The test run is of another arm: that of the written file, whose efforts have another sign than those learnt from.
        self.identify()
        lines = (EXAMPLE / "run-1.csv").read_text().splitlines()
        rows = [line.split(",") for line in lines[1:]]
        self.write("turned.csv", "\n".join([lines[0], *(",".join([*r[:3], str(-2 * float(r[3])), str(-2 * float(r[4]))]) for r in rows)]) + "\n")
        result = self.fathom("identify", "--what", "arm", "--arm", "results/arm.yaml", "--log", "turned.csv", "--test", "arm/run-2.csv", "--estimator",
                             "weighted", "--out", "again", status=1)
        self.assertIn("predicts this unseen run worse than the arm's file does", result.stderr)
        summary = json.loads((self.here / "again/summary.json").read_text())
        self.assertEqual(len(summary["failed"]), 1)

    def test_bands_hold_on_the_unseen_run(self):
        self.identify("--test", "arm/run-2.csv")
        for joint in self.summary()["runs"][1]["joints"]:
            self.assertTrue(.9 <= joint["in_band_95"] <= .995, joint)
            self.assertGreater(joint["half_band_95"], joint["rmse"])

    def test_the_same_command_gives_the_same_bytes(self):
        self.identify()
        before = self.tree(self.here / "results")
        self.identify()
        self.assertEqual(self.tree(self.here / "results"), before)

    def test_bad_input(self):
        lines = (EXAMPLE / "run-1.csv").read_text().splitlines()
        self.write("lame.csv", "\n".join(line.rsplit(",", 1)[0] for line in lines))
        self.write("short.csv", "\n".join(lines[:15]))
        rows = [[float(x) for x in line.split(",")] for line in lines[1:]]
        self.write("late.csv", "\n".join([lines[0], *(",".join(map(str, [1000 * r[0], *r[1:]])) for r in rows)]))
        self.write("degrees.csv", "\n".join([lines[0], *(",".join(map(str, [r[0], 57.3 * r[1], 57.3 * r[2], *r[3:]])) for r in rows)]))
        run = ["--arm", "arm/arm.yaml", "--log", "arm/run-1.csv"]
        for args, words in ((["--log", "arm/run-1.csv"], ["--arm", "is missing"]),
                            (["--arm", "arm/arm.yaml"], ["--log", "is missing"]),
                            (["--arm", "none.yaml", "--log", "arm/run-1.csv"], ["none.yaml"]),
                            (["--arm", "arm/arm.yaml", "--log", "none.csv"], ["none.csv"]),
                            (["--arm", "arm/arm.yaml", "--log", "lame.csv"], ["lame.csv", "effort of joint 'elbow'", "q.elbow"]),
                            (["--arm", "arm/arm.yaml", "--log", "short.csv"], ["short", "too few"]),
                            ([*run, "--columns", "speed=1"], ["--columns", "speed"]),
                            ([*run, "--columns", "time=t,q=q.shoulder"], ["1 columns", "2 joints"]),
                            ([*run, "--columns", "q=q.shoulder,q.elbow,shaft=a,b"], ["--columns", "q and shaft"]),
                            ([*run, "--columns", "shaft=q.shoulder,q.elbow"], ["no joint of 'two-links' has an actuator", "q="]),
                            ([*run, "--rest-shaft-speed", "1"], ["--rest-shaft-speed", "no joint of 'two-links' has a motor"]),
                            ([*run, "--by-current", "--gains", "1,1", "--rest-shaft-speed", "1"], ["--rest-shaft-speed", "gains", "--rest-speed"]),
                            ([*run, "--rest-shaft-speed", "-1"], ["--rest-shaft-speed", "must be >= 0"]),
                            ([*run, "--by-current"], ["--by-current", "'shoulder' has no actuator", "--gains"]),
                            ([*run, "--gains", "1,1"], ["--by-current"]),
                            ([*run, "--by-current", "--gains", "1,x"], ["--gains"]),
                            ([*run, "--by-current", "--gains", "1"], ["1 numbers", "2 joints"]),
                            ([*run, "--cutoff", "80"], ["--cutoff", "half the rate"]),
                            ([*run[:2], "--log", "late.csv"], ["--cutoff", "are its times in ms? expected s"]),
                            ([*run[:2], "--log", "degrees.csv"], ["degrees.csv: joint 'shoulder' goes from", "(degrees? expected rad)"]),
                            ([*run, "--structure", "linear"], ["--structure does nothing with --what arm: it is of --what vehicle"]),
                            ([*run, "--blur", "1"], ["--blur does nothing with --what arm"]),
                            ([*run, "--fit-water", "drag"], ["--fit-water is of water, but the arm is in air", "--medium water"]),
                            ([*run, "--fit-water", "mass"], ["--fit-water", "'mass'", "buoyancy, added-mass, drag"]),
                            ([*run, "--medium", "water", "--fit-water", "lift"], ["--fit-water", "'lift'", "buoyancy, added-mass, drag"]),
                            ([*run, "--hold-out", "1"], ["--hold-out"]),
                            ([*run, "--hold-out", "40"], ["--hold-out = 40", "0.4 for 40 %"]),
                            ([*run, "--down", "0,0,0"], ["--down", "not all 0"]),
                            ([*run, "--down", "0,1"], ["--down"]),
                            ([*run, "--estimator", "total"], ["--estimator", "not for --what arm"]),
                            ([*run, "--robot", "rexrov"], ["no --robot"]),
                            ([*run, "--friction", "sticky"], ["--friction"])):
            with self.subTest(" ".join(args)):
                result = self.fathom("identify", "--what", "arm", *args, "--out", "results", status=2)
                self.assertEqual(result.stdout, "")
                for word in words:
                    self.assertIn(word, result.stderr)
                self.assertFalse((self.here / "results").exists())
        result = self.fathom("identify", "--robot", "rexrov", "--log", "x", "--arm", "y", status=2)
        self.assertIn("--what arm", result.stderr)
        result = self.fathom("identify", "--robot", "rexrov", "--log", "x", "--hold-out", "0.1", status=2)
        self.assertIn("--hold-out does nothing with --what vehicle: it is of --what arm", result.stderr)


if __name__ == "__main__":
    main()
