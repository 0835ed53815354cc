"""The schemas of campaigns and the library agree on what a campaign of tank tests is.

Run by ctest (repo:tank_schema).
"""

import unittest

import schema_case
from schema_case import DELETE

TOWING = {
    "format": "fathom-towing-1",
    "name": "full",
    "axis": "surge",
    "columns": {"time": {"name": "t", "unit": "ms"}, "speed": {"name": "carriage", "unit": "mm/s"}},
    "cells": [
        {"column": "m1", "unit": "kgf", "gain": 1.02, "gain_sigma": 0.005},
        {"column": "m2", "sign": -1, "angle_deg": 20, "angle_sigma_deg": 1},
    ],
    "bracket": {"linear": 4, "quadratic": 25, "linear_sigma": 0.2, "quadratic_sigma": 0.4},
    "runs": [{"file": "a.csv", "name": "slow", "speed": 0.3, "from": 2, "until": 9.5}, {"file": "b.csv"}],
    "assume": ["sway", "heave"],
}
TURNED = [("axis", "yaw"), ("columns.speed", {"name": "table", "unit": "deg/s"}), ("cells.0.unit", "N m"), ("assume", ["pitch"])]
ALONE = ("bracket", {"runs": [{"file": "c.csv", "speed": -0.3}]})

TOWING_REFUSED = (
    [[(key, DELETE)] for key in ["format", "name", "axis", "columns", "cells", "runs", "columns.time", "columns.time.name", "columns.speed.name",
                                 "cells.0.column", "bracket.linear", "bracket.quadratic", "runs.0.file"]]
    + [[(path + "colour", 1)] for path in ["", "columns.", "columns.time.", "columns.speed.", "cells.0.", "bracket.", "runs.0."]]
    + [[ALONE, ("bracket.linear", 4)], [ALONE, ("bracket.runs", [])], [ALONE, ("bracket.runs.0.file", DELETE)], [ALONE, ("bracket.runs", 3)]]
    + [[*TURNED, change] for change in [("columns.speed.unit", "m/s"), ("cells.0.unit", "N"), ("assume", ["sway"])]]
    + [[pair] for pair in [
        ("format", "fathom-decay-1"), ("format", "fathom-towing-2"), ("name", ""), ("name", "two words"), ("name", None), ("name", []),
        ("axis", "x"), ("axis", "Surge"), ("axis", 1), ("axis", None), ("columns", "t"), ("columns", []), ("columns.time", None), ("columns.time", []),
        ("columns.time.unit", "m"), ("columns.time.unit", "hours"), ("columns.speed.unit", "rad/s"), ("columns.speed.unit", "m"),
        ("columns.angle", "roll"), ("cells", []), ("cells", {}), ("cells", 2), ("cells.0", "m1"), ("cells.0.column", None), ("cells.0.unit", "kg"), ("cells.0.unit", ""),
        ("cells.0.unit", "N m"), ("cells.1.sign", 2), ("cells.1.sign", 0), ("cells.1.sign", "minus"), ("cells.1.angle_deg", 90), ("cells.1.angle_deg", -89),
        ("cells.1.angle_deg", "steep"), ("cells.1.angle_sigma_deg", -1), ("cells.0.gain", 0), ("cells.0.gain", -1), ("cells.0.gain_sigma", -0.1),
        ("bracket", 4), ("bracket", []), ("bracket", {}), ("bracket.linear", -4), ("bracket.quadratic", "none"), ("bracket.linear_sigma", -1),
        ("runs", []), ("runs", {}), ("runs", "a.csv"), ("runs.0", "a.csv"), ("runs.0.file", ""), ("runs.0.file", None), ("runs.0.speed", 0),
        ("runs.0.speed", "slow"), ("runs.0.from", "start"), ("runs.0.until", []), ("assume", "sway"), ("assume", ["yaw"]), ("assume", ["x"]),
        ("known", {"inertia": 1}), ("suppose", ["sway"]),
    ]]
)
TOWING_ACCEPTED = (
    [[], [ALONE], TURNED]
    + [[(key, DELETE)] for key in ["bracket", "assume", "columns.time.unit", "columns.speed.unit", "cells.0.unit", "cells.0.gain", "cells.0.gain_sigma",
                                   "cells.1.sign", "cells.1.angle_deg", "cells.1.angle_sigma_deg", "bracket.linear_sigma", "bracket.quadratic_sigma",
                                   "runs.0.name", "runs.0.speed", "runs.0.from", "runs.0.until", "runs.1"]]
    + [[("axis", axis), ("assume", [])] for axis in ("sway", "heave")]
    + [[pair] for pair in [("columns.time", "t"), ("columns.speed", "v"), ("columns.time", 1), ("cells.0.column", 2), ("cells.0.gain_sigma", 0),
                           ("cells.1.angle_deg", 0), ("bracket.linear", 0), ("runs.0.speed", -0.3), ("name", 2024), ("assume", [])]]
    + [[("columns.speed", DELETE), ("runs.1.speed", 0.5)], [("assume", DELETE), ("suppose", ["sway"])]]
)
TOWING_MEANING = [[pair] for pair in [
    ("columns.speed", DELETE), ("runs.1.name", "slow"), ("cells.1.column", "m1"), ("runs.0.until", 1), ("assume", ["surge"]),
]]

DECAY = {
    "format": "fathom-decay-1",
    "name": "full",
    "axis": "roll",
    "columns": {"time": "t", "angle": {"name": "roll", "unit": "deg"}},
    "known": {"inertia": 0.46, "sigma": 0.03},
    "runs": [{"file": "a.csv", "name": "first", "from": 1, "until": 30}, {"file": "b.csv"}],
}
DECAY_REFUSED = (
    [[(key, DELETE)] for key in ["format", "name", "axis", "columns", "runs", "columns.time", "columns.angle", "columns.angle.name", "known.inertia",
                                 "runs.0.file"]]
    + [[(path + "colour", 1)] for path in ["", "columns.", "columns.angle.", "known.", "runs.0."]]
    + [[pair] for pair in [
        ("format", "fathom-towing-1"), ("name", "two words"), ("name", {}), ("axis", "surge"), ("axis", "x"), ("axis", []), ("columns", []),
        ("columns.angle", None), ("columns.angle.unit", "m"), ("columns.angle.unit", "degrees"), ("columns.time", {}), ("columns.speed", "v"),
        ("known", 0.46), ("known", []), ("known", {}), ("known.restoring", 5), ("known.inertia", 0), ("known.inertia", -1), ("known.inertia", 1e9), ("known.inertia", "small"),
        ("known.sigma", -1), ("known", {"restoring": 0}), ("runs", []), ("runs", None), ("runs.0", "a.csv"), ("runs.0.file", ""), ("runs.0.speed", 0.3),
        ("runs.0.from", []), ("runs.0.until", "end"), ("cells", [{"column": "m1"}]), ("assume", ["pitch"]),
    ]]
)
DECAY_ACCEPTED = (
    [[]]
    + [[(key, DELETE)] for key in ["known", "known.sigma", "columns.angle.unit", "runs.0.name", "runs.0.from", "runs.0.until", "runs.1"]]
    + [[("axis", axis)] for axis in ("pitch", "yaw")]
    + [[pair] for pair in [("columns.angle", "roll"), ("columns.time", {"name": "t", "unit": "ns"}), ("known", {"restoring": 5}), ("known.sigma", 0),
                           ("known", {"restoring": 5, "sigma": 0.1}), ("columns.angle.unit", "cdeg"), ("columns.angle.unit", "rad"), ("name", "a_b-C"),
                           ("runs.0.from", -1), ("columns.time", 1)]]
)
DECAY_MEANING = [[("runs.1.name", "first")], [("runs.0.until", 1)]]


class Towing(schema_case.Case):
    format, kind = "towing", "towing"


class TowingAgreement(schema_case.Agreement, Towing):
    full, refused, accepted, meaning = TOWING, TOWING_REFUSED, TOWING_ACCEPTED, TOWING_MEANING


class TowingSchema(schema_case.Form, Towing):
    begins, shipped = "format: fathom-towing-1", ["examples/*/*.yaml"]


class Decay(schema_case.Case):
    format, kind = "decay", "decay"


class DecayAgreement(schema_case.Agreement, Decay):
    full, refused, accepted, meaning = DECAY, DECAY_REFUSED, DECAY_ACCEPTED, DECAY_MEANING


class DecaySchema(schema_case.Form, Decay):
    begins, shipped = "format: fathom-decay-1", ["examples/*/*.yaml"]


if __name__ == "__main__":
    unittest.main(verbosity=2)
