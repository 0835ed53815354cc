"""The generator of foreign vehicles against the measured data's: with their truth and their logged commands its plant must make the velocities that
their DVLs logged, over a minute without any feedback, to the DVL's noise. So equations, signs of the truth and both kinds of lag are those of an
independent simulator. Run by ctest (repo:foreign_plant); skips where the data are not there (FATHOM_DATA)."""

import json
import os
import pathlib
import re
import sys
import unittest

import numpy as np
import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import drives  # noqa: E402
import plant  # noqa: E402
import slips  # noqa: E402
import vehicle  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = pathlib.Path(os.environ.get("FATHOM_DATA", ROOT.parent / "shared/data")) / "foreign_vehicles"
DURATION = 60.0
# Of vehicle_8 the exact thruster map is known from in_plane_8, which is the same vehicle.
RUNS = [("in_plane_6", "joy"), ("in_plane_8", "joy"), ("vehicle_8", "sinA"), ("vehicle_3", "joyA"), ("vehicle_5", "sinA")]


def matrices(parameters):
    M, linear, quadratic = np.zeros((6, 6)), np.zeros((6, 6)), np.zeros((6, 6, 6))
    for name, number in parameters.items():
        index = [int(digit) - 1 for digit in re.findall(r"\d", name)]
        if name[0] == "m":
            M[index[0], index[1]] = M[index[1], index[0]] = number
        elif name[0] == "d":
            linear[index[0], index[1]] = number
        elif name[0] == "q":
            quadratic[index[2], index[0], index[1]] = number
    return M, linear, quadratic


def thruster_of(folder):
    """The map of a hull's table: ends, and the share and power that fit it best."""
    hull = yaml.safe_load((folder / ("hull.yaml" if (folder / "hull.yaml").exists() else "hull_lag.yaml")).read_text())
    table = hull["thruster_maps"]["bench"]["table"]
    commands, forces = np.array(table["commands"]), np.array(table["forces"][0])
    best = None
    for share in np.linspace(0.15, 0.35, 21):
        for power in np.linspace(1.4, 1.9, 26):
            unit = vehicle.Thruster(1, 1, share, power).force(commands)
            ends = [np.sum(forces[s] * unit[s]) / np.sum(unit[s]**2) for s in (commands > 0, commands < 0)]
            error = np.abs(forces - np.where(commands > 0, ends[0], ends[1]) * unit).max()
            if best is None or error < best[0]:
                best = (error, vehicle.Thruster(ends[0], ends[1], share, power))
    return best[1]


def shared_vehicle(name):
    folder = DATA / name
    truth = json.loads((folder / "truth.json").read_text())
    hull = yaml.safe_load(slips.Copy(folder).hull)
    M, linear, quadratic = matrices(truth["parameters"])
    dvl = next(sensor for sensor in hull["sensors"] if sensor["name"] == "dvl")
    made = vehicle.Vehicle(
        name=name, box=np.ones(3), mass=truth["mass"], volume=truth["volume"], r_g=np.array(truth["centre_of_mass"]),
        r_b=np.array(truth["centre_of_buoyancy"]), inertia=np.array(truth["inertia_about_cg"]), added=np.zeros((6, 6)), linear=linear,
        quadratic=quadratic, positions=np.array([t["position"] for t in hull["thrusters"]]),
        directions=np.array([t["direction"] for t in hull["thrusters"]]), thruster=thruster_of(DATA / ("in_plane_8" if name == "vehicle_8" else name)),
        lag=truth["thruster_lag"]["time_constant"], lag_kind=truth["thruster_lag"]["kind"], current=np.array(truth["current_n"]), dialect="", dvl_rate=0,
        dvl_position=np.array(dvl["position"]), has_imu=False, has_fix=False)
    made.added = M - made.mass_matrix
    return made, truth["parameters"]


class Given:
    """A drive that replays logged commands."""

    def __init__(self, commands):
        self.commands = commands

    def command(self, tick, state):
        return self.commands[tick]


@unittest.skipUnless(DATA.is_dir(), "no measured data (FATHOM_DATA)")
class SharedVehicles(unittest.TestCase):
    def test_truth_by_our_names(self):
        for name, _ in RUNS:
            made, truth = shared_vehicle(name)
            ours = made.parameters()
            for parameter in ("W-B", "xgW-xbB", "ygW-ybB", "zgW-zbB"):
                self.assertAlmostEqual(ours[parameter], truth[parameter], delta=1e-9 * max(1, abs(truth[parameter])), msg=f"{name} {parameter}")
            # What is left of the mass matrix beside the dry body is an added mass.
            self.assertGreater(np.linalg.eigvalsh(made.added).min(), 0, name)

    def test_velocities(self):
        copies = [slips.Copy(DATA / name, [run]) for name, run in RUNS]
        made = [shared_vehicle(name)[0] for name, _ in RUNS]
        commands = np.zeros((int(DURATION / plant.COMMAND_STEP) + 1, 8, len(RUNS)))
        for n, copy in enumerate(copies):
            given = copy.table("thr", RUNS[n][1])[2][:len(commands)]
            commands[:, :given.shape[1], n] = given
        _, motion = plant.simulate(plant.Batch(made), Given(commands), DURATION)
        for n, copy in enumerate(copies):
            _, stamps, measured = copy.table("dvl", RUNS[n][1])
            measured = measured * ([1, -1, -1] if copy.flu else 0.001)
            good = np.isfinite(measured).all(1) & (np.abs(measured) < 30).all(1)
            first = min(copy.table(sensor, RUNS[n][1])[1][0] for sensor in ("thr", "ahrs"))
            index = np.round((stamps - first) / copy.second() / plant.STEP).astype(int)
            good &= index < len(motion)
            velocity = motion[index[good], 7:10, n] + np.cross(motion[index[good], 10:13, n], made[n].dvl_position)
            rms = np.sqrt(np.mean((measured[good] - velocity)**2, axis=0))
            exact = "hull.yaml" in os.listdir(DATA / RUNS[n][0]) or RUNS[n][0] == "vehicle_8"
            # Noise is .006 m/s; where only a bench table of 1 % noise is known, its error moves the vehicle too.
            self.assertLess(rms.max(), 0.010 if exact else 0.015, f"{RUNS[n]}: {rms}")


class Integration(unittest.TestCase):
    def test_step(self):
        """Half and a quarter of the step change nothing that a sensor would see."""
        made = vehicle.draw_vehicles(6, 5)
        batch = plant.Batch(made)
        commands, motion = plant.simulate(batch, drives.Drives(batch, ["joy", "sin"] * 3, [[5, n] for n in range(6)], 10), 10)
        state = batch.start()
        for tick in range(200):
            for _ in range(20):
                state, _ = batch.step(state, commands[tick].astype(float), plant.COMMAND_STEP / 20)
        self.assertLess(np.abs(state[:7] - motion[-1, :7]).max(), 1e-4)
        self.assertLess(np.abs(state[10:13] - motion[-1, 10:13]).max(), 1e-4)

    def test_energy(self):
        """Without thrust a vehicle comes to rest upright: drag and righting moment have their signs."""
        made = [v for v in vehicle.draw_vehicles(4, 6)]
        for v in made:
            v.current, v.volume = np.zeros(3), v.mass / vehicle.DENSITY
        batch = plant.Batch(made)
        state = batch.start()
        state[3:7] = np.array([np.cos(0.3), np.sin(0.3), 0, 0])[:, None]
        state[7:13] = 0.3
        for _ in range(6000):
            state, _ = batch.step(state, np.zeros((8, 4)), 0.01)
        self.assertLess(np.abs(state[7:13]).max(), 0.03)
        self.assertGreater(plant.rotation(state[3:7])[2, 2].min(), 0.99)


if __name__ == "__main__":
    unittest.main()
