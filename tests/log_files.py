"""Log files as others write and read them: what Python wrote reaches Fathom, and what Fathom wrote reaches numpy, bit for
bit, numpy's and Python's own conversions of numbers being the judges.

Run by ctest (repo:log_files). FATHOM_LOG_ECHO names the program that reads a folder and writes it again.
"""

import csv
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np

ECHO = os.environ["FATHOM_LOG_ECHO"]


def random_doubles(count):
    """Every kind: random bits, everyday sizes, decimals, and the ends of the range. No infinities."""
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 2**64, count, dtype=np.uint64).view(np.float64)
    everyday = rng.normal(size=count) * 10.0 ** rng.integers(-12, 20, count)
    decimals = np.round(rng.uniform(-100, 100, count), 3)
    special = np.array([0.0, -0.0, 5e-324, -5e-324, 2.2250738585072014e-308, 1e308, 1.7976931348623157e308, np.nan, 0.1])
    all_kinds = np.concatenate([bits, everyday, decimals, np.resize(special, count)])
    all_kinds[np.isinf(all_kinds)] = np.nan
    return rng.permutation(all_kinds).reshape(-1, 4)


def same_bits(a, b):
    both_nan = np.isnan(a) & np.isnan(b)
    return bool(np.all(both_nan | (a.view(np.uint64) == b.view(np.uint64))))


class LogFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.there, self.back = pathlib.Path(folder.name) / "there", pathlib.Path(folder.name) / "back"
        self.there.mkdir()

    def echo(self):
        result = subprocess.run([ECHO, self.there, self.back], capture_output=True, text=True, timeout=60)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def header_lines(self, path):
        lines = path.read_text().splitlines()
        return next(k for k, line in enumerate(lines) if not line.startswith("#"))

    def write(self, t, values):
        with open(self.there / "imu.csv", "w") as file:
            file.write("t,a,b [m/s],c,d\n")
            for time, row in zip(t, values):
                file.write(",".join(repr(float(x)) for x in [time, *row]) + "\n")

    def test_python_to_fathom_to_numpy(self):
        values = random_doubles(5000)
        t = np.arange(len(values)) * 0.01
        self.write(t, values)
        self.echo()
        path = self.back / "imu.csv"
        table = np.genfromtxt(path, delimiter=",", skip_header=self.header_lines(path) + 1)
        self.assertEqual(table.shape, (len(t), 5))
        self.assertTrue(same_bits(table[:, 0].copy(), t))
        self.assertTrue(same_bits(np.ascontiguousarray(table[:, 1:]), values))

    def test_numpys_own_format_to_fathom_to_python(self):
        values = random_doubles(500)
        t = np.arange(len(values)) * 0.01
        np.savetxt(self.there / "imu.csv", np.column_stack([t, values]), delimiter=",", header="t,a,b,c,d", comments="")
        self.echo()
        with open(self.back / "imu.csv", newline="") as file:
            rows = list(csv.reader(line for line in file if not line.startswith("#")))
        self.assertEqual(rows[0], ["t [s]", "a", "b", "c", "d"])
        table = np.array([[float(x) if x else np.nan for x in row] for row in rows[1:]])
        self.assertTrue(same_bits(table[:, 0].copy(), t))
        self.assertTrue(same_bits(np.ascontiguousarray(table[:, 1:]), values))

    def test_fewest_digits(self):
        """Python's repr also prints the shortest decimal that comes back."""
        values = random_doubles(500)
        self.write(np.arange(len(values)), values)
        self.echo()
        digits = lambda text: text.lstrip("-").split("e")[0].replace(".", "").strip("0")
        for line, row in zip((self.back / "imu.csv").read_text().splitlines()[4:], values):
            for text, value in zip(line.split(",")[1:], row):
                self.assertEqual(digits(text), "" if np.isnan(value) else digits(repr(float(value))))


if __name__ == "__main__":
    unittest.main(verbosity=2)
