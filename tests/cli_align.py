"""fathom align: clocks of a log's channels brought together by the motion that they share.

Run by ctest (repo:cli_align), or by hand: FATHOM_BIN=build/release/bin/fathom python3 tests/cli_align.py
"""

import json
import os
import resource
import shutil
import signal

from cli_case import PUSHES, Case, main


def shifted(path, seconds, drift=0.0, middle=0.0):
    """Makes a channel's clock late by `seconds`, and more so as time goes by."""
    lines = path.read_text().splitlines(keepends=True)
    for k, line in enumerate(lines):
        first, comma, rest = line.partition(",")
        if line.startswith("#") or first.startswith("t ["):
            continue
        t = float(first)
        lines[k] = f"{t + seconds + drift * (t - middle)!r}{comma}{rest}"
    path.write_text("".join(lines))


class Align(Case):
    log = None

    def setUp(self):
        super().setUp()
        self.write("pushes.yaml", PUSHES.format(duration=60))
        self.fathom("simulate", "pushes.yaml", "--out", "day", status=0)

    def copy(self, name="late"):
        shutil.copytree(self.here / "day/log", self.here / name / "log")
        return self.here / name / "log"

    def channels(self, summary):
        return {row["channel"]: row for row in summary["channels"]}

    def test_right_clocks_are_left_in_peace(self):
        summary = self.document("align", "--log", "day/log", "--robot", "bluerov2-heavy", "--out", "aligned")
        self.assertEqual(summary["reference"], "rov.imu")
        for name, row in self.channels(summary).items():
            self.assertTrue(row["aligned"], row)
            self.assertLessEqual(abs(row["offset_s"]), 3.5 * row["sigma_s"], name)
            self.assertLess(row["sigma_s"], 0.01, name)
        self.assertIn("rov.thrusters", summary["without_motion_columns"])
        self.assertEqual(json.loads((self.here / "aligned/summary.json").read_text()), summary)
        same = (self.here / "aligned/log/rov.thrusters.csv").read_bytes()
        self.assertEqual(same, (self.here / "day/log/rov.thrusters.csv").read_bytes())

    def test_latencies_count_where_no_robot_says_them(self):
        rows = self.channels(self.document("align", "--log", "day/log", "--out", "plain"))
        # data/robots/bluerov2-heavy.yaml: the camera is 40 ms late, the gyro 5 ms.
        self.assertLess(abs(rows["rov.mocap"]["offset_s"] - 0.035), 3.5 * rows["rov.mocap"]["sigma_s"])

    def test_late_channels_come_back(self):
        for channel, late in (("ahrs", 0.35), ("mocap", -0.35), ("dvl", 0.35)):
            log = self.copy(channel)
            shifted(log / f"rov.{channel}.csv", late)
            rows = self.channels(self.document("align", "--log", log, "--robot", "bluerov2-heavy", "--out", f"out/{channel}"))
            row = rows[f"rov.{channel}"]
            self.assertLess(abs(row["offset_s"] - late), 3 * row["sigma_s"] + 1e-9, row)

    def test_identify_gets_the_same_model(self):
        log = self.copy()
        shifted(log / "rov.ahrs.csv", 0.35)
        shifted(log / "rov.dvl.csv", -0.2)
        self.fathom("align", "--log", log, "--robot", "bluerov2-heavy", "--out", "aligned", status=0)
        def model(folder, out):
            self.fathom("identify", "--robot", "bluerov2-heavy", "--log", folder, "--structure", "diagonal", "--out", out,
                        "--accept-unseen", "--accept-bounds", status=0)
            rows = json.loads((self.here / out / "summary.json").read_text())["parameters"]
            return {row["name"]: row for row in rows}
        right, again = model("day/log", "right"), model("aligned/log", "again")
        for name, row in right.items():
            self.assertLess(abs(again[name]["estimate"] - row["estimate"]), row["sigma"], name)

    def test_a_long_log_shows_a_drift(self):
        self.write("long.yaml", PUSHES.format(duration=240))
        self.fathom("simulate", "long.yaml", "--out", "long", status=0)
        shifted(self.here / "long/log/rov.mocap.csv", 0.1, 300e-6, 120)
        result = self.fathom("align", "--log", "long/log", "--robot", "bluerov2-heavy", "--out", "out", status=0)
        self.assertIn("drift taken off", result.stdout)
        row = self.channels(json.loads((self.here / "out/summary.json").read_text()))["rov.mocap"]
        self.assertLess(abs(row["drift"] - 300e-6), 3.5 * row["drift_sigma"])
        self.assertLess(abs(row["offset_s"] - 0.1), 3.5 * row["sigma_s"])

    def test_without_motion_nothing_is_aligned(self):
        still = PUSHES.format(duration=30).replace("kind: joystick, share: 0.3, axes: [surge, sway, heave, yaw], hold: [0.5, 4]",
                                                  "kind: drift")
        self.assertIn("drift", still)
        robot = self.fathom("models", "bluerov2-heavy", "--yaml", status=0).stdout
        self.write("still.yaml", robot.replace("value: 0.0134", "value: 0.0135"))
        self.write("rest.yaml", still.replace("robot: bluerov2-heavy", "robot: still.yaml"))
        self.fathom("simulate", "rest.yaml", "--out", "rest", status=0)
        result = self.fathom("align", "--log", "rest/log", "--out", "out", status=1)
        self.assertIn("no motion that both show", result.stdout)
        self.assertIn("no channel could be aligned", result.stderr)
        for row in json.loads((self.here / "out/summary.json").read_text())["channels"][1:]:
            self.assertFalse(row["aligned"] and row["channel"] != "rov.imu", row)

    def test_what_the_log_lacks_is_named(self):
        log = self.copy("pipe")
        (log / "rov.ahrs.csv").unlink()
        gone = "has no channel of the robot's sensor ahrs"
        result = self.fathom("align", "--log", log, "--robot", "bluerov2-heavy", "--out", "out", status=0)
        self.assertIn(gone, result.stderr)
        self.assertIn(gone, " ".join(json.loads((self.here / "out/summary.json").read_text())["notes"]))
        os.mkfifo(log / "rov.ahrs.csv")
        result = self.fathom("align", "--log", log, "--out", "out", status=0)
        self.assertRegex(result.stderr, r"rov\.ahrs\.csv: is not a channel and was left out: is a pipe")

    def test_a_full_disk_promises_nothing(self):
        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (50000, 50000))
        result = self.fathom("align", "--log", "day/log", "--robot", "bluerov2-heavy", "--out", "out", status=2, first=small_files)
        self.assertIn("cannot be written after", result.stderr)
        self.assertNotIn(".part", result.stderr)  # it was in a folder that is gone
        self.assertFalse((self.here / "out").exists())

    def test_refuses(self):
        def error(*args):
            before = self.tree()
            result = self.fathom("align", *args, status=2)
            self.assertEqual(self.tree(), before)
            return result.stderr
        self.assertIn("--reference 'rov.mocop' shows no motion to align by (did you mean rov.mocap?)", error("--log", "day/log", "--reference", "rov.mocop"))
        self.assertIn("--most = -1 s, must be > 0", error("--log", "day/log", "--most", "-1"))
        self.assertIn("no robot", error("--log", "day/log", "--robot", "nobody").lower().replace("there is ", ""))
        error("--log", "nowhere")
        self.write("empty/log/events.csv", "t [s],code\n0,1\n1,2\n")
        self.assertIn("no channel that shows a motion", error("--log", "empty/log"))
        self.assertIn("day/log", error("--log", "day/log", "--out", "day"))


if __name__ == "__main__":
    main()
