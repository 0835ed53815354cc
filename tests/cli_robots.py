"""Robots are found by name and path, in folders of one's own too; what is wrong with a file is told, all of it, and apart from bugs.

Run by ctest (repo:cli_robots), or by hand: FATHOM_BIN=build/release/bin/fathom python3 tests/cli_robots.py
"""

import json
import math
import re
import subprocess
import time

from cli_case import BIN, ROOT, Case, main
from wrong_robots import BINARY_CONTENT, GOOD, NOISE, WRONG_CONTENT, changed, line_of


class BadFiles(Case):
    """Bad input: status 2; the message holds the place and a remedy; nothing is left behind."""
    label = "long"

    def refused(self, path, line, words):
        before = self.tree()
        place = re.escape(str(path)) + {None: r"(:\d+)?", 0: ""}.get(line, f":{line}")
        started = time.monotonic()
        shown, linted = self.fathom("models", path, status=2), self.fathom("lint", path, status=2)
        self.assertLess(time.monotonic() - started, 20, "slow to refuse")
        self.assertEqual(shown.stdout, "")
        self.assertEqual(linted.stderr, "")
        errors = [l.removeprefix("error: ") for l in linted.stdout.splitlines() if l.startswith("error: ")]
        self.assertEqual(shown.stderr.splitlines(), errors, "models and lint say different things")
        self.assertTrue(errors, "no message")
        for error in errors:
            self.assertRegex(error, r"^" + re.escape(str(path)) + r"(:\d+)?: .+ \(.+\)$", "no place or no remedy")
            self.assertTrue(error.isprintable(), "raw bytes in the message")
        self.assertTrue(any(re.match(place + ": ", error) for error in errors), f"no message at {place}: {errors}")
        for word in words:
            self.assertTrue(any(word in error for error in errors), f"'{word}' is not in {errors}")
        findings = json.loads(self.fathom("lint", path, "--json", status=2).stdout)["files"][0]
        self.assertFalse(findings["loads"])
        self.assertEqual([f["severity"] for f in findings["findings"]].count("error"), len(errors))
        self.assertEqual(self.tree(), before)

    def test_the_good_file_is_good(self):
        self.write("robot.yaml", GOOD)
        self.assertEqual(self.fathom("lint", "robot.yaml", status=0).stdout, "robot.yaml: loads, 0 errors, 0 warnings, 0 notes\n")
        self.fathom("models", "robot.yaml", status=0)

    def test_wrong_content(self):
        for name, (content, line, words) in WRONG_CONTENT.items():
            with self.subTest(name):
                self.write("robot.yaml", content)
                self.refused("robot.yaml", line, words)

    def test_binary_content(self):
        for name, content in BINARY_CONTENT.items():
            with self.subTest(name):
                self.write("robot.yaml", content)
                self.refused("robot.yaml", None, [])

    def test_missing_file(self):
        self.refused("nowhere.yaml", 0, ["does not exist"])

    def test_folder_instead_of_a_file(self):
        (self.here / "robot.yaml").mkdir()
        self.refused("robot.yaml", 0, ["is a folder, expected a file"])

    def test_device_without_end(self):
        self.refused("/dev/zero", 0, ["is larger than"])

    def test_file_without_permission(self):
        self.write("robot.yaml", GOOD).chmod(0)
        result = self.fathom("models", "robot.yaml", status=2, first=self.as_nobody())
        self.assertIn("cannot be opened", result.stderr)

    def test_every_problem_of_a_file_is_told_at_once(self):
        self.write("robot.yaml", changed("mass: 10", "mass: heavy").replace(b"volume: 0.01", b"volum: 0.01"))
        errors = self.fathom("models", "robot.yaml", status=2).stderr
        for word in ("hull.mass", "'volum'", "lacks the key volume"):
            self.assertIn(word, errors)

    def test_a_bad_file_does_not_hide_a_good_one(self):
        self.write("good.yaml", GOOD)
        self.write("bad.yaml", GOOD.replace("mass: 10", "mass: heavy"))
        text = self.fathom("lint", "bad.yaml", "good.yaml", "nowhere.yaml", status=2).stdout
        self.assertIn("bad.yaml: does not load", text)
        self.assertIn("good.yaml: loads", text)
        self.assertIn("nowhere.yaml: does not load", text)

    def test_errors_that_load_have_status_1(self):
        self.write("robot.yaml", changed("mass: 10", "mass: 10000"))
        self.assertIn("loads, 1 error, ", self.fathom("lint", "robot.yaml", status=1).stdout)

    def test_parts_far_from_the_hull_are_told(self):
        thruster = "thrusters:\n  - {name: one, source: invented, position: [200, 0, 0], direction: [1, 0, 0], force: [-1, 1]}\n"
        self.write("robot.yaml", GOOD + thruster)
        self.assertIn("thrusters[0].position lies 200 m from the centre of mass", self.fathom("lint", "robot.yaml", status=0).stdout)
        self.write("robot.yaml", changed("[0.2, 0.2, 0.3]", "[2000, 2000, 3000]"))
        self.assertIn("radius of gyration of 17.3 m", self.fathom("lint", "robot.yaml", status=0).stdout)

    def test_file_of_another_kind_is_told_once(self):
        for word, what in (("trajectory", "a path that was designed"), ("scenario", "a scenario"), ("excitation", "a problem of excitation")):
            with self.subTest(word):
                self.write("other.yaml", f"format: fathom-{word}-1\nname: x\nnonsense: 1\n")
                self.assertEqual(self.fathom("models", "other.yaml", status=2).stderr.count("\n"), 1)
                self.refused("other.yaml", 1, [f"this is {what}, not a robot"])
        self.write("path.yaml", "format: fathom-trajectory-1\nnonsense: 1\n")
        error = self.fathom("simulate", "path.yaml", status=2).stderr
        self.assertIn("this is a path that was designed, not a scenario", error)
        self.assertEqual(error.count("\n"), 1)

    def test_cut_or_damaged_files_are_told_apart_from_bugs(self):
        whole = (ROOT / "data/robots/bluerov2-heavy.yaml").read_bytes()
        damaged = [whole[:n] for n in range(0, len(whole), len(whole) // 20)]
        for _ in range(40):
            copy = bytearray(whole)
            for _ in range(NOISE.randint(1, 8)):
                copy[NOISE.randrange(len(copy))] = NOISE.randrange(256)
            damaged.append(bytes(copy))
        for k, content in enumerate(damaged):
            with self.subTest(k):
                self.write("robot.yaml", content)
                for args in (["lint"], ["lint", "--json"], ["models", "--json"]):
                    result = self.fathom(*args, "robot.yaml")
                    self.assertIn(result.returncode, (0, 1, 2), f"{args}: {result.stderr}")

    def test_file_of_another_editor(self):
        """Windows line ends, a byte-order mark, no line end at the end, JSON."""
        self.write("crlf.yaml", GOOD.replace("\n", "\r\n"))
        self.write("bom.yaml", b"\xef\xbb\xbf" + GOOD.encode())
        self.write("utf16.yaml", GOOD.encode("utf-16"))
        self.write("no-end.yaml", GOOD.rstrip("\n"))
        expected = json.loads(self.fathom("models", self.write("good.yaml", GOOD), "--json", status=0).stdout)
        for name in ("crlf.yaml", "bom.yaml", "utf16.yaml", "no-end.yaml"):
            with self.subTest(name):
                got = json.loads(self.fathom("models", name, "--json", status=0).stdout)
                self.assertEqual(got["values"], expected["values"])


class Robots(Case):
    label = "quick"

    def test_by_name_and_by_path(self):
        path = ROOT / "data/robots/rexrov.yaml"
        by_name = json.loads(self.fathom("models", "rexrov", "--json", status=0).stdout)
        by_path = json.loads(self.fathom("models", path, "--json", status=0).stdout)
        self.assertEqual(by_path.pop("file"), str(path))
        by_name.pop("file")
        self.assertEqual(by_name, by_path)

    def test_every_robot_passes(self):
        for name in self.robots():
            with self.subTest(name):
                self.assertIn("0 errors, 0 warnings", self.fathom("lint", name, status=0).stdout)
                self.assertNotIn("LOOK", self.fathom("models", name, status=0).stdout)

    def test_own_folder_adds_robots_and_wins(self):
        self.write("own/mine.yaml", GOOD)
        self.write("own/rexrov.yaml", GOOD)
        env = {"FATHOM_MODELS": str(self.here / "own")}
        listed = json.loads(self.fathom("models", "--json", env=env, status=0).stdout)["robots"]
        self.assertEqual([r["name"] for r in listed], sorted({*self.robots(), "mine"}))
        self.assertEqual(next(r["mass"] for r in listed if r["name"] == "rexrov"), 10)
        self.assertIn("good", self.fathom("models", "mine", env=env, status=0).stdout)

    def test_own_folder_that_is_missing_or_empty_does_no_harm(self):
        for value in ("", "nowhere"):
            with self.subTest(value):
                self.fathom("models", "rexrov", env={"FATHOM_MODELS": value}, status=0)

    def test_a_broken_robot_of_ones_own_is_named(self):
        self.write("own/mine.yaml", GOOD.replace("mass: 10", "mass: heavy"))
        env = {"FATHOM_MODELS": str(self.here / "own")}
        result = self.fathom("models", env=env, status=1)
        self.assertIn(f"{self.here}/own/mine.yaml:{line_of('  mass')}: hull.mass", result.stderr)
        self.assertRegex(result.stdout, r"(?m)^mine .*does not load$")
        self.assertRegex(result.stdout, r"(?m)^rexrov ")
        listed = self.document("models", env=env, status=1)["robots"]
        self.assertEqual([r["name"] for r in listed if not r["loads"]], ["mine"])

    def test_program_away_from_its_robots_says_so(self):
        alone = self.here / "bin/fathom"
        alone.parent.mkdir()
        alone.write_bytes(BIN.read_bytes())
        alone.chmod(0o755)
        result = subprocess.run([alone, "models"], capture_output=True, text=True, env=self.environment(), timeout=60)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("no robots in ", result.stderr)
        self.assertIn("FATHOM_MODELS", result.stderr)

    def test_file_beside_is_pointed_at(self):
        self.write("toy.yml", GOOD)
        self.assertIn("./toy.yml", self.fathom("models", "toy.yml", status=2).stderr)
        self.write("toy-dive.yaml", "format: fathom-scenario-1\n")
        self.assertIn("./toy-dive.yaml", self.fathom("simulate", "toy-dive", status=2).stderr)

    def test_misspelt_name_gives_the_nearest(self):
        for wrong in ("bluerov2-havy", "bluerov-heavy", "BLUEROV2-HEAVY", "rexrvo"):
            with self.subTest(wrong):
                right = "rexrov" if wrong.startswith("rex") else "bluerov2-heavy"
                shown = self.fathom("models", wrong, status=2)
                self.assertIn(f"'{wrong}' (did you mean {right}?)", shown.stderr)
                self.assertIn(f"did you mean {right}?", self.fathom("lint", wrong, status=2).stdout)

    def test_strange_name_gives_the_list(self):
        errors = self.fathom("models", "zzzzzz", status=2).stderr
        for name in self.robots():
            self.assertIn(name, errors)

    def test_nothing_is_read_from_the_current_folder_by_luck(self):
        self.write("rexrov", GOOD)
        self.write("rexrov.yaml", GOOD)
        self.write("data/robots/rexrov.yaml", GOOD)
        self.write("data/robots/here.yaml", GOOD)
        self.assertEqual(json.loads(self.fathom("models", "rexrov", "--json", status=0).stdout)["name"], "rexrov")
        self.fathom("models", "here", status=2)
        self.assertEqual(json.loads(self.fathom("models", "rexrov.yaml", "--json", status=0).stdout)["name"], "good")

    def test_yaml_output_is_the_same_robot(self):
        for name in self.robots():
            with self.subTest(name):
                text = self.fathom("models", name, "--yaml", status=0).stdout
                self.write("copy.yaml", text)
                self.fathom("lint", "copy.yaml", status=0)
                before = json.loads(self.fathom("models", name, "--json", status=0).stdout)
                after = json.loads(self.fathom("models", "copy.yaml", "--json", status=0).stdout)
                for part in ("name", "title", "values", "matrices", "checks"):
                    self.assertEqual(before[part], after[part], part)
                self.assertEqual(text, self.fathom("models", "copy.yaml", "--yaml", status=0).stdout)

    def test_damping_that_is_left_out_is_zero(self):
        """Ten times, because memory that nobody set is often zero by luck."""
        first, second = GOOD.split("    linear:")[0], "    quadratic: [10, 10, 10, 1, 1, 1]\n"
        for k in range(10):
            self.write("robot.yaml", first + second + "  - name: fin\n    linear: [1, 1, 1, 0, 0, 0]\n" * (k % 2) + "# " + "x" * k * 500)
            shown = json.loads(self.fathom("models", "robot.yaml", "--json", status=0).stdout)
            linear = next(v["value"] for v in shown["values"] if v["key"] == "damping hull.linear")
            self.assertEqual(linear, [[0] * 6] * 6)

    def test_density_reaches_the_checks(self):
        fresh, sea = (json.loads(self.fathom("models", "bluerov2-heavy", "--density", rho, "--json", status=0).stdout)
                      for rho in ("1000", "1025"))
        weight = [next(c["value"] for c in shown["checks"] if c["name"] == "net weight W - B") for shown in (fresh, sea)]
        self.assertTrue(weight[0].startswith("0.98 N") and weight[1].startswith("-2.31 N"), weight)

    def test_density_reaches_the_thrusters(self):
        """The force of a propeller that is told by its K_T is proportional to it."""
        self.write("robot.yaml", GOOD + "thrusters:\n  - name: bow\n    position: [0.2, 0, 0]\n    direction: [0, 1, 0]\n"
                   "    map: {command: {unit: rad_s, range: [-200, 200]}, propeller: {diameter: 0.1, alpha0: 0.4}}\n")
        fresh, heavy = (next(v["value"] for v in self.document("models", "robot.yaml", "--density", rho, status=None)["values"]
                             if v["key"].startswith("thruster bow.map")) for rho in ("1000", "1250"))
        for before, after in zip(fresh, heavy):
            self.assertAlmostEqual(after, 1.25 * before, places=9)
        self.assertAlmostEqual(fresh[1], 0.4 * 1000 * 0.1**4 * (200 / (2 * math.pi))**2, places=9)  # K_T rho D^4 n^2

    def test_a_check_that_fails_has_status_1(self):
        self.write("robot.yaml", changed("volume: 0.01", "volume: 0.005"))
        self.assertIn("LOOK", self.fathom("models", "robot.yaml", status=1).stdout)


if __name__ == "__main__":
    main()
