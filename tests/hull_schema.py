"""The schema of hull files and the library agree on what a hull file is.

Thrusters, sensors and the command path are those of robots, and so is their part of the schema: schema.py tries its keys, and
here they are tried to be there. Run by ctest (repo:hull_schema).
"""

import unittest

import schema
import schema_case
from schema_case import DELETE, INF, diagonal

COPIED = ["thrusters", "thruster_maps", "thruster_transients", "sensors", "command_path"]

FULL = {
    "format": "fathom-hull-1",
    "name": "full",
    "title": "A hull with everything",
    "notes": "Invented.",
    "kind": "open_frame",
    "shape": {"box": [0.5, 0.4, 0.3]},
    "position": {"value": [0.01, 0, 0], "unit": "m", "assumed": "a ruler"},
    "attitude": [0, 0.02, 0],
    "mass": {"value": 10.0, "unit": "kg", "source": "a scale", "sigma": 0.1},
    "volume": {"value": 0.0101, "unit": "m^3", "sigma": 0.0001},
    "inertia": {"value": [0.2, 0.2, 0.3], "unit": "kg m^2", "assumed": "a box", "sigma": [0.01, 0.01, 0.01]},
    "centre_of_mass": {"value": [0, 0, 0.01], "unit": "m"},
    "centre_of_buoyancy": [0, 0, -0.01],
    **{key: schema.FULL[key] for key in COPIED},
}
OPTIONAL = ["title", "notes", "position", "attitude", "volume", "inertia", "centre_of_mass", "centre_of_buoyancy", "sensors", "command_path",
            "mass.source", "mass.sigma", "mass.unit", "inertia.sigma"]
CYLINDER = ("shape", {"cylinder": {"length": 1.6, "diameter": 0.2}})

REFUSED = (
    [[(key, DELETE)] for key in ["format", "name", "kind", "shape", "mass", "mass.value", "thrusters.0.name", "thrusters.0.position",
                                 "sensors.0.kind", "command_path.by", "thruster_maps.pair.command"]]
    + [[CYLINDER, ("shape.cylinder." + key, DELETE)] for key in ("length", "diameter")]
    + [[(path + "colour", "yellow")] for path in ["", "shape.", "position.", "mass.", "volume.", "inertia.", "thrusters.0.", "sensors.0.",
                                                  "thruster_maps.pair.", "thruster_transients.lag.", "command_path."]]
    + [[CYLINDER, ("shape.cylinder.colour", 1)], [CYLINDER, ("shape.cylinder.length", 0)], [CYLINDER, ("shape.cylinder.length", "long")]]
    + [[(path + "source", "x"), (path + "assumed", "y")] for path in ["position.", "mass.", "inertia.", "thrusters.0."]]
    + [[pair] for pair in [
        ("shape", "box"), ("shape", []), ("shape", {}), ("shape", None), ("shape", [0.5, 0.4, 0.3]), ("shape.box", 0.5), ("shape.box", [0.5, 0.4]),
        ("shape.box", [0.5, 0, 0.3]), ("shape.box", [0.5, -0.4, 0.3]), ("shape.box", [0.5, "a", 0.3]), ("shape", {"sphere": 0.5}),
        ("shape", {"cylinder": [1, 0.2]}), ("shape.ellipsoid", [0.5, 0.4, 0.3]), ("shape.cylinder", {"length": 1, "diameter": 0.2}),
        ("kind", "open"), ("kind", "Closed"), ("kind", None), ("kind", ["closed"]), ("format", "fathom-robot-1"), ("format", "fathom-hull-2"),
        ("name", ""), ("name", "two words"), ("name", []), ("title", {}), ("notes", []), ("attitude_deg", [0, 1, 0]), ("attitude", [0, 0]),
        ("attitude", "level"), ("position", [0, 0]), ("position.unit", "mm"), ("mass", 0), ("mass", -10), ("mass", "heavy"), ("mass", [10]),
        ("mass.unit", "g"), ("mass.sigma", -1), ("volume", 0), ("volume", "much"), ("volume.unit", "l"), ("inertia", 0.2), ("inertia", [0.2, 0.2]),
        ("inertia", [0.2, -0.2, 0.3]), ("centre_of_mass", 0), ("centre_of_buoyancy", [0, 0, 0, 0]), ("thrusters", 2), ("thrusters.0", "aft"),
        ("sensors", {}), ("sensors.0.kind", "sonar"), ("command_path.by", "sticks"), ("thruster_maps", []), ("hull", {}), ("damping", []),
    ]]
)

ACCEPTED = (
    [[]]
    + [[(key, DELETE)] for key in OPTIONAL]
    + [[pair] for pair in [
        ("kind", "closed"), ("shape", {"ellipsoid": [0.5, 0.4, 0.3]}), CYLINDER, ("mass", 10), ("mass.sigma", 0), ("volume", 0.0101),
        ("inertia", [0.2, 0.2, 0.3]), ("inertia", diagonal(0.2, 0.2, 0.3)), ("inertia.sigma", [0.01, INF, 0]), ("position", [0, 0, 0]),
        ("name", 2024), ("title", 5), ("sensors", []), ("thrusters.0.force", DELETE), ("command_path.gain", 1),
    ]]
    + [
        [("attitude", DELETE), ("attitude_deg", [0, 2, 0])],
        [(key, DELETE) for key in COPIED], [("command_path", DELETE), ("steering", {"by": "wrench"})],
        [("thrusters", []), ("thruster_maps", {}), ("thruster_transients", {}), ("command_path", DELETE)],
    ]
)

# The form is right, nature says no.
PHYSICS = [[pair] for pair in [
    ("shape.box", [0.5, 0.4, 0.001]), ("inertia", [0.1, 0.1, 0.3]), ("thrusters.1.name", "aft"), ("thrusters.2.map", "pear"),
    ("sensors.1.name", "imu"), ("command_path.by", "axes"),
]] + [[("thrusters", []), ("thruster_maps", DELETE), ("thruster_transients", DELETE)]]


class Case(schema_case.Case):
    format, kind = "hull", "hull"


class HullAgreement(schema_case.Agreement, Case):
    full, refused, accepted, meaning = FULL, REFUSED, ACCEPTED, PHYSICS
    also = [schema_case.edited(*changes, full=schema.FULL) for changes in schema.ACCEPTED]  # thrusters, sensors, steering


class HullSchema(schema_case.Form, Case):
    begins, shipped, in_docs = "format: fathom-hull-1", ["studies/*/*.yaml"], True


if __name__ == "__main__":
    unittest.main(verbosity=2)
