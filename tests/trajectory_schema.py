"""Schema and reader agree on what a trajectory is.

Run by ctest (repo:trajectory_schema).
"""

import unittest

import schema_case
from schema_case import DELETE, INF

NAMES = ["x", "y", "z", "roll", "pitch", "yaw"]
FULL = {
    "format": "fathom-trajectory-1", "problem": "two-minutes", "robot": "rov", "coordinates": NAMES, "units": ["m"] * 3 + ["rad"] * 3,
    "degree": 1, "knots": [0, 1, 2], "points": {name: [[0, 0], [0, 0]] for name in NAMES},
}
REFUSED = (
    [[(key, DELETE)] for key in ["format", "coordinates", "units", "degree", "knots", "points", *(f"points.{name}" for name in NAMES)]]
    + [[(path + "colour", 1)] for path in ("", "points.")]
    + [[pair] for pair in [
        ("format", "fathom-robot-1"), ("problem", []), ("robot", {}), ("coordinates", NAMES[:5]), ("coordinates", NAMES[::-1]), ("coordinates", "x"),
        ("units", ["m"] * 6), ("degree", 0), ("degree", 61), ("degree", 1.5), ("degree", "one"), ("degree", []), ("knots", []), ("knots", [1]), ("knots", 1),
        ("knots", ["a", "b"]), ("points", []), ("points", 1), ("points.x", 1), ("points.x", {}), ("points.x", [1, 2]),
        ("points.y", [[0, "a"], [0, 0]]), ("points.z", [[0, 2e6], [0, 0]]), ("points.yaw", [[0, -2e6], [0, 0]]), ("points.roll", "level"), ("points.pitch", None), ("format", None)]]
)
ACCEPTED = [[], *([(key, DELETE)] for key in ("problem", "robot")), [("degree", 1.0)], [("knots", [-1, 0.5, 9])], [("points.x", [[0, 1e6], [-1e6, 0]])]]
# Rows for each piece, and as many numbers as the degree says.
MEANING = [[pair] for pair in [("knots", [0, INF, 2]), ("knots", [0, 2, 1]), ("knots", [0, 1]), ("degree", 2), ("points.x", [[0, 0]]), ("points.x", [[0, 0], [0]])]]


class Case(schema_case.Case):
    format = kind = "trajectory"


class TrajectoryAgreement(schema_case.Agreement, Case):
    full, refused, accepted, meaning = FULL, REFUSED, ACCEPTED, MEANING
    enough_accepted = 6


class TrajectorySchema(Case):
    test_is_valid_draft_2020_12 = schema_case.Form.test_is_valid_draft_2020_12


if __name__ == "__main__":
    unittest.main(verbosity=2)
