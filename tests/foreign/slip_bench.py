#!/usr/bin/env python3
"""Which slips of users are named: every slip of slips.py on every vehicle that has the sensors.

    ./dev bench slips [--vehicles N] [--seed S] [--family vehicle|in_plane] [--shared-only] [--vehicle DIR ...] [--slip NAME ...] [--check-only] [--full]

Vehicles are those of the measured data (FATHOM_DATA) where it is there, and N generated ones. Each copy is converted, given a robot file and
identified; the first step that stops, or else all warnings, is what the user reads. `remedy`: its text names the right remedy; `pair`: at least
the right two sensors; correct logs must have neither an exit status of 2 nor a message that names a slip. With --check-only the logs are
not identified: `convert --robot` compares the same sensors with each other and with the commands, in a tenth of the time. The exit status is 1
where a slip is not named or a correct log has an alarm. FATHOM_BIN names the program.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import generate  # noqa: E402
import program  # noqa: E402
import slips  # noqa: E402

ALARM = r"contradict|disagree|do not (quite )?agree|does not agree|beats|\bremedy\b|is outside \["


def messages(done):
    """What a run says on its error stream, without its progress."""
    return "\n".join(line.split("\r")[-1].strip() for line in done.error.splitlines() if line.strip())


def judge(name, text, status):
    slip = slips.SLIPS[name]
    if not slip.remedy:
        return "ALARM" if status not in (0, 1) or re.search(ALARM, text, re.I) else "ok"
    for line in text.split("\n"):
        if re.search(slip.remedy, line, re.I) and re.search(ALARM + r"|error|warning|try|did you", line, re.I):
            return "remedy"
    for line in text.split("\n"):
        if re.search(ALARM, line, re.I) and all(re.search(part, line, re.I) for part in slip.pair):
            return "pair"
    return "-"


def try_one(folder, name, check_only=False):
    """Stage, exit status, verdict, deciding line and whole text of one slip on one vehicle; None where the vehicle lacks a sensor."""
    with tempfile.TemporaryDirectory(prefix="fathom-slips-") as scratch:
        scratch = pathlib.Path(scratch)
        if not slips.make(folder, scratch, [name]):
            return None
        copy = scratch / name
        runs = slips.Copy(folder).runs
        logs, steps = program.convert(copy, runs, scratch / "logs")
        steps = [("convert", s) for s in steps]
        if not any(s.status == 2 for _, s in steps):  # 1: the sensors contradict each other, and the log is written
            steps.append(("prior", program.prior(copy / "hull.yaml", scratch / "robot.yaml")))
        if not any(s.status == 2 for _, s in steps):
            if check_only:
                steps += [("check", program.check(scratch / "robot.yaml", log, scratch / f"checked-{k}")) for k, log in enumerate(logs)]
            else:
                steps.append(("identify", program.identify(scratch / "robot.yaml", logs, scratch / "out")[0]))
        stage, last = next(((stage, s) for stage, s in steps if s.status == 2), steps[-1])
        text = "\n".join(messages(s) for _, s in steps)
        lines = [line for line in messages(last).split("\n") if not re.match(r"identifying |wrote|Model ", line)] or [""]
        errors = [line for line in lines if "warning" not in line]
        first = re.sub(re.escape(str(scratch)), "", (errors if last.status == 2 and errors else lines)[0])
        named = judge(name, text, last.status)
        if named in ("remedy", "pair", "ALARM"):  # the line that decides
            for line in text.split("\n"):
                if judge(name, line, last.status) == named and re.search(ALARM + "|error|warning", line, re.I):
                    first = re.sub(re.escape(str(scratch)), "", line)
                    break
        return stage, last.status, named, first, text


def folders_of(arguments):
    """Vehicles, those of the measured data first; and the folder of the latter."""
    data = pathlib.Path(os.environ.get("FATHOM_DATA", program.ROOT.parent / "shared/data")) / "foreign_vehicles"
    if arguments.vehicle:
        return arguments.vehicle, data
    folders = sorted(p for p in data.iterdir() if p.is_dir()) if data.is_dir() and not arguments.generated_only else []
    if not arguments.shared_only:
        folders += generate.make(arguments.cache / f"{arguments.family}-{arguments.seed}", arguments.vehicles, arguments.seed, arguments.family)
    return folders, data


def print_counts(counts):
    """The table of slips; returns the number of slips that are not named and of alarms on correct logs."""
    print(f"\n{'slip':<22} named by remedy, pair, not at all")
    faults = 0
    for name, c in counts.items():
        correct = not slips.SLIPS[name].remedy
        faults += c["ALARM"] + c["-"]
        print(f"{name:<22} " + (f"false alarms {c['ALARM']} of {sum(c.values())}" if correct else f"{c['remedy']:>3} {c['pair']:>3} {c['-']:>3}"))
    return faults


def main():
    parser = argparse.ArgumentParser(prog="./dev bench slips", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vehicles", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--family", choices=["vehicle", "in_plane"], default="vehicle", help="of the generated vehicles")
    parser.add_argument("--shared-only", action="store_true", help="no generated vehicles")
    parser.add_argument("--generated-only", action="store_true", help="no vehicles of the measured data")
    parser.add_argument("--vehicle", action="append", type=pathlib.Path, help="folders of vehicles in place of all these")
    parser.add_argument("--slip", action="append", choices=list(slips.SLIPS))
    parser.add_argument("--check-only", action="store_true", help="the sensor check alone, no fit")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--width", type=int, default=150, help="letters of a message that are shown")
    parser.add_argument("--full", action="store_true", help="all that is said, below each slip")
    parser.add_argument("--cache", type=pathlib.Path, default=program.ROOT / "build/foreign")
    arguments = parser.parse_args()
    folders, data = folders_of(arguments)
    names = arguments.slip or list(slips.SLIPS)
    tasks = [(name, folder) for name in names for folder in folders]
    counts = {name: collections.Counter() for name in names}
    print(f"{'slip':<22}{'vehicle':<18}{'stage':<9}{'exit':>4} {'named':<7} message")
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = pool.map(lambda task: try_one(task[1], task[0], arguments.check_only), tasks)
        for (name, folder), result in zip(tasks, results):
            if result is None:
                continue
            stage, status, named, first, text = result
            counts[name][named] += 1
            label = ("shared " if data in folder.parents else "") + folder.name
            print(f"{name:<22}{label:<18}{stage:<9}{status:>4} {named:<7} {first[:arguments.width]}", flush=True)
            if arguments.full:
                print("\n".join("      " + line for line in text.split("\n")), flush=True)
    return 1 if print_counts(counts) else 0


if __name__ == "__main__":
    sys.exit(main())
