#!/usr/bin/env python3
"""Coverage of intervals over vehicles that nobody here has seen.

    ./dev bench coverage [--vehicles N] [--variant lag|nolag|exact|both] [--seed S] [--family vehicle|in_plane]
    ./dev bench coverage --shared       the same over the measured data's foreign vehicles (FATHOM_DATA)
    ./dev bench coverage --unseen       also predicts joyB and sinB by `fathom validate`

A vehicle is converted, given a robot file by `fathom prior` and identified from joyA and sinA with default options. A parameter counts if it has a
95 % interval, or if the exact file's fit has one: then it is missed. `no interval`: held by the structure without an interval; `not held`:
the chosen structure lacks it. Both count as missed. Ranges are 95 % by drawing vehicles with replacement. FATHOM_BIN names the program.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import generate  # noqa: E402
import program  # noqa: E402
import scores  # noqa: E402

AXES = ["u", "v", "w", "p", "q", "r"]


def fit(folder, variants, unseen, options=()):
    """All fits of one vehicle: variant -> what is kept of it."""
    folder = pathlib.Path(folder)
    runs = [run for run in ("joyA", "sinA", "joy") if (folder / f"thr_{run}.csv").exists()]
    later = [run for run in ("joyB", "sinB") if unseen and (folder / f"thr_{run}.csv").exists()]
    results = {}
    with tempfile.TemporaryDirectory(prefix="fathom-coverage-") as scratch:
        scratch = pathlib.Path(scratch)
        logs, converted = program.convert(folder, runs + later, scratch)
        for variant in variants:
            failed = next((c for c in converted if c.status), None)
            hull = folder / f"hull_{variant}.yaml"
            robot = scratch / f"{variant}.yaml"
            failed = failed or next((r for r in [program.prior(hull if hull.exists() else folder / "hull.yaml", robot)] if r.status), None)
            if failed:
                results[variant] = {"status": failed.status, "message": failed.message(), "summary": None, "seconds": 0}
                continue
            out = scratch / f"{variant}-out"
            done, summary = program.identify(robot, logs[:len(runs)], out, *options)
            results[variant] = {"status": done.status, "message": done.message(), "summary": summary, "seconds": done.seconds}
            if later and summary is not None and variant != "exact":
                seen, validation = program.validate(out / "robot.yaml", logs[len(runs):], scratch / f"{variant}-seen")
                results[variant]["unseen"] = [log["velocities"] for log in validation["logs"]] if validation else seen.message()
    return results


def fit_all(folders, variants, unseen, workers, options=()):
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(fit, folder, variants, unseen, options) for folder in folders]
        found = []
        for k, future in enumerate(futures):
            found.append(future.result())
            if sys.stderr.isatty():
                print(f"\r{k + 1} of {len(folders)}, {time.monotonic() - start:.0f} s", end="", file=sys.stderr, flush=True)
    return found


def print_notes(variant, results):
    statuses = collections.Counter(r[variant]["status"] for r in results)
    structures = collections.Counter((r[variant]["summary"] or {}).get("structure", "none") for r in results)
    seconds = sorted(r[variant]["seconds"] for r in results)
    print(f"  exit status: {dict(statuses)}; structures: {dict(structures)}; identify: median {seconds[len(seconds) // 2]:.2f} s, most {seconds[-1]:.2f} s")
    failed = collections.Counter(r[variant]["message"][:200] for r in results if r[variant]["summary"] is None)
    for message, count in failed.most_common(8):
        print(f"  {count} x nothing written: {message}")


def print_unseen(variant, results):
    print(f"\n{variant}: unseen logs (joyB, sinB) by `fathom validate`: coverage of 95 % bands and R2 per axis")
    by_axis = collections.defaultdict(lambda: ([], []))
    for r in results:
        logs = r[variant].get("unseen")
        if not isinstance(logs, list):
            print(f"  not validated: {logs or r[variant]['message']}")
            continue
        for log in logs:
            for axis, score in log.items():
                by_axis[axis][0].append(score.get("coverage"))
                by_axis[axis][1].append(score.get("r2"))
    everything = []
    for axis, (coverage, r2) in by_axis.items():
        coverage, r2 = sorted(c for c in coverage if c is not None), sorted(x for x in r2 if x is not None)
        everything += coverage
        if coverage and r2:
            print(f"  {axis}: coverage mean {100 * sum(coverage) / len(coverage):.1f} %, median {100 * coverage[len(coverage) // 2]:.1f}, least {100 * coverage[0]:.1f}; "
                  f"R2 median {r2[len(r2) // 2]:.4f}, least {r2[0]:.3f}; {len(r2)} logs")
    if everything:
        print(f"  pooled coverage {100 * sum(everything) / len(everything):.1f} %")


def misses(entries, group):
    return sum(not e.get("in", {}).get("95") for e in entries if e["group"] == group), sum(e["group"] == group for e in entries)


def shared(arguments, variants):
    data = pathlib.Path(os.environ.get("FATHOM_DATA", program.ROOT.parent / "shared/data")) / "foreign_vehicles"
    if not data.is_dir():
        print("coverage: no measured data (FATHOM_DATA)", file=sys.stderr)
        return 77
    folders = sorted(data.glob("vehicle_*"))
    results = fit_all(folders, variants, arguments.unseen, arguments.jobs, arguments.options)
    for variant in variants:
        per_vehicle = []
        print(f"\nshared vehicles, {variant}")
        for folder, result in zip(folders, results):
            truth = json.loads((folder / "truth.json").read_text())["parameters"]
            entries = scores.compare(truth, scores.read_parameters(result[variant]["summary"]), None)
            per_vehicle.append([e for e in entries if not e["absent"] or e["group"] in ("diagonal inertia", "restoring")])
            bad = [f"{e['name']} {100 * (e['estimate'] / e['truth'] - 1):+.1f}% z {e.get('z', 0):+.1f}" if "estimate" in e else e["name"] + " none"
                   for e in entries if e["group"] in ("diagonal inertia", "restoring") and not e.get("in", {}).get("95")]
            print(f"  {folder.name}: {(result[variant]['summary'] or {}).get('structure')}, status {result[variant]['status']}, missed: {', '.join(bad) or 'none'}"
                  + (f"; {result[variant]['message']}" if result[variant]["summary"] is None else ""))
        flat = [e for entries in per_vehicle for e in entries]
        print("  missed: diagonal inertia %d of %d (bar: 4 of 24), restoring %d of %d (bar: 3 of 16)" % (*misses(flat, "diagonal inertia"), *misses(flat, "restoring")))
        print_notes(variant, results)
        scores.print_table(f"shared vehicles, {variant}, parameters with an interval", per_vehicle, 200)
        if arguments.unseen:
            print_unseen(variant, results)
    return 0


def main():
    parser = argparse.ArgumentParser(prog="./dev bench coverage", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vehicles", type=int, default=192)
    parser.add_argument("--variant", choices=["lag", "nolag", "exact", "both"], default="both")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--family", choices=["vehicle", "in_plane"], default="vehicle")
    parser.add_argument("--shared", action="store_true")
    parser.add_argument("--unseen", action="store_true")
    parser.add_argument("--jobs", type=int, default=2, help="programs at once")
    parser.add_argument("--cache", type=pathlib.Path, default=program.ROOT / "build/foreign", help="where logs of vehicles are kept")
    parser.add_argument("--save", type=pathlib.Path, help="JSON file for every comparison")
    parser.add_argument("--options", default="", type=lambda text: text.split(), help="further options of identify, in one word")
    arguments = parser.parse_args()
    variants = {"both": ["lag", "nolag"]}.get(arguments.variant, [arguments.variant])
    if arguments.shared:
        return shared(arguments, [v for v in variants if v != "exact"])
    start = time.monotonic()
    folders = generate.make(arguments.cache / f"{arguments.family}-{arguments.seed}", arguments.vehicles, arguments.seed, arguments.family, arguments.unseen)
    print(f"{len(folders)} vehicles of seed {arguments.seed}, {arguments.family}; logs after {time.monotonic() - start:.0f} s")
    fitted = variants if "exact" in variants else [*variants, "exact"]
    results = fit_all(folders, fitted, arguments.unseen, arguments.jobs, arguments.options)
    print(f"fitted after {time.monotonic() - start:.0f} s")
    saved = {}
    for variant in fitted:
        per_vehicle, of_zero = [], []
        for folder, result in zip(folders, results):
            truth = json.loads((folder / "truth.json").read_text())["parameters"]
            found, exact = (scores.read_parameters(result[v]["summary"]) for v in (variant, "exact"))
            per_vehicle.append(scores.compare(truth, found, exact))
            of_zero.append(scores.zeros(truth, found))
        scores.print_table(f"{variant}: parameters that are not zero", per_vehicle)
        print_notes(variant, results)
        scores.print_table(f"{variant}: parameters of the structure that are zero in truth", of_zero, 200)
        if arguments.unseen and variant != "exact":
            print_unseen(variant, results)
        saved[variant] = {folder.name: entries for folder, entries in zip(folders, per_vehicle)}
    if arguments.save:
        arguments.save.write_text(json.dumps(saved, default=str))
    return 0


if __name__ == "__main__":
    sys.exit(main())
