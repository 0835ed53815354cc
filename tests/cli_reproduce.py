"""`fathom reproduce`: which studies there are, and what it says of those that are not. Quick: it runs no study.

Run by ctest (repo:cli_reproduce); FATHOM_BIN names the program. The studies themselves: tests/reproduce.py.
"""
import json
import re

from cli_case import ROOT, Case, main

STUDIES = sorted(p.parent.name for p in (ROOT / "studies").glob("*/study.yaml"))


class Reproduce(Case):
    def test_list_names_every_study(self):
        self.assertIn("excitation", STUDIES)
        text = self.fathom("reproduce", "--list", status=0).stdout
        self.assertEqual([line.split()[0] for line in text.splitlines()[1:] if re.match(r"\S", line)], STUDIES)
        listed = self.document("reproduce", "--list")["studies"]
        self.assertEqual([s["name"] for s in listed], STUDIES)
        for study in listed:
            self.assertEqual(set(study), {"name", "title", "folder"})
            self.assertTrue(study["title"])

    def test_unknown_study_is_named_with_the_nearest(self):
        for args, words in ((["exitation"], ["there is no study 'exitation'", "did you mean excitation?"]),
                            (["excitation", "qqq"], ["there is no study 'qqq'", "there are arm, excitation"])):
            with self.subTest(" ".join(args)):
                result = self.fathom("reproduce", *args, status=2)
                self.assertEqual(result.stdout, "")
                for word in words:
                    self.assertIn(word, result.stderr)

    def test_bad_numbers(self):
        for args, word in ((["--seed", "-1"], "no seed"), (["--threads", "-2"], "--threads")):
            result = self.fathom("reproduce", "excitation", *args, status=2)
            self.assertEqual(result.stdout, "")
            self.assertIn(word, result.stderr)

    def test_settings_are_the_studys_own(self):
        for setting in ("days", "days=", "days=0", "days=many", "dyas=4", "=4", ""):
            with self.subTest(setting):
                result = self.fathom("reproduce", "identification", "--setting", setting, status=2)
                self.assertEqual(result.stdout, "")
                self.assertIn("--setting", result.stderr)

    def test_results_go_to_a_folder(self):
        for more in ([], ["--seed", "7"]):
            result = self.fathom("reproduce", "thrusters", "--out", "results", *more, env={"FATHOM_DATA": "nowhere"})
            self.assertIn(result.returncode, (0, 1), result.stderr)
            self.assertEqual({p.name for p in (self.here / "results").iterdir()}, {"report.html", "summary.json"})
            command = json.loads((self.here / "results/summary.json").read_text())["command"]
            self.assertEqual(command, " ".join(["reproduce", "thrusters", *more]))

    def test_nothing_is_written(self):
        self.fathom("reproduce", "--list", status=0)
        self.assertEqual(self.tree(), {})


if __name__ == "__main__":
    main()
