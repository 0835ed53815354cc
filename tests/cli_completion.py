"""Bash completes verbs, options, and the names of what ships.

Run by ctest (repo:cli_completion), or by hand: FATHOM_BIN=build/release/bin/fathom python3 tests/cli_completion.py
"""

import re
import subprocess

from cli_case import ROOT, Case, main
from wrong_robots import GOOD

COMPLETION = ROOT / "cli/completion/fathom.bash"


class Completion(Case):
    def complete(self, *words):
        script = 'source "$0"; complete -p fathom >/dev/null || exit 9; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); ' \
                 '_fathom; printf "%s\\n" "${COMPREPLY[@]}"'
        result = subprocess.run(["bash", "--norc", "-c", script, COMPLETION, *words], cwd=self.here, env=self.environment(),
                                text=True, capture_output=True, timeout=60)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return sorted(result.stdout.split())

    def test_verbs(self):
        self.assertEqual(self.complete("fathom", ""), sorted([*self.verbs(), "--help", "--version"]))
        self.assertEqual(self.complete("fathom", "mod"), ["models"])

    def test_options_are_those_of_the_help(self):
        for verb in self.verbs():
            with self.subTest(verb):
                text = self.fathom(verb, "--help", status=0).stdout.split("Example:")[0]
                self.assertEqual(self.complete("fathom", verb, "--"), sorted(set(re.findall(r"--[a-z-]+", text))))

    def test_robots(self):
        for verb in ("models", "lint"):
            with self.subTest(verb):
                self.assertEqual(self.complete("fathom", verb, ""), sorted(self.robots()))
                self.assertEqual(self.complete("fathom", verb, "rex"), ["rexrov"])

    def test_scenarios(self):
        self.assertEqual(self.complete("fathom", "simulate", ""), sorted(p.stem for p in (ROOT / "data/scenarios").glob("*.yaml")))
        self.assertEqual(self.complete("fathom", "simulate", "tank"), ["tank-waypoints"])

    def test_assemblies(self):
        self.assertEqual(self.complete("fathom", "assemble", ""), sorted(p.stem for p in (ROOT / "data/assemblies").glob("*.yaml")))
        self.assertEqual(self.complete("fathom", "assemble", "bluerov-pair", "--origin", ""), ["centre_of_mass", "first_module"])

    def test_studies(self):
        self.assertEqual(self.complete("fathom", "reproduce", ""), sorted(p.parent.name for p in ROOT.glob("studies/*/study.yaml")))

    def test_problems(self):
        self.assertEqual(self.complete("fathom", "excite", ""), sorted(p.stem for p in (ROOT / "data/problems").glob("*.yaml")))
        self.assertEqual(self.complete("fathom", "excite", "two", "--criterion", "c"), ["condition"])

    def test_words_of_an_arm(self):
        self.assertEqual(self.complete("fathom", "identify", "--arm", ""), sorted(p.stem for p in (ROOT / "data/arms").glob("*.yaml")))
        for option in ("--estimator", "--friction", "--medium", "--derivatives"):
            words = self.fathom("identify", option, "?", status=2).stderr.splitlines()[0].split("expected one of ")[1]
            self.assertEqual(self.complete("fathom", "identify", option, ""), sorted(words.split(", ")), option)

    def test_files(self):
        self.write("zebra.yaml", GOOD)
        for verb in ("lint", "simulate", "excite"):
            self.assertEqual(self.complete("fathom", verb, "zeb"), ["zebra.yaml"])


if __name__ == "__main__":
    main()
