"""Jobs over MPI ranks: the same results whatever their number, and whoever dies on the way.

Run by ctest (repo:ranks); FATHOM_CREW_DEMO and FATHOM_BIN name the programs. Nothing here measures time: limits are what
no run takes unless it hangs.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEMO = pathlib.Path(os.environ.get("FATHOM_CREW_DEMO", ROOT / "build/release/bin/fathom_crew_demo")).resolve()
FATHOM = pathlib.Path(os.environ.get("FATHOM_BIN", ROOT / "build/release/bin/fathom")).resolve()
LIMIT = 120  # s
JOBS = 24

SETTINGS = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_odls_base_sigkill_timeout": "3",  # s from SIGTERM to SIGKILL; the usual 1 is little on a loaded machine
    "ASAN_OPTIONS": "detect_leaks=0",  # libmpi's own
}


def lives(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def wait_until(true, what):
    limit = time.monotonic() + LIMIT
    while not true():
        if time.monotonic() > limit:
            raise AssertionError(f"waited in vain until {what}")
        time.sleep(0.02)


class Case(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.alone = subprocess.run([DEMO, str(JOBS), "1", "1"], text=True, capture_output=True, timeout=LIMIT, check=True).stdout
        cls.lines = set(cls.alone.splitlines())

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = pathlib.Path(folder.name).resolve()
        (self.here / "pids").mkdir()

    def start(self, ranks, *command, **env):
        """Output goes to files: a pipe would be held open by an orphan."""
        command = [str(word) for word in command]
        if ranks > 0:
            command = ["mpirun", "-n", str(ranks), *command]
        out, err = (open(self.here / name, "w") for name in ("out", "err"))
        with out, err:
            process = subprocess.Popen(command, cwd=self.here, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                       env={**os.environ, **SETTINGS, "DEMO_PIDS": str(self.here / "pids"),
                                            "DEMO_OUT": str(self.here / "kept"), **env})
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def out(self):
        return (self.here / "out").read_text()

    def err(self):
        return (self.here / "err").read_text()

    def demo(self, ranks, milliseconds=5, threads=1, jobs=JOBS, **env):
        return self.start(ranks, DEMO, jobs, milliseconds, threads, **env)

    def ends(self, process, status):
        try:
            process.wait(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            self.fail(f"it hangs\n{self.out()}\n{self.err()}")
        if status is None:
            self.assertNotEqual(process.returncode, 0, self.err())
        else:
            self.assertEqual(process.returncode, status, f"{self.out()}\n{self.err()}")

    def pids(self):
        return {path.name: int(path.read_text()) for path in (self.here / "pids").iterdir() if path.read_text().endswith("\n")}

    def nobody_is_left(self):
        pids = self.pids()
        self.assertTrue(pids)
        wait_until(lambda: not any(map(lives, pids.values())), f"the last of {pids} is gone")

    def under_way(self, ranks, **env):
        """A run of which the first job has ended on every rank; it would take minutes."""
        (self.here / "kept").unlink(missing_ok=True)
        for pid in (self.here / "pids").iterdir():
            pid.unlink()
        process = self.demo(ranks, jobs=100_000, milliseconds=50, **env)
        everyone = {f"{kind}-{rank}" for kind in ("rank", "worker") for rank in range(ranks)}
        wait_until(lambda: process.poll() is not None or (everyone <= self.pids().keys() and "first result" in self.err()),
                   "every rank is at work")
        self.assertIsNone(process.poll(), f"it ended by itself\n{self.err()}")
        return process

    def kept_the_best_so_far(self):
        self.assertTrue((self.here / "kept").is_file(), f"nothing was kept\n{self.err()}")
        lines = (self.here / "kept").read_text().splitlines()
        jobs = [line for line in lines if line.startswith("job ")]
        self.assertTrue(jobs, self.err())
        self.assertEqual(lines[-1], f"interrupted after {len(jobs)} jobs")
        values = {line.split(":")[0][4:]: float(line.split()[2]) for line in jobs}
        self.assertEqual(lines[-2], f"best: {min(values, key=values.get)}")
        for line in jobs:  # a job that was cut short is no other job
            if int(line.split(":")[0][4:]) < JOBS:
                self.assertIn(line, self.lines)


class Together(Case):
    def test_the_same_results_whatever_the_number_of_ranks_and_threads(self):
        for ranks, threads in ((0, 3), (1, 1), (2, 1), (3, 2), (4, 1)):
            with self.subTest(ranks=ranks, threads=threads):
                self.ends(self.demo(ranks, threads=threads), 0)
                self.assertEqual(self.out(), self.alone)
                self.assertNotIn("note:", self.err())
                self.nobody_is_left()

    def test_more_ranks_than_jobs(self):
        self.ends(self.demo(4, jobs=2), 0)
        self.assertEqual(self.out().splitlines()[:2], self.alone.splitlines()[:2])

    def test_one_campaign_after_the_other(self):
        self.ends(self.demo(3, DEMO_CAMPAIGNS="3"), 0)
        self.assertEqual(self.out(), 3 * self.alone)

    def test_enough_is_enough(self):
        self.ends(self.demo(3, DEMO_ENOUGH="4"), 0)
        jobs = self.out().splitlines()[:-1]
        self.assertGreaterEqual(len(jobs), 4)
        self.assertLessEqual(len(jobs), 4 + 3)
        self.assertLessEqual(set(jobs), self.lines)

    def test_what_a_job_throws_is_told_once(self):
        for ranks in (0, 3):
            with self.subTest(ranks=ranks):
                self.ends(self.demo(ranks, DEMO_THROW="5"), 2)
                self.assertEqual(self.out(), "")
                self.assertEqual(self.err().count("input error: demo.yaml:7: job job 5 (a hint)"), 1, self.err())

    def test_verbs_that_know_no_ranks_run_once(self):
        self.ends(self.start(3, FATHOM, "--version"), 0)
        self.assertEqual(self.out().count("fathom"), 1)
        self.ends(self.start(3, FATHOM, "lint", "bluerov2-heavy"), 0)
        self.assertEqual(self.out().count("bluerov2-heavy"), 1, self.out())

    def test_bad_usage_is_told_once(self):
        self.ends(self.start(3, FATHOM, "simulat"), 2)
        self.assertEqual(self.err().count("there is no verb"), 1, self.err())

    def test_a_launcher_of_another_mpi_is_refused(self):
        self.ends(self.demo(0, OMPI_COMM_WORLD_SIZE="2", OMPI_COMM_WORLD_RANK="0"), 2)
        self.assertIn("the launcher says 2 ranks, MPI says 1", self.err())


class Deaths(Case):
    def test_of_a_worker_are_reported_and_change_nothing(self):
        for rank in range(3):
            with self.subTest(rank=rank):
                for pid in (self.here / "pids").iterdir():
                    pid.unlink()
                self.ends(self.demo(3, DEMO_DIE=str(rank)), 0)
                self.assertEqual(self.out(), self.alone)
                self.assertEqual(self.err().count("note:"), 1, self.err())
                self.assertIn(f"note: rank {rank} died (signal 9: killed); its 1 job was done by others\n", self.err())

    def test_from_outside_of_a_worker_with_several_jobs(self):
        process = self.demo(2, milliseconds=200, threads=3)
        wait_until(lambda: "worker-1" in self.pids(), "the worker is at work")
        os.kill(self.pids()["worker-1"], signal.SIGKILL)
        self.ends(process, 0)
        self.assertEqual(self.out(), self.alone)
        self.assertRegex(self.err(), r"note: rank 1 died \(signal 9: killed\); its (1 job was|[23] jobs were) done by others\n")
        self.nobody_is_left()

    def test_of_a_worker_in_each_campaign(self):
        self.ends(self.demo(3, DEMO_DIE="1", DEMO_CAMPAIGNS="2"), 0)
        self.assertEqual(self.out(), 2 * self.alone)
        self.assertIn("note: rank 1 died", self.err())

    def test_of_all_workers_end_the_run_with_a_reason(self):
        self.ends(self.demo(3, DEMO_KILLER="5"), 1)
        self.assertEqual(self.out(), "")
        for rank in range(3):
            self.assertIn(f"rank {rank} died (signal 9: killed)", self.err())
        self.assertIn("lost: no rank is left: ", self.err())
        self.assertIn("; job 5 was under way each time\n", self.err())

    def test_of_a_supervisor_keep_the_best_so_far(self):
        """mpirun then ends the whole launch; the first rank has time to write what it has."""
        process = self.under_way(3)
        os.kill(self.pids()["rank-2"], signal.SIGKILL)
        self.ends(process, None)
        self.kept_the_best_so_far()
        self.nobody_is_left()

    def test_of_the_first_supervisor_leave_nobody_behind(self):
        process = self.under_way(3)
        os.kill(self.pids()["rank-0"], signal.SIGKILL)
        self.ends(process, None)
        self.nobody_is_left()

    def test_of_the_launcher_leave_nobody_behind(self):
        process = self.under_way(3)
        process.kill()
        self.ends(process, None)
        self.nobody_is_left()


class Interrupted(Case):
    def test_ranks_keep_the_best_so_far(self):
        for sent in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(sent.name):
                process = self.under_way(3)
                process.send_signal(sent)
                self.ends(process, None)
                self.kept_the_best_so_far()
                self.nobody_is_left()

    def test_threads_keep_the_best_so_far(self):
        for sent in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(sent.name):
                process = self.under_way_alone()
                process.send_signal(sent)
                self.ends(process, 130)
                self.kept_the_best_so_far()

    def test_twice_does_not_wait(self):
        process = self.under_way_alone(DEMO_DEAF="1")
        wait_until(lambda: process.send_signal(signal.SIGINT) or process.poll() is not None, "it has ended")
        self.ends(process, 130)
        self.assertEqual(self.out(), "")

    def under_way_alone(self, **env):
        (self.here / "kept").unlink(missing_ok=True)
        process = self.demo(0, jobs=100_000, milliseconds=50, threads=2, **env)
        wait_until(lambda: process.poll() is not None or "first result" in self.err(), "it is at work")
        self.assertIsNone(process.poll(), f"it ended by itself\n{self.err()}")
        return process


if __name__ == "__main__":
    if not shutil.which("mpirun"):
        print("skipped: there is no mpirun (Debian: openmpi-bin)")
        sys.exit(77)
    if b"MPI_Init" not in DEMO.read_bytes():
        print("skipped: this build is without MPI (Debian: libopenmpi-dev)")
        sys.exit(77)
    unittest.main(verbosity=2)
