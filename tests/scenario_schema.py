"""Schema and reader agree on what a scenario is.

Run by ctest (repo:scenario_schema).
"""

import unittest

import schema_case
from schema_case import DELETE, INF

POSE = {"position": [0, 0, 2], "attitude_deg": [0, 0, 90]}
FULL = {
    "format": "fathom-scenario-1",
    "name": "full",
    "title": "everything",
    "duration": 12,
    "step": 0.02,
    "integrator": {"kind": "dormand_prince", "relative": 1e-6, "absolute": 1e-7},
    "environment": {
        "density": 1025, "gravity": 9.8,
        "current": {
            "constant": [0.1, 0.2, 0], "profile": [{"depth": 0, "velocity": [0.3, 0, 0]}, {"depth": 10, "velocity": [0, 0, 0]}], "profile_shape": "linear",
            "variation": {"sigma": [0.01, 0.02, 0], "time": 100},
            "ramp": {"before": [0, 0, 0], "after": [0.1, 0, 0], "begin": 1, "end": 2, "shape": "constant_acceleration"},
        },
        "tank": {"min": [-50, -50, 0], "max": [50, 50, 20]},
        "usbl": {"position": [1, 2, 0.5], "attitude_deg": [180, 0, 0]},
    },
    "vehicles": [
        {
            "name": "a", "robot": "bluerov2-heavy", "dof": 4, "voltage": 14.8, "command_delay": 0.06,
            "disturbance": {"force": [1, 2, 3], "torque": [0.1, 0.2, 0.3], "time": 4},
            "start": {"position": [1, 1, 1], "yaw_deg": 90, "velocity": [0.1, 0, 0], "rates": [0, 0, 0.1]},
            "control": {"kind": "pid", "feed_forward": True, "bandwidth": [1, 1, 1, 2, 2, 2], "damping": 0.9, "integral": 0.1, "axes": ["surge", "yaw"],
                        "believed": "bluerov2-heavy", "feed_forward_model": "rexrov"},
            "reference": {"speed": 0.1, "acceleration": 0.2, "turn_rate_deg": 10, "turn_acceleration_deg": 20,
                          "waypoints": [{"position": [1, 1, 1]}, {"position": [2, 1, 1], "attitude_deg": [0, 0, 90], "hold": 3}]},
            "sensors": ["imu", "depth"],
            "tether": {"anchor": [0, 0, 0], "attachment": [-0.2, 0, 0], "length": 8, "segments": 6, "diameter": 0.005, "mass_per_length": 0.03,
                       "axial_stiffness": 2000, "drag_normal": 2},
            "faults": [{"thruster": "front_port", "at": 3, "becomes": "weak", "factor": 0.3, "known_at": 5},
                       {"sensor": "imu", "at": 1, "until": 2, "becomes": "frozen"}],
        },
        {"name": "b", "robot": "bluerov2-heavy", "start": {"position": [3, 2, 1]},
         "control": {"kind": "joystick", "share": 0.2, "axes": ["surge"], "hold": [1, 2], "rest_share": 0.1, "stick_time": 0, "point": [-0.1, 0, 0],
                     "keep_in": {"min": [1, 1, 0.5], "max": [5, 3, 1.2]}}},
        {"name": "c", "robot": "bluerov2-heavy", "start": {"position": [4, 9, 2]}, "sensors": "none",
         "control": {"kind": "open_loop", "by": "wrench", "between": "linear", "commands": [[0, 1, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0]]}},
        {"assembly": "bluerov-pair", "name": "pair", "start": {"position": [9, 9, 5]}, "sensors": "none", "control": {"kind": "drift"}},
    ],
    "couplings": [{"name": "dock", "between": ["b.bow", {"vehicle": "c", "position": [-0.3, 0, 0.1], "yaw_deg": 180}], "turn_deg": 90, "closed": False,
                   "latch": {"distance": 0.01, "angle_deg": 5, "speed": 0.1, "turn_rate_deg": 10, "from": 3}, "opens_at": [4, 6], "once": True}],
    "clusters": [{"name": "both", "vehicles": ["b", "c"], "control": {"kind": "pid"}, "reference": {"waypoints": [POSE]}}],
}
A, B, C, PAIR, DOCK, BOTH = "vehicles.0.", "vehicles.1.", "vehicles.2.", "vehicles.3.", "couplings.0.", "clusters.0."

REFUSED = (
    [[(key, DELETE)] for key in [
        "format", "name", "duration", "vehicles", "integrator.kind", "environment.current.profile.0.depth", "environment.current.profile.1.velocity",
        "environment.tank.min", "environment.tank.max", A + "robot", A + "control.kind", A + "reference.waypoints", A + "reference.waypoints.0.position",
        A + "tether.anchor", A + "tether.length", A + "faults.0.at", A + "faults.0.thruster", A + "faults.1.sensor", B + "control.keep_in.min", C + "control.by",
        C + "control.commands", PAIR + "assembly", DOCK + "between", DOCK + "between.1.vehicle", DOCK + "between.1.position", BOTH + "name", BOTH + "vehicles"]]
    + [[(path + "colour", 1)] for path in [
        "", "integrator.", "environment.", "environment.current.", "environment.current.variation.", "environment.current.ramp.", "environment.tank.",
        "environment.usbl.", A, A + "start.", A + "control.", A + "reference.", A + "reference.waypoints.0.", A + "tether.", A + "disturbance.",
        A + "faults.0.", B + "control.", B + "control.keep_in.", C + "control.", PAIR, DOCK, DOCK + "latch.", DOCK + "between.1.", BOTH]]
    + [[pair] for pair in [
        ("format", "fathom-robot-1"), ("name", "../up"), ("name", "-x"), ("duration", 0), ("duration", "2 s"), ("step", 0), ("step", 11),
        ("integrator", "rk5"), ("integrator.kind", "euler"), ("integrator.relative", 0), ("integrator.absolute", 1e-17), ("integrator", {"kind": "rk4", "relative": 1e-3}),
        ("environment", []), ("environment.density", 0), ("environment.gravity", -9), ("environment.current", 1), ("environment.current", [1, 0]),
        ("environment.current.constant", 1), ("environment.current.profile", {}), ("environment.current.profile_shape", "cubic"),
        ("environment.current.ramp.shape", "linear"), ("environment.tank.max", [1, 2]), ("environment.usbl.yaw_deg", 3), ("vehicles", []), ("vehicles", {}),
        (A + "dof", 5), (A + "dof", "6"), (A + "voltage", 0), (A + "command_delay", -1), (A + "command_delay", 11), (A + "name", "a b"), (A + "robot", []),
        (A + "start.attitude_deg", [0, 0, 1]), (A + "start.position", [1, 2]), (A + "start.rates", 1), (A + "control", "pid"), (A + "control.kind", "pdi"),
        (A + "control.bandwidth", 2), (A + "control.axes", ["hevae"]), (A + "control.axes", "surge"), (A + "control.feed_forward", "si"), (A + "control.share", 1),
        (A + "reference.trajectory", "path.yaml"), (A + "reference.speed", 31), (A + "reference.waypoints", {}), (A + "reference", {"trajectory": "x.yaml", "speed": 1}),
        (A + "sensors", "some"), (A + "sensors", [[]]), (A + "tether.segments", 1), (A + "tether.segments", 2.5), (A + "tether.segments", 501), (A + "tether.length", -1), (A + "tether.drag_normal", -1), (A + "disturbance.time", 0),
        (A + "disturbance.force", [0, -1, 0]),
        (A + "faults", {}), (A + "faults.0.sensor", "imu"), (A + "faults.0.becomes", "silent"), (A + "faults.1.becomes", "dead"), (A + "faults.0.until", 9),
        (A + "faults.1.factor", 0.5), (A + "faults.1.known_at", 5), (A + "faults.0.factor", 1.5), (A + "faults.0.at", -1), (A + "assembly", "bluerov-pair"),
        (B + "control.share", 0), (B + "control.share", 2), (B + "control.hold", [1]), (C + "control.by", "thrust"), (C + "control.between", "spline"),
        (C + "control.commands", {}), (C + "control.commands", [["a"]]), (PAIR + "dof", 4), (DOCK + "between", ["b.bow"]), (DOCK + "between", "b.bow"),
        (DOCK + "latch.distance", 0), (DOCK + "latch.distance", 2), (DOCK + "latch.angle_deg", 0), (DOCK + "latch.speed", -1), (DOCK + "latch.from", -1),
        (DOCK + "opens_at", "late"), (DOCK + "once", 1), (DOCK + "name", ""), ("couplings", {}), ("clusters", {}), (BOTH + "vehicles", "b")]]
)

ACCEPTED = (
    [[]]
    + [[(key, DELETE)] for key in [
        "title", "step", "integrator", "environment", "environment.current", "environment.tank", "environment.usbl", "environment.current.variation.time",
        "environment.current.ramp.shape", A + "dof", A + "voltage", A + "start", A + "reference.speed", A + "sensors", A + "tether", A + "disturbance",
        A + "faults", A + "tether.segments", A + "control.believed", B + "control.keep_in", C + "control.between", PAIR + "name", PAIR + "start", "clusters",
        DOCK + "opens_at", DOCK + "name", BOTH + "control"]]
    + [[(A + "sensors", []), (A + "faults", DELETE)]]
    + [[pair] for pair in [
        ("integrator", "rk4"), ("integrator", "dormand_prince"), ("integrator", {"kind": "rk4"}), ("environment.current", [0.1, 0, 0]), ("name", "2024"),
        (A + "sensors", "all"), (DOCK + "opens_at", 5), (A + "control.feed_forward", True), (A + "faults.0", {"thruster": "front_port", "at": 0}),
        (A + "faults.1", {"sensor": "imu", "at": 0}), (PAIR + "sensors", "all"), (B + "control", {"kind": "drift"}), (A + "tether.segments", 6.0)]]
)

# The form is right, but not the meaning: names of robots, sensors and vehicles, and physics.
MEANING = [[pair] for pair in [
    ("duration", INF), (A + "robot", "bluerov2-havy"), (A + "sensors", ["nose"]), (A + "faults.0.thruster", "rudder"), (A + "control.integral", 9), ("environment.tank.min", [60, 0, 0]), ("environment.current.constant", [30, 0, 0]), (C + "control.commands", [[0, 1]]),
    (DOCK + "between", ["b.bow", "b.stern"]), (BOTH + "vehicles", ["b"]), (B + "name", "a"), (PAIR + "sensors", ["imu"])]]


class Case(schema_case.Case):
    format = kind = "scenario"


class ScenarioAgreement(schema_case.Agreement, Case):
    full, refused, accepted, meaning = FULL, REFUSED, ACCEPTED, MEANING
    also = [{"trajectory": "path.yaml"}]


class ScenarioSchema(schema_case.Form, Case):
    begins, shipped, in_docs = "format: fathom-scenario-1", ["data/scenarios/*.yaml"], True


if __name__ == "__main__":
    unittest.main(verbosity=2)
