"""fathom convert: a strange log becomes the log that it was made from, bad input is told, real logs convert.

Run by ctest (repo:cli_convert), or by hand: FATHOM_BIN=build/release/bin/fathom python3 tests/cli_convert.py
"""

import csv
import json
import os
import pathlib
import re
import shutil
import unittest

import numpy as np
from scipy.spatial.transform import Rotation

from cli_case import PUSHES, ROOT, SANITIZED, Case, main

DATA = pathlib.Path(os.environ.get("FATHOM_DATA", ROOT.parent / "shared/data"))
START = 1_700_000_000_123_456_789  # ns since 1970
ENU = np.array([[0.0, 1, 0], [1, 0, 0], [0, 0, -1]])  # and back
FLU = np.diag([1.0, -1, -1])

DESCRIPTION = """format: fathom-description-1
about: east, north, up, degrees and millimetres; commands as they arrived
channels:
  rov.mocap:
    file: camera.csv
    separator: ";"
    decimal: ","
    clock: {column: stamp, unit: ns}
    vectors:
      - {to: position, from: [px, py, pz], unit: mm, axes: ENU}
    attitude: {to: attitude, from: [roll, pitch, yaw], unit: deg, axes: FLU in ENU}
  rov.dvl:
    file: dvl.csv
    clock: {column: [sec, nanosec]}
    invalid: [-32768]
    frame: c
    vectors:
      - {to: velocity, from: [vx, vy, vz], unit: cm/s, axes: FLU}
  rov.imu:
    file: imu.txt
    separator: blank
    header: false
    skip: 2
    clock: {column: 1, unit: us}
    vectors:
      - {to: acceleration, from: [2, 3, 4], unit: g, axes: FLU}
      - {to: rate, from: [5, 6, 7], unit: deg/s, axes: FLU}
  rov.ahrs:
    file: ahrs.csv
    clock: {column: time, unit: date}
    columns:
      roll: {from: roll, unit: deg}
      pitch: {from: pitch, unit: deg}
      heading: {from: heading, unit: deg, sign: -1, offset: 0.5}
  rov.depth:
    file: pressure.csv
    clock: {column: t, unit: s}
    columns:
      depth: {from: pressure, unit: mbar, density: 1000, surface: 1013.25}
  rov.thrusters:
    file: commands.csv
    clock: {column: received, unit: ns, kind: receive}
    columns:
"""


def columns(path):
    rows = list(csv.reader(line for line in path.read_text().splitlines() if not line.startswith("#")))
    values = np.array([[float(x) if x else np.nan for x in row] for row in rows[1:]])
    return dict(zip([name.split(" ")[0] for name in rows[0]], values.T))


def stamps(t):
    return [START + int(round(x * 1e9)) for x in t]


def three(data, name):
    return np.stack([data[f"{name}_{axis}"] for axis in "xyz"], axis=1)


def table(path, head, rows, separator=",", point="."):
    lines = [separator.join(str(x) if isinstance(x, (int, str)) else repr(float(x)).replace(".", point) for x in row) for row in rows]
    path.write_text("\n".join([head, *lines]) + "\n" if head else "\n".join(lines) + "\n")


def arrivals(taken_ns, rng):
    """Each sample late by a little, and those of a pause all at its end."""
    free, received = 0, []
    for ns in taken_ns:
        if rng.random() < 0.02:
            free = max(free, ns + int(4e8 * rng.random()))
        free = max(ns + int(rng.exponential(2e5)), free) + 20_000
        received.append(free)
    return received


def make_strange(log, out):
    """The log in the units, axes and clocks of somebody else; the description that undoes it."""
    out.mkdir()
    rng = np.random.default_rng(1)
    data = {name: columns(log / f"rov.{name}.csv") for name in ("mocap", "dvl", "imu", "ahrs", "depth", "thrusters")}
    d = data["mocap"]
    position = 1e3 * three(d, "position") @ ENU
    quaternion = np.stack([d[f"attitude_{axis}"] for axis in "xyzw"], axis=1)
    turned = Rotation.from_matrix(ENU) * Rotation.from_quat(quaternion) * Rotation.from_matrix(FLU)
    angles = turned.as_euler("ZYX", degrees=True)[:, ::-1]
    table(out / "camera.csv", "stamp;px;py;pz;quality;roll;pitch;yaw",
          ([s, *p, "good", *a] for s, p, a in zip(stamps(d["t"]), position, angles)), ";", ",")
    d = data["dvl"]
    velocity = 1e2 * three(d, "velocity") @ FLU
    velocity[3] = -32768
    table(out / "dvl.csv", "sec,nanosec,vx,vy,vz", ([s // 10**9, s % 10**9, *v] for s, v in zip(stamps(d["t"]), velocity)))
    d = data["imu"]
    both = np.hstack([three(d, "acceleration") @ FLU / 9.80665, np.degrees(three(d, "rate") @ FLU)])
    lines = [" ".join([f"{s // 1000}.{s % 1000:03d}", *(repr(float(x)) for x in row)]) for s, row in zip(stamps(d["t"]), both)]
    (out / "imu.txt").write_text("logger 3\r\nfirmware 1.2\r\n" + "\r\n".join(lines) + "\n")
    d = data["ahrs"]
    dates = [np.datetime64(s, "ns") for s in stamps(d["t"])]
    table(out / "ahrs.csv", "time,roll,pitch,heading", ([f"{s}Z", np.degrees(r), np.degrees(p), -np.degrees(h - 0.5)] for s, r, p, h in
                                                        zip(dates, d["roll"], d["pitch"], d["heading"])))
    d = data["depth"]
    table(out / "pressure.csv", "# millibar\nt,pressure", ([f"{s // 10**9}.{s % 10**9:09d}", 1013.25 + 98.1 * x] for s, x in
                                                         zip(stamps(d["t"]), d["depth"])))
    d = data["thrusters"]
    names = [name for name in d if name.startswith("command_")]
    table(out / "commands.csv", ",".join(["received", *names]), ([r, *row] for r, row in
          zip(arrivals(stamps(d["t"]), rng), np.stack([d[name] for name in names], axis=1))))
    (out / "strange.yaml").write_text(DESCRIPTION + "".join(f"      {name}: {name}\n" for name in names))
    return data


class RoundTrip(Case):
    label = "long"

    @classmethod
    def setUpClass(cls):
        case = Case()
        case.setUp()
        cls.addClassCleanup(case.doCleanups)
        case.write("pushes.yaml", PUSHES.format(duration=6 if SANITIZED else 60))
        case.fathom("simulate", "pushes.yaml", "--out", "day", status=0)
        cls.log, cls.strange = case.here / "day/log", case.here / "strange"
        cls.data = make_strange(cls.log, cls.strange)
        cls.stdout = case.fathom("convert", cls.strange / "strange.yaml", "--out", "results", status=0).stdout
        cls.results = case.here / "results"

    def same(self, channel, tolerance, clock):
        got, wanted = columns(self.results / f"log/rov.{channel}.csv"), self.data[channel]
        zero = (json.loads((self.results / "summary.json").read_text())["zero_ns"] - START) * 1e-9
        self.assertLess(abs(zero), 1e-3)  # the first of all is a command, whose time is an estimate
        np.testing.assert_allclose(got["t"] + zero, wanted["t"], atol=clock, rtol=0, err_msg=channel)
        for name in got:
            if name != "t":
                np.testing.assert_allclose(got[name], wanted[name], atol=tolerance, rtol=1e-12, err_msg=f"{channel} {name}")
        return got

    def test_numbers_are_those_of_the_log(self):
        for channel in ("imu", "depth"):
            self.same(channel, 1e-9, 1.1e-9)
        heading = self.data["ahrs"]["heading"]
        self.assertGreater(np.ptp(heading), 0.05)  # the swim turns, or the test shows nothing
        self.same("ahrs", 1e-12, 1.1e-9)

    def test_missing_value_is_missing(self):
        for axis in "xyz":
            self.data["dvl"][f"velocity_{axis}"][3] = np.nan
        self.same("dvl", 1e-12, 1.1e-9)
        told = {channel["name"]: channel for channel in json.loads((self.results / "summary.json").read_text())["channels"]}
        self.assertEqual(told["rov.dvl"]["invalid_values"], 3)
        self.assertEqual(told["rov.dvl"]["missing_values"], 3)
        self.assertIn("rov.dvl: 3 invalid values are missing now", self.stdout)

    def test_attitude_is_the_same_rotation(self):
        got, wanted = columns(self.results / "log/rov.mocap.csv"), self.data["mocap"]
        for axis in "xyz":
            np.testing.assert_allclose(got[f"position_{axis}"], wanted[f"position_{axis}"], atol=1e-12, rtol=1e-12)
        both = [np.stack([d[f"attitude_{axis}"] for axis in "wxyz"], axis=1) for d in (got, wanted)]
        norm = np.linalg.norm(both[1], axis=1)
        np.testing.assert_allclose(np.abs(np.sum(both[0] * both[1], axis=1)) / norm, 1, atol=1e-12)

    def test_bursts_are_made_even(self):
        self.same("thrusters", 0, 1e-3)  # s; received up to 0.4 s late
        told = {channel["name"]: channel for channel in json.loads((self.results / "summary.json").read_text())["channels"]}
        self.assertAlmostEqual(told["rov.thrusters"]["receive"]["rate_hz"], 100, delta=0.05)
        self.assertGreater(told["rov.thrusters"]["receive"]["longest_delay_s"], 0.05)
        self.assertRegex(self.stdout, r"rov.thrusters: made even at \S+ Hz from receive times")

    def test_it_reads_as_a_log_of_fathom(self):
        head = (self.results / "log/rov.dvl.csv").read_text().splitlines()[:4]
        self.assertEqual(head[0], "# fathom log 1")
        self.assertIn("# frame: c", head)
        self.assertIn("t [s],velocity_x [m/s],velocity_y [m/s],velocity_z [m/s]", head)

    @unittest.skipIf(SANITIZED, "the library is tested there; this takes a minute")
    def test_the_model_is_that_of_the_log(self):
        found = []
        self.fathom("convert", self.strange / "strange.yaml", "--out", "strange.mcap", status=0)
        for log in (self.log, self.results / "log", self.here / "strange.mcap"):
            out = self.here / f"of{len(found)}"
            self.fathom("identify", "--robot", "bluerov2-heavy", "--log", log, "--structure", "diagonal", "--accept-bounds",
                        "--accept-unseen", "--out", out)
            found.append({p["name"]: p for p in json.loads((out / "summary.json").read_text())["parameters"]})
        for name, first in found[0].items():
            self.assertLess(abs(found[1][name]["estimate"] - first["estimate"]), 0.2 * first["sigma"] + 1e-9, name)
            self.assertLess(abs(found[2][name]["estimate"] - found[1][name]["estimate"]), 1e-3 * first["sigma"] + 1e-9, name)


class OneFile(Case):
    label = "long"

    def test_mcap_there_and_back(self):
        self.fathom("convert", ROOT / "examples/strange-log/strange.yaml", "--out", "strange", status=0)
        self.fathom("convert", ROOT / "examples/strange-log/strange.yaml", "--out", "strange.mcap", status=0)
        result = self.fathom("convert", "strange.mcap", "--out", "again", status=0)
        self.assertRegex(result.stdout, r"rov.camera +30 ")
        for channel in ("rov.camera", "rov.wrench"):
            first = columns(self.here / f"strange/log/{channel}.csv")
            again = columns(self.here / f"again/log/{channel}.csv")
            self.assertEqual(list(again), list(first))
            for name in first:
                np.testing.assert_allclose(again[name], first[name], rtol=0, atol=1.1e-9 if name == "t" else 0, err_msg=name)
            head = [(self.here / folder / f"log/{channel}.csv").read_text().splitlines()[0] for folder in ("strange", "again")]
            self.assertEqual(*head)


class Folders(Case):
    """A folder of channels, bags that were cut off, and inputs that are no files."""
    label = "quick"

    def simulated(self):
        self.write("pushes.yaml", PUSHES.format(duration=5))
        self.fathom("simulate", "pushes.yaml", "--out", "day", status=0)

    def test_a_simulated_log_converts_to_mcap_and_back(self):
        self.simulated()
        for source in ("day/log", "day"):
            self.fathom("convert", source, "--out", "day.mcap", status=0)
            self.fathom("convert", "day.mcap", "--out", "again", status=0)
            for path in (self.here / "day/log").iterdir():
                first, again = columns(path), columns(self.here / "again/log" / path.name)
                self.assertEqual(list(again), list(first))
                for name in first:
                    np.testing.assert_allclose(again[name], first[name], rtol=0, atol=1.1e-9 if name == "t" else 0)

    def test_a_bag_that_was_cut_off(self):
        self.simulated()
        self.fathom("convert", "day/log", "--out", "day.mcap", status=0)
        whole = (self.here / "day.mcap").read_bytes()
        self.write("cut.mcap", whole[:len(whole) // 2])
        error = self.fathom("convert", "cut.mcap", "--out", "cut", status=2).stderr
        self.assertIn("--allow-truncated", error)
        result = self.fathom("convert", "cut.mcap", "--out", "cut", "--allow-truncated", status=0)
        self.assertRegex(result.stderr, "cut.mcap: is truncated: its end is missing; [1-9][0-9]* whole messages were recovered")
        self.assertGreater(len(columns(self.here / "cut/log/rov.imu.csv")["t"]), 10)

    def test_options_that_would_do_nothing(self):
        self.simulated()
        self.write("d.yaml", BASE)
        self.write("log.csv", "t,z\n0,1\n1,2\n")
        self.assertIn("d.yaml: describes tables: --allow-truncated is for bags",
                      self.fathom("convert", "d.yaml", "--allow-truncated", "--out", "out", status=2).stderr)
        error = self.fathom("convert", "day/log", "--out", "copy", "--allow-truncated", status=2).stderr
        self.assertIn("day/log: is a folder of channels: --allow-truncated is for bags", error)
        self.write("rov.urdf", "<robot name='r'/>")
        for option in ("--allow-truncated", "--no-sensor-check"):
            self.assertIn("is a model: it goes with no --log, --run, --robot, --allow-truncated or --no-sensor-check",
                          self.fathom("convert", "rov.urdf", option, "--out", "rov.yaml", status=2).stderr)

    def test_a_pipe_is_no_log(self):
        for name in ("log.csv", "bag.mcap", "bag.db3"):
            os.mkfifo(self.here / name)
        self.write("d.yaml", BASE)
        for args in (["d.yaml", "--log", "."], ["bag.mcap"], ["bag.db3"]):
            with self.subTest(args[0]):
                self.assertNotIn("Traceback", self.fathom("convert", *args, "--out", "out", status=2, timeout=20).stderr)

    def test_text_that_is_not_utf_8(self):
        self.write("d.yaml", BASE.encode() + b"# caf\xe9\n")
        self.write("log.csv", "t,z\n0,1\n1,2\n")
        self.assertIn("d.yaml:7: byte 0xe9 is not UTF-8 text", self.fathom("convert", "d.yaml", "--out", "out", status=2).stderr)


class Example(Case):
    label = "quick"

    def test_the_committed_example_converts(self):
        folder = ROOT / "examples/strange-log"
        summary = self.document("convert", folder / "strange.yaml", "--out", "results")
        told = {channel["name"]: channel for channel in summary["channels"]}
        self.assertEqual(set(told), {"rov.camera", "rov.wrench"})
        self.assertAlmostEqual(told["rov.wrench"]["receive"]["rate_hz"], 20, delta=0.1)
        camera = columns(self.here / "results/log/rov.camera.csv")
        truth = columns(folder / "truth.csv")
        for name in ("position_x", "position_y", "position_z"):
            np.testing.assert_allclose(camera[name], truth[name], atol=6e-4, err_msg=name)
        np.testing.assert_allclose(camera["heading"], truth["heading"], atol=1e-3)
        np.testing.assert_allclose(columns(self.here / "results/log/rov.wrench.csv")["t"], 0.05 * np.arange(60), atol=2e-3)


    def test_one_absurd_cell_is_named(self):
        shutil.copytree(ROOT / "examples/strange-log", self.here / "log")
        for name, line, column, separator, value, words in (
                ("camera", 12, 1, ";", "1e12", r"camera\.csv:12: channel rov\.camera: position_y = 1e\+09 m at t = 1 s, while all others lie between \S+ and \S+ m"),
                ("wrench", 20, 1, ",", "1e12", r"wrench\.csv:20: channel rov\.wrench: X = 1e\+12 N at t = 0\.9\S* s, while all others lie between")):
            lines = (ROOT / f"examples/strange-log/{name}.csv").read_text().splitlines()
            row = lines[line - 1].split(separator)
            row[column] = value
            self.write(f"log/{name}.csv", "\n".join([*lines[:line - 1], separator.join(row), *lines[line:]]) + "\n")
            result = self.fathom("convert", "log/strange.yaml", "--no-sensor-check", "--out", name, status=0)
            self.assertRegex(result.stderr, "warning: .*" + words)
            self.assertTrue(any(re.search(words, note) for note in json.loads((self.here / name / "summary.json").read_text())["notes"]))
            self.write(f"log/{name}.csv", "\n".join(lines) + "\n")
        self.assertEqual(self.fathom("convert", "log/strange.yaml", "--no-sensor-check", "--out", "right", status=0).stderr.count("warning"), 0)


BASE = """format: fathom-description-1
channels:
  rov.depth:
    file: log.csv
    clock: {column: t}
    columns: {depth: {from: z, unit: cm}}
"""


class BadInput(Case):
    """Status 2, place and remedy, and nothing is written."""
    label = "quick"

    def refused(self, *parts, description=BASE, log="t,z\n0,1\n1,2\n", args=("--log", ".", "--out", "out")):
        self.write("d.yaml", description)
        self.write("log.csv", log)
        result = self.fathom("convert", "d.yaml", *args, status=2)
        for part in parts:
            self.assertIn(part, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertFalse((self.here / "out").exists())

    def test_missing_column(self):
        self.refused("d.yaml:6: channels.rov.depth.columns.depth.from 'z' is no column of ./log.csv", "it has t, y", log="t,y\n0,1\n")

    def test_duplicated_header(self):
        self.refused("'z' names columns 2, 3 of ./log.csv (pick one of them by its number)", log="t,z,z\n0,1,2\n")

    def test_mixed_line_ends_are_taken_and_lone_returns_are_not(self):
        self.refused("./log.csv:1: lines end in a carriage return alone", log="t,z\r0,1\r1,2\r")
        self.write("log.csv", "t,z\r\n0,1\n1,2\r\n")
        self.fathom("convert", "d.yaml", "--log", ".", "--out", "fine", status=0)

    def test_decimal_commas(self):
        semicolons = BASE.replace("    clock", '    separator: ";"\n    clock')
        self.refused("./log.csv:2: z = '1,5', expected a number (a decimal comma? decimal: \",\" takes them)", description=semicolons,
                     log="t;z\n0;1,5\n")
        self.refused("./log.csv:2: 3 fields, expected 2 (decimal commas, or text without quotes?", log="t,z\n0,1,5\n")

    def test_a_million_columns(self):
        wide = ",".join(f"{k % 10}" for k in range(500_000))
        self.refused("'t' is no column", "... of 500000", log=wide + "\n")
        self.refused("./log.csv:1: the line is longer than 1048575 bytes", log=",".join(["c"] * 1_000_000) + "\n")

    def test_cut_file(self):
        self.refused("./log.csv:3: 1 field, expected 2 (the file ends in the middle of a line; drop_bad_lines: true", log="t,z\n0,1\n1")

    def test_text_for_a_number(self):
        self.refused("./log.csv:3: z = 'ERR', expected a number", log="t,z\n0,1\n1,ERR\n")

    def test_unknown_unit_and_key(self):
        self.refused("d.yaml:6: channels.rov.depth.columns.depth.unit = 'cms', which is no unit here (did you mean cm?)",
                     description=BASE.replace("cm}", "cms}"))
        self.refused("channels.rov.depth has the unknown key 'colums' (did you mean columns?)", description=BASE.replace("columns:", "colums:"))

    def test_file_that_is_not_there(self):
        self.refused("channels.rov.depth.file = 'lag.csv', which . does not have (did you mean log.csv?)",
                     description=BASE.replace("log.csv", "lag.csv"))
        self.refused("--run says which", description=BASE.replace("log.csv", "log_{run}.csv"))
        self.refused("nowhere: does not exist", args=("--log", "nowhere", "--out", "out"))

    def test_clock_that_steps_back(self):
        self.refused("./log.csv:4: channel rov.depth: the clock steps back, from 1 s to 0.5 s (drop_old: true", log="t,z\n0,1\n1,2\n0.5,3\n")

    def test_other_files(self):
        result = self.fathom("convert", ROOT / "data/robots/bluerov2-heavy.yaml", "--out", "out", status=2)
        self.assertIn("this is a robot, not a description of a log", result.stderr)
        self.write("log.csv", "t,z\n0,1\n")
        self.assertIn("is a table, and needs a description", self.fathom("convert", "log.csv", status=2).stderr)
        self.write("cut.db3", b"SQLite format 3\0" + bytes(50))
        self.assertIn("cut.db3", self.fathom("convert", "cut.db3", status=2).stderr)
        self.write("cut.mcap", b"\x89MCAP0\r\n")
        self.assertIn("cut.mcap", self.fathom("convert", "cut.mcap", status=2).stderr)

    def test_results_of_others_and_what_is_read_stay(self):
        self.write("d.yaml", BASE)
        self.write("log.csv", "t,z\n0,1\n1,2\n")
        before = self.tree()
        self.assertIn("is read in this run", self.fathom("convert", "d.yaml", "--log", ".", "--out", ".", status=2).stderr)
        self.assertEqual(self.tree(), before)


class SensorCheck(Case):
    """convert compares the sensors of what it wrote: docs/sensor-check.md."""
    label = "long"

    @classmethod
    def setUpClass(cls):
        case = cls()
        case.setUp()
        cls.addClassCleanup(case.doCleanups)
        case.write("pushes.yaml", PUSHES.format(duration=90))
        case.fathom("simulate", "pushes.yaml", "--out", "day", status=0)
        cls.log = case.here / "day/log"

    def log_with(self, slips):
        """A copy of the simulated log, and a description that has columns by `slips`: channel: description."""
        folder = self.here / "files"
        folder.mkdir()
        text = "format: fathom-description-1\nchannels:\n"
        for channel in ("ahrs", "dvl", "imu", "depth", "thrusters"):
            rows = [line for line in (self.log / f"rov.{channel}.csv").read_text().splitlines() if not line.startswith("#")]
            names = [name.split(" ")[0] for name in rows[0].split(",")]
            (folder / f"{channel}.csv").write_text("\n".join([",".join(names), *rows[1:]]) + "\n")
            three = {"ahrs": ("attitude", ["roll", "pitch", "heading"], "unit: rad, axes: FRD in NED"),
                     "dvl": ("velocity", [f"velocity_{axis}" for axis in "xyz"], "unit: m/s, axes: FRD"),
                     "imu": ("rate", [f"rate_{axis}" for axis in "xyz"], "unit: rad/s, axes: FRD")}
            text += f"  rov.{channel}:\n    file: {channel}.csv\n    clock: {{column: t, unit: s}}\n"
            if channel in three:
                to, columns_of, how = three[channel]
                how = slips.get(channel, how)
                columns_of = ", ".join(columns_of)
                text += f"    attitude: {{from: [{columns_of}], {how}}}\n" if channel == "ahrs" else f"    vectors:\n      - {{to: {to}, from: [{columns_of}], {how}}}\n"
            else:
                text += "    columns:\n" + "".join(f"      {name}: {{from: {name}{slips.get(channel, '')}}}\n" for name in names[1:])
        return self.write("files/log.yaml", text)

    def converted(self, slips, *args, status):
        source = self.log_with(slips)
        result = self.fathom("convert", source, "--out", "out", *args, status=status)
        self.assertGreater(len(columns(self.here / "out/log/rov.dvl.csv")["t"]), 10)
        contradictions = json.loads((self.here / "out/summary.json").read_text())["contradictions"]
        self.assertEqual(len(contradictions) > 0, status == 1)
        return result.stderr, contradictions

    def test_a_correct_log(self):
        self.converted({}, status=0)
        self.fathom("convert", "files/log.yaml", "--out", "with", "--robot", "bluerov2-heavy", status=0)

    def test_velocities_forward_left_up(self):
        error, told = self.converted({"dvl": "unit: m/s, axes: FLU"}, status=1)
        self.assertRegex(error, "log.yaml: rov.dvl contradicts .*forward, left, up and called forward, right, down")
        self.assertIn("the log is written, but its sensors contradict each other in 1 place", error)
        self.assertIn("`axes: FLU` (or FRD, if FLU stands there)", told[0])
        quiet = self.fathom("convert", "files/log.yaml", "--out", "out", "--no-sensor-check", status=0)
        self.assertNotIn("contradict", quiet.stderr)
        self.fathom("convert", "files/log.yaml", "--out", "out.mcap", status=1)
        self.assertTrue((self.here / "out.mcap").is_file())

    def test_attitude_in_degrees(self):
        error, _ = self.converted({"ahrs": "unit: deg, axes: FRD in NED"}, status=1)
        self.assertRegex(error, "rov.ahrs and rov.imu contradict each other in turn rate")

    def test_rates_called_degrees(self):
        error, _ = self.converted({"imu": "unit: deg/s, axes: FRD"}, status=1)
        self.assertRegex(error, "rov.imu.* 57.3 times too small")

    def test_commands_that_cannot_be_compared(self):
        source = pathlib.Path(self.log_with({}))
        lines = source.read_text().splitlines()
        lines.remove(next(line for line in lines if "command_" in line))
        source.write_text("\n".join(lines) + "\n")
        result = self.fathom("convert", source, "--robot", "bluerov2-heavy", "--out", "out", status=0)
        self.assertRegex(result.stderr, "warning: .*commands are not compared: ")
        summary = json.loads((self.here / "out/summary.json").read_text())
        self.assertEqual((summary["contradictions"], len(summary["not_compared"])), ([], 1))

    def test_reversed_commands_need_the_robot(self):
        slips = {"thrusters": ", sign: -1"}
        self.converted(slips, status=0)
        error = self.fathom("convert", "files/log.yaml", "--out", "with", "--robot", "bluerov2-heavy", status=1).stderr
        self.assertRegex(error, "rov.thrusters contradicts .*all commands have the wrong sign")
        self.fathom("convert", "files/log.yaml", "--out", "no", "--robot", "no-such-robot", status=2)
        self.assertFalse((self.here / "no").exists())


class Real(Case):
    """What others recorded; it is not in the repository."""
    label = "long"

    def converted(self, *args):
        summary = self.document("convert", *args, "--out", "results")
        return {channel["name"]: channel for channel in summary["channels"]}

    @unittest.skipUnless((DATA / "auv_pool_wrench").is_dir(), f"recordings are not part of the repository, and {DATA} has none: FATHOM_DATA names their folder")
    def test_auv_pool_wrench(self):
        for file in sorted((DATA / "auv_pool_wrench").glob("wrench_*.csv")):
            run = file.stem.removeprefix("wrench_")
            told = self.converted(ROOT / "studies/real/auv_pool_wrench.yaml", "--log", file.parent, "--run", run)
            self.assertAlmostEqual(told["auv.wrench"]["receive"]["rate_hz"], 50, delta=0.05)
            self.assertEqual(told["auv.wrench"]["gaps"], told["auv.wrench"]["receive"]["losses"])
            self.assertGreater(told["auv.dvl"]["rows"], 400)

    @unittest.skipUnless((DATA / "rov_tank_teleop").is_dir(), f"recordings are not part of the repository, and {DATA} has none: FATHOM_DATA names their folder")
    def test_rov_tank_teleop(self):
        for run in sorted((DATA / "rov_tank_teleop").glob("*.csv")):
            told = self.converted(ROOT / "studies/real/rov_tank_teleop.yaml", "--log", run)
            self.assertGreater(told["rov.twist"]["rows"], 100)
            t = np.genfromtxt(run, delimiter=",", skip_header=1, usecols=0)
            self.assertAlmostEqual(told["rov.twist"]["rate_hz"], (len(t) - 1) / (t[-1] - t[0]), delta=0.01)

    @unittest.skipUnless((DATA / "rov_tank_teleop").is_dir(), f"recordings are not part of the repository, and {DATA} has none: FATHOM_DATA names their folder")
    def test_bag_without_a_description(self):
        bag = sorted((DATA / "rov_tank_teleop").glob("*/*.db3"))[0]
        result = self.fathom("convert", bag, "--out", "bag", status=0)
        self.assertRegex(result.stdout, r"topic +messages +columns +type")
        self.assertGreater(len(json.loads((self.here / "bag/summary.json").read_text())["channels"]), 0)


if __name__ == "__main__":
    main()
