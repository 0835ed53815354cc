"""No compile flag changes results: the release and the sanitizer build print the same bytes.

Compares what fathom_oracle_dump and `fathom demo` of two builds write. Run by ctest (repo:same_numbers); FATHOM_DUMP and
FATHOM_BIN name this build's programs, and build/asan, if it is there, is the other build. Without it the test is skipped.
"""

import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
OTHER = pathlib.Path(os.environ.get("FATHOM_OTHER_BUILD", ROOT / "build/asan")).resolve()
SKIPPED = 77  # what ctest shows as skipped


def run(program, *args, cwd=ROOT):
    result = subprocess.run([program, *args], cwd=cwd, capture_output=True, timeout=300)
    if result.returncode != 0:
        raise AssertionError(f"{program} {' '.join(args)}: status {result.returncode}\n{result.stderr.decode(errors='replace')}")
    return result.stdout


def first_difference(mine, theirs):
    """The first line in which two texts differ, for people; "" if they are the same to the byte."""
    if mine == theirs:
        return ""
    for k, (a, b) in enumerate(zip(mine.splitlines(), theirs.splitlines()), 1):
        if a != b:
            at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            start = max(0, at - 60)
            return f"line {k}, column {at + 1}:\n  {a[start:at + 60]!r}\n  {b[start:at + 60]!r}"
    return f"lengths differ: {len(mine)} and {len(theirs)} bytes"


class SameNumbers(unittest.TestCase):
    def programs(self, variable):
        """This build's program and the other's."""
        if not os.environ.get(variable):
            self.skipTest(f"{variable} is not set")
        mine = pathlib.Path(os.environ[variable]).resolve()
        self.assertTrue(mine.is_file(), f"{mine} is not built")
        theirs = next((p for p in OTHER.rglob(mine.name) if p.is_file() and os.access(p, os.X_OK)), None)
        if theirs is None:
            self.skipTest(f"there is no {mine.name} in {OTHER}: ./dev build asan makes it")
        if theirs.resolve() == mine:
            self.skipTest(f"{mine.name} of this build is that of {OTHER}: there is nothing to compare")
        return mine, theirs

    def assert_same(self, name, mine, theirs):
        self.assertTrue(mine, f"{name} is empty")
        difference = first_difference(mine, theirs)
        self.assertFalse(difference, f"{name} differs; is the other build of the same sources? {difference}")
        print(f"{name}: {len(mine)} bytes, sha256 {hashlib.sha256(mine).hexdigest()[:16]}, the same in both builds", file=sys.stderr)

    def test_oracle_dump(self):
        mine, theirs = self.programs("FATHOM_DUMP")
        self.assert_same("dump", run(mine), run(theirs))

    def test_demo(self):
        programs = self.programs("FATHOM_BIN")
        written = []
        for program in programs:
            with tempfile.TemporaryDirectory() as folder:
                run(program, "demo", "--quick", "--out", "results", cwd=folder)
                results = pathlib.Path(folder) / "results"
                written.append({str(p.relative_to(results)): p.read_bytes() for p in sorted(results.rglob("*")) if p.is_file()})
        self.assertEqual(written[0].keys(), written[1].keys())
        for name, content in written[0].items():
            self.assert_same(f"demo's {name}", content, written[1][name])

    def test_models(self):
        mine, theirs = self.programs("FATHOM_BIN")
        for file in sorted((ROOT / "data/robots").glob("*.yaml")):
            self.assert_same(file.stem, run(mine, "models", str(file), "--json"), run(theirs, "models", str(file), "--json"))


class TheCheckerItself(unittest.TestCase):
    def test_sees_one_bit(self):
        self.assertIn("line 2, column 4", first_difference(b"1.0\n2.00\n", b"1.0\n2.01\n"))

    def test_sees_an_end_that_is_missing(self):
        self.assertIn("lengths differ", first_difference(b"1.0\n2.0\n", b"1.0\n"))

    def test_sees_nothing_where_there_is_nothing(self):
        self.assertEqual(first_difference(b"1.0\n", b"1.0\n"), "")


if __name__ == "__main__":
    outcome = unittest.main(verbosity=2, exit=False).result
    compared = unittest.defaultTestLoader.getTestCaseNames(SameNumbers)
    sys.exit(1 if not outcome.wasSuccessful() else SKIPPED if len(outcome.skipped) == len(compared) else 0)
