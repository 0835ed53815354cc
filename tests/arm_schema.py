"""The schema of arm files and the library agree on what an arm file is.

Drag elements and values are those of robots, and so is their part of the schema: schema.py tries their keys. Run by ctest
(repo:arm_schema).
"""

import unittest

import schema_case
from schema_case import DELETE, INF, diagonal

FULL = {
    "format": "fathom-arm-1",
    "arm": {
        "name": "full",
        "title": "An arm with everything",
        "notes": "Invented.",
        "joints": [
            {
                "name": "waist", "source": "drawing", "kind": "revolute", "parent": "base",
                "origin": {"position": [0, 0, 0.1], "attitude_deg": [0, 90, 0]},
                "axis": [0, 0, 2],
                "limits": {"min_deg": -60, "max_deg": 60, "speed_deg": 30, "acceleration_deg": 100, "effort": 40},
                "friction": {"source": "bench", "viscous": {"value": 0.5, "unit": "N m s", "sigma": 0.1}, "coulomb_forward": 0.2,
                             "coulomb_backward": {"value": 0.3, "unit": "N m", "assumed": "as forward"}},
                "actuator": {"assumed": "a guess", "screw_lever": {"ratio": 44, "pitch": 0.005, "l1": 0.3, "l2": 0.06, "offset_deg": 91, "sense": 1},
                             "motor": {"k_t": 0.04, "inertia": 0.00001, "viscous": 0.00001, "coulomb": 0.01},
                             "current": 5, "speed": 500, "acceleration": 5000, "increments": 24},
                "link": {"name": "trunk", "source": "CAD", "mass": {"value": 4, "unit": "kg", "sigma": 0.1}, "inertia": [0.02, 0.03, 0.03],
                         "centre_of_mass": [0.1, 0, 0], "volume": {"value": 0.002, "unit": "m^3", "assumed": "CAD"}, "centre_of_buoyancy": [0.11, 0, 0],
                         "added_mass": [0.1, 2, 2, 0, 0.01, 0.01],
                         "damping": [{"name": "tube", "position": [0.1, 0, 0], "linear": [1, 1, 1, 0, 0, 0], "quadratic": [1, 10, 10, 0, 0.1, 0.1]}]},
            },
            {
                "name": "rail", "kind": "prismatic", "parent": "waist",
                "khalil_kleinfinger": {"gamma_deg": 10, "b": 0.1, "alpha_deg": 90, "d": 0.2, "theta_deg": 5, "r": 0.3},
                "limits": {"min": 0, "max": 0.4, "speed": 0.1, "acceleration": 1, "effort": 100},
                "friction": {"coulomb": 2},
                "actuator": {"gear": {"ratio": -300}, "motor": {"k_t": 0.04}},
                "link": {"mass": 2, "shape": {"cylinder": {"length": 0.3, "diameter": 0.08}, "position": [0.15, 0, 0], "attitude_deg": [0, 0, 5],
                                              "density": 1025},
                         "payload": {"mass": 1, "position": [0, 0, 0.2], "volume": 0.0001, "inertia": [0.001, 0.001, 0.001]}},
            },
        ],
    },
}
WAIST, RAIL = "arm.joints.0.", "arm.joints.1."

REFUSED = (
    [[(key, DELETE)] for key in ["format", "arm", "arm.name", "arm.joints", WAIST + "name", WAIST + "link", WAIST + "origin", RAIL + "khalil_kleinfinger",
                                 WAIST + "actuator.motor", WAIST + "actuator.screw_lever", WAIST + "actuator.screw_lever.pitch",
                                 WAIST + "actuator.screw_lever.offset_deg", WAIST + "actuator.motor.k_t", RAIL + "actuator.gear.ratio",
                                 WAIST + "link.mass", WAIST + "link.inertia", WAIST + "link.volume", WAIST + "link.centre_of_mass", RAIL + "link.shape",
                                 RAIL + "link.shape.cylinder", RAIL + "link.shape.cylinder.length", RAIL + "link.payload.mass",
                                 RAIL + "link.payload.position", WAIST + "friction.viscous.value"]]
    + [[(path + "colour", "yellow")] for path in ["", "arm.", WAIST, WAIST + "origin.", WAIST + "limits.", WAIST + "friction.", WAIST + "actuator.",
                                                  WAIST + "actuator.screw_lever.", WAIST + "actuator.motor.", WAIST + "link.", RAIL + "link.shape.",
                                                  RAIL + "khalil_kleinfinger.", RAIL + "actuator.gear.", RAIL + "link.payload.", RAIL + "limits."]]
    + [[(path + "source", "x"), (path + "assumed", "y")] for path in [WAIST, WAIST + "friction.", WAIST + "actuator.", WAIST + "link."]]
    + [[(WAIST + key, 1)] for key in ["limits.min", "limits.max", "limits.speed", "limits.acceleration", "actuator.screw_lever.offset"]]
    + [[(RAIL + "khalil_kleinfinger." + key, 1)] for key in ["gamma", "alpha", "theta"]]
    + [[pair] for pair in [
        ("format", "fathom-robot-1"), ("arm", []), ("arm.joints", []), ("arm.joints", {}), ("arm.name", ""), ("arm.name", "two words"),
        (WAIST + "name", ""), (WAIST + "name", "base"), (WAIST + "kind", "fixed"), (WAIST + "kind", None), (WAIST + "parent", []),
        (WAIST + "khalil_kleinfinger", {"d": 1}), (RAIL + "axis", [0, 0, 1]), (WAIST + "axis", [0, 1]), (WAIST + "axis", "z"),
        (WAIST + "origin.attitude", [0, 0, 0]), (WAIST + "origin.quaternion", [1, 0, 0, 0]), (WAIST + "origin.position", [0, 0]),
        (WAIST + "limits.effort", 0), (WAIST + "limits.speed_deg", -1), (WAIST + "limits", []), (RAIL + "limits.min_deg", 1),
        (WAIST + "friction.coulomb", 1), (RAIL + "friction.coulomb", -1), (WAIST + "friction.viscous.unit", "N s/m"),
        (WAIST + "friction.coulomb_forward", "much"), (WAIST + "actuator.gear", {"ratio": 2}), (WAIST + "actuator.current", 0),
        (WAIST + "actuator.increments", -4), (WAIST + "actuator.screw_lever.sense", 2), (WAIST + "actuator.screw_lever.l1", 0),
        (WAIST + "actuator.motor.k_t", 0), (WAIST + "actuator.motor.inertia", -1), (WAIST + "link", 3), (WAIST + "link.mass", 0),
        (WAIST + "link.volume", -1), (WAIST + "link.volume.unit", "l"), (WAIST + "link.inertia", 0.02), (WAIST + "link.sname_added_mass", [0] * 6),
        (WAIST + "link.added_mass", [1, 2]), (WAIST + "link.damping", {}), (WAIST + "link.damping.0.name", DELETE), (WAIST + "link.name", "base"),
        (RAIL + "link.shape.box", [1, 1, 1]), (RAIL + "link.shape.density", 0), (RAIL + "link.shape.attitude", [0, 0, 0]),
        (RAIL + "link.shape", {"sphere": 0.5}), (RAIL + "link.payload.mass", 0), (RAIL + "link.payload.volume", -1), (RAIL + "link.payload.position", 0),
    ]]
)

IN_RADIANS = [(WAIST + "origin", {"position": [0, 0, 0], "attitude": [0, 1.5, 0]}),
              (WAIST + "limits", {"min": -1, "max": 1, "speed": 1, "acceleration": 2}), (WAIST + "actuator.screw_lever.offset_deg", DELETE),
              (WAIST + "actuator.screw_lever.offset", 1.6), (RAIL + "khalil_kleinfinger", {"gamma": 0.1, "alpha": 1.5, "theta": 0.2}),
              (RAIL + "link.shape", {"cylinder": {"length": 0.3, "diameter": 0.1}, "attitude": [0, 0.1, 0]})]
ACCEPTED = (
    [[], IN_RADIANS]
    + [[(key, DELETE)] for key in ["arm.title", "arm.notes", WAIST + "source", WAIST + "kind", WAIST + "parent", WAIST + "axis", RAIL + "limits",
                                   WAIST + "friction", WAIST + "actuator", WAIST + "actuator.screw_lever.sense", WAIST + "actuator.current",
                                   WAIST + "link.name", WAIST + "link.source", WAIST + "link.added_mass", WAIST + "link.damping", RAIL + "link.payload",
                                   RAIL + "link.payload.inertia", RAIL + "link.shape.position", RAIL + "link.shape.density",
                                   WAIST + "origin.position", WAIST + "origin.attitude_deg", WAIST + "limits.speed_deg", "arm.joints.1"]]
    + [[pair] for pair in [
        (WAIST + "origin", {"quaternion": [1, 0, 0, 0]}), (RAIL + "parent", "trunk"), (RAIL + "parent", "base"), (WAIST + "actuator.screw_lever.sense", -1),
        (RAIL + "link.shape", {"box": [0.1, 0.2, 0.3]}), (RAIL + "link.shape", {"ellipsoid": [0.1, 0.1, 0.1]}), (RAIL + "link.volume", 0.002),
        (WAIST + "link.inertia", diagonal(0.02, 0.03, 0.03)), (WAIST + "link.mass.sigma", INF), (WAIST + "link.volume", 0), (RAIL + "khalil_kleinfinger", {}),
        (WAIST + "friction", {"coulomb": 1, "assumed": "x"}),
    ]]
    + [[(WAIST + "link.damping", [{"name": "tube", "attitude": [0, 0, 1], "sname_linear": [-1] * 6, "sname_quadratic": [-1] * 6},
                                  {"name": "fin", "quadratic": {axis: [1] * 6 for axis in "uvwpqr"}}])]]
    + [[(WAIST + "link.added_mass", DELETE), (WAIST + "link.sname_added_mass", [-1] * 6)], [(WAIST + "name", 7), (RAIL + "parent", "trunk")]]
)
# The form is right, nature says no.
PHYSICS = [[pair] for pair in [
    (WAIST + "link.inertia", [0.01, 0.01, 0.03]), (RAIL + "name", "waist"), (RAIL + "parent", "nobody"), (WAIST + "parent", "waist"),
    (WAIST + "limits.max_deg", -70), (WAIST + "limits.max_deg", 120), (WAIST + "limits", DELETE), (WAIST + "actuator.screw_lever.ratio", 0),
    (RAIL + "actuator.gear.ratio", 0), (WAIST + "axis", [0, 0, 0]), (WAIST + "origin", {"quaternion": [1, 1, 0, 0]}),
    (WAIST + "link.centre_of_buoyancy", DELETE), (RAIL + "link.name", "trunk"), (WAIST + "kind", "prismatic"),
    (RAIL + "link.shape.cylinder.diameter", 0.0001),
]]


class Case(schema_case.Case):
    format, kind = "arm", "arm"


class ArmAgreement(schema_case.Agreement, Case):
    full, refused, accepted, meaning = FULL, REFUSED, ACCEPTED, PHYSICS


class ArmSchema(schema_case.Form, Case):
    begins, shipped, in_docs = "format: fathom-arm-1", ["data/arms/*.yaml"], True


if __name__ == "__main__":
    unittest.main(verbosity=2)
