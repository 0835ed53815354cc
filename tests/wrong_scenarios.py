"""A good scenario, scenarios in few words, and such with one thing wrong, for the tests of fathom simulate."""

import re

from cli_case import ROOT, line_in, one_change

GOOD = """\
format: fathom-scenario-1
name: good
duration: 2
step: 0.01
environment:
  current:
    profile:
      - {depth: 0, velocity: [0.1, 0, 0]}
      - {depth: 10, velocity: [0, 0.1, 0]}
vehicles:
  - name: rov
    robot: bluerov2-heavy
    control: {kind: pid}
    reference:
      waypoints:
        - {position: [0, 0, 5]}
        - {position: [1, 0, 5], yaw_deg: 90}
    sensors: [imu, dvl, depth]
    faults:
      - {thruster: front_port, at: 1}
      - {sensor: dvl, at: 1}
"""
# A drag of a meganewton: no step of 10 ms can follow it.
WILD = "robot: bluerov2-heavy, name: rov, start: {position: [0, 0, 20], velocity: [80, 0, 0]}"
ROBOT = (ROOT / "data/robots/bluerov2-heavy.yaml").read_text()
OURS = {"log", "report.html", "summary.json"}


def changed(old, new, text=GOOD):
    return one_change(text, old, new)


def line_of(words, text=GOOD):
    return line_in(text, words)


def scenario(vehicle="robot: bluerov2-heavy, name: rov", duration=0.5, step=0.01, **more):
    """A scenario in few words; `more` are further keys."""
    vehicles = [vehicle] if isinstance(vehicle, str) else vehicle
    lines = ["format: fathom-scenario-1", "name: few-words", f"duration: {duration}", f"step: {step}"]
    lines += [f"{key}: {value}" for key, value in more.items()]
    return "\n".join([*lines, "vehicles:", *(f"  - {{{v}}}" for v in vehicles)]) + "\n"


PID = "control: {kind: pid}, reference: {waypoints: [{position: [0, 0, 5]}, {position: [1, 0, 5], yaw_deg: 90}]}"

# Scenarios with one thing wrong: their text, the line that the message must name and words that it must hold.
WRONG = {
    "missing robot": (changed("bluerov2-heavy", "bluerov2-havy"), line_of("    robot:"),
                      ["vehicles[0].robot", "'bluerov2-havy'", "did you mean bluerov2-heavy?"]),
    "missing robot file": (changed("bluerov2-heavy", "mine.yaml"), line_of("    robot:"), ["mine.yaml", "does not exist"]),
    "missing sensor": (changed("[imu, dvl, depth]", "[imu, dvll]"), line_of("    sensors:"),
                       ["vehicles[0].sensors[1]", "'dvll'", "did you mean dvl?"]),
    "sensor twice": (changed("[imu, dvl, depth]", "[imu, imu]"), line_of("    sensors:"), ["vehicles[0].sensors[1]", "twice"]),
    "missing thruster in a fault": (changed("front_port", "front_prot"), line_of("front_port"),
                                    ["vehicles[0].faults[0].thruster", "'front_prot'", "did you mean front_port?"]),
    "missing sensor in a fault": (changed("sensor: dvl", "sensor: imuu"), line_of("sensor: dvl"),
                                  ["vehicles[0].faults[1].sensor", "did you mean imu?"]),
    "fault of nothing": (changed("{sensor: dvl, at: 1}", "{at: 1}"), line_of("sensor: dvl"), ["faults[1]", "thruster and sensor"]),
    "fault before the start": (changed("front_port, at: 1", "front_port, at: -1"), line_of("front_port"), ["faults[0]", ">= 0"]),
    "fault that ends before it begins": (changed("sensor: dvl, at: 1", "sensor: dvl, at: 1, until: 0.5"), line_of("sensor: dvl"),
                                         ["faults[1].until", "not after"]),
    "unknown key": (changed("    sensors:", "    sensers:"), line_of("    sensors:"), ["'sensers'", "did you mean sensors?"]),
    "unknown key at the top": (changed("step: 0.01", "stepp: 0.01"), line_of("step:"), ["'stepp'", "did you mean step?"]),
    "missing key": (changed("duration: 2\n", ""), 1, ["duration", "missing"]),
    "another format": (changed("fathom-scenario-1", "fathom-robot-1"), 1, ["fathom-robot-1", "not a scenario"]),
    "unknown controller": (changed("kind: pid", "kind: pdi"), line_of("kind: pid"),
                           ["vehicles[0].control.kind", "'pdi'", "did you mean pid?"]),
    "unknown axis": (changed("kind: pid", "kind: pid, axes: [surge, hevae]"), line_of("kind: pid"),
                     ["axes[1]", "'hevae'", "did you mean heave?"]),
    "unknown integrator": (changed("step: 0.01", "step: 0.01\nintegrator: rk5"), line_of("step:") + 1,
                           ["integrator", "'rk5'", "did you mean rk4?"]),
    "controller without a reference": (scenario("robot: bluerov2-heavy, control: {kind: pid}"), 6, ["reference"]),
    "unstable controller": (changed("kind: pid", "kind: pid, integral: 9"), line_of("kind: pid"), ["integral", "unstable"]),
    "no way-point": (re.sub(r"      waypoints:\n( +- \{pos.*\n)+", "      waypoints: []\n", GOOD), line_of("    reference:"),
                     ["reference", "waypoints", "at least one"]),
    "way-point without a place": (changed("position: [1, 0, 5], ", ""), line_of("yaw_deg"), ["waypoints[1]", "position"]),
    "way-point in two numbers": (changed("[1, 0, 5]", "[1, 5]"), line_of("yaw_deg"), ["waypoints[1].position", "3 numbers"]),
    "negative duration": (changed("duration: 2", "duration: -2"), line_of("duration"), ["duration = -2 s", "must be > 0"]),
    "no duration": (changed("duration: 2", "duration: 0"), line_of("duration"), ["must be > 0"]),
    "negative step": (changed("step: 0.01", "step: -0.01"), line_of("step:"), ["step = -0.01 s", "must be > 0"]),
    "number with its unit": (changed("duration: 2", "duration: 2 s"), line_of("duration"), ["'2 s'", "write 2 alone"]),
    "nan": (changed("duration: 2", "duration: .nan"), line_of("duration"), ["duration", "finite"]),
    "inf": (changed("step: 0.01", "step: .inf"), line_of("step:"), ["step", "finite"]),
    "nan in a list": (changed("[1, 0, 5]", "[1, .nan, 5]"), line_of("yaw_deg"), ["waypoints[1].position[1]", "finite"]),
    "current profile that does not go down": (changed("depth: 10", "depth: 0"), line_of("  current:"),
                                              ["environment.current", "profile[1].depth", "greater"]),
    "current in knots": (changed("[0.1, 0, 0]", "[30, 0, 0]"), line_of("  current:"), ["30 m/s", "knots"]),
    "ramp backwards": (changed("    profile:", "    ramp: {begin: 5, end: 2}\n    profile:"), line_of("  current:"), ["ramp.end"]),
    "tank inside out": (changed("vehicles:", "  tank: {min: [0, 0, 0], max: [4, -4, 2]}\nvehicles:"), line_of("vehicles:"),
                        ["environment.tank", "min"]),
    "tether without length": (changed("    sensors:", "    tether: {anchor: [0, 0, 0]}\n    sensors:"), line_of("    sensors:"),
                              ["tether", "length"]),
    "tether of no length": (changed("    sensors:", "    tether: {anchor: [0, 0, 0], length: -3}\n    sensors:"),
                            line_of("    sensors:"), ["tether", "length = -3"]),
    "two vehicles of one name": (GOOD + "  - {name: rov, robot: rexrov}\n", GOOD.count("\n") + 1, ["vehicles[1]", "'rov'", "name"]),
    "name that is no file's name": (changed("name: rov", "name: ../rov"), line_of("name: rov"), ["'../rov'", "letters"]),
    "scenario's name that is no folder's": (changed("name: good", "name: ../good"), line_of("name: good"), ["'../good'", "letters"]),
    "no vehicle": (GOOD[: GOOD.index("vehicles:")] + "vehicles: []\n", line_of("vehicles:"), ["vehicles", "is empty"]),
    "vehicles left out": (GOOD[: GOOD.index("vehicles:")], 1, ["vehicles", "missing"]),
    "five degrees of freedom": (changed("    control:", "    dof: 5\n    control:"), line_of("    control:"), ["dof", "3, 4 or 6"]),
    "open loop of the wrong width": (scenario("robot: bluerov2-heavy, control: {kind: open_loop, by: force, commands: [[0, 1]]}"), 6,
                                     ["commands[0]", "9 numbers", "8 thrusters"]),
    "open loop back in time": (scenario("robot: bluerov2-heavy, control: {kind: open_loop, by: wrench, commands: "
                                        "[[1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0]]}"), 6, ["commands", "increase"]),
    "open loop in a unit that the robot lacks": (scenario("robot: bluerov2-heavy, control: {kind: open_loop, by: rpm, commands: "
                                                          "[[0, 0, 0, 0, 0, 0, 0, 0, 0]]}"), 6, ["rpm", "front_starboard"]),
    "not YAML": ("duration: [1,\nvehicles: 2\n", None, ["not valid YAML"]),
    "a robot file": (ROBOT, line_of("format:", ROBOT), ["format", "fathom-robot-1"]),
    "empty": ("", 0, ["is empty"]),
    "binary": (bytes(range(256)) * 20, None, []),
    "deep nesting": ("[" * 100_000, None, ["not valid YAML"]),
    "65 MB": (GOOD.encode() + b"# padding\n" * 6_800_000, 0, ["is larger than"]),
}
# The same for robot files that a scenario names by a path from where it lies.
WRONG_ROBOT = {
    "negative rate": (changed("rate_hz: 100", "rate_hz: -100", ROBOT), line_of("rate_hz: 100", ROBOT), ["rate_hz = -100", "must be > 0"]),
    "negative latency": (changed("latency: 5.0e-3", "latency: -1", ROBOT), line_of("latency: 5.0e-3", ROBOT), ["latency = -1"]),
    "thruster map that is not monotone": (changed("forward: [19.77056126, 101.", "forward: [19.77056126, -101.", ROBOT),
                                          line_of("forward: [19.77056126, 101.", ROBOT), ["t200_16v", "falls between", "must not fall"]),
    "two sensors of one name": (changed("- name: ahrs", "- name: imu", ROBOT), line_of("- name: ahrs", ROBOT), ["'imu'", "twice"]),
}
