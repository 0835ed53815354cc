"""fathom under mpirun: the same bytes whatever the number of ranks, and the same command again after a death.

Run by ctest (repo:ranks); FATHOM_BIN names the program. Nothing here measures time: limits are what no run takes unless it
hangs.
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import labels

ROOT = pathlib.Path(__file__).resolve().parent.parent
FATHOM = pathlib.Path(os.environ.get("FATHOM_BIN", ROOT / "build/release/bin/fathom")).resolve()
LIMIT = 240  # s
STARTS = 30
SEARCH = ("excite", "two-minutes", "--duration", "120", "--threads", "1", "--starts", STARTS, "--out", "results")
FILES = ("trajectory.yaml", "samples.csv", "waypoints.csv", "summary.json")

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


def rank_of(pid):
    try:
        found = re.search(rb"\0OMPI_COMM_WORLD_RANK=(\d+)\0", b"\0" + pathlib.Path(f"/proc/{pid}/environ").read_bytes())
        return int(found.group(1)) if found else None
    except OSError:
        return None


def wait_until(true, what):
    limit = time.monotonic() + LIMIT
    while not true():
        if time.monotonic() > limit:
            raise AssertionError(f"waited in vain until {what}")
        time.sleep(0.01)


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = pathlib.Path(folder.name).resolve()

    def start(self, ranks, *command, **env):
        """Output goes to files: a pipe would be held open by an orphan."""
        command = [str(word) for word in command]
        if ranks > 0:
            command = ["mpirun", "-n", str(ranks), *command]
        with open(self.here / "out", "w") as out, open(self.here / "err", "w") as err:
            process = subprocess.Popen(command, cwd=self.here, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                       env={**os.environ, **SETTINGS, **env})
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def out(self):
        return (self.here / "out").read_text()

    def err(self):
        return (self.here / "err").read_text()

    def ends(self, process, status):
        try:
            process.wait(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            self.fail(f"it hangs\n{self.out()}\n{self.err()}")
        if status is None:
            self.assertNotEqual(process.returncode, 0, self.err())
        else:
            self.assertEqual(process.returncode, status, f"{self.out()}\n{self.err()}")

    def kept(self):
        """Numbers of the finished starts that wait for the others."""
        folder = self.here / "results.starts"
        return {int(path.name[2:]) for path in folder.glob("1-*") if path.name[2:].isdigit()} if folder.is_dir() else set()


class Together(Case):
    label = "quick"

    def test_verbs_that_know_no_ranks_run_once(self):
        self.ends(self.start(3, FATHOM, "--version"), 0)
        self.assertEqual(self.out().count("fathom"), 1)
        self.ends(self.start(3, FATHOM, "lint", "bluerov2-heavy"), 0)
        self.assertEqual(self.out().count("bluerov2-heavy"), 1, self.out())

    def test_bad_usage_is_told_once(self):
        self.ends(self.start(3, FATHOM, "simulat"), 2)
        self.assertEqual(self.err().count("there is no verb"), 1, self.err())

    def test_a_launcher_of_another_mpi_is_refused(self):
        self.ends(self.start(0, FATHOM, *SEARCH, OMPI_COMM_WORLD_SIZE="2", OMPI_COMM_WORLD_RANK="0"), 2)
        self.assertIn("the launcher says 2 ranks, MPI says 1", self.err())


class Deaths(Case):
    """The launch ends, the first rank names the missing starts, and the same command does only these."""
    label = "long"

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([FATHOM, *map(str, SEARCH)], cwd=folder, capture_output=True, timeout=LIMIT, check=True)
            cls.alone = {name: (pathlib.Path(folder) / "results" / name).read_bytes() for name in FILES}

    def under_way(self, *options):
        """A launch of three ranks with some finished starts, and its processes by rank."""
        process = self.start(3, FATHOM, *SEARCH[:SEARCH.index("--starts")], *SEARCH[-2:], *(options or ("--starts", STARTS)))
        wait_until(lambda: process.poll() is not None or len(self.kept()) >= 3, "some starts are finished")
        self.assertIsNone(process.poll(), f"it ended by itself\n{self.err()}")
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        return process, {rank_of(pid): int(pid) for pid in children}

    def nobody_is_left(self, pids):
        self.assertEqual(set(pids), {0, 1, 2})
        wait_until(lambda: not any(map(lives, pids.values())), f"the last of {pids} is gone")

    def resumes(self):
        before = self.kept()
        self.assertTrue(before)
        self.assertLess(len(before), STARTS)
        self.assertFalse((self.here / "results").exists())
        first = min(before)
        untouched = (self.here / f"results.starts/1-{first}").stat().st_mtime_ns
        process = self.start(2, FATHOM, *SEARCH)
        wait_until(lambda: process.poll() is not None or len(self.kept()) > len(before), "another start is finished")
        if process.poll() is None:
            self.assertEqual((self.here / f"results.starts/1-{first}").stat().st_mtime_ns, untouched, "done again")
        self.ends(process, 0)
        self.assertEqual({name: (self.here / "results" / name).read_bytes() for name in FILES}, self.alone)
        self.assertFalse((self.here / "results.starts").exists())

    def names_the_missing(self, starts=STARTS, others_may_finish=False):
        self.assertRegex(self.err(), rf"fathom: starts? \d+[\d, and more]* of {starts} (is|are) missing: a process died or was told to end; "
                                     r"the same command does only th(is one|ese)\n")
        named = re.search(r"starts? ([\d, ]+)", self.err()).group(1)
        if not others_may_finish:
            self.assertFalse({int(number) for number in named.split(",")} & self.kept())

    def test_of_a_rank(self):
        process, pids = self.under_way()
        os.kill(pids[2], signal.SIGKILL)
        self.ends(process, None)  # mpirun's own status after a signal is 137
        self.names_the_missing()
        self.nobody_is_left(pids)
        self.resumes()

    def test_of_the_first_rank(self):
        process, pids = self.under_way()
        os.kill(pids[0], signal.SIGKILL)
        self.ends(process, None)
        self.nobody_is_left(pids)
        self.resumes()

    def test_of_the_launcher(self):
        process, pids = self.under_way()
        process.kill()
        self.ends(process, None)
        self.nobody_is_left(pids)
        self.resumes()

    def test_interrupt(self):
        """Of a search that does not end by itself: mpirun takes its time to tell the ranks."""
        for sent in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(sent.name):
                shutil.rmtree(self.here / "results.starts", ignore_errors=True)  # of the search before
                process, pids = self.under_way("--starts", "3000")
                before = self.kept()
                process.send_signal(sent)
                self.ends(process, None)
                if self.err():  # mpirun may kill ranks before they can write a line
                    self.names_the_missing(3000, others_may_finish=True)
                self.nobody_is_left(pids)
                self.assertLessEqual(before, self.kept())

    def test_another_search_does_not_take_the_starts_of_this_one(self):
        process, pids = self.under_way("--starts", "3000")
        process.terminate()
        self.ends(process, None)
        self.nobody_is_left(pids)
        self.ends(self.start(2, FATHOM, *SEARCH, "--seed", "2"), 0)
        self.assertNotEqual((self.here / "results/trajectory.yaml").read_bytes(), self.alone["trajectory.yaml"])
        self.assertIn(b'"seed": 2', (self.here / "results/summary.json").read_bytes())


if __name__ == "__main__":
    if not shutil.which("mpirun"):
        print("skipped: there is no mpirun (Debian: openmpi-bin)")
        sys.exit(77)
    if b"MPI_Init" not in FATHOM.read_bytes():
        print("skipped: this build is without MPI (Debian: libopenmpi-dev)")
        sys.exit(77)
    labels.main()
