"""Every file with a suite of label long is one that the builds of that label compile. Run by ctest (repo:labels), which names
these files in FATHOM_LONG_TESTS."""

import os
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUITE = re.compile(r"^TEST(?:_[FP])?\((\w+)Long,", re.MULTILINE)


class Labels(unittest.TestCase):
    def test_files_with_long_tests_are_declared(self):
        files = [*(ROOT / "fathom").rglob("*_test.cpp"), *(ROOT / "tests").rglob("*_test.cpp")]
        self.assertGreater(len(files), 100)
        found = {str(path.relative_to(ROOT)) for path in files if SUITE.search(path.read_text())}
        declared = set(os.environ["FATHOM_LONG_TESTS"].split())
        self.assertEqual(found - declared, set(), "these have suites *Long: name them in LONG_TESTS of their module")
        self.assertEqual(declared - found, set(), "these have no suite *Long: take them out of LONG_TESTS")


if __name__ == "__main__":
    unittest.main(verbosity=2)
