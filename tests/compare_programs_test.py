"""compare_programs.py sees every kind of difference, and only those. Run by ctest (repo:compare_programs)."""

import argparse
import json
import pathlib
import tempfile
import unittest

import compare_programs
from program_runs import Run

RUN = Run("identify", "identify --out out", (), {}, frozenset({0}))
SUMMARY = {"seconds": 3, "mass_kg": 11.5, "file": "{here}/out/robot.yaml", "steps": [1, 2], "good": True}
OUTPUT = {
    "status": json.dumps({"status": 0, "seconds": 1}), "before": "[]", "stdout": "m11  24.9 kg\ndone in 3 s\n", "stderr": "fathom: warning: delay 0.2 s\n",
    "files/out/summary.json": json.dumps(SUMMARY), "files/out/robot.yaml": "format: fathom-robot-1\nhull: {mass: 11.5, volume: 0.0115}\n",
    "files/out/log/rov.csv": "# t [s]\n0,1e-5\n1,2e-5\n", "files/out/model.sdf": "<sdf><mass unit='kg'>11.5</mass></sdf>",
    "files/out/report.html": "<title>it</title><table><tr><td>m11</td><td>24.9</td></tr></table><script id=\"fathom-data\">[1, 2]</script><script>1</script>"}


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = pathlib.Path(folder.name)

    def write(self, side, changes):
        for name, text in {**OUTPUT, **changes}.items():
            path = self.here / side / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if text is not None:
                path.write_text(text.replace("{here}", str(self.here / side / "files")))
        return self.here / side

    def differences(self, changes, relative=0.0, renames=""):
        table = self.here / "renames.yaml"
        table.write_text(renames)
        folders = [self.write("old", {}), self.write("new", changes)]
        options = argparse.Namespace(relative=relative, absolute=0, skip_parts=[])
        prefixes = {side: [str(self.here / side / "files")] for side in ("old", "new")}
        return compare_programs.Comparison(*folders, compare_programs.Renames(table), options, prefixes).run(RUN)

    def changed(self, name, old, new):
        self.assertIn(old, OUTPUT[name])
        return {name: OUTPUT[name].replace(old, new)}

    def test_equal(self):
        self.assertEqual(self.differences({}), [])

    def test_times_and_paths_do_not_count(self):
        self.assertEqual(self.differences({**self.changed("stdout", "in 3 s", "in 4 s"),
                                           **self.changed("files/out/summary.json", '"seconds": 3', '"seconds": 4')}), [])

    def test_every_change_is_seen(self):
        for name, old, new in (
                ("status", '"status": 0', '"status": 1'), ("stdout", "24.9", "24.8"), ("stdout", "m11", "m12"), ("stdout", "kg", "kg 1"),
                ("stderr", "0.2", "0.3"), ("files/out/summary.json", "11.5", "11.500000000000002"), ("files/out/summary.json", "true", "false"),
                ("files/out/summary.json", "mass_kg", "mass"), ("files/out/summary.json", "[1, 2]", "[1, 2, 3]"), ("files/out/summary.json", "true", "1"),
                ("files/out/robot.yaml", "mass: 11.5, volume: 0.0115", "volume: 0.0115, mass: 11.5"), ("files/out/robot.yaml", "11.5", "11.6"),
                ("files/out/log/rov.csv", "2e-5", "3e-5"), ("files/out/log/rov.csv", "t [s]", "t [ms]"), ("files/out/log/rov.csv", "1,2e-5\n", ""),
                ("files/out/model.sdf", "11.5", "11.6"), ("files/out/model.sdf", "'kg'", "'g'"),
                ("files/out/report.html", "24.9", "24.8"), ("files/out/report.html", "[1, 2]", "[1, 3]")):
            with self.subTest(f"{name}: {old} -> {new}"):
                self.assertTrue(self.differences(self.changed(name, old, new)))

    def test_files_that_are_missing_or_new(self):
        (self.write("new", {}) / "files/out/robot.yaml").unlink()
        self.assertTrue(self.differences({"files/out/robot.yaml": None}))
        self.assertTrue(self.differences({"files/out/more.yaml": "a: 1"}))

    def test_tolerance(self):
        nearly = self.changed("files/out/summary.json", "11.5", "11.500000000000002")
        self.assertEqual(self.differences(nearly, relative=1e-9), [])
        self.assertTrue(self.differences(self.changed("files/out/summary.json", "11.5", "11.5001"), relative=1e-9))
        self.assertEqual(self.differences(self.changed("stdout", "24.9", "24.8"), relative=1e-9), [])  # one unit of the last digit
        self.assertTrue(self.differences(self.changed("stdout", "24.9", "24.7"), relative=1e-9))

    def test_numbers_in_another_form(self):
        self.assertEqual(self.differences(self.changed("files/out/log/rov.csv", "1e-5", "0.00001")), [])

    def test_renames(self):
        new = {**self.changed("files/out/summary.json", "mass_kg", "dry_mass"), **self.changed("stdout", "m11", "M11"),
               **self.changed("files/out/robot.yaml", "mass", "dry")}
        table = "keys: {mass_kg: dry_mass, hull.mass: dry}\nwords: {m11: M11}\n"
        self.assertTrue(self.differences(new))
        self.assertEqual(self.differences(new, renames=table), [])
        renames = compare_programs.Renames(self.here / "renames.yaml")
        renames.options = {"--what arm": "arm", "--old": "--new"}
        self.assertEqual(renames.command(["identify", "--what", "arm", "--old", "--older"]), ["identify", "arm", "--new", "--older"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
