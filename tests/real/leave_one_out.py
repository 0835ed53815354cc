"""Leave-one-run-out over real recordings: how often an identified model predicts an unseen run better than two baseline models.

Each run in turn is held out; `fathom identify` sees the others, `fathom validate` scores the held-out one beside constant velocity and a linear
fit per axis, by the R2 of the acceleration (gain > 0) and by the error of free runs over 5 s (ratio < 1), in surge, sway and heave.

Counting rules:
- An axis counts where the held-out run commands it and moves it: the standard deviations of its command and of its velocity are at least a
  quarter of their rms over the other runs. Elsewhere there is no motion to predict.
- A comparison within one standard error of paired blocks of 5 s is a tie and counts half.
- A run that `identify` or `validate` fails on, or that no baseline can be compared on, loses all comparisons of its axes that count.
- A run outside the training range (a wrench, a velocity, roll or pitch in more than 2 % of the samples; docs/identification.md, "Beyond the
  range") is flagged and not counted.

With --bands, the 95 % bands of `fathom validate` over the same held-out runs: which share of the samples they cover, by axis and pooled. The
bar is 92 to 98 % pooled and 88 to 99.5 % of each axis. Runs outside the training range count here: the band says that it is wider there.

Run by `./dev bench real`, or by hand: FATHOM_BIN=build/release/bin/fathom python3 tests/real/leave_one_out.py --estimator auto forward
"""

import argparse
import concurrent.futures
import csv
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ.get("FATHOM_DATA", ROOT.parent / "shared/data"))
STUDY = ROOT / "studies/real"
BIN = os.environ.get("FATHOM_BIN", str(ROOT / "build/release/bin/fathom"))
AXES = ("surge", "sway", "heave")
LEAST_SHARE = 0.25  # of the other runs' standard deviation: less is no motion or no command
MOST_OUTSIDE = 0.02  # of the samples, beyond the training range
BARS = {"rov": 0.80, "auv": 0.75}
CHANNELS = {"rov": ("rov.mocap_velocity.csv", "rov.pilot.csv"), "auv": ("auv.dvl.csv", "auv.wrench.csv")}


def fathom(*args, accepted=(0, 1)):
    done = subprocess.run([BIN, *map(str, args)], capture_output=True, text=True, check=False)
    if done.returncode not in accepted:
        raise RuntimeError(f"fathom {' '.join(map(str, args))}\n{done.stderr[-800:]}")


def converted(here):
    """Robot files and logs of both vehicles, by name of the run."""
    runs = {"rov": {}, "auv": {}}
    for vehicle in runs:
        if not (here / f"{vehicle}.yaml").exists():
            fathom("prior", STUDY / f"{vehicle}_hull.yaml", "--out", here / f"{vehicle}.yaml")
    for k, file in enumerate(sorted((DATA / "rov_tank_teleop").glob("*_real.csv"))):
        runs["rov"][str(k)] = ("rov_tank_motion.yaml", ["--log", file])
    for file in sorted((DATA / "auv_pool_wrench").glob("wrench_*.csv"), key=lambda f: int(f.stem.split("_")[1])):
        k = file.stem.split("_")[1]
        runs["auv"][k] = ("auv_pool_wrench.yaml", ["--log", DATA / "auv_pool_wrench", "--run", k])
    for vehicle, of_vehicle in runs.items():
        for k, (description, args) in of_vehicle.items():
            out = here / f"{vehicle}-{k}"
            if not out.exists():
                fathom("convert", STUDY / description, *args, "--out", out)
            of_vehicle[k] = out / "log"
    return runs


def spreads(file):
    """Standard deviation of each of the first three columns."""
    rows = [row for row in csv.reader(file.open()) if row and not row[0].startswith("#")][1:]
    values = [[float(cell or "nan") for cell in row[1:4]] for row in rows]
    values = [row for row in values if all(x == x for x in row)]
    return [statistics.pstdev(row[i] for row in values) for i in range(3)]


def counted_axes(vehicle, runs, left):
    of_runs = {k: [spreads(log / channel) for channel in CHANNELS[vehicle]] for k, log in runs.items()}
    def counts(i):
        return all(of_runs[left][c][i] >= LEAST_SHARE * statistics.mean(of_runs[k][c][i] ** 2 for k in runs if k != left) ** 0.5 for c in (0, 1))
    return [counts(i) for i in range(3)]


def held_out(here, vehicle, runs, left, estimator, structure, bands):
    model, check = (here / f"{word}-{vehicle}-{left}-{estimator}-{structure}" for word in ("model", "check"))
    logs = [word for k, log in runs.items() if k != left for word in ("--log", log)]
    fathom("identify", "--robot", here / f"{vehicle}.yaml", *logs, "--accept-bounds", "--accept-unseen", "--structure", structure,
           "--estimator", estimator, "--no-sensor-check", "--out", model)
    identified = json.loads((model / "summary.json").read_text())
    fathom("validate", "--robot", model / "robot.yaml", "--log", runs[left], *([] if bands else ["--members", "0"]), "--current", "0", "0",
           "--no-sensor-check", "--dof", identified["dof"], "--out", check)
    return identified, json.loads((check / "summary.json").read_text())


def points(difference, sigma):
    """1 for better, 0 for worse, half for a tie; `difference` is positive where the model is better.

    Without a standard error (fewer than two blocks) nothing tells them apart.
    """
    if difference is None or sigma is None:
        return 0.5
    return 0.5 if abs(difference) <= sigma else float(difference > 0)


def outside(checked):
    """Names of the wrenches, velocities and angles that leave the range of the training logs."""
    return [b["name"] for log in checked["logs"] for b in log["beyond_range"] if b["share"] > MOST_OUTSIDE]


def row_of(run, axis, score, why="", baseline=None, identified=None):
    row = {"run": run, "axis": axis, "score": score, "why_not_counted": why, "failure": ""}
    for key in ("gain", "gain_sigma", "ratio", "ratio_sigma"):
        row[key] = (baseline or {}).get(key)
    for key in ("estimator", "structure"):
        row[key] = (identified or {}).get(key, "-")
    return row


def rows_of(run, counts, identified, checked):
    beyond = outside(checked)
    for axis, is_counted in zip(AXES, counts):
        b = (checked.get("baselines") or {}).get(axis)
        why = "not commanded or at rest" if not is_counted else f"outside the training range: {', '.join(beyond)}" if beyond else ""
        if b is None:
            yield {**row_of(run, axis, None if why else 0, why, None, identified), "failure": "validate compares no baseline"}
            continue
        ratio = None if b["ratio"] is None else 1 - b["ratio"]
        score = points(b["gain"], b["gain_sigma"]) + points(ratio, b["ratio_sigma"])
        yield row_of(run, axis, None if why else score, why, b, identified)


def lost_rows(run, counts, failure):
    """A run that ended in an error: each axis that counts loses both comparisons."""
    for axis, is_counted in zip(AXES, counts):
        yield {**row_of(run, axis, 0 if is_counted else None, "" if is_counted else "not commanded or at rest"), "failure": failure}


def coverage_of(checked):
    """(axis, share of the samples that the 95 % band covers, samples) of each log; none without bands."""
    for log in checked["logs"]:
        for axis, score in log["velocities"].items():
            if score["coverage"] is not None:
                yield axis, score["coverage"], log["compared"]


def print_coverage(parts):
    """Returns whether the bars are met."""
    by_axis = {}
    for axis, share, samples in parts:
        inside, of_all = by_axis.get(axis, (0, 0))
        by_axis[axis] = (inside + share * samples, of_all + samples)
    if not by_axis:
        return True
    shares = {axis: 100 * inside / of_all for axis, (inside, of_all) in by_axis.items()}
    pooled = 100 * sum(inside for inside, _ in by_axis.values()) / sum(of_all for _, of_all in by_axis.values())
    print(f"95 % bands: {pooled:.1f} % pooled (bar 92 to 98); " + ", ".join(f"{axis} {share:.1f}" for axis, share in shares.items())
          + " (bar 88 to 99.5 each)")
    return 92 <= pooled <= 98 and all(88 <= share <= 99.5 for share in shares.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--estimator", nargs="+", default=["auto"], help="estimators of `fathom identify` (default: auto)")
    parser.add_argument("--structure", nargs="+", default=["auto"], help="structures (default: auto)")
    parser.add_argument("--vehicle", nargs="+", default=["rov", "auv"], choices=["rov", "auv"])
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time (default: 1)")
    parser.add_argument("--work", type=pathlib.Path, help="folder that is kept, with converted logs and models (default: a temporary one)")
    parser.add_argument("--bands", action="store_true", help="the coverage of the 95 %% bands too; takes longer")
    parser.add_argument("--json", type=pathlib.Path, help="file for all rows")
    args = parser.parse_args()
    if not (DATA / "auv_pool_wrench").is_dir() or not (DATA / "rov_tank_teleop").is_dir():
        sys.exit(f"recordings are not part of the repository, and {DATA} has none: FATHOM_DATA names their folder")
    with tempfile.TemporaryDirectory() as temporary:
        here = args.work or pathlib.Path(temporary)
        here.mkdir(parents=True, exist_ok=True)
        runs, everything, passed = converted(here), [], True
        for vehicle in args.vehicle:
            for estimator in args.estimator:
                for structure in args.structure:
                    rows, bands = table(here, vehicle, runs[vehicle], estimator, structure, args)
                    everything += rows
                    scores = [row["score"] for row in rows if row["score"] is not None]
                    share = sum(scores) / (2 * len(scores)) if scores else 0
                    wins = sum((row["gain"] or 0) > 0 for row in rows) + sum((row["ratio"] or 1) < 1 for row in rows)
                    print(f"{vehicle}, --estimator {estimator}, --structure {structure}: {100 * share:.0f} % of {2 * len(scores)} comparisons "
                          f"that count (bar {100 * BARS[vehicle]:.0f} %); without counting rules {wins} of {2 * len(rows)}", flush=True)
                    is_good = print_coverage(bands) and share >= BARS[vehicle]
                    print(flush=True)
                    passed = passed and (estimator != "auto" or is_good)
        if args.json:
            args.json.write_text(json.dumps(everything, indent=1))
    return 0 if passed else 1


def number(value, width, sign=""):
    return f"{value:{sign}{width}.3f}" if value is not None else "-".rjust(width)


def table(here, vehicle, runs, estimator, structure, args):
    """Rows of all held-out runs, and the coverage of their bands."""
    def one(left):
        run, counts = f"{vehicle}-{left}", counted_axes(vehicle, runs, left)
        try:
            identified, checked = held_out(here, vehicle, runs, left, estimator, structure, args.bands)
            return list(rows_of(run, counts, identified, checked)), list(coverage_of(checked))
        except RuntimeError as error:
            return list(lost_rows(run, counts, str(error).strip().splitlines()[-1])), []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        parts = list(pool.map(one, runs))
    rows = [row for of_run, _ in parts for row in of_run]
    print(f"{'run':8} {'axis':6} {'gain':>16} {'ratio':>16} {'points':>6}  model")
    for row in rows:
        points_text = "-" if row["score"] is None else f"{row['score']:g}"
        why = "".join(f"; {word}" for word in (row["why_not_counted"], row["failure"]) if word)
        print(f"{row['run']:8} {row['axis']:6} {number(row['gain'], 7, '+')} +- {number(row['gain_sigma'], 5)} "
              f"{number(row['ratio'], 7)} +- {number(row['ratio_sigma'], 5)} {points_text:>6}  {row['estimator']}, {row['structure']}{why}")
    return rows, [part for _, of_run in parts for part in of_run]


if __name__ == "__main__":
    sys.exit(main())
