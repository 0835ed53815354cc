"""The schema of problems and the library agree on what a problem of an arm's excitation is.

Run by ctest (repo:arm_problem_schema). Problems of vehicles: problem_schema.py.
"""

import unittest

import schema_case
from schema_case import DELETE

# A problem that uses nearly every key; those that exclude each other are in ACCEPTED.
FULL = {
    "format": "fathom-excitation-1",
    "name": "full",
    "title": "Everything",
    "arm": "ariane",
    "held": {"joint-4": 0.1},
    "environment": {"density": 1025, "gravity": 9.81},
    "medium": "water",
    "down": [0, 0, 1],
    "space": "motor",
    "harmonics": 5,
    "period": 80,
    "samples": 90,
    "measured": "current",
    "columns": {"friction": "coulomb", "offset": True, "motor": True, "buoyancy": True, "added_mass": False, "drag": True},
    "noise": 0.05,
    "limits": {"joint-1": {"min": -1.5, "max_deg": 30, "speed": 0.4, "acceleration": 2, "effort": 300, "motor_speed": 400,
                           "motor_acceleration": 4000, "current": 5},
               "joint-2": {"min_deg": 10, "max": 1.6, "speed_deg": 8, "acceleration_deg": 90}},
    "criterion": "condition",
    "starts": 20,
    "iterations": 60,
}
REQUIRED = ["format", "name", "arm"]
OPTIONAL = ["title", "held", "environment", "medium", "down", "space", "harmonics", "period", "samples", "measured", "columns",
            "columns.friction", "columns.offset", "columns.motor", "columns.buoyancy", "columns.added_mass", "columns.drag", "noise",
            "limits", "limits.joint-1", "limits.joint-1.min", "limits.joint-1.current", "limits.joint-2.speed_deg", "criterion", "starts",
            "iterations"]
MAPS = ["", "environment.", "columns.", "limits.joint-1."]

REFUSED = (
    [[(path, DELETE)] for path in REQUIRED]
    + [[(path + "colour", 1)] for path in MAPS]
    + [[pair] for pair in [
        # of a vehicle, and two for one
        ("robot", "defender-like"), ("structure", "vehicle-23"), ("tank", {}), ("duration", 80), ("held_deg", {"joint-4": 3}),
        ("limits.joint-1.min_deg", -80), ("limits.joint-1.max", 0.5), ("limits.joint-1.speed_deg", 9), ("limits.joint-1.acceleration_deg", 9),
        # another type
        ("arm", None), ("arm", []), ("held", ["joint-4"]), ("held", 0), ("held.joint-4", "up"), ("environment", []), ("down", 1),
        ("down", "z"), ("harmonics", "five"), ("harmonics", 2.5), ("period", "long"), ("period", [80]), ("samples", 80.5), ("columns", "all"),
        ("columns", ["drag"]), ("columns.offset", 1), ("columns.drag", "yes"), ("columns.friction", True), ("noise", {}), ("noise", "0.1 A"),
        ("limits", []), ("limits.joint-1", 3), ("limits.joint-1.speed", [1]), ("starts", "many"), ("iterations", 1.5),
        # another length, another word
        ("down", [0, 1]), ("medium", "oil"), ("space", "task"), ("measured", "torque"), ("columns.friction", "stribeck"), ("criterion", "best"),
        ("format", "fathom-excitation-2"), ("name", "two words"),
        # a number that the form itself forbids
        ("harmonics", 0), ("harmonics", 101), ("period", 0), ("period", -1), ("samples", 0), ("samples", 10001), ("noise", 0),
        ("limits.joint-1.speed", 0), ("limits.joint-1.acceleration", -1), ("limits.joint-1.effort", 0), ("limits.joint-1.motor_speed", 0),
        ("limits.joint-1.current", -2), ("starts", 0), ("iterations", 0), ("environment.gravity", 0),
    ]]
)
ACCEPTED = (
    [[]]
    + [[(path, DELETE)] for path in OPTIONAL]
    + [[pair] for pair in [
        ("space", "joint"), ("measured", "effort"), ("criterion", "a-optimal"), ("criterion", "d-optimal"), ("columns", {}), ("limits", {}),
        ("columns.friction", "none"), ("columns.friction", "viscous"), ("columns.friction", "direction"), ("down", [0.1, 0, -2]),
        ("samples", 21), ("harmonics", 1), ("held", {}), ("limits.joint-1", {}), ("environment", {}), ("columns.added_mass", True),
    ]]
    + [[("held", DELETE), ("held_deg", {"joint-4": -90})], [("medium", "air"), ("columns", {"drag": False})]]
)
MEANING = [[pair] for pair in [
    ("arm", "arian"), ("arm", "none/arm.yaml"), ("held", {"joint-9": 0}), ("held", {"joint-4": 9}), ("limits", {"joint-4": {"speed": 1}}),
    ("limits.joint-1.max_deg", 33), ("limits.joint-1.min", 1), ("limits.joint-1.speed", 1), ("limits.joint-1.motor_speed", 600),
    ("limits.joint-1.current", 7), ("samples", 20), ("medium", "air"), ("down", [0, 0, 0]),
]]


class ArmProblemAgreement(schema_case.Agreement, schema_case.Case):
    format, kind = "problem", "problem"
    full, refused, accepted, meaning = FULL, REFUSED, ACCEPTED, MEANING

    def part_of_schema(self):
        """problem_schema.py has the rest."""
        return self.schema["oneOf"][1]


if __name__ == "__main__":
    unittest.main(verbosity=2)
