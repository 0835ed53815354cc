"""Schema and reader agree on what the description of a log is.

Run by ctest (repo:description_schema).
"""

import re
import unittest

import schema_case
from schema_case import DELETE, INF, ROOT, diagonal

FULL = {
    "format": "fathom-description-1",
    "about": "everything",
    "messages": {"brov_msgs/msg/Control": "float64 surge\nfloat64 heave\n"},
    "channels": {
        "rov.camera": {
            "file": "camera_{run}.csv", "about": "on the ceiling", "separator": ";", "decimal": ",", "header": True, "skip": 2, "comment": "%",
            "drop_bad_lines": True, "drop_old": False, "frame": "n", "invalid": [-9999, INF],
            "clock": {"column": ["sec", "nanosec"], "kind": "shared", "offset": -0.1},
            "where": {"column": "valid", "is": 1},
            "vectors": [{"to": "position", "from": ["px", "py", 3], "unit": "mm", "axes": "ENU"}],
            "attitude": {"to": "attitude", "from": ["qx", "qy", "qz", "qw"], "order": "xyzw", "axes": "FLU in ENU"},
        },
        "rov.depth": {
            "clock": {"column": 1, "unit": "ms"},
            "columns": {"depth": {"from": "p", "unit": "mbar", "density": 1000, "surface": 1013, "sign": -1, "scale": 2.5, "offset": 0.1},
                        "altitude": None, "heading": "yaw"},
        },
        "rov.pilot": {"topic": "/control", "columns": {"surge": "surge"}},
        "rov.wrench": {
            "clock": {"column": "received", "unit": "ns", "kind": "receive", "rate": 50},
            "vectors": [{"to": ["X", "Y", "Z"], "from": ["fx", "fy", "fz"], "unit": "N", "axes": [0, 0, 31]}],
            "attitude": {"from": ["r", "p", "y"], "unit": "deg", "body": "FLU", "world": diagonal(1, -1, -1), "to": ["a", "b", "c"]},
        },
    },
}
CAMERA, DEPTH, PILOT, WRENCH = (f"channels.rov~{name}." for name in ("camera", "depth", "pilot", "wrench"))
UNITS = re.findall(r'^    \{"([^"]+)", "', (ROOT / "fathom/log/unit.cpp").read_text(), re.M)

REFUSED = (
    [[(key, DELETE)] for key in ["format", "channels", CAMERA + "where.column", CAMERA + "vectors.0.to", CAMERA + "vectors.0.from", CAMERA + "attitude.from",
                                 CAMERA + "attitude.order", DEPTH + "clock", DEPTH + "clock.column", DEPTH + "columns", DEPTH + "columns.depth.unit",
                                 DEPTH + "columns.depth.density", DEPTH + "columns.depth.surface", PILOT + "topic", PILOT + "columns"]]
    + [[(path + "colour", 1)] for path in ["", CAMERA, CAMERA + "clock.", CAMERA + "where.", CAMERA + "vectors.0.", CAMERA + "attitude.",
                                           DEPTH + "columns.depth."]]
    + [[(CAMERA + key, value)] for key, value in [
        ("file", []), ("topic", {}), ("about", []), ("separator", "tabs"), ("separator", ""), ("separator", None), ("decimal", ".."), ("decimal", []),
        ("header", "yes"), ("header", 1), ("drop_bad_lines", "true"), ("drop_old", 0), ("skip", -1), ("skip", 1.5), ("skip", "two"), ("skip", 2000000),
        ("comment", []), ("frame", ""), ("frame", "a b"), ("frame", []), ("invalid", -9999), ("invalid", ["none"]), ("where", "valid"), ("where", []),
        ("where.is", "yes"), ("where.column", 0), ("clock", []), ("clock", "sec"), ("clock.column", ["sec"]), ("clock.column", ["a", "b", "c"]),
        ("clock.column", {}), ("clock.unit", "ns"), ("clock.kind", "mine"), ("clock.offset", 2e9), ("clock.offset", "late"), ("clock.rate", 10),
        ("vectors", {}), ("vectors.0", "position"), ("vectors.0.to", ["X", "Y"]), ("vectors.0.to", {}), ("vectors.0.to", ["a", "b", "c,d"]),
        ("vectors.0.from", ["px", "py"]), ("vectors.0.from", "px"), ("vectors.0.from", ["px", "py", 0]), ("vectors.0.unit", "furlong"), ("vectors.0.unit", "C"),
        ("vectors.0.axes", "UP"), ("vectors.0.axes", [0, 31]), ("vectors.0.axes", []), ("vectors.0.axes", 31), ("vectors.0.axes", diagonal(1, 1)),
        ("attitude", []), ("attitude.from", ["a", "b"]), ("attitude.from", ["a", "b", "c", "d", "e"]), ("attitude.from", "q"), ("attitude.order", "zyxw"),
        ("attitude.unit", "deg"), ("attitude.axes", "ENU in FLU"), ("attitude.axes", "FLU"), ("attitude.axes", []), ("attitude.body", "UP"),
        ("attitude.world", 31), ("attitude.to", ["a", "b"]), ("attitude.to", ["t", "a", "b", "c"]),
    ]]
    + [[(DEPTH + key, value)] for key, value in [
        ("clock", {}), ("clock.unit", "minutes"), ("clock.unit", 1), ("clock.column", 0), ("clock.column", -1), ("clock.rate", 0), ("clock.rate", -5),
        ("clock.rate", 10), ("clock", {"kind": "receive"}), ("clock", {"kind": "receive", "rate": 10}), ("columns", {}), ("columns", []), ("columns", "depth"),
        ("columns.t", "x"), ("columns.a,b", "x"), ("columns.a[m]", "x"), ("columns. a", "x"), ("columns.depth", []), ("columns.depth", 0),
        ("columns.depth.from", 0), ("columns.depth.from", []), ("columns.depth.unit", "m"), ("columns.depth.unit", "mBar"), ("columns.depth.density", 0),
        ("columns.depth.density", "salt"), ("columns.depth.surface", "air"), ("columns.depth.sign", 2), ("columns.depth.sign", 0), ("columns.depth.scale", "2.5"),
        ("columns.depth.offset", []),
    ]]
    + [[(WRENCH + key, value)] for key, value in [("attitude.order", "wxyz"), ("attitude.unit", "m"), ("clock.kind", "own"), ("clock.kind", DELETE)]]
    + [[pair] for pair in [
        ("format", "fathom-robot-1"), ("format", "fathom-description-2"), ("format", None), ("about", []), ("messages", []), ("messages", "x"),
        ("messages.brov_msgs/msg/Control", []), ("channels", {}), ("channels", []), ("channels", None), ("channels.rov~depth", []), ("channels.rov~depth", None),
        ("channels.a b", FULL["channels"]["rov.depth"]), ("channels.-a", FULL["channels"]["rov.depth"]), ("channels", {"a" * 201: FULL["channels"]["rov.depth"]}),
    ]]
)

ACCEPTED = (
    [[]]
    + [[(key, DELETE)] for key in ["about", "messages", *(CAMERA + key for key in (
        "file", "about", "separator", "decimal", "header", "skip", "comment", "drop_bad_lines", "drop_old", "frame", "invalid", "where", "where.is",
        "clock.kind", "clock.offset", "vectors", "vectors.0.unit", "vectors.0.axes", "attitude", "attitude.to", "attitude.axes")),
        *(DEPTH + "columns.depth." + key for key in ("from", "sign", "scale", "offset")), DEPTH + "clock.unit", WRENCH + "attitude.unit",
        WRENCH + "attitude.to", WRENCH + "clock.rate"]]
    + [[(DEPTH + "columns.other", {"unit": unit})] for unit in UNITS]
    + [[(CAMERA + key, value)] for key, value in [
        ("separator", "tab"), ("separator", "blank"), ("separator", "|"), ("separator", 5), ("comment", ""), ("invalid", []), ("skip", 0), ("skip", 3.0),
        ("clock", {"rate": 100}), ("clock", {"rate": 100, "kind": "own"}), ("clock", {"column": "t", "unit": "date"}), ("vectors.0.axes", diagonal(1, 1, 1)),
        ("vectors.0.axes", [0, 0, 31.5]), ("attitude.order", "wxyz"), ("attitude.to", ["w", "x", "y", "z"]), ("attitude.to", ["a", "b", "c"]),
        ("attitude.body", "FLU"), ("where.column", 4), ("file", 5), ("vectors.0.unit", 1), ("vectors", []),
    ]]
    + [[(DEPTH + "columns.depth", value)] for value in (None, "p", 4, 1.5, True, {}, {"unit": "m"}, {"unit": "C"}, {"unit": 1})]
    + [[(PILOT + "clock", {"column": "stamp"})], [(PILOT + "clock", {"kind": "receive"})], [(PILOT + "clock", {})]]
)

# The form is right, but not what it says.
MEANING = [[pair] for pair in [
    (CAMERA + "vectors.0.axes", diagonal(1, 1, -1)), (CAMERA + "vectors.0.axes", diagonal(2, 1, 1)), (CAMERA + "vectors.0.to", ["a", "a", "b"]),
]]


class Case(schema_case.Case):
    format = kind = "description"


class DescriptionAgreement(schema_case.Agreement, Case):
    full, refused, accepted, meaning = FULL, REFUSED, ACCEPTED, MEANING


class DescriptionSchema(schema_case.Form, Case):
    begins, shipped, in_docs = "format: fathom-description-1", ["examples/*/*.yaml", "studies/*/*.yaml"], True


if __name__ == "__main__":
    unittest.main(verbosity=2)
