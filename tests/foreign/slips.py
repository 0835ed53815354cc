#!/usr/bin/env python3
"""Copies of a vehicle's logs with exactly one error each, as users make them, and correct copies that must raise no alarm.

    slips.py --vehicle FOLDER --out DIR [--slip NAME ...] [--list]

FOLDER is a vehicle of generate.py or of the measured data (foreign_vehicles). Every copy is a folder with log.yaml, the CSV files of the runs
that are fitted, and hull.yaml (from hull_lag.yaml, or hull.yaml where there is only that).
"""

import argparse
import dataclasses
import pathlib
import re
import shutil

import numpy as np
import yaml

CHANNELS = {"thr": "rov.thrusters", "ahrs": "rov.ahrs", "dvl": "rov.dvl", "depth": "rov.depth", "imu": "rov.imu", "pos": "rov.fix"}


class Copy:
    """One copy of a vehicle: its description and hull file as data, its tables as arrays that are read when they are touched."""

    def __init__(self, folder, runs=None):
        self.folder = pathlib.Path(folder)
        self.log = yaml.safe_load((self.folder / "log.yaml").read_text())
        hull = self.folder / "hull_lag.yaml"
        self.hull = (hull if hull.exists() else self.folder / "hull.yaml").read_text()
        fitted = [run for run in ("joyA", "sinA", "joy") if (self.folder / f"thr_{run}.csv").exists()]
        self.runs = runs or fitted
        self.flu = "separator" not in self.log["channels"]["rov.ahrs"]
        self.tables = {}

    def has(self, sensor):
        return CHANNELS[sensor] in self.log["channels"]

    def channel(self, sensor):
        return self.log["channels"][CHANNELS[sensor]]

    def second(self):
        """One second in units of the stamps."""
        return 10**9 if self.flu else 1000

    def table(self, sensor, run):
        """[header, stamps (integers), cells (floats, NaN where empty)]: changes are written."""
        if (sensor, run) not in self.tables:
            lines = (self.folder / f"{sensor}_{run}.csv").read_text().replace(";" if not self.flu else "\0", "\t" if not self.flu else "\0")
            if not self.flu:
                lines = lines.replace(",", ".")
            rows = [line.split("," if self.flu else "\t") for line in lines.strip("\n").split("\n")]
            cells = np.array([[float(x) if x.strip() else np.nan for x in row[1:]] for row in rows[1:]])
            self.tables[sensor, run] = [rows[0], np.array([int(row[0]) for row in rows[1:]]), cells]
        return self.tables[sensor, run]

    def each(self, sensor):
        return [self.table(sensor, run) for run in self.runs]

    def write(self, out):
        out.mkdir(parents=True, exist_ok=True)
        (out / "log.yaml").write_text(yaml.safe_dump(self.log, sort_keys=False, width=1000))
        (out / "hull.yaml").write_text(self.hull)
        for run in self.runs:
            for sensor in CHANNELS:
                if not self.has(sensor):
                    continue
                path = out / f"{sensor}_{run}.csv"
                path.unlink(missing_ok=True)
                if (sensor, run) not in self.tables:
                    path.symlink_to((self.folder / path.name).resolve())
                    continue
                header, stamps, cells = self.tables[sensor, run]
                sep = "," if self.flu else ";"
                text = ["%d" % stamp + "".join(sep + ("" if x != x else "%.6g" % x if abs(x) < 1000 else "%.4f" % x) for x in row)
                        for stamp, row in zip(stamps.tolist(), cells.tolist())]
                text = "\n".join(text) + "\n"
                path.write_text(sep.join(header) + "\n" + (text if self.flu else text.replace(".", ",")))


def valid(cells):
    """Rows of a DVL that are measurements."""
    return np.isfinite(cells).all(1) & (np.abs(cells + 32.768) > 1e-9).all(1)


def late(sensor, seconds):
    def change(copy):
        for table in copy.each(sensor):
            table[1] = table[1] + int(round(seconds * copy.second()))
    return change


def fast(sensor, factor):
    def change(copy):
        for table in copy.each(sensor):
            table[1] = table[1][0] + np.round((table[1] - table[1][0]) * factor).astype(np.int64)
    return change


def attitude_in_degrees(copy):
    copy.channel("ahrs")["attitude"].pop("unit")


def rates_in_degrees(copy):
    for table in copy.each("imu"):
        table[2][:, :3] *= 180 / np.pi


def depth_column(copy, name, number):
    """Puts another quantity, made of the depth in metres, into the depth file."""
    for table in copy.each("depth"):
        depth = -table[2] if copy.flu else (table[2] - 1013.25) / 98.1
        table[0], table[2] = ["stamp", name], number(depth)


def pressure_for_depth(copy):
    depth_column(copy, "depth", lambda depth: 1013.25 + 98.1 * depth)
    copy.channel("depth")["columns"] = {"depth": {"from": "depth", "unit": "m"}}


def depth_sign(copy):
    depth_column(copy, "alt", lambda depth: -depth)
    copy.channel("depth")["columns"] = {"depth": {"from": "alt", "unit": "m"}}


def dvl_in_millimetres(copy):
    if copy.flu:
        for table in copy.each("dvl"):
            table[2][valid(table[2])] *= 1000
    copy.channel("dvl")["vectors"][0]["unit"] = "m/s"


def dvl_flu_for_frd(copy):
    if copy.flu:
        copy.channel("dvl")["vectors"][0].pop("axes")
    else:
        for table in copy.each("dvl"):
            table[2] = table[2] * [1, -1, -1]


def dvl_turned(copy):
    c = np.sqrt(0.5)
    for table in copy.each("dvl"):
        good = valid(table[2])
        table[2][good] = table[2][good] @ np.array([[c, c, 0], [-c, c, 0], [0, 0, 1]])


def to_enu(rpy_deg):
    """Angles of FRD in NED as those of FLU in ENU."""
    return np.column_stack([rpy_deg[:, 0], -rpy_deg[:, 1], (90 - rpy_deg[:, 2] + 180) % 360 - 180])


def enu_attitude_for_ned(copy):
    if copy.flu:
        copy.channel("ahrs")["attitude"].pop("axes")
    else:
        for table in copy.each("ahrs"):
            table[2] = to_enu(table[2])


def enu_position_for_ned(copy):
    if copy.flu:
        copy.channel("pos")["vectors"][0].pop("axes")
    else:
        for table in copy.each("pos"):
            table[2] = table[2][:, [1, 0, 2]] * [1, 1, -1]


def quaternions(copy):
    """The AHRS with a quaternion, w first, in the axes that it had before."""
    for table in copy.each("ahrs"):
        half = np.radians(table[2]) / 2
        (cr, cp, cy), (sr, sp, sy) = np.cos(half).T, np.sin(half).T
        q = np.column_stack([cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy])
        table[0], table[2] = [table[0][0], "q0", "q1", "q2", "q3"], q
    attitude = copy.channel("ahrs")["attitude"]
    axes = {"axes": attitude["axes"]} if "axes" in attitude else {}
    copy.channel("ahrs")["attitude"] = {"from": ["q0", "q1", "q2", "q3"], "to": ["roll", "pitch", "heading"], "order": "wxyz", **axes}


def quaternion_order(copy):
    quaternions(copy)
    copy.channel("ahrs")["attitude"]["order"] = "xyzw"


def heading_offset(copy):
    for table in copy.each("ahrs"):
        table[2][:, 2] = (table[2][:, 2] + 90 + 180) % 360 - 180


def roll_pitch_swapped(copy):
    names = copy.channel("ahrs")["attitude"]["from"]
    names[0], names[1] = names[1], names[0]


def swapped(a, b):
    def change(copy):
        columns = copy.channel("thr")["columns"]
        columns[f"command_t{a}"], columns[f"command_t{b}"] = f"u{b}", f"u{a}"
    return change


def thruster_reversed(copy):
    copy.channel("thr")["columns"]["command_t2"] = {"from": "u2", "sign": -1}


def pwm_commands(copy):
    for table in copy.each("thr"):
        table[2] = 1500 + np.round(400 * table[2])


def undeclared_invalid(copy):
    if copy.flu:
        copy.channel("dvl").pop("invalid")
    else:
        for table in copy.each("dvl"):
            table[2][~valid(table[2])] = -32768


def mass_in_pounds(copy):
    found = re.search(r"mass: \{value: ([0-9.]+), sigma: ([0-9.]+)", copy.hull)
    copy.hull = copy.hull.replace(found[0], f"mass: {{value: {float(found[1]) * 2.20462:.2f}, sigma: {float(found[2]) * 2.20462:.3f}", 1)


@dataclasses.dataclass
class Slip:
    change: object
    needs: tuple  # sensors
    remedy: str  # regular expression: the message names the right remedy
    pair: tuple  # regular expressions: the message names at least both of these


AHRS, DVL, DEPTH, IMU, FIX = r"ahrs|attitude|roll|pitch|heading", r"dvl|velocity", r"depth", r"imu|gyro|rate", r"fix|position"
THRUSTERS = r"thruster|command"

SLIPS = {
    "correct": Slip(lambda copy: None, (), "", ()),
    "correct_quaternion": Slip(quaternions, (), "", ()),
    "attitude_in_degrees": Slip(attitude_in_degrees, (), r"unit: deg|in degrees|57\.3", (AHRS, r"range|6\.28|unit|rad")),
    "rates_in_degrees": Slip(rates_in_degrees, ("imu",), r"deg/s|degrees|57\.3", (IMU, AHRS)),
    "pressure_for_depth": Slip(pressure_for_depth, (), r"pressure|mbar|hPa", (DEPTH, DVL + "|" + FIX)),
    "depth_sign": Slip(depth_sign, (), r"sign(: -1)?\b|altitude|upward", (DEPTH, DVL + "|" + FIX)),
    "dvl_in_millimetres": Slip(dvl_in_millimetres, (), r"mm/s|milli|1000", (DVL, FIX + "|" + DEPTH + "|" + THRUSTERS)),
    "dvl_flu_for_frd": Slip(dvl_flu_for_frd, (), r"FLU|\bFRD\b.*axes|axes: \[?", (DVL, AHRS + "|" + DEPTH + "|" + FIX + "|" + THRUSTERS)),
    "dvl_turned": Slip(dvl_turned, (), r"(turned|rotated|yaw|about z)[^.]*4[3-7]|-?4[3-7](\.\d)? deg|\[0, 0, -?4[3-7]", (DVL, AHRS + "|" + IMU + "|" + FIX + "|" + THRUSTERS)),
    "enu_attitude_for_ned": Slip(enu_attitude_for_ned, (), r"ENU", (AHRS, IMU + "|" + DVL + "|" + FIX + "|" + THRUSTERS)),
    "enu_position_for_ned": Slip(enu_position_for_ned, ("pos",), r"ENU", (FIX, AHRS + "|" + DVL + "|" + DEPTH)),
    "quaternion_order": Slip(quaternion_order, (), r"wxyz|order", (AHRS, IMU + "|" + DVL + "|" + FIX + "|" + THRUSTERS)),
    "heading_offset": Slip(heading_offset, ("pos",), r"90", (AHRS, FIX)),
    "roll_pitch_swapped": Slip(roll_pitch_swapped, (), r"swap|exchang|roll and pitch", (AHRS, IMU + "|" + DVL + "|" + DEPTH + "|" + THRUSTERS)),
    "ahrs_late": Slip(late("ahrs", 0.3), (), r"(late|offset|behind|delay|clock)[^.]*0?\.(29|3|30|31)|align", (AHRS, IMU + "|" + DVL + "|" + FIX + "|" + THRUSTERS)),
    "dvl_late": Slip(late("dvl", 0.3), (), r"(late|offset|behind|delay|clock)[^.]*0?\.(2[89]|3|30|31|32)|align", (DVL, AHRS + "|" + IMU + "|" + DEPTH + "|" + FIX + "|" + THRUSTERS)),
    "commands_late": Slip(late("thr", 0.3), (), r"(command|thruster)[^.]*(late|offset|behind|clock|before)", (THRUSTERS, DVL + "|" + AHRS + "|" + IMU + "|motion")),
    "clock_fast_ahrs": Slip(fast("ahrs", 1.01), (), r"(drift|fast|clock|ppm|1(\.0+)? %)", (AHRS, IMU + "|" + DVL + "|" + FIX + "|" + THRUSTERS)),
    "clock_fast_dvl": Slip(fast("dvl", 1.01), (), r"(drift|fast|clock|ppm|1(\.0+)? %)", (DVL, AHRS + "|" + IMU + "|" + DEPTH + "|" + FIX + "|" + THRUSTERS)),
    "clock_fast_commands": Slip(fast("thr", 1.01), (), r"(drift|fast|clock|ppm|1(\.0+)? %)", (THRUSTERS, DVL + "|" + AHRS + "|" + IMU + "|motion")),
    "thrusters_swapped": Slip(swapped(1, 3), (), r"(t1\b.*t3\b|t3\b.*t1\b)", (r"t1\b|t3\b|" + THRUSTERS, r"matrix|swap|exchang|column|moves|force|place")),
    "thrusters_swapped_15": Slip(swapped(1, 5), (), r"(t1\b.*t5\b|t5\b.*t1\b)", (r"t1\b|t5\b|" + THRUSTERS, r"matrix|swap|exchang|column|moves|force|place")),
    "thruster_reversed": Slip(thruster_reversed, (), r"t2\b.*(revers|sign|opposite|backward)|(revers|sign|opposite).*t2\b", (r"t2\b", r"matrix|column|moves|force|direction")),
    "pwm_for_normalised": Slip(pwm_commands, (), r"pwm|1500|microsecond|normali[sz]ed", (THRUSTERS, r"range|limit|-1 to 1|outside \[-1, 1\]")),
    "undeclared_invalid": Slip(undeclared_invalid, (), r"invalid", (DVL, r"-32\.?768|32\.8|repeat")),
    "mass_in_pounds": Slip(mass_in_pounds, (), r"pound|\blb|2\.2", (r"mass", r"volume|thruster|commands|file|hull")),
}


def make(folder, out, names=None):
    """Writes copies below `out`; returns the names of those that this vehicle has the sensors for."""
    made = []
    for name in names or SLIPS:
        copy = Copy(folder)
        if all(copy.has(sensor) for sensor in SLIPS[name].needs):
            SLIPS[name].change(copy)
            shutil.rmtree(out / name, ignore_errors=True)
            copy.write(out / name)
            made.append(name)
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vehicle", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--slip", action="append", choices=list(SLIPS))
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(SLIPS))
        return
    if not arguments.vehicle or not arguments.out:
        parser.error("--vehicle and --out are required")
    for name in make(arguments.vehicle, arguments.out, arguments.slip):
        print(arguments.out / name)


if __name__ == "__main__":
    main()
