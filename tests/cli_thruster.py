"""fathom identify --what thruster: a bollard table becomes a map that a robot file takes; bad tables told.

Run by ctest (repo:cli_thruster); FATHOM_BIN names the program.
"""
import csv
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import unittest

from cli_case import ROOT, Case, main

BENCH = pathlib.Path(os.environ.get("FATHOM_DATA", ROOT.parent / "shared/data")) / "thruster_bench"


def force(pwm, voltage):
    """N, of a thruster that is no polynomial; straight over the voltage."""
    u = abs(pwm - 1500) - 27
    return 0 if u <= 0 else math.copysign((voltage / 16) * (12 if pwm > 1500 else 9) * (math.sqrt(1 + .02 * u) - 1)**2, pwm - 1500)


def table(voltages=(16,), header="pwm [us],voltage [V],force [N]", change=lambda pwm, f: f, step=16):
    rows = [f"{pwm},{v},{change(pwm, force(pwm, v) + .02 * math.sin(pwm * pwm)):.5f}" for v in voltages for pwm in range(1100, 1901, step)]
    return "\n".join([header, *rows]) + "\n"


class Thruster(Case):
    def identify(self, *args, text=None, status=0):
        if text is not None:
            self.write("bench.csv", text)
        return self.fathom("identify", "--what", "thruster", "--table", "bench.csv", *args, "--out", "results", status=status)

    def refused(self, *args, words, text=None):
        result = self.identify(*args, text=text, status=2)
        self.assertEqual(result.stdout, "")
        for word in words:
            self.assertIn(word, result.stderr)
        self.assertFalse((self.here / "results").exists())

    def summary(self):
        return json.loads((self.here / "results/summary.json").read_text())

    def robot_with_map(self):
        """bluerov2-heavy with the found map in the place of its own."""
        lines = (ROOT / "data/robots/bluerov2-heavy.yaml").read_text()
        before, rest = lines.split("thruster_maps:", 1)
        after = re.search(r"^\S.*", rest, re.M | re.S).group(0)
        name = re.search(r"map: *\"?([\w-]+)", after).group(1)
        return before + (self.here / "results/thruster.yaml").read_text() + after.replace(name, "mine")

    def test_one_voltage_gives_a_law_that_a_robot_takes(self):
        stdout = self.identify("--name", "mine", text=table()).stdout
        self.assertIn("forward", stdout)
        self.assertEqual(sorted(p.name for p in (self.here / "results").iterdir()), ["report.html", "summary.json", "thruster.yaml"])
        summary = self.summary()
        self.assertEqual((summary["what"], summary["law"]), ("thruster", "polynomial_pair"))
        self.assertEqual(summary["command_unit"], "pwm_us")
        forward = summary["tests"][0]["forward"]
        x = 400 - forward["dead_band"]
        self.assertAlmostEqual(sum(c * x**(k + 1) for k, c in enumerate(forward["coefficients"])), force(1900, 16), delta=.1)
        self.assertLess(forward["held_out_error_N"], .1)
        self.write("mine.yaml", self.robot_with_map().replace("unit: normalized", "unit: pwm_us"))
        self.assertNotIn("error", self.fathom("lint", "mine.yaml").stderr)
        self.fathom("models", "mine.yaml", status=0)

    def test_several_voltages_give_a_table(self):
        self.identify(text=table((10, 12, 16)))
        summary = self.summary()
        self.assertEqual(summary["law"], "table")
        left_out, = summary["voltages_left_out"]
        self.assertEqual((left_out["voltage"], left_out["from"]), (12, [10, 16]))
        self.assertLess(left_out["rms_N"], .03)
        self.assertIn("voltages: [10, 12, 16]", (self.here / "results/thruster.yaml").read_text())

    def towing(self, change=lambda text: text):
        """examples/thruster-inflow, its text changed."""
        return change((ROOT / "examples/thruster-inflow/towing.csv").read_text())

    def test_rows_with_inflow_give_the_loss(self):
        stdout = self.identify("--name", "mine", text=self.towing()).stdout
        self.assertRegex(stdout, r"348 rad/s +\d+\.\d \+- \d+\.\d %")
        self.assertIn("not fitted: thrust loss in reverse: there is no row with inflow", stdout)
        summary = self.summary()
        self.assertEqual((summary["law"], summary["inflow_reverse"]), ("propeller", None))
        inflow = summary["inflow_forward"]
        self.assertEqual(len(inflow["loss"]), 9)
        for at in inflow["loss"]:  # K_T of make.py, which has a J^2 that the law lacks
            J = at["inflow_m_s"] * 2 * math.pi / (at["shaft_speed_rad_s"] * .0762)
            self.assertAlmostEqual(at["share"], (.789 * J - .03 * J * J) / .435, delta=.005 + 2 * at["sigma"])
            self.assertLess(at["sigma"], .05)
        self.assertGreater(inflow["r2"], .998)
        self.assertLess(inflow["r2_without_inflow"], .9)
        self.assertIn("Thrust lost to inflow, forward", (self.here / "results/report.html").read_text())
        self.assertIn("T_wu: -", (self.here / "results/thruster.yaml").read_text())
        self.write("mine.yaml", self.robot_with_map())
        self.fathom("models", "mine.yaml", status=0)

    def test_inflow_that_cannot_be_fitted_leaves_the_map(self):
        self.identify(text=self.towing(lambda text: text.replace("rpm", "turns")))
        summary = self.summary()
        self.assertEqual((summary["law"], summary["inflow_forward"]), ("linear_quadratic", None))
        self.assertIn("thrust loss forward: there is no column of the shaft speed", summary["not_fitted"])
        self.identify(text=self.towing(lambda text: re.sub(r",(0\.[369]),", r",-\1,", text)))
        self.assertRegex(self.summary()["not_fitted"][0], "thrust loss forward: the thrust grows with the inflow")

    def test_several_voltages_keep_the_loss_beside_the_table(self):
        rows = self.towing().splitlines()
        halved = [f"{pwm},{u},{rpm},{float(f) / 2:.2f}" for pwm, u, rpm, f in (row.split(",") for row in rows[1:])]
        text = [rows[0] + ",voltage [V]", *(r + ",16" for r in rows[1:]), *(r + ",10" for r in halved)]
        self.identify(text="\n".join(text) + "\n")
        self.assertEqual(self.summary()["law"], "table")
        self.assertRegex((self.here / "results/thruster.yaml").read_text(), "# Not held: thrust lost to inflow, T_ww = .*T_wu = -")

    def steps(self, *names, change=lambda text: text):
        """Options for runs of examples/thruster-inflow, their text changed."""
        for name in names:
            self.write(name, change((ROOT / "examples/thruster-inflow" / name).read_text()))
        return [word for name in names for word in ("--steps", name)]

    def robot_with_transient(self):
        robot = self.robot_with_map()
        own_transients = re.search(r"^thruster_transients:\n  t200.*?(?=^thrusters:)", robot, re.M | re.S).group(0)
        return robot.replace(own_transients, "").replace("transient: t200", "transient: mine_lag")

    def test_runs_in_time_give_a_law(self):
        stdout = self.identify("--name", "mine", *self.steps("steps-1.csv", "steps-2.csv"), text=self.towing()).stdout
        self.assertRegex(stdout, r"shaft\+flow, chosen +4 +steps-1.csv +0\.9\d+ +0\.9\d+")
        self.assertIn("not tried: motor, which needs the motor's voltage as the command", stdout)
        self.assertIn("not told: flow: the shaft follows its law only in part", stdout)
        dynamics = self.summary()["dynamics"]
        self.assertEqual((dynamics["law"], dynamics["held_out"], dynamics["forced"]), ("shaft+flow", "runs", False))
        laws = {law["law"]: law for law in dynamics["laws"]}
        shaft, chosen = laws["shaft"], laws["shaft+flow"]
        # The shaft of make.py is a motor against a quadratic load: the fitted flow is several times its own, and the intervals must know.
        for name, true in (("flow.share", .15), ("flow.time_constant", .15)):
            of = chosen["parameters"][name]
            self.assertTrue(of["interval_95"][0] < true < of["interval_95"][1], of)
        # between 1 / (4 + 2 w / 50) of make.py at full speed and at rest
        self.assertTrue(.06 < shaft["parameters"]["time_constant"]["estimate"] < .15, shaft)
        self.assertGreater(shaft["worse"], shaft["worse_sigma"])
        self.assertEqual([run["run"] for run in chosen["held_out"]], ["steps-1.csv", "steps-2.csv"])
        for run in chosen["held_out"]:
            self.assertGreater(min(run["speed_r2"], run["force_r2"]), .95, run)
        page = (self.here / "results/report.html").read_text()
        self.assertIn("Shaft speed in steps-2.csv, R2 not seen 0.9", page)
        self.assertIn("How it follows a command", page)
        self.assertIn("axial_flow:\n      share:", (self.here / "results/thruster.yaml").read_text())
        self.write("mine.yaml", self.robot_with_transient())
        self.fathom("models", "mine.yaml", status=0)

    def test_a_law_can_be_named(self):
        self.identify("--name", "mine", "--law", "shaft", *self.steps("steps-1.csv"), text=self.towing())
        dynamics = self.summary()["dynamics"]
        self.assertEqual((dynamics["law"], dynamics["held_out"], dynamics["forced"]), ("shaft", "steps", True))
        self.assertNotIn("axial_flow", (self.here / "results/thruster.yaml").read_text())
        self.assertIn("--law shaft", self.summary()["command"])

    def test_bad_runs(self):
        def refused(*names, words, text=None, more=(), **change):
            self.refused(*self.steps(*names, **change), *more, text=text or self.towing(), words=words)

        def rows(keep):
            return lambda text: "\n".join([text.splitlines()[0], *keep(text.splitlines()[1:])]) + "\n"

        refused("steps-1.csv", change=lambda text: text.replace("time", "hour"), words=["steps-1.csv:1", "no column of the time"])
        refused("steps-1.csv", change=lambda text: text.replace("pwm [us]", "pwm [V]"), words=["in volt, the bollard table in pwm_us"])
        refused("steps-1.csv", change=lambda text: text.replace("\n0.02,", "\n0.00,"), words=["steps-1.csv", "must rise"])
        refused("steps-1.csv", change=lambda text: text.replace("force", "torque"), text=table(), words=["has shaft speeds alone"])
        refused("steps-1.csv", text=table((10, 12, 16)), words=["bench.csv: has several voltages"])
        refused("steps-1.csv", change=rows(lambda lines: lines[:12]), words=["steps-1.csv: has 12 rows, must have 20 or more"])
        refused("steps-1.csv", change=rows(lambda lines: lines[:30]), words=["steps-1.csv: has a command that never changes", "step the command"])
        refused("steps-1.csv", change=rows(lambda lines: lines[:60]), words=["steps-1.csv: has one step", "--law shaft"])
        refused("steps-1.csv", more=["--law", "motor"], change=lambda text: text.replace("rpm", "turns"),
                words=["--law motor needs the shaft speed in every run", "add the column"])
        refused("steps-1.csv", more=["--law", "motor"], words=["--law motor needs the motor's voltage as the command"])
        refused("steps-1.csv", more=["--law", "engine"], words=["--law = 'engine'", "motor+flow"])
        self.refused("--law", "shaft", text=self.towing(), words=["--law is of runs in time", "--steps FILE.csv"])
        self.refused("--steps", "none.csv", text=self.towing(), words=["none.csv"])

    @staticmethod
    def low_passed(series, hz, dt=1e-3):
        """Second-order Butterworth, forth and back."""
        c = 1 / math.tan(math.pi * hz * dt)
        b, a1, a2 = 1 / (1 + math.sqrt(2) * c + c * c), 2 * (1 - c * c), 1 - math.sqrt(2) * c + c * c
        for _ in range(2):
            x1 = x2 = y1 = y2 = series[0]
            out = []
            for x in series:
                y = b * (x + 2 * x1 + x2 - a1 * y1 - a2 * y2)
                x1, x2, y1, y2 = x, x1, y, y1
                out.append(y)
            series = out[::-1]
        return series

    @staticmethod
    def spread(series):
        mean = sum(series) / len(series)
        return sum((x - mean) ** 2 for x in series)

    def bench_run(self, name, volts, leaves, edge, ramp=2, lead=.02):
        """A run of the bench as a table at 200 Hz. The lag of the law shaft is 8 ms from rows 10 ms apart, which counts as none, and 13 to 15 ms
        from rows 5, 4 and 2 ms apart. No rate determines it: its interval is as wide as itself.
        Its command was not logged: it passes the edge of the dead band at `leaves` on a ramp of 2 s, is held, and ends where the thrust breaks down. The thrust is filtered as
        `reproduce thrusters` does. Also the thrust's spread from the command on, over that of the whole run."""
        with open(BENCH / name) as file:
            rows = [[float(row[15]), float(row[20])] for row in csv.reader(file)]
        zero = [sum(row[k] for row in rows[:500]) / 500 for k in (0, 1)]
        thrust, speed = [zero[0] - row[0] for row in rows], [49.9723 * (row[1] - zero[1]) for row in rows]
        thrust = self.low_passed(thrust, 10)
        begin, sign = leaves - ramp * edge / abs(volts), math.copysign(1, volts)
        held = sign * sum(thrust[int(1e3 * leaves) + 2500:int(1e3 * leaves) + 8000]) / 5500
        off = max(k for k, f in enumerate(thrust) if sign * f > held / 2) * 1e-3 - lead
        share = self.spread(thrust[int(1e3 * leaves):]) / self.spread(thrust)
        lines = ["time [s],command [V],speed [rad/s],force [N]"]
        for k in range(int(1e3 * leaves), len(rows), 5):  # the tachometer of one run rattles before
            command = 0 if 1e-3 * k > off else volts * min(1, max(0, (1e-3 * k - begin) / ramp))
            lines.append(f"{1e-3 * k:.3f},{command:.4f},{abs(speed[k]):.3f},{thrust[k]:.4f}")
        return "\n".join(lines) + "\n", share

    @unittest.skipUnless(BENCH.is_dir(), f"recordings are not part of the repository, and there is no {BENCH}: FATHOM_DATA names their folder")
    def test_the_real_bench_foretells_its_other_run(self):
        steady = [row[:2] + [abs(row[3])] for row in ([float(x) for x in line.split(",")] for line in (BENCH / "Steady_State_Data.csv").read_text().split())]
        inside = [[-.5, 0, 0], [.5, 0, 0]]  # of the dead band, from Tach_RPM_Thrust_Data.csv
        rows = sorted(steady + inside)
        text = "command [V],force [N],speed [rad/s]\n" + "\n".join(",".join(map(str, row)) for row in rows) + "\n"
        shares = []
        for file, run in (("p3.csv", ("2statep3V.csv", 3, 4.3, .86)), ("m2.csv", ("2statem2V.csv", -2, 4.55, .83))):
            lines, share = self.bench_run(*run)
            self.write(file, lines)
            shares.append(share)
        self.identify("--steps", "p3.csv", "--steps", "m2.csv", text=text)
        dynamics = self.summary()["dynamics"]
        # Each fitted to the other run. `reproduce thrusters` asks for .95 of thrust over the whole run, the rest before the command too, and with
        # the flow behind the blades. The same measure here, where the table of a run begins with the command: its rest is still and in order.
        for law, least in ((dynamics["law"], .94), ("shaft+flow", .95)):
            fit, = (one for one in dynamics["laws"] if one["law"] == law)
            for run, share in zip(fit["held_out"], shares):
                self.assertGreater(1 - (1 - run["force_r2"]) * share, least, (law, run))
                self.assertGreater(run["speed_r2"], .97, (law, run))
        motor, = (law for law in dynamics["laws"] if law["law"] == "motor")  # has no dead band
        self.assertGreater(motor["worse"], motor["worse_sigma"])

    def test_bad_inflow(self):
        self.refused(text=self.towing(lambda text: re.sub(r",0,", ",0.3,", text)), words=["bench.csv: has no rows in still water", "add a bollard test"])
        self.refused(text=self.towing(lambda text: text.replace("[m/s]", "[km/h]")), words=["bench.csv:1", "'km/h'", "m/s, kn"])
        self.refused("--column", "inflow=flow:m/s", text=self.towing(), words=["'flow'"])

    def test_the_example_is_what_its_script_writes(self):
        folder = ROOT / "examples/thruster-inflow"
        self.write("make.py", (folder / "make.py").read_text())
        subprocess.run([sys.executable, "make.py"], cwd=self.here, check=True)
        for made in folder.glob("*.csv"):
            self.assertEqual((self.here / made.name).read_text(), made.read_text())

    def test_columns_can_be_named(self):
        rows = table(header="a,b,c").replace("a,b,c\n", "")
        self.identify("--column", "command=1:us", "--column", "force=3:N", text=rows)
        named = self.summary()["tests"][0]["forward"]["coefficients"]
        self.identify("--column", "command=a:us", "--column", "force=c:N", text="a,b,c\n" + rows)
        self.assertEqual(self.summary()["tests"][0]["forward"]["coefficients"], named)

    def test_the_same_command_gives_the_same_bytes(self):
        self.identify(text=table())
        before = self.tree(self.here / "results")
        self.identify()
        self.assertEqual(self.tree(self.here / "results"), before)

    def test_bad_tables(self):
        for text, words in ((table(step=400), ["bench.csv: ", "has 1 points with commands above neutral", "measure more"]),
                            ("", ["bench.csv", "is it empty?"]),
                            (table(change=lambda pwm, f: f if pwm < 1500 else 30 - f), ["never rises on the forward side"]),
                            (table(change=lambda pwm, f: -abs(f)), ["has no positive force on the forward side", "sign"]),
                            (table(change=lambda pwm, f: math.nan if pwm == 1116 else f), ["bench.csv:3", "is missing or not finite"]),
                            (table(header="pwm [us],voltage [V],force [pond]"), ["bench.csv:1", "'pond'", "kgf"]),
                            (table(header="pwm [us],voltage [V],force"), ["has no unit"]),
                            (table(header="pwm [us],voltage [V],force [pond]"), ["or --column 'force=force [pond]:N'"]),
                            (table().split("\n", 1)[1], ["the file has no header: --column command=1:us, by the number of the column"]),
                            (table(header="pwm [1],voltage [V],force [N]"), ["microseconds?"]),
                            (table(header="time [s],voltage [V],force [N]"), ["no column of the command"]),
                            (table(voltages=range(1, 30)), ["has 29 voltages"]),
                            (table().replace(",16,", ";16;", 1), ["bench.csv:2", "another separator"])):
            with self.subTest(words[0]):
                self.refused(text=text, words=words)
        self.refused("--neutral", "1900", text=table(), words=["has 0 points with commands above neutral", "one side only?"])
        self.refused("--column", "thrust", words=["--column", "ROLE=NAME:UNIT"])
        self.refused("--name", "a/b", words=["--name"])
        self.refused(text=table(change=lambda pwm, f: -1e300 if pwm == 1116 else f), words=["bench.csv:3: force [N] = -1e+300 N, expected a force of at most 1e+07 N"])

    def test_values_that_cannot_be_are_named_with_their_line(self):
        lines = table().splitlines()
        for line, words in (("1e12,16,3", "bench.csv:4: pwm [us] = 1e+12 us, expected a command of at most 10000 us"),
                            ("1132,1e12,3", "bench.csv:4: voltage [V] = 1e+12 V"),
                            ("1132,16,-1e200", "bench.csv:4: force [N] = -1e+200 N")):
            self.refused(text="\n".join([*lines[:3], line, *lines[4:]]) + "\n", words=[words])
        towing = self.towing().splitlines()
        place = towing[0].split(",").index("inflow [m/s]")
        row = towing[-1].split(",")
        row[place] = "1e12"
        self.refused(text="\n".join([*towing[:-1], ",".join(row)]) + "\n", words=[f"bench.csv:{len(towing)}: inflow [m/s] = 1e+12 m/s", "at most 30 m/s"])

    def test_a_pipe_does_not_hang(self):
        os.mkfifo(self.here / "bench.csv")
        self.refused(words=["bench.csv: is a pipe or a device that gave nothing"])

    def test_a_table_of_five_points(self):
        self.identify(text="pwm [us],force [N]\n1100,-32\n1300,-8\n1500,0\n1700,11\n1900,43\n")
        summary = self.summary()
        self.assertEqual(summary["law"], "linear_quadratic")
        forward = summary["tests"][0]["forward"]
        self.assertEqual((forward["degree"], forward["dead_band"]), (2, 0))
        self.assertAlmostEqual(forward["full_force_N"], 43)
        self.assertGreater(forward["half_band_N"], .03 * 43)

    def test_bands_between_voltages_hold_the_one_left_out(self):
        self.identify(text=table((10, 12, 16, 20)))
        gaps = self.summary()["between_voltages"]
        self.assertEqual([gap["from"] for gap in gaps], [[10, 12], [12, 16], [16, 20]])
        for gap in gaps:
            self.assertTrue(0 < gap["mean_half_band_N"] <= gap["largest_half_band_N"] < 5, gap)

    def test_unseen_runs(self):
        more = self.steps("steps-1.csv", "steps-2.csv")
        stdout = self.identify(*more[:2], "--test", "steps-2.csv", "--law", "shaft+flow", text=self.towing()).stdout
        self.assertIn("run of --test", stdout)
        self.assertIn("Unseen runs", (self.here / "results/report.html").read_text())
        dynamics = self.summary()["dynamics"]
        self.assertEqual([run["run"] for run in dynamics["tests"]], ["steps-2.csv"])
        self.assertGreater(dynamics["tests"][0]["force_r2"], dynamics["without_law"][0]["force_r2"])
        # A run a hundred times as fast as it was: its lag is a hundredth, and none predicts it better than that of the law.
        rows = [row.split(",") for row in (self.here / "steps-2.csv").read_text().splitlines()]
        self.write("fast.csv", "\n".join([",".join(rows[0]), *(",".join([f"{float(row[0]) / 100:.6f}", *row[1:]]) for row in rows[1:])]) + "\n")
        result = self.identify(*more[:2], "--test", "fast.csv", "--law", "shaft", status=1)
        self.assertIn("fast.csv: the law shaft predicts this unseen run worse than a force that follows at once", result.stderr)
        self.assertTrue((self.here / "results/thruster.yaml").exists())

    @staticmethod
    def with_cell(text, line, name, value):
        """The text with one cell changed, by its line from 1."""
        lines = text.splitlines()
        row = lines[line - 1].split(",")
        row[lines[0].split(",").index(name)] = value
        return "\n".join([*lines[:line - 1], ",".join(row), *lines[line:]]) + "\n"

    def test_one_absurd_cell_of_a_table(self):
        for line, name, value, words in ((7, "pwm [us]", "-32.768", "bench.csv:7: pwm [us] = -32.768 us, expected the width of a pulse"),
                                         (7, "force [N]", "9e6", "bench.csv:7: force [N] = 9e+06 N, while all others lie between"),
                                         (9, "rpm", "900000", "bench.csv:9: rpm = 900000 rpm, while all others lie between")):
            self.refused(text=self.with_cell(self.towing(), line, name, value), words=[words])
        for line, value, words in ((7, "-200", r"bench\.csv:7: force -200 N at command 1225, where the other rows give -(19|2\d)"),
                                   (47, "-32.768", r"bench\.csv:47: force -32\.77 N at command 1850, where the other rows give 2\d")):
            with self.subTest(value):
                result = self.identify(text=self.with_cell(self.towing(), line, "force [N]", value), status=1)
                self.assertRegex(result.stderr, words)
                self.assertNotIn("paste thruster.yaml", result.stdout)
                self.assertEqual(len(self.summary()["failed"]), 1, self.summary()["failed"])

    def test_one_absurd_cell_of_a_run(self):
        def run(change):
            return self.steps("steps-1.csv", change=change)
        for name, value, words in (("rpm", "900000", "steps-1.csv:82: rpm = 900000 rpm, while all others lie between"),
                                   ("force [N]", "9e6", "steps-1.csv:82: force [N] = 9e+06 N, while all others lie between")):
            self.refused(*run(lambda text: self.with_cell(text, 82, name, value)), text=self.towing(), words=[words])

    def test_an_unseen_run_that_is_not_explained(self):
        more = self.steps("steps-1.csv")
        rows = [row.split(",") for row in (ROOT / "examples/thruster-inflow/steps-2.csv").read_text().splitlines()]
        self.write("wrong.csv", "\n".join([",".join(rows[0]), *(",".join([*row[:2], str(3 * int(row[2])), row[3]]) for row in rows[1:])]) + "\n")
        result = self.identify(*more, "--test", "wrong.csv", "--law", "shaft", text=self.towing(), status=1)
        self.assertRegex(result.stderr, r"wrong\.csv: R2 of the speed is -\d\S* on this unseen run, must be above 0")

    def test_unseen_runs_need_runs_to_learn_from(self):
        self.refused("--test", "steps-2.csv", text=self.towing(), words=["--test", "--steps FILE.csv"])

    def test_bad_usage(self):
        for args, words in ((["--what", "thruster"], ["--table"]),
                            (["--what", "thruster", "--table", "none.csv"], ["none.csv"]),
                            (["--what", "thruster", "--table", "t.csv", "--robot", "rexrov"], ["no --robot"]),
                            (["--what", "motor"], ["motor"]),
                            (["--log", "x"], ["--robot is required"]),
                            (["--robot", "rexrov"], ["--log is required"]),
                            (["--robot", "rexrov", "--log", "x", "--table", "t.csv"], ["--what thruster"])):
            with self.subTest(" ".join(args)):
                result = self.fathom("identify", *args, status=2)
                self.assertEqual(result.stdout, "")
                for word in words:
                    self.assertIn(word, result.stderr)
                self.assertEqual(self.tree(), {})


if __name__ == "__main__":
    main()
