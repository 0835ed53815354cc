"""What `fathom simulate`, and `fathom demo` where it differs, leave on the disk: whole results or the old ones, also when they are stopped.

Run by ctest (repo:cli_results); FATHOM_BIN names the program.
"""
import json
import os
import resource
import signal
import subprocess
import time

from cli_case import BIN, SANITIZED, main
from cli_simulate import Simulated
from wrong_scenarios import changed, OURS, PID, scenario


class Results(Simulated):
    """What is written appears whole or not at all, and leaves the rest of the folder alone."""

    def setUp(self):
        super().setUp()
        self.write("s.yaml", scenario(duration=0.2))

    def simulate(self, *args, **more):
        return self.fathom("simulate", "s.yaml", *args, **more)

    def old_results(self, folder="results"):
        for name in ("log/rov.state.csv", "report.html", "summary.json"):
            self.write(f"{folder}/{name}", "# fathom log 1\nold\n")

    def test_default_folder_is_below_out(self):
        self.simulate(status=0)
        self.assertEqual(set(os.listdir(self.here / "out")), {"simulate-few-words"})
        self.assertEqual(set(os.listdir(self.here / "out/simulate-few-words")), OURS)

    def test_words_go_to_standard_output_and_json_stands_alone(self):
        result = self.simulate("--out", "results", status=0)
        self.assertEqual(result.stderr, "")
        self.assertIn("few-words: 0.2 s simulated", result.stdout)
        self.assertTrue(result.stdout.endswith("log:    results/log\nreport: results/report.html\n"), result.stdout)
        result = self.simulate("--out", "results", "--json", status=0)
        self.assertEqual(result.stderr, "")
        self.assertEqual(result.stdout, (self.here / "results/summary.json").read_text())
        json.loads(result.stdout)

    def test_a_second_run_replaces_ours_and_keeps_the_rest(self):
        self.write("results/notes.txt", "mine")
        self.write("results/deeper/table.csv", "mine too")
        self.old_results()
        self.simulate("--out", "results/", status=0)
        self.assertEqual((self.here / "results/notes.txt").read_text(), "mine")
        self.assertEqual((self.here / "results/deeper/table.csv").read_text(), "mine too")
        self.assertEqual(set(os.listdir(self.here / "results")), {"notes.txt", "deeper", *OURS})
        self.assertEqual(set(os.listdir(self.here)), {"results", "s.yaml"})
        self.check_log(self.here / "results/log", json.loads((self.here / "results/summary.json").read_text()))

    def test_fewer_vehicles_leave_no_stale_channels(self):
        self.write("two.yaml", scenario(["robot: bluerov2-heavy, name: rov", "robot: rexrov, name: other"], duration=0.2))
        self.fathom("simulate", "two.yaml", "--out", "results", status=0)
        self.assertTrue((self.here / "results/log/other.state.csv").exists())
        self.simulate("--out", "results", status=0)
        self.assertEqual({p.name.split(".")[0] for p in (self.here / "results/log").iterdir()}, {"rov"})

    def test_folder_made_with_its_parents(self):
        self.simulate("--out", "a/b/c", status=0)
        self.assertEqual(set(os.listdir(self.here / "a/b")), {"c"})

    def test_out_folder_by_other_names(self):
        (self.here / "real").mkdir()
        (self.here / "link").symlink_to("real")
        self.simulate("--out", "link", status=0)
        self.assertEqual(set(os.listdir(self.here / "real")), OURS)
        (self.here / "inside").mkdir()
        self.fathom("simulate", "../s.yaml", "--out", ".", status=0, cwd=self.here / "inside")
        self.assertEqual(set(os.listdir(self.here / "inside")), OURS)
        self.assertEqual(self.temporaries(), [])

    def refused_out(self, out, *words, verbs=(["demo", "--quick"], ["simulate", "s.yaml"]), **more):
        for verb, *args in verbs:
            error = self.refused(*args, "--out", out, words=words, verb=verb, **more)
            self.assertRegex(error, r"\(.+\)", "no remedy")

    def test_out_folder_that_is_a_file(self):
        self.write("results", "mine")
        self.refused_out("results", "results", "is a file, expected a folder")

    def test_out_folder_below_a_file(self):
        self.write("results", "mine")
        self.refused_out("results/deeper", "results")

    def test_out_folder_that_cannot_be_made(self):
        self.refused_out("/proc/fathom", "/proc/fathom", "cannot be made")

    def test_out_folder_that_is_not_writable(self):
        first = self.as_nobody()
        (self.here / "locked").mkdir(mode=0o555)
        self.refused_out("locked/results", "locked/results", "cannot be made", first=first)

    def test_disk_that_is_read_only(self):
        self.tmpfs("disk", "ro")
        self.refused_out("disk/results", "disk/results", "cannot be made", "Read-only")

    def test_result_name_taken(self):
        for name, taken in (("report.html", "report.html/mine"), ("summary.json", "summary.json/mine"), ("log", "log")):
            with self.subTest(name):
                self.old_results(f"{name}-case")
                subprocess.run(["rm", "-r", self.here / f"{name}-case" / name], check=True)
                self.write(f"{name}-case/{taken}", "kept")
                verbs = [["simulate", "s.yaml"]] + [["demo", "--quick"]] * (name == "log")  # told before the work
                self.refused_out(f"{name}-case", f"{name}-case/{name}", "cannot be replaced", verbs=verbs)

    def test_log_folder_with_a_file_of_the_users(self):
        self.old_results()
        for name in ("notes.txt", "deeper/notes.txt", ".hidden"):
            with self.subTest(name):
                path = self.write(f"results/log/{name}", "mine")
                self.refused_out("results", "results/log", name.split("/")[0])
                subprocess.run(["rm", "-r", self.here / "results/log" / name.split("/")[0]], check=True)
                self.assertFalse(path.exists())

    def test_limit_on_the_size_of_files(self):
        """It stands for a full disk where no disk of its own can be had."""
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        self.old_results()
        self.refused_out("results", "cannot be written", first=limit)
        self.refused_out("fresh", "cannot be written", first=limit)
        self.assertFalse((self.here / "fresh").exists())

    def test_full_disk(self):
        """In the log while the run lasts, in what is left of it when the run ends, and in the page."""
        disk = self.tmpfs("disk", "size=4m")
        self.simulate("--out", "disk/results", status=0)
        before = self.tree()
        taken = sum(len(content or b"") for content in self.tree(disk).values())
        self.write("long.yaml", scenario(f"robot: bluerov2-heavy, name: rov, {PID}", duration=60))
        for free, name in ((None, "long.yaml"), (100_000, "s.yaml"), (8_000, "s.yaml")):
            with self.subTest(free=free):
                if free is not None:
                    self.write("disk/filler", bytes((4 << 20) - taken - free - 65536))
                self.refused(name, "--out", "disk/results", words=["cannot be written", "No space left on device"])
                self.refused(name, "--out", "disk/fresh", words=["No space left on device"])
        (disk / "filler").unlink()
        del before["disk/results"], before["s.yaml"]
        self.assertEqual({name: content for name, content in self.tree().items() if name in before}, before)
        self.simulate("--out", "disk/results", status=0)


class Interrupted(Simulated):
    """SIGINT and SIGTERM: status 130, and what was there before is as it was."""

    LONG = scenario(f"robot: bluerov2-heavy, name: rov, {PID}", duration=1_000_000)
    SHORT = scenario(f"robot: bluerov2-heavy, name: rov, {PID}", duration=0.5 if SANITIZED else 5)

    def prepare(self):
        for name in ("log/rov.state.csv", "report.html", "summary.json"):
            self.write(f"results/{name}", "# fathom log 1\nold")
        self.write("results/notes.txt", "mine")
        return self.tree(self.here / "results")

    def start(self, *args, **env):
        return subprocess.Popen([BIN, *args, "--out", "results"], cwd=self.here, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=self.environment(**env))

    def was_interrupted(self, process, before):
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        self.assertEqual(out, "")
        self.assertIn("interrupted", err)
        self.assertEqual(self.tree(self.here / "results"), before)
        self.assertEqual(self.temporaries(), [])

    def results(self):
        """What is there besides the temporary folder of a run that goes on or was killed."""
        return {name: content for name, content in self.tree(self.here / "results").items() if not name.startswith(".fathom.")}

    def test_before_the_first_step(self):
        """The robot file is a pipe that stays silent: the program waits in it until the signal arrives."""
        self.write("s.yaml", self.SHORT)
        for sent in (signal.SIGINT, signal.SIGTERM):
            for robot, *args in (("defender-like", "demo", "--quick"), ("bluerov2-heavy", "simulate", "s.yaml")):
                with self.subTest(sent=sent.name, verb=args[0]):
                    before = self.prepare()
                    own = self.here / f"own-{args[0]}-{sent.name}"
                    own.mkdir()
                    os.mkfifo(own / f"{robot}.yaml")
                    process = self.start(*args, FATHOM_MODELS=str(own))
                    with open(own / f"{robot}.yaml", "wb"):  # returns when the program has opened it
                        process.send_signal(sent)
                        self.was_interrupted(process, before)

    def test_in_a_long_run(self):
        self.write("long.yaml", self.LONG)
        for sent in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(sent.name):
                before = self.prepare()
                process = self.start("simulate", "long.yaml")
                limit = time.monotonic() + 30
                while not any(p.stat().st_size > 0 for p in self.here.glob("results.*.tmp/log/*.part")):
                    self.assertIsNone(process.poll(), "it ended by itself")
                    self.assertLess(time.monotonic(), limit, "nothing was written")
                    time.sleep(0.01)
                self.assertEqual(self.results(), before, "results changed before their time")
                sent_at = time.monotonic()
                process.send_signal(sent)
                self.was_interrupted(process, before)
                self.assertLess(time.monotonic() - sent_at, 10, "slow to stop")

    def test_at_any_time(self):
        self.write("s.yaml", self.SHORT)
        started = time.monotonic()
        self.fathom("simulate", "s.yaml", "--out", "results", status=0)
        usual = time.monotonic() - started
        after = self.tree(self.here / "results")
        statuses, k = [], 0
        while k < 40 or (0 not in statuses and k < 400):  # on until a run is let through
            before, delay = self.prepare(), usual * k / 30
            before = {name: content for name, content in before.items() if not name.startswith("log/") or name == "log/rov.state.csv"}
            for path in (self.here / "results/log").iterdir():
                if path.name != "rov.state.csv":
                    path.unlink()
            process = self.start("simulate", "s.yaml")
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            err = process.communicate(timeout=60)[1]
            statuses.append(process.returncode)
            with self.subTest(delay=delay):
                # -SIGINT: it came before the first line of main, and nothing was begun.
                self.assertIn(process.returncode, (0, 130, -signal.SIGINT), err)
                expected = {**before, **after} if process.returncode == 0 else before
                found = self.tree(self.here / "results")
                self.assertEqual(found.keys(), expected.keys())
                self.assertEqual([name for name in found if found[name] != expected[name]], [])
                self.assertEqual(self.temporaries(), [])
            k += 1
        self.assertIn(0, statuses, "no run was let through: the delays are too short to show anything")
        self.assertIn(130, statuses, "no run was interrupted: the delays show nothing")

    def test_killed_outright(self):
        """Nothing can be cleaned up, but the results are the old ones."""
        self.write("long.yaml", self.LONG)
        before = self.prepare()
        process = self.start("simulate", "long.yaml")
        time.sleep(0.3)
        process.kill()
        process.communicate(timeout=60)
        self.assertEqual(self.results(), before)
        self.write("s.yaml", self.SHORT)
        self.fathom("simulate", "s.yaml", "--out", "results", status=0)
        self.assertEqual(self.temporaries(), [], "the next run did not remove what the killed one left")

    def test_a_second_run_is_told_who_writes(self):
        self.write("long.yaml", self.LONG)
        self.write("s.yaml", self.SHORT)
        before = self.prepare()
        process = self.start("simulate", "long.yaml")
        limit = time.monotonic() + 30
        while not any(self.here.glob("results.*.tmp/log/*.part")):
            self.assertLess(time.monotonic(), limit, "nothing was written")
            time.sleep(0.01)
        error = self.fathom("simulate", "s.yaml", "--out", "results", status=2).stderr
        self.assertIn(f"results: is being written by process {process.pid} (fathom simulate)", error)
        process.send_signal(signal.SIGINT)
        self.was_interrupted(process, before)

    def test_pairs_of_runs_never_mix(self):
        """Two runs of different seeds into one folder: it holds one of the two, and the other one says so."""
        self.write("s.yaml", scenario(f"robot: bluerov2-heavy, name: rov, {PID}", duration=0.2))
        expected = []
        for seed in (1, 2):
            self.fathom("simulate", "s.yaml", "--out", "results", "--seed", str(seed), status=0)
            expected.append(self.tree(self.here / "results"))
        self.assertNotEqual(*expected)
        for k in range(2 if SANITIZED else 12):
            pair = [self.start("simulate", "s.yaml", "--seed", str(seed)) for seed in (1, 2)]
            if k % 3 == 2:
                time.sleep(0.01 * k)
                pair[k % 2].kill()
            statuses = [process.wait(timeout=60) for process in pair]
            for process in pair:
                process.stdout.close(), process.stderr.close()
            with self.subTest(k=k, statuses=statuses):
                self.assertLessEqual(set(statuses), {0, 2, -signal.SIGKILL})
                self.assertIn(self.tree(self.here / "results"), expected)
        self.fathom("simulate", "s.yaml", "--out", "results", status=0)
        self.assertEqual(self.temporaries(), [])


if __name__ == "__main__":
    main()
