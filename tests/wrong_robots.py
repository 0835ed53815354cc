"""Robot files with one thing wrong, for the tests of the command line."""

import random

from cli_case import line_in, one_change

GOOD = """\
format: fathom-robot-1
name: good
hull:
  source: invented for this test
  mass: 10
  inertia: [0.2, 0.2, 0.3]
  centre_of_mass: [0, 0, 0]
  volume: 0.01
  centre_of_buoyancy: [0, 0, -0.01]
  added_mass: [5, 6, 7, 0.1, 0.1, 0.1]
damping:
  - name: hull
    source: invented for this test
    linear: [5, 5, 5, 1, 1, 1]
    quadratic: [10, 10, 10, 1, 1, 1]
"""


def changed(old, new):
    """GOOD with one line changed."""
    return one_change(GOOD, old, new).encode()


def line_of(text):
    return line_in(GOOD, text)


# Files with one thing wrong: their bytes, the line that the message must name (0: the file as a whole) and words that it must hold.
WRONG_CONTENT = {
    "misspelt key": (changed("  volume: 0.01", "  volum: 0.01"), line_of("  volume"), ["volum", "did you mean volume?"]),
    "missing key": (changed("  mass: 10\n", ""), line_of("hull:"), ["lacks the key mass"]),
    "key of another format": (changed("fathom-robot-1", "fathom-robot-9"), 1, ["fathom-robot-9", "expected fathom-robot-1"]),
    "key twice": (changed("  mass: 10\n", "  mass: 10\n  mass: 11\n"), line_of("  mass") + 1, ["'mass'", "twice"]),
    "cut off in a list": (GOOD[: GOOD.index("0.3]")].encode(), line_of("  inertia"), ["not valid YAML"]),
    "cut off after a section": (GOOD[: GOOD.index("damping:")].encode(), 1, ["damping", "missing"]),
    "nan": (changed("mass: 10", "mass: .nan"), line_of("  mass"), ["hull.mass", "finite"]),
    "inf": (changed("mass: 10", "mass: -.inf"), line_of("  mass"), ["hull.mass", "finite"]),
    "nan in a list": (changed("[0.2, 0.2, 0.3]", "[0.2, .nan, 0.3]"), line_of("  inertia"), ["hull.inertia[1]", "finite"]),
    "beyond the largest double": (changed("mass: 10", "mass: 1e999"), line_of("  mass"), ["hull.mass", "finite"]),
    "number with its unit": (changed("mass: 10", "mass: 10 kg"), line_of("  mass"), ["'10 kg'", "write 10 alone"]),
    "decimal comma": (changed("mass: 10", "mass: 8,5"), line_of("  mass"), ["'8,5'", "a decimal point: 8.5"]),
    "name that is a path": (changed("name: good", "name: To y/../z"), 2, ["'To y/../z'", "names become file names"]),
    "word for a number": (changed("mass: 10", "mass: heavy"), line_of("  mass"), ["'heavy'", "expected a number in kg"]),
    "list for a number": (changed("mass: 10", "mass: [10, 11]"), line_of("  mass"), ["hull.mass", "expected a number"]),
    "number for a map": (changed("  - name: hull", "  - 5\n  - name: hull"), line_of("  - name"), ["damping[0]", "expected a map"]),
    "zero volume": (changed("volume: 0.01", "volume: 0"), line_of("  volume"), ["hull.volume", "must be > 0"]),
    "negative mass": (changed("mass: 10", "mass: -10"), line_of("  mass"), ["hull.mass", "must be > 0"]),
    "zero moment of inertia": (changed("[0.2, 0.2, 0.3]", "[0.2, 0, 0.3]"), line_of("  inertia"), ["hull.inertia", "> 0"]),
    "singular inertia": (changed("[0.2, 0.2, 0.3]", "[[0.2, 0.2, 0], [0.2, 0.2, 0], [0, 0, 0.3]]"), line_of("  inertia"),
                         ["hull.inertia", "principal moment"]),
    "impossible inertia": (changed("[0.2, 0.2, 0.3]", "[0.2, 0.2, 0.5]"), line_of("  inertia"), ["triangle inequality"]),
    "added mass of the wrong sign": (changed("[5, 6, 7,", "[5, -6, 7,"), line_of("  added_mass"),
                                     ["hull.added_mass[1]", "sname_added_mass"]),
    "damping that drives": (changed("[5, 5, 5, 1, 1, 1]", "[5, 5, -5, 1, 1, 1]"), line_of("    linear"),
                            ["damping[0].linear[2]", "sname_linear"]),
    "list too short": (changed("[0.2, 0.2, 0.3]", "[0.2, 0.2]"), line_of("  inertia"), ["list of 2", "3 numbers"]),
    "list too long": (changed("centre_of_mass: [0, 0, 0]", "centre_of_mass: [0, 0, 0, 0]"), line_of("  centre_of_mass"),
                      ["list of 4", "3 numbers"]),
    "row too short": (changed("[0.2, 0.2, 0.3]", "[[0.2, 0, 0], [0, 0.2], [0, 0, 0.3]]"), line_of("  inertia"),
                      ["hull.inertia[1]", "3 numbers"]),
    "robot beyond all numbers": (changed("centre_of_mass: [0, 0, 0]", "centre_of_mass: [1e200, 0, 0]"), line_of("  centre_of_mass"),
                                 ["hull.centre_of_mass"]),
    "moments too small to invert": (changed("[0.2, 0.2, 0.3]", "[1e-320, 1e-320, 1e-320]").replace(b"0.1, 0.1, 0.1", b"0, 0, 0"),
                                    line_of("  inertia"), ["hull.inertia"]),
    "two documents": ((GOOD + "---\n" + GOOD).encode(), None, ["second YAML document"]),
    "empty": (b"", 0, ["is empty"]),
    "only a comment": (b"# a robot\n", 0, ["is empty"]),
    "only a word": (b"robot\n", 1, ["expected a map"]),
    "only a comma": (b",", None, []),
    "comma behind the robot": (b"{format: fathom-robot-1, name: good},", None, []),
    "deep nesting": (b"[" * 100_000, None, ["not valid YAML"]),
    "5 MB of robot": ((GOOD + "# padding\n" * 524_288).encode(), 0, ["is larger than"]),
}
NOISE = random.Random(1)
BINARY_CONTENT = {
    **{f"random bytes {k}": NOISE.randbytes(1000) for k in range(10)},
    "zeros": bytes(4096),
    "a program": b"\x7fELF\x02\x01\x01" + bytes(9) + NOISE.randbytes(200_000),
    "a picture": b"\x89PNG\r\n\x1a\n" + NOISE.randbytes(500),
    "5 MB of random bytes": NOISE.randbytes(5 << 20),
}
