"""The schemas of robots and assemblies and the program agree on what such files are.

An editor checks a robot file by the schema while it is typed; the program checks it again, and its physics too. What
one of them refuses for its form, the other must refuse. Run by ctest (repo:schema); needs jsonschema and PyYAML.
"""

import os
import pathlib
import re
import subprocess
import unittest

import arm_schema
import schema_case
from schema_case import DELETE, INF, ROOT, diagonal

BIN = pathlib.Path(os.environ.get("FATHOM_BIN", ROOT / "build/release/bin/fathom")).resolve()
MODELS = sorted((ROOT / "data/robots").glob("*.yaml"))

# A robot that uses every key at least once. Mutations below start from it.
FULL = {
    "format": "fathom-robot-1",
    "name": "full",
    "title": "A robot with everything",
    "notes": "Invented.",
    "hull": {
        "source": "invented",
        "mass": {"value": 10.0, "unit": "kg", "source": "a scale", "sigma": 0.1},
        "inertia": {"value": [0.2, 0.2, 0.3], "unit": "kg m^2", "assumed": "a box", "sigma": [0.01, 0.01, 0.01]},
        "centre_of_mass": {"value": [0, 0, 0.01], "unit": "m"},
        "volume": {"value": 0.01, "unit": "m^3"},
        "centre_of_buoyancy": [0, 0, -0.01],
        "added_mass": {"value": diagonal(5, 6, 7, 0.1, 0.1, 0.1), "unit": "SI", "source": "a sphere"},
        "size": {"value": [0.5, 0.4, 0.3], "unit": "m"},
        "symmetry": ["port_starboard", "fore_aft"],
    },
    "damping": [
        {
            "name": "hull",
            "assumed": "a guess",
            "position": [0.1, 0, 0],
            "attitude": [0, 0.1, 0],
            "linear": {"value": [5, 5, 5, 1, 1, 1], "unit": "SI", "sigma": [1, 1, 1, 0.1, 0.1, 0.1]},
            "quadratic": {"u": diagonal(9, 1, 1, 0, 0, 0), "r": [0, 0, 0, 0, 0, 2]},
        },
        {"name": "fin", "attitude_deg": [0, 0, 90], "linear": [1, 1, 1, 0, 0, 0], "quadratic": [1, 2, 3, 0, 0, 0]},
    ],
    "thrusters": [
        {
            "name": "aft",
            "source": "a drawing",
            "position": {"value": [-0.2, 0, 0], "unit": "m", "sigma": [0.001, 0.001, 0.001]},
            "direction": {"value": [1, 0, 0], "assumed": "straight"},
            "force": {"value": [-20, 30], "unit": "N", "source": "a table", "sigma": [1, 1]},
        },
        {"name": "up", "position": [0, 0, 0], "direction": [0, 0, -1],
         "map": {"source": "a bench", "command": {"unit": "pwm_us", "range": [1100, 1900], "neutral": 1500},
                 "linear_quadratic": {"dead_band": [1480, 1520], "forward": [0.03, 2.5e-4], "reverse": [0.02, 2.5e-4]},
                 "current": [0.5, 0.3, 0.01]},
         "transient": {"assumed": "quick", "first_order": {"time_constant": {"value": 0.1, "sigma": 0.02}, "acts_on": "shaft"}}},
        {"name": "side", "position": [0, 0, 0], "direction": [0, 1, 0], "map": "pair", "transient": "lag"},
        {"name": "motor", "position": [0, 0, 0.1], "direction": [0, 1, 0],
         "map": {"command": {"unit": "volt", "range": [-12, 12]}, "propeller": {"T_ww": 0.001, "T_wu": -0.01, "reverse": {"T_ww": 0.0008, "T_wu": -0.005}}},
         "transient": {"dc_motor": {"inertia": 0.001, "k_t": 0.1, "resistance": 0.5, "k_q": 0.1, "k_f1": 0.001, "Q_ww": 1.0e-5}}},
        {"name": "open", "position": [0, 0.1, 0.1], "direction": [0, 1, 0],
         "map": {"command": {"unit": "volt", "range": [-12, 12], "neutral": 0},
                 "propeller": {"diameter": 0.1, "alpha0": 0.4, "alpha1": -0.2, "shaft": {"linear": 20, "dead_band": [-1, 1]}}}},
        {"name": "measured", "position": [0.1, 0.1, 0.1], "direction": [0, 1, 0],
         "map": {"command": {"unit": "pwm_us", "range": [1100, 1900], "neutral": 1500},
                 "table": {"commands": [1100, 1450, 1550, 1900], "voltages": [12, 16],
                           "forces": [[-30, 0, 0, 35], [-40, 0, 0, 50]]}}},
        {"name": "rates", "position": [0, 0.2, 0.1], "direction": [0, 1, 0],
         "map": {"command": {"unit": "volt", "range": [-12, 12]}, "propeller": {"T_ww": 0.001}},
         "transient": {"motor_rates": {"drive": 200, "linear": 5, "quadratic": 0.01},
                       "axial_flow": {"share": 0.6, "time_constant": 0.2, "stopped_drag": 0.3}}},
    ],
    "thruster_maps": {
        "pair": {"assumed": "a fit", "command": {"unit": "normalized", "range": [-1, 1], "neutral": 0},
                 "polynomial_pair": {"dead_band": [-0.1, 0.1], "forward": [10, 1, 0, 0, 0], "reverse": [10, -1, 0, 0, 0]}},
    },
    "thruster_transients": {"lag": {"source": "a bench", "first_order": {"time_constant": 0.2}}},
    "sensors": [
        {"name": "imu", "kind": "imu", "source": "a data sheet", "position": [0, 0, 0.1], "attitude": [0, 0, 3.1],
         "rate_hz": 100, "noise": {"acceleration": 0.05, "rate": 0.005}},
        {"name": "dvl", "kind": "dvl", "attitude_deg": [0, 0, 45], "noise": {"velocity": 0.01}, "bias": {"velocity": 0.002},
         "bias_walk": {"velocity": 0.0001}, "quantisation": {"velocity": 0.001}, "latency": {"value": 0.1, "unit": "s", "assumed": "a ping"},
         "drop_out": {"probability": 0.02, "mean_length": 4}, "altitude": [0.3, 50],
         "beams": {"tilt_deg": 25, "azimuth_deg": [0, 120, 240], "per_beam": True}},
    ],
    "connectors": [
        {"name": "bow", "source": "a drawing", "position": [0.25, 0, 0]},
        {"name": "stern", "position": {"value": [-0.25, 0, 0], "unit": "m", "sigma": [0.001, 0.001, 0.001]}, "attitude_deg": [0, 0, 180]},
        {"name": "port", "position": [0, -0.2, 0], "attitude": {"value": [0, 0, -1.5], "unit": "rad", "assumed": "square"}},
    ],
    "command_path": {"by": "wrench", "gain": {"value": 0.9, "unit": "1", "source": "a log", "sigma": 0.1}},
    "identified": {
        "structure": "vehicle-24",
        "source": "a log",
        "density": 1000,
        "gravity": 9.81,
        "parameters": [
            {"name": "m11", "value": 15.0, "covariance": [0.04]},
            {"name": "q11|1|", "value": 9.0, "covariance": [-0.01, 0.25]},
            {"name": "W-B", "value": 0.5, "covariance": [0, 0, INF]},
        ],
        "residual": {"sigma": [1, 1, 1, 0, 0, 0.1], "correlation_time": [2, 2, 2, 0, 0, 1]},
        "range": {"wrench_min": [-20, -20, -20, 0, 0, -3], "wrench_max": [20, 20, 20, 0, 0, 3], "velocity_min": [-1, -1, -0.5, 0, 0, -1],
                  "velocity_max": [1, 1, 0.5, 0, 0, 1], "attitude_min": [-0.1, -0.1], "attitude_max": [0.1, 0.1],
                  "command_min": [1300, -1], "command_max": [1700, 1], "extrapolation": [1, 2, 2, 2, 2, 1.5]},
        "by_thrusters": [[0.01], [-0.001, 0.02], [0, 0, 0]],
        "baseline": {"lag": 0.2, "wrench": [0.1, 0.1, 0.1, 0, 0, 1], "velocity": [-1, -1, -1, 0, 0, -1], "constant": [0, 0, 0.1, 0, 0, 0]},
    },
}

def documented_kinds():
    """Kind of sensor: its channels, by the table in docs/sensors.md."""
    table = (ROOT / "docs/sensors.md").read_text().split("## Kinds")[1].split("\n## ")[0]
    cells = [line.split("|") for line in table.splitlines() if line.startswith("| `")]
    return {row[1].strip(" `"): re.findall("`([^`]+)`", row[3]) for row in cells}


KINDS = documented_kinds()

# Only thrusters that take newton: they may have a dead band.
NEWTON = [("thrusters", FULL["thrusters"][:1]), ("thruster_maps", DELETE), ("thruster_transients", DELETE)]

REQUIRED = ["format", "name", "hull", "damping", "hull.mass", "hull.inertia", "hull.centre_of_mass", "hull.volume",
            "hull.centre_of_buoyancy", "hull.added_mass", "hull.mass.value", "hull.added_mass.value", "damping.0.name",
            "damping.0.linear.value", "thrusters.0.name", "thrusters.0.position", "thrusters.0.direction",
            "thrusters.0.force.value", "sensors.0.name", "sensors.0.kind", "sensors.1.drop_out.probability", "sensors.1.latency.value",
            "identified.structure", "identified.density", "identified.gravity", "identified.parameters", "identified.parameters.0.name",
            "identified.parameters.1.value", "identified.parameters.2.covariance",
            "thrusters.1.map.command",
            "thrusters.1.map.command.unit", "thrusters.1.map.command.range", "thrusters.1.map.linear_quadratic",
            "thrusters.1.map.linear_quadratic.forward", "thrusters.1.transient.first_order",
            "thrusters.1.transient.first_order.time_constant", "thrusters.3.map.propeller.T_ww",
            "thrusters.3.transient.dc_motor.k_q", "thrusters.3.map.propeller.reverse.T_ww", "thrusters.6.transient.motor_rates",
            "thrusters.6.transient.motor_rates.linear", "thrusters.6.transient.axial_flow.share", "thrusters.6.transient.axial_flow.time_constant",
            "thrusters.4.map.propeller.diameter", "thrusters.4.map.propeller.alpha0",
            "thrusters.4.map.propeller.shaft.linear", "thrusters.5.map.table.commands", "thrusters.5.map.table.voltages",
            "thrusters.5.map.table.forces", "thruster_maps.pair.polynomial_pair", "thruster_maps.pair.polynomial_pair.dead_band",
            "thruster_maps.pair.polynomial_pair.forward", "thruster_maps.pair.polynomial_pair.reverse",
            "thruster_transients.lag.first_order", "command_path.by", "command_path.gain.value", "connectors.0.name", "connectors.1.position.value"]
MAPS = ["", "hull.", "hull.mass.", "hull.inertia.", "hull.centre_of_mass.", "hull.volume.", "hull.added_mass.", "hull.size.",
        "damping.0.", "damping.0.linear.", "damping.0.quadratic.", "thrusters.0.", "thrusters.0.position.",
        "thrusters.0.direction.", "thrusters.0.force.", "sensors.0.", "sensors.0.noise.", "sensors.1.bias.", "sensors.1.bias_walk.",
        "sensors.1.quantisation.", "sensors.1.latency.", "sensors.1.drop_out.", "sensors.1.beams.", "identified.",
        "identified.parameters.0.",
        "thrusters.1.map.",
        "thrusters.1.map.command.", "thrusters.1.map.linear_quadratic.", "thrusters.1.transient.",
        "thrusters.1.transient.first_order.", "thrusters.3.map.propeller.", "thrusters.3.transient.dc_motor.",
        "thrusters.3.map.propeller.reverse.", "thrusters.6.transient.motor_rates.", "thrusters.6.transient.axial_flow.",
        "thrusters.4.map.propeller.shaft.", "thrusters.5.map.table.", "thruster_maps.pair.",
        "thruster_maps.pair.polynomial_pair.", "thruster_transients.lag.", "command_path.", "command_path.gain.", "connectors.0.", "connectors.1.position.",
        "connectors.2.attitude."]
ORIGINS = ["hull.", "hull.mass.", "hull.inertia.", "hull.added_mass.", "damping.0.", "damping.0.linear.", "thrusters.0.",
           "thrusters.0.direction.", "thrusters.0.force.", "sensors.0.",
           "thrusters.1.map.", "thrusters.1.transient.", "thruster_maps.pair.", "thruster_transients.lag.", "command_path.gain.",
           "connectors.0.", "connectors.1.position."]

REFUSED = (
    [[(path, DELETE)] for path in REQUIRED]
    + [[(path + "colour", "yellow")] for path in MAPS]
    + [[(path + "source", "x"), (path + "assumed", "y")] for path in ORIGINS]
    + [[pair] for pair in [
        # another type
        ("hull.mass", "heavy"), ("hull.mass", "13.5"), ("hull.mass", True), ("hull.mass", None), ("hull.mass", [10]), ("hull.mass", {}),
        ("hull.mass.value", [10]), ("hull.mass.sigma", "small"), ("hull.inertia", 0.2), ("hull.inertia.value", [0.2, "a", 0.3]),
        ("hull", []), ("hull", None), ("hull.symmetry", "port_starboard"), ("hull.symmetry", {}),
        ("damping", {}), ("damping", None), ("damping.0", "hull"), ("damping.0.linear", 5), ("damping.0.quadratic", 5),
        ("damping.0.quadratic.u", 9), ("thrusters", 2), ("thrusters", None), ("thrusters.0", []), ("thrusters.0.direction", "ahead"),
        ("sensors", {}), ("sensors.0", None), ("sensors.0.noise", [0.1]), ("sensors.0.noise", 0.1), ("sensors.0.noise.rate", "low"),
        ("sensors.0.rate_hz", "100 Hz"), ("sensors.0.rate_hz", [100]), ("name", ["full"]), ("name", None), ("name", {}), ("title", []),
        ("notes", {}), ("hull.source", ["a"]), ("format", 1), ("format", None), ("identified", []), ("identified", None),
        ("identified.structure", []), ("identified.density", "fresh"), ("identified.gravity", None), ("identified.source", {}),
        ("identified.parameters", {}), ("identified.parameters.0", "m11"), ("identified.parameters.0.value", "15"),
        ("identified.parameters.0.covariance", 0.04), ("identified.parameters.1.covariance", [0, "a"]),
        # another length
        ("hull.inertia", [0.2, 0.2]), ("hull.inertia", [0.2, 0.2, 0.3, 0.3]), ("hull.inertia", []),
        ("hull.inertia.value", diagonal(0.2, 0.3)), ("hull.inertia.value", [[0.2, 0], [0, 0.2], [0, 0]]),
        ("hull.inertia.value", [[0.2, 0, 0], 0.2, 0.3]), ("hull.inertia.sigma", [0.01]), ("hull.centre_of_mass", [0, 0]),
        ("hull.centre_of_buoyancy", [0, 0, 0, 0]), ("hull.size", [1, 1]), ("hull.added_mass", [5, 6, 7]),
        ("hull.added_mass", diagonal(5, 6, 7)), ("hull.added_mass.sigma", [1, 1, 1]), ("damping.0.position", [0]),
        ("damping.0.attitude", [0, 0, 0, 1]), ("damping.0.linear", [5] * 7), ("damping.0.quadratic", [5] * 5),
        ("damping.0.quadratic.u", [9] * 3), ("damping.1.attitude_deg", [90]), ("thrusters.0.position", [0, 0]),
        ("thrusters.0.direction", [1, 0]), ("thrusters.0.force", [30]), ("thrusters.0.force", [-20, 0, 30]),
        ("thrusters.0.force.sigma", [1]), ("sensors.0.position", []), ("sensors.0.attitude", [0, 0]),
        ("identified.parameters", []), ("identified.parameters.0.covariance", []),
        # another word
        ("format", "fathom-robot-2"), ("format", "Fathom-robot-1"), ("name", ""), ("name", "a name with spaces"), ("name", "y/../z"), ("hull.symmetry", ["port-starboard"]),
        ("hull.symmetry", ["all"]), ("hull.mass.unit", "g"), ("hull.inertia.unit", "kg"), ("hull.volume.unit", "l"),
        ("hull.centre_of_mass.unit", "mm"), ("hull.size.unit", "cm"), ("hull.added_mass.unit", "kg"), ("damping.0.linear.unit", "N"),
        ("thrusters.0.direction", {"value": [1, 0, 0], "unit": "m"}), ("thrusters.0.force.unit", "kgf"), ("sensors.0.kind", "IMU"),
        ("sensors.0.kind", "sonar"), ("sensors.0.noise.velocity", 0.1), ("sensors.1.noise.rate", 0.1), ("sensors.0.kind", "depth"),
        ("damping.0.name", ""), ("thrusters.0.name", ""), ("sensors.0.name", ""),
        ("identified.structure", "vehicle-42"), ("identified.parameters.0.name", "m17"), ("identified.parameters.0.name", "M11"),
        ("identified.parameters.0.name", ""), ("identified.parameters.1.name", "q11"), ("identified.parameters.2.name", "xgW-ybB"),
        # two for one
        ("hull.sname_added_mass", [-5, -6, -7, 0, 0, 0]), ("damping.0.sname_linear", [-1] * 6), ("damping.0.sname_quadratic", [-1] * 6),
        ("damping.0.attitude_deg", [0, 0, 0]), ("damping.1.attitude", [0, 0, 0]), ("sensors.0.attitude_deg", [0, 0, 0]),
        # a sign that the form itself forbids
        ("hull.mass.value", 0), ("hull.mass", -10), ("hull.volume.value", 0), ("hull.mass.sigma", -0.1), ("hull.size", [0.5, 0, 0.3]),
        ("hull.inertia", [0.2, -0.2, 0.3]), ("hull.added_mass", [5, -6, 7, 0, 0, 0]), ("damping.0.linear", [5, 5, -5, 1, 1, 1]),
        ("damping.1.quadratic", [1, 2, -3, 0, 0, 0]), ("thrusters.0.force", [20, 30]), ("thrusters.0.force", [-20, -10]),
        ("hull.mass.sigma", -INF), ("hull.inertia.sigma", [0.01, -INF, 0]), ("identified.density", 0), ("identified.gravity", -9.81),
        ("sensors.0.rate_hz", 0), ("sensors.0.noise.rate", -0.1), ("sensors.0.rate_hz", -1), ("sensors.1.bias.velocity", -1),
        ("sensors.1.bias_walk.velocity", -1), ("sensors.1.quantisation.velocity", -1), ("sensors.1.latency", -0.1),
        ("sensors.1.latency", 4000), ("sensors.1.latency.unit", "ms"), ("sensors.1.drop_out", -0.1), ("sensors.1.drop_out", 1.1),
        ("sensors.1.drop_out.probability", 2), ("sensors.1.drop_out.mean_length", 0.5), ("sensors.1.drop_out", [0.1]),
        ("sensors.1.beams.tilt_deg", 0), ("sensors.1.beams.tilt_deg", 90), ("sensors.1.beams.azimuth_deg", [0, 90]),
        ("sensors.1.beams.azimuth_deg", [0] * 9), ("sensors.1.beams.azimuth_deg", 45), ("sensors.1.beams.per_beam", 1),
        ("sensors.1.beams.per_beam", "true"), ("sensors.1.beams", 4), ("sensors.1.altitude", [-1, 5]), ("sensors.1.altitude", 5),
        ("sensors.1.altitude", [1, 2, 3]), ("sensors.0.beams", {}), ("sensors.0.altitude", [1, 2]), ("sensors.1.bias.rate", 1),
        # connectors
        ("connectors", {}), ("connectors", None), ("connectors.0", "bow"), ("connectors.0.name", ""), ("connectors.0.name", "the bow"),
        ("connectors.0.name", "a.b"), ("connectors.0.position", [0, 0]), ("connectors.0.position", 0.25), ("connectors.1.attitude", [0, 0, 0]),
        ("connectors.1.attitude_deg", [180]), ("connectors.1.position.unit", "mm"), ("connectors.1.position.sigma", [-1, 0, 0]),
        ("connectors.2.attitude.unit", "deg"), ("connectors.0.kind", "magnetic"),
        ("thrusters.1.transient.first_order.time_constant.sigma", -0.1), ("thrusters.1.transient.first_order.acts_on", "water"),
        ("identified.residual.sigma", [1, 1]), ("identified.residual.sigma", [-1, 1, 1, 0, 0, 0]), ("identified.range.extrapolation", [0, 1, 1, 1, 1, 1]),
        ("identified.range.wrench_min", 3), ("identified.range.command_min", "least"), ("identified.by_thrusters", [0.01, 0, 0]), ("identified.baseline.wrench", [1]), ("identified.baseline.lag", "late"),
        ("identified.delay", 0.1), ("identified.delay", [0.1]), ("identified.delay", [-0.1, 0.02]), ("identified.delay", [0.1, -0.02]),
        # command path
        ("steering", {"by": "wrench"}), ("command_path", []), ("command_path", None), ("command_path", "wrench"), ("command_path.by", "sticks"), ("command_path.by", None), ("command_path.gain", 0),
        ("command_path.gain", -1), ("command_path.gain", 1000), ("command_path.gain.value", "much"), ("command_path.gain.sigma", -0.1), ("command_path.gain.unit", "N"),
        ("command_path.dead_band", -1), ("command_path.dead_band", [1]), ("command_path.dead_band", {"sigma": 1}), ("command_path.dead_band", 1.0e5), ("command_path.saturation", 0), ("command_path.saturation", -1), ("command_path.saturation", 1.0e5),
        # maps of thrusters
        ("thrusters.1.map", ["pair"]), ("thrusters.1.map", {}), ("thrusters.1.transient", []), ("thruster_maps", []), ("thruster_maps", None),
        ("thruster_maps.pair", "pair"), ("thruster_maps.pair", []), ("thruster_transients.lag", 0.1),
        ("thrusters.1.map.command.unit", "us"), ("thrusters.1.map.command.unit", "PWM"), ("thrusters.1.map.command.range", [1100]),
        ("thrusters.1.map.command.neutral", "middle"), ("thrusters.1.map.current", [0.5, 0.3]), ("thrusters.1.map.current", [-1, 0.3, 0]),
        ("thrusters.1.map.linear_quadratic.forward", 0.03), ("thrusters.1.map.linear_quadratic.forward", [1, 2, 3]),
        ("thrusters.1.map.linear_quadratic.dead_band", [1500]), ("thrusters.1.map.propeller", {"T_ww": 1}),
        ("thrusters.1.transient.first_order.time_constant", 0), ("thrusters.1.transient.first_order.time_constant", -1),
        ("thrusters.1.transient.first_order.time_constant", "fast"), ("thrusters.1.transient.first_order", 0.1),
        ("thrusters.1.transient.dc_motor", {}), ("thrusters.3.transient.dc_motor.inertia", 0), ("thrusters.3.transient.dc_motor.k_f1", -1),
        ("thrusters.3.map.propeller.T_ww", 0), ("thrusters.3.map.propeller.T_wu", 0.1), ("thrusters.3.map.propeller.diameter", 0.1),
        ("thrusters.3.map.propeller.reverse.T_ww", 0), ("thrusters.3.map.propeller.reverse.T_wu", 0.1), ("thrusters.3.map.propeller.reverse", 0.1),
        ("thrusters.4.map.propeller.reverse", {"T_ww": 0.001}), ("thrusters.6.transient.motor_rates.drive", 0),
        ("thrusters.6.transient.motor_rates.linear", -1), ("thrusters.6.transient.axial_flow", 0.2),
        ("thrusters.6.transient.axial_flow.share", -1), ("thrusters.6.transient.axial_flow.time_constant", 0),
        ("thrusters.6.transient.axial_flow.stopped_drag", -0.1), ("thrusters.6.transient.first_order", {"time_constant": 0.1}),
        ("thrusters.3.map.propeller.shaft", {}), ("thrusters.3.map.propeller.shaft", {"dead_band": [0, 0]}),
        ("thrusters.4.map.propeller.diameter", 0), ("thrusters.4.map.propeller.alpha1", 0.2), ("thrusters.4.map.propeller.shaft.linear", 0),
        ("thrusters.4.map.propeller.shaft.power", [1, 1, 0]), ("thrusters.5.map.table.commands", 5), ("thrusters.5.map.table.commands", [1100]),
        ("thrusters.5.map.table.voltages", []), ("thrusters.5.map.table.forces", [1, 2]), ("thrusters.5.map.table.forces", []),
        ("thruster_maps.pair.polynomial_pair.forward", [1, 2, 3]), ("thruster_maps.pair.polynomial_pair.reverse", 5),
    ]]
)

ACCEPTED = (
    [[]]
    + [[pair] for pair in [("connectors", DELETE), ("connectors", []), ("connectors.0.position", DELETE), ("connectors.0.source", DELETE),
                           ("connectors.1.attitude_deg", DELETE), ("connectors.0.name", "a_b-2"), ("connectors.1.position.sigma", [INF, 0, 0])]]
    + [[(path, DELETE)] for path in ["title", "notes", "sensors", "hull.source", "hull.size", "hull.symmetry",
                                     "hull.mass.unit", "hull.mass.source", "hull.mass.sigma", "damping.0.assumed", "damping.0.position",
                                     "damping.0.attitude", "damping.0.linear", "damping.0.quadratic", "damping.1", "thrusters.0.source",
                                     "thrusters.0.force", "sensors.0.source", "sensors.0.rate_hz", "sensors.0.noise",
                                     "sensors.0.noise.rate", "sensors.0.position", "sensors.1.bias", "sensors.1.latency",
                                     "sensors.1.drop_out", "sensors.1.drop_out.mean_length", "sensors.1.beams",
                                     "sensors.1.beams.tilt_deg", "sensors.1.beams.azimuth_deg", "sensors.1.beams.per_beam",
                                     "sensors.1.altitude", "identified", "identified.source"]]
    + [[("sensors.0", {"name": "any", "kind": kind, "noise": {channel: 0.1 for channel in channels}})] for kind, channels in KINDS.items()]
    + [[("sensors.0", {"name": "any", "kind": kind})] for kind in KINDS]
    + [[("sensors.0", {"name": "any", "kind": kind, key: {channel: 0.1 for channel in channels}})]
       for kind, channels in KINDS.items() for key in ("bias", "bias_walk", "quantisation")]
    + [[pair] for pair in [("sensors.1.latency", 0), ("sensors.1.drop_out", 0), ("sensors.1.drop_out", 1), ("sensors.1.beams", {}),
                           ("sensors.1.bias.velocity", {"value": 1, "unit": "m/s", "source": "x"}), ("sensors.1.quantisation.velocity", 0)]]
    + [[pair] for pair in [
        ("hull.mass", 10), ("hull.mass", 1.25e1), ("hull.mass.sigma", 0), ("hull.inertia", [0.2, 0.2, 0.3]),
        ("hull.mass.sigma", INF), ("hull.inertia.sigma", [0.01, INF, 0]), ("damping.0.linear.sigma", diagonal(INF, 1, 1, 0, 0, 0)),
        ("identified.structure", "surge of my own"), ("identified.structure", "full"), ("identified.structure", ""),
        ("identified.parameters.2.covariance", [0, 0, 0]), ("identified.parameters.0.covariance", [0.04000000001]),
        ("identified.parameters.2.name", "zgW-zbB"),
        ("hull.inertia", [[0.2, 0.01, 0], [0.01, 0.2, 0], [0, 0, 0.3]]), ("hull.inertia.sigma", diagonal(0.01, 0.01, 0.01)),
        ("hull.added_mass", [5, 6, 7, 0.1, 0.1, 0.1]), ("hull.added_mass", [0] * 6), ("hull.symmetry", []),
        ("hull.symmetry", ["top_bottom"]), ("hull.symmetry", ["fore_aft", "fore_aft"]), ("damping", []), ("sensors", []),
        ("damping.0.linear", diagonal(5, 5, 5, 1, 1, 1)), ("damping.0.quadratic", {}), ("damping.0.quadratic", [1] * 6),
        ("damping.0.quadratic", {"value": [1] * 6, "unit": "SI", "sigma": [0.1] * 6, "source": "x"}),
        ("damping.0.quadratic", {"value": {"u": diagonal(9, 1, 1, 0, 0, 0)}, "sigma": {"u": diagonal(1, 1, 1, 0, 0, 0)}}),
        ("thrusters.0.force", [-20, 30]), ("thrusters.0.force", [0, 30]), ("thrusters.0.force", [-20.5, 0]),
        ("thrusters.0.direction", [3, 4, 0]), ("thrusters.0.direction", {"value": [1, 0, 0], "unit": ""}), ("sensors.0.noise", {}),
        ("sensors.0.noise.rate", 0), ("sensors.0.rate_hz", 0.1), ("title", ""), ("title", "Größe 水 \"quoted\" # no comment"),
        ("thrusters.1.map", DELETE), ("thrusters.1.transient", DELETE), ("thrusters.2.name", "other"), ("thrusters.4.map", "pair"),
        ("thrusters.1.map.linear_quadratic.dead_band", DELETE), ("thrusters.1.map.linear_quadratic.reverse", DELETE),
        ("thrusters.1.map.current", DELETE), ("thrusters.4.map.propeller.alpha1", DELETE), ("thrusters.3.map.propeller.T_wu", DELETE),
        ("thrusters.3.map.propeller.reverse", DELETE), ("thrusters.3.map.propeller.reverse.T_wu", DELETE),
        ("thrusters.6.transient.axial_flow", DELETE), ("thrusters.6.transient.axial_flow.stopped_drag", DELETE),
        ("thrusters.1.transient.axial_flow", {"share": 0.5, "time_constant": 0.2}), ("thrusters.6.transient.motor_rates.quadratic", 0),
        ("thruster_maps.pair.command.range", DELETE), ("thrusters.4.map.command.neutral", DELETE), ("thrusters.1.transient", "lag"),
        ("thrusters.4.map.propeller.shaft", {"power": [3, 0.5, -1]}), ("thrusters.4.map.propeller.shaft", {"power": [-3, -0.5, 2]}),
        ("thrusters.4.map.propeller.shaft", {"table": {"commands": [-12, 0, 12], "speeds": [-90, 0, 100]}}),
        ("notes", "two\nlines: {and} [signs]"), ("name", "a_name-2"), ("name", "2024"), ("name", "yes"),
    ]]
    + [
        [("hull.added_mass", DELETE), ("hull.sname_added_mass", [-5, -6, -7, -0.1, -0.1, -0.1])],
        [("hull.added_mass", DELETE), ("hull.sname_added_mass", {"value": diagonal(-5, -6, -7, 0, 0, 0), "sigma": [1] * 6})],
        [("damping.0.linear", DELETE), ("damping.0.sname_linear", [-5, -5, -5, -1, -1, -1])],
        [("damping.0.quadratic", DELETE), ("damping.0.sname_quadratic", [-5, -5, -5, 0, 0, 0])],
        [("damping.0.quadratic", DELETE), ("damping.0.sname_quadratic", {"value": {"u": diagonal(-9, -1, -1, 0, 0, 0)}})],
        [("damping.0.attitude", DELETE), ("damping.0.attitude_deg", [0, 0, 90])],
        [("thrusters", DELETE), ("thruster_maps", DELETE), ("thruster_transients", DELETE), ("command_path", DELETE)],
        [("thrusters", []), ("thruster_maps", {}), ("thruster_transients", DELETE), ("command_path", DELETE)],
        [("damping.0.quadratic", {speed: diagonal(1, 1, 1, 0, 0, 0) for speed in "uvwpqr"})], [("identified.delay", [0.1, 0.02])],
        [("command_path", DELETE)], [("command_path", DELETE), ("steering", {"by": "wrench"})], [("command_path.gain", DELETE)], [("command_path.gain", 1)], [("command_path.gain.sigma", INF)],
        [*NEWTON, ("command_path", {"by": "wrench", "dead_band": 0})], [*NEWTON, ("command_path", {"by": "wrench", "dead_band": 2.5, "gain": 1})],
        [*NEWTON, ("command_path", {"by": "wrench", "saturation": 40})], [*NEWTON, ("command_path", {"by": "wrench", "saturation": {"value": 40, "sigma": 0}})],
        [*NEWTON, ("command_path", {"by": "wrench", "dead_band": {"value": 3, "unit": "N", "sigma": 0, "assumed": "x"}})],
    ]
)

# Both or neither: which of the two it is, is not for this test to say.
SAME = [[pair] for pair in [
    ("name", 2024), ("name", True), ("title", 5), ("hull.source", 2019), ("hull.mass.source", 2019), ("sensors.0.assumed", 1.5),
    ("thrusters.0.name", 1), ("hull.symmetry", [1]), ("hull.symmetry", None), ("damping.0.quadratic", {"u": None}),
    ("hull.mass.unit", None), ("hull.mass.source", ""), ("sensors.0.kind", 3), ("hull.size", None), ("identified.structure", 24), ("identified.structure", None),
]]

# Couples surge and sway, which the mirror symmetry to port and starboard forbids.
COUPLED = [[5, 1, 0, 0, 0, 0], [1, 6, 0, 0, 0, 0], *diagonal(0, 0, 7, 0.1, 0.1, 0.1)[2:]]

# The form is right, nature says no: the program must refuse, the schema need not.
PHYSICS = [[pair] for pair in [
    ("hull.inertia", [0.1, 0.1, 0.3]), ("hull.inertia", [[0.2, 0.2, 0], [0.2, 0.2, 0], [0, 0, 0.3]]),
    ("hull.inertia", [[0.2, 0.1, 0], [0, 0.2, 0], [0, 0, 0.3]]), ("hull.added_mass", diagonal(5, -6, 7, 0, 0, 0)),
    ("hull.added_mass", [[5, 9, 0, 0, 0, 0], [9, 6, 0, 0, 0, 0], *diagonal(0, 0, 7, 0, 0, 0)[2:]]),
    ("hull.added_mass", COUPLED), ("hull.size", [0.1, 0.1, 0.1]), ("damping.0.quadratic", {"u": diagonal(0, -9, 0, 0, 0, 0)}),
    ("damping.1.name", "hull"), ("thrusters.1.name", "aft"), ("thrusters.0.direction", [0, 0, 0]), ("thrusters.0.force", [0, 0]),
    ("sensors.1.name", "imu"), ("connectors.1.name", "bow"), ("connectors.0.position", [1.0e13, 0, 0]), ("identified.parameters.1.covariance", [0.25]), ("identified.parameters.1.covariance", [1, 0.25]),
    ("identified.parameters.0.covariance", [-1]), ("identified.parameters.2.covariance", [0, 1, INF]),
    ("identified.parameters.2.covariance", [0, INF, INF]), ("identified.parameters.1.name", "m11"),
    ("identified.parameters.1.name", "m12"), ("identified.parameters.0.value", INF),
    ("sensors.1.drop_out", {"probability": 0.9, "mean_length": 2}), ("sensors.1.altitude", [5, 1]),
    ("thrusters.2.map", "pear"), ("thrusters.2.transient", "leg"), ("thrusters.2.map", DELETE),
    ("thruster_maps.unused", FULL["thruster_maps"]["pair"]), ("thrusters.3.transient", DELETE), ("thrusters.3.map", DELETE),
    ("thruster_maps.pair.polynomial_pair.forward", [10, -20, 0, 0, 0]), ("thruster_maps.pair.polynomial_pair.reverse", [10, 20, 0, 0, 0]),
    ("thruster_maps.pair.polynomial_pair.dead_band", [0.1, 0.2]), ("thruster_maps.pair.command.range", [-2, 2]),
    ("thrusters.1.map.command.neutral", 1000), ("thrusters.1.map.command.range", [1900, 1100]), ("thrusters.5.map.table.commands", [1100, 1450, 1450, 1900]),
    ("thrusters.5.map.table.voltages", [12]), ("thrusters.5.map.table.forces", [[-30, 0, 0, 35], [-40, 1, 0, 50]]),
    ("thrusters.5.map.command.range", [1000, 2000]), ("thrusters.4.map.propeller.shaft.power", [1, 1, 1]),
    ("thrusters.1.map.linear_quadratic", {"forward": [0, 0]}), ("thrusters.6.map", DELETE), ("thrusters.6.map.command.unit", "rad_s"),
    ("thrusters.6.transient.motor_rates", {"drive": 1, "linear": 0, "quadratic": 0}), ("command_path.by", "axes"), ("command_path.dead_band", 3), ("command_path.saturation", 3),
]] + [[("thrusters", []), ("thruster_maps", DELETE), ("thruster_transients", DELETE)]]


class Case(schema_case.Case):
    format, kind = "robot", "robot"

    def echoed(self, file):
        """By the program itself, which also warns."""
        result = subprocess.run([BIN, "lint", file], capture_output=True, text=True, timeout=60)
        self.assertIn(result.returncode, (0, 1, 2), f"{result.stdout}{result.stderr}\n{file.read_text()}")
        return result.stdout if result.returncode == 2 else ""


# An assembly that uses every key at least once.
ASSEMBLY = {
    "format": "fathom-robot-1",
    "name": "full",
    "title": "Everything",
    "notes": "Invented.",
    "assembly": {
        "one_cluster": True,
        "tolerance": {"distance": 0.001, "angle_deg": 0.5},
        "modules": [
            {"name": "A", "robot": "nielsen-bluerov", "position": [0, 0, 0], "attitude_deg": [0, 0, 0]},
            {"name": "B", "robot": "nielsen-bluerov", "connectors": [{"name": "rod", "position": [0, -0.5, 0], "attitude_deg": [0, 0, -90]}]},
            {"name": "C", "robot": "nielsen-bluerov", "position": [0, 0.995, 0], "attitude": [0, 0, 0]},
        ],
        "couplings": [
            {"name": "left", "between": ["A.starboard", "B.rod"], "turn_deg": 0},
            {"between": ["B.starboard", "C.port"]},
        ],
    },
}
AT = "assembly."
ASSEMBLY_REFUSED = (
    [[(AT + path, DELETE)] for path in ["modules", "modules.0.name", "modules.1.robot", "modules.1.connectors.0.name", "couplings.0.between"]]
    + [[(path + "colour", "yellow")] for path in ["", AT, AT + "tolerance.", AT + "modules.0.", AT + "modules.1.connectors.0.", AT + "couplings.0."]]
    + [[(key, FULL[key])] for key in FULL if key not in ("format", "name", "title", "notes")]
    + [[(AT + path, value)] for path, value in [
        ("one_cluster", "yes"), ("one_cluster", 1), ("tolerance", 0.001), ("tolerance.distance", -1), ("tolerance.distance", "small"),
        ("tolerance.angle_deg", -1), ("tolerance.angle_deg", 181), ("modules", []), ("modules", {}), ("modules", None), ("modules.0", "A"), ("modules.0.name", ""),
        ("modules.0.name", "a b"), ("modules.0.name", None), ("modules.0.robot", ""), ("modules.0.robot", []), ("modules.0.position", [0, 0]), ("modules.0.position", "here"),
        ("modules.0.attitude_deg", 90), ("modules.0.attitude", [0, 0, 0]), ("modules.0.position", DELETE), ("modules.2.position", DELETE), ("modules.1.connectors", {}), ("modules.1.connectors.0.position", [0]), ("couplings", {}),
        ("couplings.0", []), ("couplings.0.name", ""), ("couplings.0.name", "a.b"), ("couplings.0.between", ["A.starboard"]),
        ("couplings.0.between", "A.starboard"), ("couplings.0.between", ["A", "B.rod"]), ("couplings.0.between", ["A.star.board", "B.rod"]), ("couplings.0.between", ["A.starboard", 5]),
        ("couplings.0.turn_deg", "90"), ("couplings.0.turn_deg", [90]),
    ]]
)
ASSEMBLY_ACCEPTED = (
    [[]]
    + [[(path, DELETE)] for path in ["title", "notes", AT + "one_cluster", AT + "tolerance", AT + "tolerance.distance", AT + "modules.0.attitude_deg",
                                     AT + "modules.2.attitude", AT + "couplings.0.name", AT + "couplings.0.turn_deg"]]
    + [[(AT + "one_cluster", False), (AT + "couplings", DELETE)],
       [(AT + "modules.0.position", DELETE), (AT + "modules.0.attitude_deg", DELETE)]]
)
# The form is right, the parts do not fit.
ASSEMBLY_MISFITS = [[pair] for pair in [
    (AT + "modules.1.name", "A"), (AT + "couplings.0.between", ["A.starboard", "B.rode"]), (AT + "couplings.0.between", ["A.starboard", "D.rod"]),
    (AT + "couplings.1.between", ["A.starboard", "C.port"]), (AT + "couplings.0.turn_deg", 90), (AT + "modules.0.robot", "nielsen-blue"),
    (AT + "couplings.1.name", "left"), (AT + "couplings.1.between", ["C.bow", "C.port"]), (AT + "couplings", []),
]]


# A vehicle with arms that uses every key at least once.
STICK = {"name": "stick", "joints": [{"name": "swing", "khalil_kleinfinger": {"r": 0.1}, "link": {"name": "rod", "mass": 0.5, "shape": {"cylinder": {"length": 0.3, "diameter": 0.03}, "density": 1000}}}]}
ARMED = {
    "format": "fathom-robot-1",
    "name": "armed",
    "title": "Everything",
    "notes": "Invented.",
    "vehicle": "bluerov2-heavy",
    "arms": [
        {"name": "left", "arm": "reach-alpha-5", "position": {"value": [0.2, -0.1, 0.1], "source": "drawing", "sigma": [0.01, 0.01, 0.01]}, "attitude_deg": [180, 0, 0],
         "posture": {"e": 3, "d": 1}, "source": "a drawing"},
        {"name": "right", "arm": STICK, "attitude": [0, 0, 0], "posture_deg": {"swing": 10}, "assumed": "guessed"},
    ],
}
ARMED_REFUSED = (
    [[(path, DELETE)] for path in ["vehicle", "arms", "arms.0.name", "arms.0.arm", "arms.1.arm.joints"]]
    + [[(path + "colour", "yellow")] for path in ["", "arms.0."]]
    + [[(key, FULL[key])] for key in FULL if key not in ("format", "name", "title", "notes")]
    + [[(path, value)] for path, value in [
        ("vehicle", []), ("vehicle", ""), ("arms", []), ("arms", {}), ("arms.0", "alpha"), ("arms.0.name", "a b"), ("arms.0.name", ""), ("arms.0.arm", []), ("arms.0.arm", ""),
        ("arms.0.position", [0, 0]), ("arms.0.position", "bow"), ("arms.0.attitude", [0, 0, 0]), ("arms.0.attitude_deg", 90), ("arms.0.posture", [1, 2]),
        ("arms.0.posture.e", "open"), ("arms.0.posture_deg", {"e": 90}), ("arms.0.assumed", "guessed"), ("arms.0.position.value", [0, 0]), ("arms.0.position.value", DELETE), ("arms.0.posture", None),
        ("arms.1.posture_deg", 10), ("arms.1.arm", None), ("arms.1.arm.name", DELETE), ("assembly", ASSEMBLY["assembly"]), ("arms", None), ("vehicle", None), ("arms.1.attitude", [0, "x", 0]),
    ]]
)
ARMED_ACCEPTED = [[]] + [[(path, DELETE)] for path in ["title", "notes", "arms.0.position", "arms.0.attitude_deg", "arms.0.posture", "arms.0.source", "arms.1.posture_deg", "arms.1.attitude", "arms.0.posture.d", "arms.1"]]
# The form is right, the parts are not.
ARMED_MISFITS = [[pair] for pair in [
    ("vehicle", "blue"), ("arms.0.arm", "reach"), ("arms.0.posture.e", 9), ("arms.0.posture.z", 1), ("arms.1.name", "left"), ("arms.1.arm.joints", []), ("arms.0.position", [1.0e13, 0, 0]),
]]


BODIES = [schema_case.edited(*changes, full=FULL) for changes in ACCEPTED]
ARMS = [schema_case.edited(*changes, full=arm_schema.FULL) for changes in arm_schema.ACCEPTED]


def in_vehicle(lists):
    """Changes of an arm file, of the arm that stands in the vehicle's file."""
    return [[("arms.1." + path, value) for path, value in changes] for changes in lists if all(path.startswith("arm.") for path, _ in changes)]


class RobotAgreement(schema_case.Agreement, Case):
    full, refused, accepted, same, meaning = FULL, REFUSED, ACCEPTED, SAME, PHYSICS
    also = [ARMED, *ARMS]


class ArmedAgreement(schema_case.Agreement, Case):
    full, refused, accepted, meaning = ARMED, ARMED_REFUSED, ARMED_ACCEPTED, ARMED_MISFITS
    also, enough_accepted = [*BODIES, *ARMS], 10


class ArmInVehicleAgreement(schema_case.Agreement, Case):
    full = schema_case.edited(("arms.1.arm", arm_schema.FULL["arm"]), ("arms.1.posture_deg", DELETE), full=ARMED)
    refused, accepted, meaning = in_vehicle(arm_schema.REFUSED), in_vehicle(arm_schema.ACCEPTED), in_vehicle(arm_schema.PHYSICS)
    also = [*BODIES, ARMED]


class AssemblyCase(Case):
    format = "assembly"


class AssemblyAgreement(schema_case.Agreement, AssemblyCase):
    full, refused, accepted, meaning = ASSEMBLY, ASSEMBLY_REFUSED, ASSEMBLY_ACCEPTED, ASSEMBLY_MISFITS
    also, enough_accepted = BODIES, 12


class AssemblySchema(schema_case.Form, AssemblyCase):
    begins, shipped, in_docs = "format: fathom-robot-1", ["data/assemblies/*.yaml"], True

    def is_of_schema(self, text):
        return super().is_of_schema(text) and "\nassembly:" in text


class RobotSchema(schema_case.Form, Case):
    begins, shipped, in_docs = "format: fathom-robot-1", ["data/robots/*.yaml", "studies/*/*.yaml", "examples/vehicle-with-arm/*.yaml"], True

    def is_of_schema(self, text):
        return super().is_of_schema(text) and "\nassembly:" not in text

    def test_names_are_those_of_files(self):
        for file in MODELS:
            with self.subTest(file.name):
                self.assertEqual(schema_case.yaml_load(file.read_text())["name"], file.stem)

    def test_what_the_program_writes_validates(self):
        for file in MODELS:
            with self.subTest(file.name):
                written = subprocess.run([BIN, "models", file, "--yaml"], capture_output=True, text=True, timeout=60, check=True)
                self.assertEqual(self.complaint_of_schema(schema_case.yaml_load(written.stdout)), "")

    def test_what_the_program_writes_of_everything_validates(self):
        file = pathlib.Path(self.folder.name) / "full.yaml"
        file.write_text(schema_case.yaml_dump(schema_case.edited(("hull.inertia.sigma", [0.01, INF, 0]), full=FULL)))
        written = subprocess.run([BIN, "models", file, "--yaml"], capture_output=True, text=True, timeout=60, check=True)
        robot = schema_case.yaml_load(written.stdout)
        self.assertEqual(self.complaint_of_schema(robot), "")
        self.assertEqual(robot["identified"], FULL["identified"])
        self.assertEqual(robot["hull"]["inertia"]["sigma"], [0.01, INF, 0])


if __name__ == "__main__":
    unittest.main(verbosity=2)
