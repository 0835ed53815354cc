"""What the tests of the command line share: where the program is, how it is run, and a folder of one's own for each test."""

import json
import os
import pathlib
import re
import resource
import subprocess
import tempfile
import unittest

import labels

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = pathlib.Path(os.environ.get("FATHOM_BIN", ROOT / "build/release/bin/fathom")).resolve()
SANITIZED = b"__asan_init" in BIN.read_bytes() if BIN.is_file() else False

# A pilot's pushes in still water, as the robot file says: the model is the plant, what is left is the sensors.
PUSHES = """format: fathom-scenario-1
name: pushes
duration: {duration}
vehicles:
  - name: rov
    robot: bluerov2-heavy
    start: {{position: [0, 0, 20]}}
    control: {{kind: joystick, share: 0.3, axes: [surge, sway, heave, yaw], hold: [0.5, 4]}}
"""


def one_change(text, old, new):
    """The text with one place changed."""
    assert text.count(old) == 1, old
    return text.replace(old, new)


def line_in(text, words):
    """The line in which the words begin."""
    assert words in text, words
    return text[: text.index(words)].count("\n") + 1


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = pathlib.Path(folder.name).resolve()

    def environment(self, **more):
        kept = {k: v for k, v in os.environ.items() if k != "FATHOM_MODELS"}
        limit = ":".join(filter(None, [os.environ.get("ASAN_OPTIONS"), "hard_rss_limit_mb=2000"]))
        return {**kept, "PATH": f"{BIN.parent}:{os.environ['PATH']}", "ASAN_OPTIONS": limit, **more}

    def fathom(self, *args, status=None, env=None, text=True, first=lambda: None, timeout=60, **more):
        """Runs the program. `first` is called in the new process before it."""
        def begin():
            if not SANITIZED:  # bad input must not take the machine with it
                resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
            first()
        more = {"cwd": self.here, "stdout": subprocess.PIPE, **more}
        result = subprocess.run([BIN, *args], stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=text, timeout=timeout,
                                env=self.environment(**(env or {})), errors="replace" if text else None,
                                preexec_fn=begin, **more)
        if status is not None:
            self.assertEqual(result.returncode, status, f"fathom {' '.join(map(str, args))}\n{result.stdout}\n{result.stderr}")
        return result

    def write(self, name, content):
        path = self.here / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def document(self, *args, status=0, **more):
        """The one JSON document on standard output; json.loads refuses anything behind it."""
        return json.loads(self.fathom(*args, "--json", status=status, **more).stdout)

    def tree(self, folder=None):
        """Every file below `folder` with its bytes, every folder with None."""
        folder = folder or self.here
        return {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else None for p in folder.rglob("*")}

    def temporaries(self):
        """What an interrupted run may have left anywhere below."""
        return [str(p) for p in self.here.rglob("*") if p.name.endswith((".tmp", ".part", ".old", ".fathom-lock", ".fathom-journal"))]

    def as_nobody(self):
        """For `first`: permissions hold for the program even where root runs the tests. Skips where that cannot be had."""
        if os.geteuid() != 0:
            return lambda: None
        def become_nobody():
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        self.here.chmod(0o755)
        try:
            reachable = subprocess.run([BIN, "--version"], capture_output=True, preexec_fn=become_nobody, timeout=60).returncode == 0
        except (OSError, subprocess.SubprocessError):
            reachable = False
        if not reachable:
            self.skipTest("root runs the tests, and nobody else may run the program")
        return become_nobody

    def tmpfs(self, name, options):
        """A small disk of its own."""
        folder = self.here / name
        folder.mkdir()
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True, text=True)
        if made.returncode != 0:
            self.skipTest(f"no disk of its own: {made.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", folder], check=True)
        return folder

    def verbs(self):
        listing = self.fathom("--help", status=0).stdout.split("Verbs:")[1].split("\n\n")[0]
        return re.findall(r"^  ([a-z]+) ", listing, re.MULTILINE)

    def robots(self):
        return [r["name"] for r in json.loads(self.fathom("models", "--json", status=0).stdout)["robots"]]


def main():
    if not BIN.is_file():
        raise SystemExit(f"{BIN} does not exist: build first, or set FATHOM_BIN")
    labels.main()
