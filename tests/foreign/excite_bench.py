#!/usr/bin/env python3
"""Designed motions beside multi-sines, on vehicles that nobody here has seen.

    ./dev bench excite [--vehicles N] [--seeds N] [--seed S] [--duration T] [--save FILE] [--jobs N]

For each vehicle: its robot file is made by `fathom prior` from what a user knows, `fathom excite` designs a motion in a pool, within limits of
speed, acceleration and thrust, and writes the multi-sine that its criterion ranks best of 20 within the same limits. A controller of this bench
follows both in its own plant. Each sensor seed is a log; `convert` and `identify` make parameters of it. The error of a motion is the root
mean square over seeds and parameters of (estimate - truth) / scale, scales as the criterion has them (docs/excitation.md eq. 12). Printed
are the ratio of both errors for each vehicle, beside the ratio that was predicted, their median, and the limits that the motions touch. The
robot file, with its errors of lag and thruster table, is the same for all seeds; --draw-files draws it anew for each. FATHOM_BIN names the
program. Status 1 where the median is above .8.
"""

import argparse
import concurrent.futures
import json
import pathlib
import sys
import tempfile

import numpy as np
import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import hull  # noqa: E402
import plant  # noqa: E402
import program  # noqa: E402
import sensors  # noqa: E402
import vehicle as vehicles_module  # noqa: E402

BAR = 0.8
DEPTH = 4.0  # m, where the plant starts
AXES = [0, 1, 2, 5]  # of the motion: roll and pitch right themselves
STRUCTURE = "diagonal"  # of identify; that of the problem is the same
MOTIONS = {"design": "trajectory.yaml", "multi-sine": "multisine.yaml"}


def problem_of(vehicle, robot, duration):
    """A pool of 10 x 8 x 6 m for a small vehicle; larger ones get one that is larger in proportion."""
    room = max(1.0, float(vehicle.box[0]))
    limits = {"x": [-3.5 * room, 3.5 * room], "y": [-2.5 * room, 2.5 * room], "z": [DEPTH - 1.5 * room, DEPTH + 1.5 * room], "yaw_deg": [-180, 180],
              "speed": {"x": 0.6, "y": 0.5, "z": 0.4}, "turn_rate": 0.7, "acceleration": 0.3, "turn_acceleration": 0.5}
    return {"format": "fathom-excitation-1", "name": vehicle.name, "robot": str(robot),
            "structure": {"dof": 4, "inertia": "planes", "linear": "diagonal", "quadratic": "diagonal"},
            "start": {"position": [0, 0, DEPTH]}, "duration": duration, "sampling": 0.2, "limits": limits,
            "thrusters": 0.6, "noise": {"force": 1, "torque": 0.25, "velocity": 0.006, "turn_rate": 0.004}}


class Path:
    """A trajectory file: Bezier pieces in Bernstein form (docs/trajectory-file.md)."""

    def __init__(self, file):
        document = yaml.safe_load(file.read_text())
        self.knots = np.array(document["knots"], float)
        self.points = np.array([document["points"][name] for name in ("x", "y", "z", "roll", "pitch", "yaw")], float)  # 6 x pieces x degree + 1

    def at(self, times, order):
        """Derivatives 0 to `order`, each times x 6; at rest beyond the end."""
        times = np.asarray(times, float)
        piece = np.clip(np.searchsorted(self.knots, times, side="right") - 1, 0, len(self.knots) - 2)
        length = (self.knots[piece + 1] - self.knots[piece])[:, None]
        u = np.clip((times[:, None] - self.knots[piece][:, None]) / length, 0, 1)[:, :, None]
        points, found = np.moveaxis(self.points[:, piece], 0, 1), []  # times x 6 x degree + 1
        for _ in range(order + 1):
            value = points
            while value.shape[2] > 1:  # de Casteljau
                value = (1 - u) * value[:, :, :-1] + u * value[:, :, 1:]
            found.append(value[:, :, 0])
            points = (points.shape[2] - 1) / length[:, :, None] * np.diff(points, axis=2)
        for rate in found[1:]:
            rate[times >= self.knots[-1]] = 0
        return found


class Follow:
    """Follows a path each: the vehicle's own wrench along it, and a proportional-derivative part. Thrusters are told in steps of .001."""

    def __init__(self, batch, paths, duration):
        self.batch = batch
        times = np.arange(int(round(duration / plant.COMMAND_STEP)) + 1) * plant.COMMAND_STEP
        self.poses = [path.at(times, 0)[0] for path in paths]
        self.rates = [path.at(times + v.lag, 2)[1:] for path, v in zip(paths, batch.vehicles)]  # so much later the force is there
        self.pinv = []
        for v in batch.vehicles:
            chosen = np.zeros_like(v.allocation)
            chosen[AXES] = v.allocation[AXES]
            self.pinv.append(np.linalg.pinv(chosen, rcond=1e-6))
        grid = np.concatenate([[0.0, vehicles_module.DEAD_BAND], np.linspace(vehicles_module.DEAD_BAND, 1.0, 600)[1:]])
        self.tables = [(grid, v.thruster.force(grid), -v.thruster.force(-grid)) for v in batch.vehicles]

    def command(self, tick, state):
        command = np.zeros((8, self.batch.count))
        for n, v in enumerate(self.batch.vehicles):
            rate, acceleration = (of[tick] for of in self.rates[n])
            force = self.pinv[n] @ self.wrench(v, self.poses[n][tick], rate, acceleration, state[:13, n])
            grid, up, down = self.tables[n]
            u = np.where(force > 0, np.interp(force, up, grid), -np.interp(-force, down, grid))
            u[np.abs(force) < 1e-3 * up[-1]] = 0
            command[:len(u), n] = u
        return np.round(np.clip(command, -1, 1), 3)

    @staticmethod
    def wrench(v, pose, rate, acceleration, state):
        R = plant.rotation(state[3:7, None])[:, :, 0]
        yaw = np.arctan2(R[1, 0], R[0, 0])
        level = np.array([[np.cos(yaw), np.sin(yaw), 0], [-np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])
        turn = rate[5]
        nu, nu_dot = np.zeros(6), np.zeros(6)
        nu[:3], nu[5] = level @ rate[:3], turn
        nu_dot[:3], nu_dot[5] = level @ acceleration[:3] - np.cross([0, 0, turn], nu[:3]), acceleration[5]
        miss = np.zeros(6)
        miss[:3] = level @ (pose[:3] - state[:3])
        miss[5] = (pose[5] - yaw + np.pi) % (2 * np.pi) - np.pi
        M = v.mass_matrix
        momentum = M @ nu
        tau = M @ nu_dot + v.linear @ nu + sum(abs(nu[k]) * v.quadratic[k] @ nu for k in range(6)) - v.hydrostatic[:, 2]
        tau[:3] += np.cross(nu[3:], momentum[:3])
        tau[3:] += np.cross(nu[3:], momentum[3:]) + np.cross(nu[:3], momentum[:3])
        stiff = min(1.0, 0.25 / v.lag)  # rad/s: slower than the thrusters
        slip = np.zeros(6)
        slip[AXES] = (nu - state[7:13])[AXES]
        return tau + np.diag(M) * (stiff**2 * miss + 1.4 * stiff * slip)


def design(vehicle, folder, duration, seed, starts):
    """Robot file, motions and what was predicted of them."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "log.yaml").write_text(sensors.description(vehicle))
    hull.write(folder, vehicle, np.random.default_rng([seed, 3, int(vehicle.name.split("_")[-1])]))
    done = program.prior(folder / "hull_lag.yaml", folder / "robot.yaml")
    if done.status:
        raise RuntimeError(f"{vehicle.name}: prior: {done.message()}")
    (folder / "problem.yaml").write_text(yaml.safe_dump(problem_of(vehicle, folder / "robot.yaml", duration), sort_keys=False))
    done = program.run("excite", folder / "problem.yaml", "--starts", starts, "--out", folder / "excite", timeout=1800)
    summary = json.loads((folder / "excite/summary.json").read_text()) if (folder / "excite/summary.json").exists() else None
    if summary is None or not (folder / "excite/multisine.yaml").exists():
        raise RuntimeError(f"{vehicle.name}: excite: {done.message()}")
    return summary


def drive(vehicles, folders, duration):
    """Commands and motion of every vehicle along both motions, and by how much it missed the path, rms in m."""
    rows = [(v, folder, motion) for v, folder in zip(vehicles, folders) for motion in MOTIONS]
    paths = [Path(folder / "excite" / MOTIONS[motion]) for _, folder, motion in rows]
    batch = plant.Batch([v for v, _, _ in rows])
    commands, motion = plant.simulate(batch, Follow(batch, paths, duration), duration)
    found = {}
    for n, (v, _, name) in enumerate(rows):
        times = np.arange(0, len(motion), 20)
        wanted = paths[n].at(times * plant.STEP, 0)[0][:, :3]
        missed = float(np.sqrt(np.mean(np.sum((motion[times, :3, n] - wanted) ** 2, axis=1))))
        found[v.name, name] = (commands[:, :, n], motion[:, :, n], missed)
    return found


def fit(vehicle, folder, name, driven, seed, stream, draw_files):
    """Estimates of one sensor seed: name -> value; the message where there are none."""
    with tempfile.TemporaryDirectory(prefix="fathom-excite-bench-") as scratch:
        scratch = pathlib.Path(scratch)
        rng = np.random.default_rng([stream, 5, int(vehicle.name.split("_")[-1]), seed])
        (scratch / "log.yaml").write_text(sensors.description(vehicle))
        sensors.write(scratch, "run", vehicle, sensors.measure(vehicle, driven[0], driven[1], plant.STEP, rng))
        robot = folder / "robot.yaml"
        if draw_files:
            hull.write(scratch, vehicle, np.random.default_rng([stream, 4, int(vehicle.name.split("_")[-1]), seed]))
            robot = scratch / "robot.yaml"
            program.prior(scratch / "hull_lag.yaml", robot)
        logs, converted = program.convert(scratch, ["run"], scratch)
        if converted[0].status:
            return converted[0].message()
        done, summary = program.identify(robot, logs, scratch / "out", "--structure", STRUCTURE, "--estimator", "consistent")
        return done.message() if summary is None else {entry["name"]: entry["estimate"] for entry in summary["parameters"]}


def rms_by_parameter(fits, truth, scale):
    """name -> rms over seeds of (estimate - truth) / scale."""
    names = [name for name in scale if all(name in one for one in fits)]
    return {name: float(np.sqrt(np.mean([((one[name] - truth.get(name, 0)) / scale[name]) ** 2 for one in fits]))) for name in names}


def touched(summary):
    """Kinds of limits that the motion comes near: within 3 % of the bound."""
    near = {}
    for margin in summary["margins"]:
        share = margin["margin"] / max(abs(margin["bound"]), 1e-9)
        if share < 0.03:
            near.setdefault(margin["limit"].split(",")[0], share)
    return sorted(near)


def main():
    parser = argparse.ArgumentParser(prog="./dev bench excite", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vehicles", type=int, default=6)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--duration", type=float, default=180.0)
    parser.add_argument("--starts", type=int, default=8, help="of each search")
    parser.add_argument("--draw-files", action="store_true")
    parser.add_argument("--jobs", type=int, default=2, help="programs at once")
    parser.add_argument("--save", type=pathlib.Path, help="JSON file for every estimate")
    arguments = parser.parse_args()
    vehicles = vehicles_module.draw_vehicles(arguments.vehicles, arguments.seed + 4000)
    saved, ratios = {}, []
    with tempfile.TemporaryDirectory(prefix="fathom-excite-bench-") as work, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        folders = [pathlib.Path(work) / v.name for v in vehicles]
        summaries = list(pool.map(lambda pair: design(*pair, arguments.duration, arguments.seed, arguments.starts), zip(vehicles, folders)))
        driven = drive(vehicles, folders, arguments.duration + 2)
        print(f"{'vehicle':<12}{'design':>9}{'multi-sine':>12}{'ratio':>7}{'predicted':>11}  off the path [m]   limits that the design touches", flush=True)
        for v, folder, summary in zip(vehicles, folders, summaries):
            jobs = {name: [pool.submit(fit, v, folder, name, driven[v.name, name], seed, arguments.seed, arguments.draw_files)
                           for seed in range(arguments.seeds)] for name in MOTIONS}
            fits = {name: [job.result() for job in of] for name, of in jobs.items()}
            failed = [f"{name}: {one}" for name, of in fits.items() for one in of if isinstance(one, str)]
            if failed:
                print(f"{v.name:<12}{len(failed)} of {2 * arguments.seeds} fits failed, such as {failed[0][:150]}", flush=True)
                ratios.append(float("inf"))
                continue
            scale = {entry["name"]: entry["scale"] for entry in summary["parameters"]}
            errors = {name: rms_by_parameter(of, v.parameters(), scale) for name, of in fits.items()}
            total = {name: float(np.sqrt(np.mean(np.square(list(of.values()))))) for name, of in errors.items()}
            ratios.append(total["design"] / total["multi-sine"])
            predicted = summary["error_rms"] / summary["baselines"]["multisine"]["error_rms"]
            print(f"{v.name:<12}{100 * total['design']:>8.2f}%{100 * total['multi-sine']:>11.2f}%{ratios[-1]:>7.2f}{predicted:>11.2f}  "
                  f"{driven[v.name, 'design'][2]:>7.3f} {driven[v.name, 'multi-sine'][2]:>7.3f}    {', '.join(touched(summary))}", flush=True)
            saved[v.name] = {"rms": errors, "predicted": predicted, "estimates": fits, "truth": v.parameters(), "scale": scale}
    if arguments.save:
        arguments.save.write_text(json.dumps(saved))
    median = float(np.median(ratios))
    print(f"median ratio {median:.2f} over {len(ratios)} vehicles, {arguments.seeds} sensor seeds each (bar: {BAR})")
    return 0 if median <= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
