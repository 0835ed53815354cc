"""Line coverage per module of what the tests have run: coverage.py BUILD, after the programs of that build (./dev coverage).

A line counts once, and has run if it has in any program that compiled it: templates and inline functions are in many.
"""

import json
import os
import pathlib
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
LISTED_BELOW = 80  # per cent: files below it are listed with what has not run


def reports(build, notes):
    """gcov's reports on some objects, one JSON document per line."""
    done = subprocess.run(["gcov", "--json-format", "--stdout", *notes], cwd=build, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line]


def add(report, build, runs):
    for file in report["files"]:
        path = pathlib.Path(os.path.normpath(build / file["file"]))
        if not path.is_relative_to(ROOT / "fathom") or "test" in path.parts:
            continue
        lines = runs[path.relative_to(ROOT)]
        for line in file["lines"]:
            lines[line["line_number"]] = lines.get(line["line_number"], False) or line["count"] > 0


def runs_of(build):
    """Per file of the library: line -> has it run?"""
    notes = sorted(str(path) for path in build.rglob("*.gcno"))
    bundles = [notes[k:k + 20] for k in range(0, len(notes), 20)]
    runs = defaultdict(dict)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for bundle in pool.map(lambda bundle: reports(build, bundle), bundles):
            for report in bundle:
                add(report, build, runs)
    return runs


def ranges(lines):
    """Lines that have not run, as 7, 10-12: lines without code, between two of them, do not part them."""
    found, open_range = [], None
    for number in sorted(lines):
        if lines[number]:
            open_range = None
        elif open_range:
            open_range[1] = number
        else:
            open_range = [number, number]
            found.append(open_range)
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in found)


def row(name, lines):
    run = sum(lines)
    return f"{name:<12} {len(lines):6} {len(lines) - run:8} {100 * run / len(lines):6.1f} %"


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    runs = runs_of(build)
    if not runs:
        sys.exit(f"coverage.py: {build} has no counts: ./dev coverage builds and runs the tests first")
    modules = defaultdict(list)
    for path, lines in runs.items():
        modules[path.parts[1]] += lines.values()
    print(f"{'module':<12} {'lines':>6} {'not run':>8} {'run':>8}")
    for module in sorted(modules):
        print(row(module, modules[module]))
    print(row("all", [run for lines in modules.values() for run in lines]))

    below = {path: lines for path, lines in runs.items() if 100 * sum(lines.values()) < LISTED_BELOW * len(lines)}
    print(f"\n{len(below)} of {len(runs)} files below {LISTED_BELOW} %, and the lines that have not run:")
    for path, lines in sorted(below.items()):
        print(f"{path} {100 * sum(lines.values()) / len(lines):.0f} %: {ranges(lines)}")


if __name__ == "__main__":
    main()
