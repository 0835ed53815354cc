"""fathom simulate: logs that others can read, the same numbers for the same seed, bad scenarios told with
their place. What it leaves on the disk is in cli_results.py.

Run by ctest (repo:cli_simulate), or by hand: FATHOM_BIN=build/release/bin/fathom python3 tests/cli_simulate.py
"""

import json
import os
import re
import subprocess
import unittest

import numpy as np

from cli_case import BIN, ROOT, SANITIZED, Case, main
from wrong_scenarios import GOOD, OURS, PID, ROBOT, WILD, WRONG, WRONG_ROBOT, changed, line_of, scenario

POSE_AND_TWIST = ["north [m]", "east [m]", "down [m]", "qw", "qx", "qy", "qz", "u [m/s]", "v [m/s]", "w [m/s]", "p [rad/s]",
                  "q [rad/s]", "r [rad/s]"]


class Simulated(Case):
    def read(self, path):
        """Frame, column names, and rows as numpy reads them; an empty field (NaN) is an error here."""
        with open(path) as file:
            head = [next(file).rstrip("\n") for _ in range(5)]
        self.assertEqual(head[:2], ["# fathom log 1", f"# channel: {path.stem}"])
        self.assertRegex(head[2], r"^# frame: (n|b|c|none)$")
        self.assertRegex(head[3], r"^# about: \S")
        self.assertTrue(path.read_bytes().endswith(b"\n"))
        columns = head[4].split(",")
        self.assertEqual(columns[0], "t [s]")
        for column in columns[1:]:
            self.assertRegex(column, r"^[A-Za-z]\w*( \[[^ \]][^\]]*\])?$")
        rows = np.loadtxt(path, delimiter=",", skiprows=5, ndmin=2)
        self.assertTrue(np.isfinite(rows).all(), path)
        self.assertTrue((np.diff(rows[:, 0]) > 0).all(), f"the clock of {path.name} stands or steps back")
        return head[2].split()[-1], columns[1:], rows

    def check_log(self, folder, summary, duration=None):
        """The summary follows from the log."""
        duration = summary["duration_s"] if duration is None else duration
        known = {f"{c['name']}.load.csv" for c in summary.get("couplings", [])}
        known |= {p.name for c in summary.get("clusters", []) for p in folder.glob(f"{c['name']}.*.csv")}
        for vehicle in summary["vehicles"]:
            name = vehicle["name"]
            paths = {p.stem.removeprefix(name + "."): p for p in folder.glob(f"{name}.*.csv")}
            known |= {p.name for p in paths.values()}
            frame, columns, state = self.read(paths["state"])
            self.assertEqual((frame, columns), ("n", POSE_AND_TWIST))
            self.assertEqual(len(state), round(duration / summary["step_s"]) + 1)
            self.assertAlmostEqual(state[-1, 0], duration, delta=1e-9 * duration)
            np.testing.assert_allclose(np.linalg.norm(state[:, 4:8], axis=1), 1, atol=1e-9)
            steps = np.linalg.norm(np.diff(state[:, 1:4], axis=0), axis=1)
            self.assertAlmostEqual(vehicle["distance_m"], steps.sum(), delta=1e-9 + 1e-9 * steps.sum())
            fastest = np.linalg.norm(state[:-1, 8:11], axis=1).max()
            self.assertAlmostEqual(vehicle["largest_speed_m_s"], fastest, delta=1e-12)
            self.assertEqual("reference" in paths, "tracking" in vehicle)
            if "reference" in paths:
                frame, columns, reference = self.read(paths["reference"])
                self.assertEqual((frame, columns), ("n", POSE_AND_TWIST))
                own = np.ones(len(state) - 1, bool)  # not while a cluster steers it
                for cluster in summary.get("clusters", []):
                    if name in cluster["vehicles"]:
                        own &= ~np.isin(state[:-1, 0], self.read(folder / f"{cluster['name']}.state.csv")[2][:, 0])
                off = np.linalg.norm(state[:-1, 1:4] - reference[:-1, 1:4], axis=1)[own]
                self.assertAlmostEqual(vehicle["tracking"]["position_rms_m"], np.sqrt(np.mean(off**2)), delta=1e-12)
                self.assertAlmostEqual(vehicle["tracking"]["position_max_m"], off.max(), delta=1e-12)
            frame, columns, water = self.read(paths["water"])
            self.assertEqual((frame, columns), ("n", ["north [m/s]", "east [m/s]", "down [m/s]"]))
            for channel in paths.keys() & {"thrusters", "control", "water", "tether"}:
                np.testing.assert_array_equal(self.read(paths[channel])[2][:, 0], state[:, 0])
            if "tether" in paths:
                frame, columns, pull = self.read(paths["tether"])
                self.assertEqual((frame, columns), ("n", ["north [N]", "east [N]", "down [N]", "tension [N]"]))
                self.assertGreater(pull[:, 4].max(), 0)
            sensors = {s["name"]: s for s in vehicle["sensors"]}
            self.assertLessEqual(paths.keys() - sensors.keys(), {"state", "reference", "thrusters", "control", "water", "tether"})
            for sensor, counts in sensors.items():
                rows = self.read(paths[sensor])[2]
                self.assertEqual(len(rows), counts["delivered"], sensor)
                self.assertLessEqual(rows[-1, 0], duration + 1e-9)
                lost = sum(counts[why] for why in ("dropped", "failed", "no_answer", "skipped", "pushed_out"))
                self.assertLessEqual(counts["delivered"] + lost, counts["due"], sensor)
        self.assertEqual({p.name for p in folder.iterdir()}, known, "channels of nobody")

    def refused(self, *args, words=(), status=2, verb="simulate", **more):
        """Nothing on standard output, words on standard error, nothing changed on disk."""
        before = self.tree()
        result = self.fathom(verb, *args, status=status, **more)
        self.assertEqual(result.stdout, "")
        for word in words:
            self.assertIn(word, result.stderr)
        self.assertNotIn("internal error", result.stderr)
        self.assertEqual(self.tree(), before)
        return result.stderr

    def refused_at(self, text, line, words, name="scenario.yaml"):
        """The scenario is refused at a line; earlier results stay."""
        self.write(name, text)
        for kind in ("log/rov.state.csv", "report.html", "summary.json"):
            self.write(f"results/{kind}", "old")
        place = re.escape(name) + {None: r"(:\d+)?", 0: ""}.get(line, f":{line}") + ": "
        errors = self.refused(name, "--out", "results", words=words)
        self.assertTrue(any(re.match(place, e) for e in errors.splitlines()), f"no message at {place}: {errors[:1000]}")
        for error in errors.splitlines():
            self.assertRegex(error, "^" + re.escape(name) + r"(:\d+)?: \S", "no place")
            self.assertNotRegex(error, r"[\x00-\x1f\x7f]", "raw bytes in the message")


class Shipped(Simulated):
    label = "long"

    def test_every_scenario_runs_and_its_log_is_what_the_summary_says(self):
        names = sorted(p.stem for p in (ROOT / "data/scenarios").glob("*.yaml"))
        self.assertGreaterEqual(len(names), 5)
        for name in names:
            with self.subTest(name):
                summary = self.document("simulate", name)
                out = self.here / f"out/simulate-{name}"
                self.assertEqual(set(os.listdir(out)), OURS)
                self.assertTrue(summary["completed"])
                self.assertEqual(summary, json.loads((out / "summary.json").read_text()))
                self.assertEqual((summary["scenario"], summary["log"]), (name, f"out/simulate-{name}/log"))
                self.assertNotRegex(json.dumps(summary), r"null|NaN|Infinity")
                self.check_log(out / "log", summary)

    def test_faults_are_told_and_felt(self):
        summary = self.document("simulate", "thruster-failure", "--out", "results")
        self.assertEqual([(e["t_s"], e["what"]) for e in summary["events"]],
                         [(8, "thruster front_port dies"), (11, "allocation reckons with thruster front_port"),
                          (15, "sensor dvl falls silent"), (20, "sensor dvl is back")])
        t = self.read(self.here / "results/log/rov.dvl.csv")[2][:, 0]
        self.assertFalse(((t > 15.2) & (t < 20)).any(), "a silent sensor spoke")
        self.assertTrue((t < 15).any() and (t > 20.2).any())
        columns, rows = self.read(self.here / "results/log/rov.thrusters.csv")[1:]
        force = rows[:, 1 + columns.index("force_front_port [N]")]
        self.assertTrue((np.abs(force[rows[:, 0] > 10]) < 1e-6).all(), "a dead thruster pulls")
        self.assertTrue((force[rows[:, 0] < 8] != 0).any())


class Seed(Simulated):
    label = "long"

    def files(self, text, seed):
        folder = self.here / f"run-{len(os.listdir(self.here))}"
        folder.mkdir()
        (folder / "s.yaml").write_text(text)
        self.fathom("simulate", "s.yaml", "--out", "results", "--seed", str(seed), cwd=folder, status=0)
        return {name: content for name, content in self.tree(folder / "results").items() if content is not None}

    def different(self, a, b):
        self.assertEqual(a.keys(), b.keys())
        return {name.removeprefix("log/rov.").removesuffix(".csv") for name in a if a[name] != b[name]}

    def test_the_same_seed_gives_the_same_bytes(self):
        for vehicle in (PID, "control: {kind: joystick}"):
            text = scenario(f"robot: bluerov2-heavy, name: rov, {vehicle}",
                            environment="{current: {variation: {sigma: [0.1, 0.1, 0], time: 10}}}")
            self.assertEqual(self.different(self.files(text, 7), self.files(text, 7)), set())

    def test_the_default_seed_is_1(self):
        text = scenario()
        self.write("s.yaml", text)
        self.assertEqual(self.document("simulate", "s.yaml")["seed"], 1)
        self.assertEqual((self.here / "out/simulate-few-words/log/rov.imu.csv").read_bytes(), self.files(text, 1)["log/rov.imu.csv"])

    def test_another_seed_changes_the_sensors_and_not_the_truth(self):
        text = scenario(f"robot: bluerov2-heavy, name: rov, {PID}", environment="{current: [0.1, 0, 0]}")
        changed_files = self.different(self.files(text, 1), self.files(text, 2))
        self.assertEqual(changed_files, {"imu", "ahrs", "depth", "dvl", "mocap", "report.html", "summary.json"})

    def test_another_seed_changes_a_random_current_and_a_random_pilot(self):
        current = scenario(f"robot: bluerov2-heavy, name: rov, {PID}",
                           environment="{current: {variation: {sigma: [0.1, 0.1, 0], time: 10}}}")
        self.assertLessEqual({"water", "state"}, self.different(self.files(current, 1), self.files(current, 2)))
        pilot = scenario("robot: bluerov2-heavy, name: rov, control: {kind: joystick}")
        self.assertLessEqual({"control", "state"}, self.different(self.files(pilot, 1), self.files(pilot, 2)))

    def test_another_vehicle_changes_nothing_for_the_first(self):
        one = f"robot: bluerov2-heavy, name: rov, {PID}"
        alone, both = self.files(scenario(one), 1), self.files(scenario([one, "robot: rexrov, name: other"]), 1)
        for name in alone:
            if name.startswith("log/"):
                self.assertEqual(alone[name], both[name], name)


class BadScenarios(Simulated):
    label = "long"

    def test_the_good_scenario_is_good(self):
        self.write("scenario.yaml", GOOD)
        summary = self.document("simulate", "scenario.yaml", "--out", "results")
        self.check_log(self.here / "results/log", summary)

    def test_wrong_content(self):
        for name, (content, line, words) in WRONG.items():
            with self.subTest(name):
                self.refused_at(content, line, words)

    def test_wrong_robot_by_a_path_from_the_scenario(self):
        for name, (content, line, words) in WRONG_ROBOT.items():
            with self.subTest(name):
                self.write("robots/own.yaml", content)
                self.refused_at(changed("bluerov2-heavy", "../robots/own.yaml"), line_of("    robot:"),
                                ["vehicles[0].robot", f"robots/own.yaml:{line}: ", *words], "scenarios/own.yaml")

    def test_robot_by_a_path_from_the_scenario(self):
        self.write("robots/own.yaml", ROBOT)
        self.write("scenarios/own.yaml", changed("bluerov2-heavy", "../robots/own.yaml"))
        self.fathom("simulate", "scenarios/own.yaml", "--out", "results", status=0)
        (self.here / "elsewhere").mkdir()
        self.fathom("simulate", "../scenarios/own.yaml", "--out", "results", status=0, cwd=self.here / "elsewhere")

    def test_every_problem_is_told_at_once(self):
        self.write("scenario.yaml", changed("kind: pid", "kind: pdi").replace("duration: 2", "duration: -2").replace("dvl,", "dvll,"))
        self.refused("scenario.yaml", words=["duration = -2", "'pdi'", "'dvll'"])

    def test_scenario_that_does_not_exist(self):
        self.refused("tank-waypoint", words=["'tank-waypoint'", "did you mean tank-waypoints?"])
        self.refused("zzzzz", words=["'zzzzz'", "joystick, open-loop, tank-waypoints", ".yaml"])
        self.refused("nowhere.yaml", words=["nowhere.yaml: does not exist"])
        self.refused("no/where", words=["no/where: does not exist"])

    def test_nothing_is_read_from_the_current_folder_by_luck(self):
        self.write("good", GOOD)
        self.write("scenarios/good.yaml", GOOD)
        self.refused("good", words=["no scenario 'good'"])

    def test_folder_instead_of_a_file(self):
        (self.here / "scenario.yaml").mkdir()
        self.refused("scenario.yaml", words=["scenario.yaml: is a folder, expected a file"])

    def test_file_without_permission(self):
        self.write("scenario.yaml", GOOD).chmod(0)
        self.here.chmod(0o777)
        stderr = self.fathom("simulate", "scenario.yaml", status=2, first=self.as_nobody()).stderr
        self.assertIn("scenario.yaml: cannot be opened: Permission denied", stderr)
        self.assertEqual(os.listdir(self.here), ["scenario.yaml"])

    def test_device_without_end(self):
        self.refused("/dev/zero", words=["is larger than"])

    def test_cut_scenarios_are_told_apart_from_bugs(self):
        for n in range(0, len(GOOD), 17):
            self.write("scenario.yaml", GOOD[:n].replace("duration: 2", "duration: 0.02"))
            result = self.fathom("simulate", "scenario.yaml", "--out", "results")
            with self.subTest(n):
                self.assertIn(result.returncode, (0, 2), result.stderr)
                self.assertEqual((self.here / "results").exists(), result.returncode == 0)
                if result.returncode == 0:
                    subprocess.run(["rm", "-r", self.here / "results"], check=True)


class Odd(Simulated):
    """Odd but legal: it runs, and all numbers are finite."""
    label = "quick"

    def runs(self, text, duration=None):
        self.write("s.yaml", text)
        summary = self.document("simulate", "s.yaml", "--out", "results")
        self.assertTrue(summary["completed"])
        self.assertNotRegex(json.dumps(summary), r"null|NaN|Infinity")
        self.check_log(self.here / "results/log", summary, duration)
        return summary

    def test_every_robot_under_every_control(self):
        for robot in self.robots():
            without = "thrusters:" not in (ROOT / f"data/robots/{robot}.yaml").read_text()
            for control in ("control: {kind: drift}, start: {position: [0, 0, 5]}",
                            "control: {kind: joystick}, start: {position: [0, 0, 5]}", PID):
                for dof in (3, 6):
                    if without and "drift" not in control:
                        continue
                    with self.subTest(robot=robot, control=control[:24], dof=dof):
                        self.runs(scenario(f"robot: {robot}, name: rov, dof: {dof}, sensors: none, {control}", duration=1, step=0.02))

    def test_fewer_degrees_of_freedom_hold_the_others_still(self):
        for dof, free in ((3, [0, 1, 5]), (4, [0, 1, 2, 5])):
            with self.subTest(dof):
                push = "[[0, 20, 20, 20, 2, 2, 2]]"
                self.runs(scenario(f"robot: bluerov2-heavy, name: rov, dof: {dof}, sensors: none, start: {{position: [0, 0, 5]}}, "
                                   f"control: {{kind: open_loop, by: wrench, commands: {push}}}", duration=1))
                state = self.read(self.here / "results/log/rov.state.csv")[2]
                twist = np.abs(state[:, 8:14]).max(axis=0)
                self.assertTrue((twist[free] > 0.01).all(), twist)
                self.assertTrue((np.delete(twist, free) == 0).all(), twist)

    def test_integrators_agree(self):
        ends = []
        for integrator in ("rk4", "dormand_prince", "{kind: dormand_prince, relative: 1.0e-10, absolute: 1.0e-12}"):
            self.runs(scenario(f"robot: bluerov2-heavy, name: rov, {PID}", duration=2, integrator=integrator))
            ends.append(self.read(self.here / "results/log/rov.state.csv")[2][-1])
        self.assertGreater(np.abs(ends[0][1:4] - [0, 0, 5]).max(), 0.01, "it did not move")
        np.testing.assert_allclose(ends[0], ends[2], atol=1e-5)
        np.testing.assert_allclose(ends[1], ends[2], atol=1e-5)

    def test_no_sensors(self):
        for word in ("none", "[]"):
            self.assertEqual(self.runs(scenario(f"robot: bluerov2-heavy, name: rov, sensors: {word}"))["vehicles"][0]["sensors"], [])

    def test_ten_vehicles(self):
        text = scenario([f"robot: bluerov2-heavy, name: rov-{k}, start: {{position: [0, {k}, 5]}}" for k in range(10)], duration=0.2)
        text = text.replace("name: rov-", "sensors: [imu], name: rov-")
        self.assertEqual([v["name"] for v in self.runs(text)["vehicles"]], [f"rov-{k}" for k in range(10)])

    def test_faults_beyond_the_end(self):
        faults = "faults: [{thruster: front_port, at: 9, known_at: 10}, {sensor: dvl, at: 9}]"
        self.assertEqual(self.runs(scenario(f"robot: bluerov2-heavy, name: rov, {PID}, {faults}"))["events"], [])

    def test_duration_that_is_no_multiple_of_the_step(self):
        self.runs(scenario("robot: bluerov2-heavy, name: rov, sensors: none", duration=0.045), duration=0.05)
        self.runs(scenario("robot: bluerov2-heavy, name: rov, sensors: none", duration=0.003), duration=0.01)

    def test_steps_of_a_second(self):
        self.runs(scenario("robot: bluerov2-heavy, name: rov, start: {position: [0, 0, 5]}", duration=30, step=1))

    def test_start_above_the_surface(self):
        events = self.runs(scenario("robot: bluerov2-heavy, name: rov, start: {position: [0, 0, -1]}", duration=5))["events"]
        self.assertEqual([e["what"].split(" after")[0] for e in events], ["comes out of the water", "is under water again"])

    def test_into_a_wall(self):
        vehicle = "robot: bluerov2-heavy, name: rov, sensors: none, start: {position: [2, 2, 1]}, " \
                  "control: {kind: open_loop, by: wrench, commands: [[0, 20, 0, 0, 0, 0, 0]]}"
        summary = self.runs(scenario(vehicle, duration=15, environment="{tank: {min: [0, 0, 0], max: [4, 4, 2]}}"))
        self.assertIn("touches the north wall", summary["events"][0]["what"])
        self.assertLess(self.read(self.here / "results/log/rov.state.csv")[2][:, 1].max(), 4)

    def test_stiff_tether(self):
        for stiffness in ("1.0e+3", "1.0e+6"):
            tether = f"tether: {{anchor: [0, 0, 0], length: 8, axial_stiffness: {stiffness}}}"
            self.runs(scenario(f"robot: bluerov2-heavy, name: rov, sensors: none, start: {{position: [5, 0, 5]}}, {tether}", duration=0.2))

    def test_voltages(self):
        for volts in (0.1, 12, 1000):
            self.runs(scenario(f"robot: bluerov2-heavy, name: rov, sensors: none, voltage: {volts}, {PID}"))

    def test_text_for_people_is_text_in_the_report(self):
        self.runs(scenario(title='"<script>alert(1)</script> & more"'))
        page = (self.here / "results/report.html").read_text()
        self.assertNotIn("<script>alert(1)", page)
        self.assertIn("alert(1)", page)

    def test_motion_that_runs_away_has_status_1(self):
        self.write("s.yaml", scenario(WILD))
        self.assertIn("THE MOTION OF rov RAN AWAY", self.fathom("simulate", "s.yaml", "--out", "results", status=1).stdout)
        self.assertFalse(json.loads((self.here / "results/summary.json").read_text())["completed"])


class Memory(Simulated):
    label = "long"

    @unittest.skipIf(SANITIZED, "the sanitizer keeps what was freed")
    def test_does_not_grow_with_the_length_of_the_run(self):
        peaks = []
        for duration in (60, 600):  # by 60 s the preview for the report is full
            self.write("s.yaml", scenario(f"robot: bluerov2-heavy, name: rov, {PID}", duration=duration))
            process = subprocess.Popen([BIN, "simulate", "s.yaml", "--out", "results"], cwd=self.here, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, env=self.environment())
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0)
            peaks.append(usage.ru_maxrss / 1024)
        self.assertLess(peaks[1], peaks[0] + 3, f"MB for 60 s and 600 s: {peaks}")


class Mended(Simulated):
    """Faults that a hunt found and that must not come back."""
    label = "quick"

    TANK = "{tank: {min: [0, 0, 0], max: [4, 4, 2]}}"

    def test_tables_of_the_users_in_the_log_folder_stay(self):
        self.write("s.yaml", scenario())
        self.write("results/log/mine.csv", "t,depth\n0,1\n")
        self.fathom("simulate", "s.yaml", "--out", "results")
        self.assertTrue((self.here / "results/log/mine.csv").exists())

    def test_out_folder_that_is_a_disk(self):
        self.write("s.yaml", scenario())
        self.tmpfs("disk", "size=8m")
        self.fathom("simulate", "s.yaml", "--out", "disk", status=0)

    def test_start_that_touches_a_wall(self):
        """Pushed off the wall, or refused with its line; not thrown to 1e143 m."""
        self.write("s.yaml", scenario("robot: bluerov2-heavy, name: rov, start: {position: [3.95, 2, 1]}", environment=self.TANK))
        self.assertIn(self.fathom("simulate", "s.yaml").returncode, (0, 2))

    def test_wall_with_a_step_of_50_ms(self):
        vehicle = "robot: bluerov2-heavy, name: rov, start: {position: [1, 1, 1]}, " \
                  "control: {kind: open_loop, by: wrench, commands: [[0, 30, 0, 0, 0, 0, 0]]}"
        self.write("s.yaml", scenario(vehicle, duration=30, step=0.05, environment="{tank: {min: [0, 0, 0], max: [4, 4, 3]}}"))
        self.fathom("simulate", "s.yaml", status=0)

    def test_log_of_a_motion_that_ran_away_is_finite(self):
        self.write("s.yaml", scenario(WILD))
        summary = self.document("simulate", "s.yaml", "--out", "results", status=1)
        self.assertIn("This run failed", (self.here / "results/report.html").read_text())
        self.assertNotIn("null", json.dumps(summary))
        for path in (self.here / "results/log").iterdir():
            self.read(path)

    def test_run_without_end(self):
        self.refused_at(changed("duration: 2", "duration: 1.0e+18"), line_of("duration"), ["duration"])

    def test_every_robot_carries_its_sensors(self):
        for robot in self.robots():
            self.write("s.yaml", scenario(f"robot: {robot}, name: rov"))
            self.fathom("simulate", "s.yaml", status=0)

    def test_sensor_with_the_name_of_another_channel(self):
        self.write("own.yaml", changed("- name: imu", "- name: state", ROBOT))
        self.refused_at(changed("bluerov2-heavy", "own.yaml").replace("[imu,", "[state,"), line_of("    sensors:"), ["state"])

    def test_pilot_that_makes_no_sense(self):
        self.refused_at(scenario("robot: bluerov2-heavy, control: {kind: joystick, hold: [4, 0.5]}"), 6, ["hold"])

    def test_tank_without_sides(self):
        self.refused_at(changed("vehicles:", "  tank: {}\nvehicles:"), line_of("vehicles:"), ["tank"])

    def test_tank_above_the_water(self):
        self.refused_at(changed("vehicles:", "  tank: {min: [0, 0, -3], max: [4, 4, -1]}\nvehicles:"), line_of("vehicles:"), ["tank"])

    def test_thruster_weaker_than_nothing(self):
        self.refused_at(changed("front_port, at: 1", "front_port, at: 1, becomes: weak, factor: -5, known_at: 1"),
                        line_of("front_port"), ["factor"])

    def test_name_that_begins_with_a_dash(self):
        self.refused_at(changed("name: rov", "name: -rov"), line_of("name: rov"), ["-rov"])

    def test_segments_that_are_no_whole_number(self):
        self.refused_at(changed("    sensors:", "    tether: {anchor: [0, 0, 0], length: 8, segments: 4294967300}\n    sensors:"),
                        line_of("    sensors:"), ["segments"])

    def test_seed_that_is_not_taken_as_it_stands(self):
        for seed in ("-1", "18446744073709551616", ""):
            self.refused("open-loop", "--seed", seed, words=["--seed"])

    def test_hint_of_a_robot_file_stands_there_once(self):
        self.write("own.yaml", changed("rate_hz: 100", "rate_hz: -100", ROBOT))
        self.write("s.yaml", scenario("robot: own.yaml"))
        self.assertEqual(self.refused("s.yaml").count("(samples per second)"), 1)


if __name__ == "__main__":
    main()
