"""The schema of problems and the library agree on what a problem of excitation is.

Run by ctest (repo:problem_schema).
"""

import unittest

import arm_problem_schema
import schema_case
from schema_case import DELETE, ROOT

# A problem that uses nearly every key; those that exclude each other are in ACCEPTED.
FULL = {
    "format": "fathom-excitation-1",
    "name": "full",
    "title": "Everything",
    "robot": "bluerov2-heavy",
    "structure": {"dof": 6, "inertia": "planes", "linear": "diagonal", "quadratic": "diagonal", "cross": ["q26|6|"]},
    "environment": {"density": 1025, "gravity": 9.81},
    "tank": {"min": [-3, -2, 0], "max": [3, 2, 1.8], "clearance": 0.3},
    "start": {"position": [0, 0, 0.8], "attitude_deg": [0, 0, 10]},
    "end": {"position": [0.1, 0, 0.8], "yaw": 0.1},
    "duration": 100,
    "sampling": 0.2,
    "limits": {
        "x": [-2, 2], "y": [-1, 1], "z": [0.4, 1.2], "roll": [-0.3, 0.3], "pitch_deg": [-20, 20], "yaw": [-3, 3],
        "speed": 0.3, "turn_rate": {"roll": 0.5, "pitch": [-0.4, 0.5], "yaw": 0.5},
        "acceleration": {"x": 0.2, "y": 0.2, "z": [-0.2, 0.1]}, "turn_acceleration_deg": 20,
    },
    "segments": [{"name": "one", "share": 0.5, "limits": {"x": [-1, 1], "speed": {"x": 0.1}}}, {"duration": 40}],
    "shape": {"kind": "bezier", "degree": 20, "parts": 8},
    "criterion": "a-optimal",
    "noise": {"force": 1, "torque": 0.25, "velocity": 0.01, "turn_rate": 0},
    "priors": {"m11": 2.5, "q26|6|": 1, "W-B": 0.1},
    "thruster_errors": False,
    "thrusters": {"share": 0.8},
    "view": {"position": [0, 0, 0.1], "axis": [0, 0, 1], "half_angle_deg": 40,
             "area": {"min": [-0.1, -0.1], "max": [0.1, 0.1], "depth": 1.8}},
    "tether": {"anchor": [0, 0, 0], "attachment": [-0.2, 0, 0], "length": 6},
    "starts": 8,
}

SPLINE = ("shape", {"kind": "spline", "interval": 3.2})
REQUIRED = ["format", "name", "robot", "structure", "start", "structure.dof", "tank.min", "tank.max", "start.position", "end.position",
            "shape.kind", "thrusters.share", "view.half_angle_deg", "view.area", "view.area.min", "view.area.max",
            "view.area.depth", "tether.anchor", "tether.length"]
OPTIONAL = ["title", "environment", "environment.density", "environment.gravity", "structure.inertia", "structure.linear",
            "structure.quadratic", "tank", "tank.clearance", "start.attitude_deg", "end", "end.yaw", "sampling", "limits.x",
            "limits.roll", "limits.pitch_deg", "limits.yaw", "segments", "segments.0.name", "segments.0.share",
            "segments.0.limits", "segments.1.duration", "shape", "shape.degree", "shape.parts", "criterion", "noise", "noise.force",
            "noise.torque", "noise.velocity", "noise.turn_rate", "priors", "thruster_errors", "thrusters", "view", "view.position", "view.axis",
            "tether", "tether.attachment", "starts"]
MAPS = ["", "structure.", "environment.", "tank.", "start.", "end.", "limits.", "limits.turn_rate.", "limits.acceleration.",
        "segments.0.", "segments.0.limits.", "segments.0.limits.speed.", "shape.", "noise.", "priors.", "thrusters.", "view.",
        "view.area.", "tether."]

REFUSED = (
    [[(path, DELETE)] for path in REQUIRED]
    + [[(path + "colour", 1)] for path in MAPS]
    + [[SPLINE, ("shape.degree", 3)], [("segments.0.duration", 10)], [("shape.interval", 3)]]
    + [[pair] for pair in [
        # two for one
        ("start.attitude", [0, 0, 0]), ("start.yaw", 0), ("start.yaw_deg", 0), ("end.yaw_deg", 0), ("limits.roll_deg", [-9, 9]),
        ("limits.pitch", [-0.1, 0.1]), ("limits.yaw_deg", [-9, 9]), ("limits.turn_rate_deg", 9), ("limits.turn_acceleration", 1),
        ("view.half_angle", 0.5),
        # another type
        ("name", []), ("name", None), ("title", {}), ("robot", None), ("robot", []), ("structure", []), ("structure", 23), ("structure.dof", "6"),
        ("structure.cross", "q26|6|"), ("structure.cross", [26]), ("environment", []), ("environment.density", "sea"), ("tank", [1, 2]),
        ("tank.min", 1), ("tank.clearance", "some"), ("start", [0, 0, 0.8]), ("start.position", "origin"), ("end", None), ("end.yaw", [1]),
        ("duration", "long"), ("duration", [100]), ("sampling", "0.2 s"), ("limits", []), ("limits.x", 2), ("limits.x", {"min": 1}),
        ("limits.speed", "slow"), ("limits.speed", None), ("limits.turn_rate.roll", {}), ("segments", {}), ("segments", 5), ("segments.0", "one"),
        ("shape", 3), ("criterion", []), ("noise", 1), ("noise.force", [1]), ("priors", ["m11"]), ("priors.m11", "2"), ("thrusters", "all"), ("thruster_errors", "perhaps"),
        ("view", 35), ("view.area", 3), ("view.area", [1, 2, 3]), ("tether", 6), ("tether.length", "6 m"), ("starts", "many"), ("starts", 1.5),
        # another length
        ("tank.min", [0, 0]), ("tank.clearance", [0.3, 0.3]), ("start.position", [0, 0]), ("start.attitude_deg", [10]), ("limits.x", [1]),
        ("limits.x", [-1, 0, 1]), ("limits.acceleration.z", [-0.2]), ("segments", []), ("segments", [{}] * 201), ("view.area", []),
        ("view.area", [[0, 0, 1.8]] * 65), ("view.area.min", [0, 0, 0]), ("tether.anchor", [0]),
        # another word
        ("format", "fathom-excitation-2"), ("format", "fathom-robot-1"), ("name", ""), ("name", "two words"), ("name", "a" * 65), ("name", "-a"),
        ("structure", "vehicle-42"), ("structure.dof", 5), ("structure.inertia", "none"), ("structure.linear", "some"),
        ("structure.quadratic", "full"), ("structure.cross", ["q27|6|"]), ("structure.cross", ["m11"]), ("segments.0.name", "a.b"),
        ("shape", "spleen"), ("shape.kind", "sine"), ("criterion", "A-optimal"), ("criterion", "best"), ("priors.m17", 1),
        # a number that the form itself forbids
        ("environment.density", 0), ("environment.gravity", -9.81), ("tank.clearance", -0.1), ("tank.clearance", [0.1, -0.1, 0]), ("duration", 0),
        ("duration", -5), ("duration", 1e8), ("sampling", 0), ("limits.speed", 0), ("limits.speed", -0.3), ("limits.acceleration.x", [0.1, 0.2]),
        ("limits.acceleration.x", [-0.2, 0]), ("segments.0.share", 0), ("segments.0.share", 1.5), ("segments.1.duration", 0),
        ("shape.degree", 5), ("shape.degree", 61), ("shape.degree", 7.5), ("shape.parts", 0), ("shape.parts", 65), ("noise.force", 0),
        ("noise.torque", -1), ("noise.velocity", -0.01), ("priors.m11", 0), ("thrusters", 0), ("thrusters", 1.2), ("thrusters.share", 0),
        ("view.half_angle_deg", 0.5), ("view.half_angle_deg", 90), ("view.position", [0, 0, 1e6]), ("tether.length", 0), ("starts", 0),
        ("starts", 100001), ("start.position", [0, 0, 1e6]),
    ]]
)

ACCEPTED = (
    [[]]
    + [[(path, DELETE)] for path in OPTIONAL]
    + [[SPLINE]]
    + [[pair] for pair in [
        ("structure.linear", "full"), ("structure.linear", "none"), ("structure.inertia", "full"),
        ("structure.dof", 6.0), ("tank.clearance", [0.3, 0.4, 0.2]), ("tank.clearance", 0), ("shape", "spline"), ("shape", "bezier"),
        ("shape", {"kind": "spline"}), ("criterion", "d-optimal"), ("criterion", "condition"), ("thrusters", 0.5), ("thrusters", 1), ("thruster_errors", True),
        ("limits.turn_rate", 0.5), ("limits.acceleration", [-0.1, 0.2]), ("segments", [{}]), ("segments.1", {"share": 1}), ("noise", {}),
        ("priors", {}), ("view.area", [[0, 0, 1.8], [0.1, 0, 1.8]]), ("starts", 40), ("starts", 1.0), ("title", 5), ("name", 2024),
        ("name", "a_b-C"), ("environment", {}), ("limits.speed", {"x": 1, "y": 1, "z": 1}), ("start", {"position": [0, 0, 0.8]}),
    ]]
    + [
        [("structure", "vehicle-24"), ("priors", {"m11": 1})],
        [("limits.roll", DELETE), ("limits.roll_deg", [-15, 15])],
        [("limits.yaw", DELETE), ("limits.yaw_deg", [-180, 180])],
        [("limits.turn_rate", DELETE), ("limits.turn_rate_deg", {"roll": 20, "pitch": 20, "yaw": 30})],
        [("limits.turn_acceleration_deg", DELETE), ("limits.turn_acceleration", [-0.3, 0.4])],
        [("start.attitude_deg", DELETE), ("start.yaw_deg", 20)],
        [("start.attitude_deg", DELETE), ("start.attitude", [0.1, 0, 0])],
        [("view.half_angle_deg", DELETE), ("view.half_angle", 0.7)],
        [("duration", DELETE), ("segments", [{"duration": 50}, {"duration": 60}])],
    ]
)

# The form is right, but it does not fit together: the library must refuse, the schema need not.
MEANING = [[pair] for pair in [
    ("robot", "no-such-robot"), ("structure.cross", ["q22|2|"]), ("structure.cross", ["q26|6|", "q26|6|"]), ("tank.min", [3, -2, 0]),
    ("tank.min", [-3, -2, 0.5]), ("tank.clearance", 1), ("start.position", [2.5, 0, 0.8]), ("end.position", [0, 0, 1.3]), ("duration", 30),
    ("duration", DELETE), ("sampling", 2), ("sampling", 1e-5), ("limits.x", [2, -2]), ("limits.x", [4, 5]), ("limits.speed", {"x": 0.3}),
    ("limits", {}), ("limits.pitch_deg", [-86, 0]), ("segments.1", {"name": "one"}), ("segments.1", {"limits": {"x": [1.5, 2]}}),
    ("priors.m12", 1), ("view.axis", [0, 0, 0]), ("view.half_angle_deg", 3), ("tether.length", 0.5), ("structure", "vehicle-23"),
]]


class Case(schema_case.Case):
    format, kind = "problem", "problem"


class ProblemAgreement(schema_case.Agreement, Case):
    full, refused, accepted, meaning = FULL, REFUSED, ACCEPTED, MEANING
    also = [schema_case.edited(*changes, full=arm_problem_schema.FULL) for changes in arm_problem_schema.ACCEPTED]


class ProblemSchema(schema_case.Form, Case):
    begins, shipped, in_docs = "format: fathom-excitation-1", ["data/problems/*.yaml", "studies/excitation/paper.yaml"], True

    def test_names_are_those_of_files(self):
        for file in sorted((ROOT / "data/problems").glob("*.yaml")):
            with self.subTest(file.name):
                self.assertEqual(schema_case.yaml_load(file.read_text())["name"], file.stem)


if __name__ == "__main__":
    unittest.main(verbosity=2)
