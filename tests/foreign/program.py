"""Runs the program on a vehicle's folder: convert, prior, identify, validate; and collects what it says."""

import dataclasses
import json
import os
import pathlib
import re
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def program():
    return os.environ.get("FATHOM_BIN", str(ROOT / "build/release/bin/fathom"))


@dataclasses.dataclass
class Run:
    status: int
    output: str
    error: str
    seconds: float

    def message(self):
        """The first line that is an error or a warning, else the first line of the error stream."""
        lines = [line.strip() for line in (self.error + "\n" + self.output).splitlines() if line.strip()]
        marked = [line for line in lines if re.match(r"(error|warning)\b", line, re.I)]
        first = [line for line in self.error.splitlines() if line.strip()]
        return (marked or first or lines or [""])[0] if self.status or marked else ""


def run(*arguments, timeout=300):
    start = time.monotonic()
    try:
        done = subprocess.run([program(), *map(str, arguments)], capture_output=True, text=True, timeout=timeout)
        return Run(done.returncode, done.stdout, done.stderr, time.monotonic() - start)
    except subprocess.TimeoutExpired:
        return Run(-1, "", f"error: longer than {timeout} s", time.monotonic() - start)


def convert(folder, runs, out):
    """Logs of these runs below `out`; returns their folders and the runs of the program."""
    done = [run("convert", folder / "log.yaml", "--log", folder, "--run", name, "--out", out / name) for name in runs]
    return [out / name / "log" for name in runs], done


def check(robot, log, out):
    """Compares the sensors of a converted log with each other and with the commands: the check of `identify` without the fit."""
    return run("convert", log, "--robot", robot, "--out", out)


def prior(hull, out):
    """The robot file of a hull file."""
    return run("prior", hull, "--out", out)


def identify(robot, logs, out, *options):
    """Returns the run and the summary (None where nothing was written)."""
    arguments = ["identify", "--robot", robot]
    for log in logs:
        arguments += ["--log", log]
    done = run(*arguments, "--out", out, *options)
    path = pathlib.Path(out) / "summary.json"
    return done, json.loads(path.read_text()) if path.exists() else None


def validate(robot, logs, out):
    arguments = ["validate", "--robot", robot]
    for log in logs:
        arguments += ["--log", log]
    done = run(*arguments, "--out", out)
    path = pathlib.Path(out) / "summary.json"
    return done, json.loads(path.read_text()) if path.exists() else None
