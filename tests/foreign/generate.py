#!/usr/bin/env python3
"""Writes logs, descriptions, user files and truth of vehicles that nobody here has seen.

    generate.py --out DIR [--vehicles N] [--seed S] [--family vehicle|in_plane] [--unseen]

Each vehicle is a folder as in the measured data (foreign_vehicles of DATA.md): runs joyA and sinA to fit, with --unseen also joyB and sinB,
log.yaml, hull_lag.yaml, hull_nolag.yaml, hull_exact.yaml, truth.json. A folder that is complete is kept: the generator is deterministic.
"""

import argparse
import hashlib
import json
import pathlib
import shutil

import numpy as np

import drives
import hull
import plant
import sensors
import vehicle as vehicles_module

DURATION = 240.0
CHUNK = 48  # vehicles that are integrated at once; memory is 50 MB per 32 runs
RUNS = {"joyA": 1, "sinA": 2, "joyB": 3, "sinB": 4}


def write(out, vehicles, seed, runs, duration=DURATION):
    """Integrates all runs of these vehicles at once and writes their folders."""
    rows = [(v, run) for v in vehicles for run in runs]
    stream = lambda purpose, v, run=0: np.random.default_rng([seed, purpose, int(v.in_plane), int(v.name.split("_")[-1]), run])
    batch = plant.Batch([v for v, _ in rows])
    drive = drives.Drives(batch, [run[:3] for _, run in rows], [stream(1, v, RUNS[run]) for v, run in rows], duration)
    commands, motion = plant.simulate(batch, drive, duration)
    for n, (v, run) in enumerate(rows):
        folder = out / v.name
        folder.mkdir(parents=True, exist_ok=True)
        sensors.write(folder, run, v, sensors.measure(v, commands[:, :, n], motion[:, :, n], plant.STEP, stream(2, v, RUNS[run])))
    for v in vehicles:
        folder = out / v.name
        (folder / "log.yaml").write_text(sensors.description(v))
        hull.write(folder, v, stream(3, v))
        (folder / "truth.json").write_text(json.dumps(v.truth(), indent=1))


def complete(folder, runs):
    return (folder / "truth.json").exists() and all((folder / f"thr_{run}.csv").exists() for run in runs)


def version():
    """Changes with the sources that make logs, so that no cache outlives them."""
    here = pathlib.Path(__file__).resolve().parent
    return hashlib.sha1(b"".join((here / f"{name}.py").read_bytes() for name in ("vehicle", "plant", "drives", "sensors", "hull", "generate"))).hexdigest()


def make(out, count, seed, family="vehicle", unseen=False):
    """Folders of `count` vehicles below `out`, made where they are not there yet."""
    out = pathlib.Path(out)
    runs = list(RUNS) if unseen else ["joyA", "sinA"]
    vehicles = vehicles_module.draw_vehicles(count, seed, family == "in_plane")
    stamp = out / "version"
    if not stamp.exists() or stamp.read_text() != version():
        for folder in out.glob(f"{family}_*"):
            shutil.rmtree(folder)
        out.mkdir(parents=True, exist_ok=True)
        stamp.write_text(version())
    missing = [v for v in vehicles if not complete(out / v.name, runs)]
    for k in range(0, len(missing), CHUNK):
        write(out, missing[k:k + CHUNK], seed, runs)
    return [out / v.name for v in vehicles]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--vehicles", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--family", choices=["vehicle", "in_plane"], default="vehicle")
    parser.add_argument("--unseen", action="store_true", help="also the runs joyB and sinB")
    arguments = parser.parse_args()
    for folder in make(arguments.out, arguments.vehicles, arguments.seed, arguments.family, arguments.unseen):
        print(folder)


if __name__ == "__main__":
    main()
