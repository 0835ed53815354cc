"""What a vehicle's sensors log of its motion, in two dialects of CSV.

"flu": commas, nanoseconds, front-left-up in east-north-up, degrees, altitude, -32.768 where the DVL has no bottom. "frd": semicolons and
decimal commas, milliseconds, front-right-down in north-east-down, millimetres per second, millibar, an empty field without bottom.
"""

import numpy as np

NOISE = {"attitude": np.radians(0.3), "bias": np.radians(1.0), "velocity": 0.006, "depth": 0.004, "depth_bias": 0.005, "acceleration": 0.05,
         "acceleration_bias": 0.03, "rate": 0.004, "rate_bias": 0.002, "position": 0.03}
DROPPED = 0.02  # share of the DVL's samples
ZERO_NS = 1763470000000000000


def rotations(q):
    w, x, y, z = np.moveaxis(q, -1, 0)
    return np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z), 1 - 2 * (x * x + z * z),
                     2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], -1).reshape(-1, 3, 3)


def exponential(v):
    """Rotations of rotation vectors (Rodrigues)."""
    angle = np.linalg.norm(v, axis=1)
    a = np.where(angle > 1e-12, np.sin(angle / 2) / np.maximum(angle, 1e-12), 0.5)
    return rotations(np.column_stack([np.cos(angle / 2), v * a[:, None]]))


def angles(R):
    return np.column_stack([np.arctan2(R[:, 2, 1], R[:, 2, 2]), -np.arcsin(np.clip(R[:, 2, 0], -1, 1)), np.arctan2(R[:, 1, 0], R[:, 0, 0])])


def measure(vehicle, commands, motion, step, rng):
    """Channels of one run in Fathom's axes and SI units: name -> (times, values). commands: ticks x thrusters, motion: steps x 16."""
    found = {}
    duration = (len(motion) - 1) * step

    def at(rate, phase):
        times = np.arange(phase, duration - 1e-9, 1 / rate)
        return times, motion[np.round(times / step).astype(int)].astype(float)

    found["thr"] = (np.arange(len(commands)) * 0.05, commands[:, :len(vehicle.positions)].astype(float))
    times, m = at(50, 0.0)
    tilt = rng.normal(0, NOISE["bias"], 3)
    found["ahrs"] = (times, angles(rotations(m[:, 3:7]) @ exponential(rng.normal(0, NOISE["attitude"], (len(m), 3)) + tilt)))
    times, m = at(vehicle.dvl_rate, 0.03)
    velocity = m[:, 7:10] + np.cross(m[:, 10:13], vehicle.dvl_position) + rng.normal(0, NOISE["velocity"], (len(m), 3))
    velocity[rng.random(len(m)) < DROPPED] = np.nan
    found["dvl"] = (times, velocity)
    times, m = at(10, 0.01)
    found["depth"] = (times, m[:, 2:3] + rng.normal(0, NOISE["depth_bias"]) + rng.normal(0, NOISE["depth"], (len(m), 1)))
    if vehicle.has_imu:
        times, m = at(50, 0.0)
        bias = np.concatenate([rng.normal(0, NOISE["rate_bias"], 3), rng.normal(0, NOISE["acceleration_bias"], 3)])
        noise = np.array([NOISE["rate"]] * 3 + [NOISE["acceleration"]] * 3)
        found["imu"] = (times, m[:, 10:16] + bias + rng.normal(0, 1, (len(m), 6)) * noise)
    if vehicle.has_fix:
        times, m = at(5, 0.05)
        found["pos"] = (times, m[:, 0:3] + rng.normal(0, NOISE["position"], (len(m), 3)))
    return found


def table(path, header, times, values, formats, flu):
    """A CSV file; missing values are NaN."""
    stamps = ZERO_NS + np.round(times * 1e9).astype(np.int64)
    if not flu:
        stamps //= 1000000
    row = ("," if flu else ";").join(["%d"] + formats) + "\n"
    missing = "-32.768" if flu else ""
    if np.isfinite(values).all():
        text = "".join([row % (stamp, *cells) for stamp, cells in zip(stamps.tolist(), values.tolist())])
    else:
        text = "".join([row % (stamp, *cells) if cells[0] == cells[0] else (row.split("%d")[0] + "%d" % stamp + ("," if flu else ";") +
                        ("," if flu else ";").join([missing] * len(cells)) + "\n") for stamp, cells in zip(stamps.tolist(), values.tolist())])
    if not flu:
        text = text.replace(".", ",")
    path.write_text(("," if flu else ";").join(header) + "\n" + text)


def write(folder, run, vehicle, found):
    """The files of one run in the vehicle's dialect."""
    flu = vehicle.dialect == "flu"
    mirror = np.array([1, -1, -1]) if flu else np.ones(3)
    times, u = found["thr"]
    table(folder / f"thr_{run}.csv", ["stamp"] + [f"u{k + 1}" for k in range(u.shape[1])], times, u, ["%.3f"] * u.shape[1], flu)
    times, rpy = found["ahrs"]
    if flu:
        rpy = np.column_stack([rpy[:, 0], -rpy[:, 1], np.pi / 2 - rpy[:, 2]])
        rpy = np.degrees((rpy + np.pi) % (2 * np.pi) - np.pi)
        header = ["stamp", "roll_deg", "pitch_deg", "yaw_deg"]
    else:
        rpy = np.degrees(np.column_stack([rpy[:, :2], rpy[:, 2] % (2 * np.pi)]))
        header = ["stamp", "roll", "pitch", "heading"]
    table(folder / f"ahrs_{run}.csv", header, times, rpy, ["%.3f"] * 3, flu)
    times, v = found["dvl"]
    table(folder / f"dvl_{run}.csv", ["stamp", "vx", "vy", "vz"], times, v * mirror * (1 if flu else 1000), ["%.4f" if flu else "%.1f"] * 3, flu)
    times, z = found["depth"]
    if flu:
        table(folder / f"depth_{run}.csv", ["stamp", "alt"], times, -z, ["%.4f"], flu)
    else:
        table(folder / f"depth_{run}.csv", ["stamp", "p_mbar"], times, 1013.25 + 1000 * 9.81 * z / 100, ["%.2f"], flu)
    if "imu" in found:
        times, a = found["imu"]
        table(folder / f"imu_{run}.csv", ["stamp", "wx", "wy", "wz", "ax", "ay", "az"], times, a * np.tile(mirror, 2), ["%.5f"] * 6, flu)
    if "pos" in found:
        times, p = found["pos"]
        p = p[:, [1, 0, 2]] * [1, 1, -1] if flu else p
        table(folder / f"pos_{run}.csv", ["stamp", "x", "y", "z"], times, p, ["%.3f"] * 3, flu)


def description(vehicle):
    """The text of log.yaml."""
    flu = vehicle.dialect == "flu"
    n = len(vehicle.positions)
    columns = ", ".join(f"command_t{k + 1}: u{k + 1}" for k in range(n))
    head = lambda name: [f"  rov.{name}:", f"    file: {dict(thrusters='thr', fix='pos').get(name, name)}_{{run}}.csv"] + (
        ["    clock: {column: stamp, unit: ns}"] if flu else ['    separator: ";"', '    decimal: ","', "    clock: {column: stamp, unit: ms}"])
    axes = ", axes: FLU" if flu else ""
    lines = ["format: fathom-description-1", "channels:"]
    lines += head("thrusters") + [f"    columns: {{{columns}}}"]
    lines += head("ahrs") + ["    attitude: {from: [roll_deg, pitch_deg, yaw_deg], unit: deg, axes: FLU in ENU}" if flu else
                             "    attitude: {from: [roll, pitch, heading], unit: deg}"]
    lines += head("dvl") + (["    invalid: [-32.768]"] if flu else []) + [
        "    vectors:", f"      - {{to: velocity, from: [vx, vy, vz], unit: {'m/s' if flu else 'mm/s'}{axes}}}"]
    lines += head("depth") + ["    columns: {depth: {from: alt, unit: m, sign: -1}}" if flu else
                              "    columns: {depth: {from: p_mbar, unit: mbar, density: 1000, surface: 1013.25}}"]
    if vehicle.has_imu:
        lines += head("imu") + ["    vectors:", f"      - {{to: rate, from: [wx, wy, wz], unit: rad/s{axes}}}",
                                f"      - {{to: acceleration, from: [ax, ay, az], unit: m/s^2{axes}}}"]
    if vehicle.has_fix:
        lines += head("fix") + ["    vectors:", f"      - {{to: position, from: [x, y, z], unit: m{', axes: ENU' if flu else ''}}}"]
    return "\n".join(lines) + "\n"
