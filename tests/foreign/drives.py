"""Commands of the runs: a pilot's joystick, and a multi-sine on every axis that the thrusters reach. Both steer weakly towards one depth."""

import numpy as np

DEPTH = 4.0  # m, that the drives steer to
FREQUENCIES = np.array([0.03, 0.05, 0.08, 0.11, 0.17, 0.22, 0.31, 0.42, 0.56, 0.65])  # Hz, scattered for each axis and run


class Drives:
    def __init__(self, batch, kinds, streams, duration):
        self.batch = batch
        n = batch.count
        self.times = np.arange(int(round(duration / 0.05)) + 1) * 0.05
        self.pinv = np.zeros((8, 6, n))
        self.wrench = np.zeros((len(self.times), 6, n))  # demands, in units of the axes' reach
        self.reach = np.zeros((6, n))
        self.pilot = np.array([kind == "joy" for kind in kinds])
        self.steps = {}
        for k, (vehicle, kind, stream) in enumerate(zip(batch.vehicles, kinds, streams)):
            rng = np.random.default_rng(stream)  # a generator passes through
            B = vehicle.allocation
            scale = np.linalg.norm(B, axis=1)
            axes = scale > 0.05 * np.array([1, 1, 1, *[np.mean(vehicle.box[:2])] * 3])
            if kind == "joy" or vehicle.in_plane:
                axes = axes & np.array([1, 1, 1, 0, 0, 1], bool)
            level = 0.9 * (vehicle.thruster.forward + vehicle.thruster.backward) / 2
            chosen = np.zeros_like(B)
            chosen[axes] = B[axes]
            self.pinv[:B.shape[1], :, k] = np.linalg.pinv(chosen, rcond=1e-6)
            self.reach[:, k] = level * np.abs(B).sum(1) * [1.2, 1.2, 1.0, 1.0, 1.0, 0.3]
            righting = vehicle.hydrostatic[3, 1]  # of a moment that tilts by one radian; enough for .25 rad rms at low frequency
            self.reach[3:5, k] = np.minimum(self.reach[3:5, k], 0.6 * abs(righting))
            self.wrench[:, axes, k] = self.joystick(rng, axes.sum()) if kind == "joy" else self.multisine(rng, axes)
        self.smooth = np.zeros((6, n))
        # Inverse of the static map by a table.
        grid = np.concatenate([[0.0, 0.06], np.linspace(0.06, 1.0, 600)[1:]])
        self.tables = [(grid, v.thruster.force(grid), -v.thruster.force(-grid)) for v in batch.vehicles]

    def joystick(self, rng, axes):
        """Steps of random size after random times: a stick that is pushed, held and let go."""
        demand = np.zeros((len(self.times), axes))
        for axis in range(axes):
            t = rng.uniform(3, 5)
            while t < self.times[-1]:
                end = t + rng.uniform(1.0, 6.0)
                level = 0.0 if rng.random() < 0.15 else rng.uniform(-1, 1) * rng.choice([0.5, 0.8])
                demand[(self.times >= t) & (self.times < end), axis] = level
                t = end
        return demand

    def multisine(self, rng, axes):
        demand = np.zeros((len(self.times), int(axes.sum())))
        for column, axis in enumerate(np.flatnonzero(axes)):
            f = FREQUENCIES * np.exp(rng.normal(0, 0.08, len(FREQUENCIES)))
            weight = 0.55 if axis < 3 or axis == 5 else 0.4
            waves = np.sin(2 * np.pi * np.outer(self.times, f) + rng.uniform(0, 2 * np.pi, len(f))) * rng.uniform(0.6, 1.2, len(f))
            demand[:, column] = weight * waves.sum(1) / np.sqrt(len(f) / 2) * 0.75
        return demand

    def command(self, tick, state):
        demand = self.wrench[tick].copy()
        active = np.abs(self.wrench).max(0) > 0 if tick == 0 else self.active
        self.active = active
        depth_error = np.clip(state[2] - DEPTH, -3, 3)
        started = self.times[tick] > 3.0
        if self.pilot.any():
            held = np.where(np.abs(demand[2]) > 0, -0.3 * self.held_error(tick, depth_error), 0)
            demand[2] += np.where(self.pilot, held, 0)
        demand[2] += np.where(self.pilot | ~started, 0, -0.12 * depth_error)
        demand = np.where(active, demand, 0)
        self.smooth += np.where(self.pilot, 1 - np.exp(-0.05 / 0.12), 1.0) * (demand - self.smooth)
        force = np.einsum("ijn,jn->in", self.pinv, self.smooth * self.reach)
        command = np.zeros_like(force)
        for k, (grid, up, down) in enumerate(self.tables):
            f = force[:, k]
            small = np.abs(f) < 1e-3 * up[-1]
            command[:, k] = np.where(f > 0, np.interp(f, up, grid), -np.interp(-f, down, grid))
            command[small, k] = 0
        return np.round(np.clip(command, -1, 1), 3)

    def held_error(self, tick, depth_error):
        """A pilot looks at the depth when he moves the stick, not in between."""
        changed = tick == 0 or self.wrench[tick, 2] != self.wrench[tick - 1, 2]
        self.seen = np.where(changed, depth_error, getattr(self, "seen", depth_error))
        return self.seen
