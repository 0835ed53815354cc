"""The rules of the command line hold for every verb: exit status, messages with place and remedy, --json, whole results.

Run by ctest (repo:cli), or by hand: FATHOM_BIN=build/release/bin/fathom python3 tests/cli.py
"""

import json
import os
import re
import subprocess

from cli_case import ROOT, SANITIZED, Case, main
from wrong_robots import GOOD, line_of


class Help(Case):
    def test_the_verbs_are_there(self):
        self.assertLessEqual({"demo", "simulate", "excite", "models", "lint"}, set(self.verbs()))

    def test_version_is_that_of_the_project(self):
        version = re.search(r"project\(fathom VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
        self.assertEqual(self.fathom("--version", status=0).stdout, f"fathom {version}\n")

    def test_help_names_each_option_once_and_says_what_it_does(self):
        for verb in self.verbs():
            with self.subTest(verb):
                text = self.fathom(verb, "--help", status=0).stdout
                lines = [line for line in text.splitlines() if re.match(r"\s+(-\w,)?--", line)]
                self.assertTrue(any("--json" in line for line in lines))
                for line in lines:
                    self.assertRegex(line, r"--[a-z-]+.*  +\S+", "an option without description")

    def test_the_example_of_every_verb_runs(self):
        """Each in a folder of its own, with nothing in it."""
        for verb in self.verbs():
            with self.subTest(verb):
                here = self.here / verb
                here.mkdir()
                text = self.fathom(verb, "--help", status=0).stdout
                self.assertEqual(text.count("Example:"), 1)
                lines = text.split("Example:\n")[1].splitlines()
                example = [line.strip() for line in lines[: next((k for k, l in enumerate(lines) if not l.startswith(" ")), None)]]
                self.assertTrue(example and any(line.startswith(f"fathom {verb}") for line in example), example)
                if SANITIZED and verb == "demo":
                    continue  # a pool day takes minutes under the sanitizers; cli_demo.py has it
                for line in example:
                    result = subprocess.run(["bash", "-c", line], cwd=here, env=self.environment(), text=True,
                                            capture_output=True, timeout=120)
                    self.assertEqual(result.returncode, 0, f"{line}\n{result.stdout}\n{result.stderr}")


    def test_help_is_of_one_style(self):
        for verb in self.verbs():
            with self.subTest(verb):
                text = self.fathom(verb, "--help", status=0).stdout
                self.assertRegex(text.splitlines()[0], r"^[A-Z][a-z]+s ", "what the verb does")
                self.assertNotRegex(text, r"TEXT|FLOAT|UINT|<verb>", "CLI11's words for values")
                self.assertNotIn("\n\n\n", text)
        self.assertIn("--log DIR|MCAP REQUIRED", self.fathom("validate", "--help", status=0).stdout)
        self.assertIn("default out/demo)", self.fathom("demo", "--help", status=0).stdout)

    def test_no_value_is_minus_nothing_and_no_table_is_empty(self):
        shown = self.fathom("models", "rexrov", status=0).stdout
        self.assertNotRegex(shown, r"-0 to|to -0")
        self.assertRegex(shown, r"(?m)^name +value +unit +sigma +source$")
        self.write("bare.yaml", re.sub(r" +source: .*\n", "", GOOD))
        self.assertNotIn("sources", self.fathom("models", "bare.yaml", status=0).stdout)


class Usage(Case):
    """Bad usage: status 2, a message on standard error that names what was got, nothing on standard output or disk."""

    def refused(self, *args, words):
        result = self.fathom(*args, status=2)
        self.assertEqual(result.stdout, "")
        for word in [*words, "--help"]:
            self.assertIn(word, result.stderr)
        self.assertEqual(self.tree(), {})

    def test_no_verb(self):
        self.refused(words=["Usage: fathom [OPTIONS] VERB", "Verbs:", "identify"])

    def test_unknown_verb_is_named(self):
        self.refused("dmeo", words=["dmeo"])
        self.refused("help", words=["there is no verb 'help' (did you mean --help?)"])

    def test_unknown_option_is_named(self):
        for call in (["demo"], ["simulate", "open-loop"], ["models"], ["models", "rexrov"], ["lint", "rexrov"]):
            with self.subTest(call):
                self.refused(*call, "--nope", words=["there is no option '--nope'"])
        self.refused("models", "rexrov", "--densty", "1000", words=["did you mean --density?"])
        self.assertNotIn("subcommand", self.fathom("--help", status=0).stdout.lower())

    def test_what_ships_but_is_no_robot(self):
        self.assertIn("(fathom assemble bluerov-pair)", self.fathom("models", "bluerov-pair", status=2).stderr)
        self.assertIn("'reach-alpha-5' is an arm, not a robot", self.fathom("models", "reach-alpha-5", status=2).stderr)
        self.assertIn("fathom models NAME --yaml", self.fathom("models", "--yaml", status=2).stderr)

    def test_an_option_without_its_value(self):
        for call, form in ((["simulate", "open-loop", "--seed"], "--seed INT"), (["demo", "--seed"], "--seed INT"), (["demo", "--out"], "--out DIR"),
                           (["simulate", "open-loop", "--out"], "--out DIR"), (["identify", "--robot"], "--robot NAME|FILE"),
                           (["identify", "--bound"], "--bound NAME=MIN:MAX"), (["validate", "--current", "0.1"], "--current N E")):
            self.refused(*call, words=[f"fathom {call[0]}: {form.split()[0]} lacks a value, expected {form}\n"])

    def test_argument_too_many(self):
        self.refused("demo", "extra", words=["extra"])
        self.refused("simulate", "open-loop", "extra", words=["extra"])
        self.refused("models", "rexrov", "extra", words=["extra"])

    def test_file_missing_in_the_call(self):
        self.refused("lint", words=["file"])
        self.refused("simulate", words=["scenario"])

    def test_seed_that_is_no_whole_number(self):
        for seed in ("many", "1.5"):
            self.refused("demo", "--seed", seed, words=["--seed", seed])
            self.refused("simulate", "open-loop", "--seed", seed, words=["--seed", seed])

    def test_density_that_is_no_number(self):
        error = self.fathom("models", "rexrov", "--density", "salty", status=2).stderr
        for word in ("--density", "salty", "expected a number in kg/m^3"):
            self.assertIn(word, error)

    def test_density_that_no_water_has(self):
        for density in ("0", "-1000", "nan", "inf", "1e9", ""):
            for verb in ("models", "lint"):
                with self.subTest(density=density, verb=verb):
                    result = self.fathom(verb, "rexrov", "--density", density, status=2)
                    self.assertIn("density", result.stderr)
                    self.assertEqual(result.stdout, "")


class Json(Case):
    def test_models(self):
        listed = self.document("models")
        self.assertEqual([r["name"] for r in listed["robots"]], sorted(p.stem for p in (ROOT / "data/robots").glob("*.yaml")))

    def test_one_model(self):
        shown = self.document("models", "bluerov2-heavy")
        self.assertEqual(shown["name"], "bluerov2-heavy")
        mass = next(v for v in shown["values"] if v["key"] == "hull.mass")
        self.assertEqual((mass["value"], mass["unit"]), (13.5, "kg"))
        self.assertTrue(mass["source"])
        self.assertEqual(len(shown["matrices"]["allocation"]), 6)
        self.assertTrue(all(check["pass"] for check in shown["checks"]))

    def test_model_as_yaml(self):
        self.assertEqual(self.document("models", "bluerov2-heavy", "--yaml")["yaml"],
                         self.fathom("models", "bluerov2-heavy", "--yaml", status=0).stdout)

    def test_lint(self):
        found = self.document("lint", "bluerov2-heavy", "rexrov")
        self.assertEqual([f["loads"] for f in found["files"]], [True, True])
        self.assertEqual(found["status"], 0)

    def test_lint_of_bad_files_is_json_too(self):
        self.write("bad.yaml", GOOD.replace("mass: 10", "mass: 0"))
        found = self.document("lint", "bad.yaml", "nowhere.yaml", "no-such-robot", status=2)
        self.assertEqual(found["status"], 2)
        self.assertEqual([f["loads"] for f in found["files"]], [False] * 3)
        finding = found["files"][0]["findings"][0]
        self.assertEqual((finding["line"], finding["key"]), (line_of("  mass"), "hull.mass"))
        self.assertTrue(finding["hint"])

    def test_text_in_latin_1_is_no_internal_error(self):
        self.write("robot.yaml", GOOD.encode().replace(b"name: good", b"name: good\ntitle: caf\xe9"))
        for args in (["models", "robot.yaml"], ["models", "robot.yaml", "--yaml"], ["lint", "robot.yaml"]):
            with self.subTest(args[:1]):
                result = self.fathom(*args, "--json", text=False)
                self.assertIn(result.returncode, (0, 2), result.stderr)
                if result.returncode == 0:
                    json.loads(result.stdout.decode("utf-8"))

    def test_file_name_in_latin_1_is_no_internal_error(self):
        name = os.fsencode(self.here) + b"/caf\xe9.yaml"
        with open(name, "wb") as file:
            file.write(GOOD.encode())
        for verb in ("models", "lint"):
            with self.subTest(verb):
                result = self.fathom(verb, name, "--json", text=False)
                self.assertEqual(result.returncode, 0, result.stderr)
                json.loads(result.stdout.decode("utf-8"))


class Output(Case):
    """Output that cannot be written is an error, not a success."""

    def commands(self):
        yield from (["models"], ["models", "bluerov2-heavy"], ["models", "bluerov2-heavy", "--json"],
                    ["models", "rexrov", "--yaml"], ["lint", "bluerov2-heavy"], ["lint", *self.robots(), "--json"],
                    ["simulate", "open-loop", "--out", "results"],
                    ["simulate", "open-loop", "--out", "results", "--json"], ["--help"], ["--version"], ["models", "--help"])

    def test_full_disk_behind_standard_output(self):
        for args in self.commands():
            with self.subTest(" ".join(args)), open("/dev/full", "w") as full:
                result = self.fathom(*args, stdout=full, status=2)
                self.assertIn("cannot be written", result.stderr)

    def test_closed_standard_output(self):
        for args in self.commands():
            with self.subTest(" ".join(args)):
                result = self.fathom(*args, stdout=None, first=lambda: os.close(1), status=2)
                self.assertIn("cannot be written", result.stderr)
        for path in (self.here / "results").rglob("*"):  # output must not stray into a file that was given number 1
            if path.name == "summary.json":
                json.loads(path.read_text())
            elif path.suffix == ".csv":
                self.assertTrue(path.read_bytes().startswith(b"# fathom log 1\n"), path)
                self.assertEqual(len({line.count(",") for line in path.read_text().splitlines()[4:]}), 1, path)


if __name__ == "__main__":
    main()
