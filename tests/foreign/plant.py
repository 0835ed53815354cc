"""The motion of many vehicles at once: Fossen's equations (2011, eqs. 2.26, 6.43, 8.12) by Runge-Kutta of order 4.

One row of the batch is one run of one vehicle. Arrays have the batch as their last axis, so that each operation is a few long loops.
"""

import numpy as np

STEP = 0.01  # s; thruster commands change every COMMAND_STEP
COMMAND_STEP = 0.05


def cross(a, b):
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def rotation(q):
    """R_nb of a quaternion w x y z."""
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


class Batch:
    def __init__(self, vehicles):
        self.vehicles = vehicles
        self.count = len(vehicles)
        thrusters = 8
        self.M = np.stack([v.mass_matrix for v in vehicles], -1)
        self.inverse = np.stack([np.linalg.inv(v.mass_matrix) for v in vehicles], -1)
        self.linear = np.stack([v.linear for v in vehicles], -1)
        Q = np.stack([v.quadratic for v in vehicles], -1)
        # Entries of Q that any vehicle has: most are zero.
        self.entries = [(k, i, j, Q[k, i, j]) for k, i, j in np.argwhere(np.abs(Q).max(-1) > 0)]
        self.Wh = np.stack([v.hydrostatic for v in vehicles], -1)
        self.B = np.zeros((6, thrusters, self.count))
        for n, v in enumerate(vehicles):
            self.B[:, :len(v.positions), n] = v.allocation
        parts = [v.thruster for v in vehicles]
        self.forward, self.backward = np.array([p.forward for p in parts]), np.array([p.backward for p in parts])
        self.share, self.power = np.array([p.linear for p in parts]), np.array([p.power for p in parts])
        self.lag = np.array([v.lag for v in vehicles])
        self.on_shaft = np.array([v.lag_kind == "shaft" for v in vehicles])
        self.current = np.stack([v.current for v in vehicles], -1)

    def force(self, command):
        y = np.clip((np.abs(command) - 0.06) / 0.94, 0, None)
        size = self.share * y + (1 - self.share) * y**self.power
        return np.where(command > 0, self.forward * size, -self.backward * size)

    def derivative(self, state, target):
        """state: position 0..2, quaternion 3..6, twist through the water 7..12, lagged command or force 13..; its rate."""
        R = rotation(state[3:7])
        nu, lagged = state[7:13], state[13:]
        v, omega = nu[:3], nu[3:]
        momentum = np.einsum("ijn,jn->in", self.M, nu)
        wrench = np.einsum("ijn,jn->in", self.B, np.where(self.on_shaft, self.force(lagged), lagged))
        wrench += np.einsum("ijn,jn->in", self.Wh, R[2])
        wrench -= np.einsum("ijn,jn->in", self.linear, nu)
        for k, i, j, q in self.entries:
            wrench[i] -= q * np.abs(nu[k]) * nu[j]
        wrench[:3] -= cross(omega, momentum[:3])
        wrench[3:] -= cross(omega, momentum[3:]) + cross(v, momentum[:3])
        rate = np.empty_like(state)
        rate[:3] = np.einsum("ijn,jn->in", R, v) + self.current
        w, x, y, z = state[3:7]
        p, q, r = omega
        rate[3:7] = 0.5 * np.stack([-x * p - y * q - z * r, w * p + y * r - z * q, w * q + z * p - x * r, w * r + x * q - y * p])
        rate[7:13] = np.einsum("ijn,jn->in", self.inverse, wrench)
        rate[13:] = (target - lagged) / self.lag
        return rate

    def start(self, depth=4.0):
        state = np.zeros((21, self.count))
        state[2], state[3] = depth, 1
        # At rest in the water, heading north: it drifts with the current.
        return state

    def step(self, state, command, h):
        """One step with the command held. Returns the state after it and the rate before it."""
        target = np.where(self.on_shaft, command, self.force(command))
        k1 = self.derivative(state, target)
        k2 = self.derivative(state + h / 2 * k1, target)
        k3 = self.derivative(state + h / 2 * k2, target)
        k4 = self.derivative(state + h * k3, target)
        after = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        after[3:7] /= np.linalg.norm(after[3:7], axis=0)
        return after, k1


def simulate(batch, drive, duration):
    """Runs a batch. `drive.command(tick, state)` gives the commands (8 x n), zero for thrusters that a vehicle lacks.

    Returns commands (ticks x 8 x n) and motion (steps x 16 x n): position, quaternion, velocity over ground in body axes, rates, specific
    force at the origin.
    """
    state = batch.start()
    ticks, inner = int(round(duration / COMMAND_STEP)), int(round(COMMAND_STEP / STEP))
    commands = np.zeros((ticks + 1, 8, batch.count), dtype=np.float32)
    motion = np.empty((ticks * inner + 1, 16, batch.count), dtype=np.float32)
    for tick in range(ticks + 1):
        command = drive.command(tick, state)
        commands[tick] = command
        for sub in range(inner if tick < ticks else 1):
            after, rate = batch.step(state, command, STEP)
            R = rotation(state[3:7])
            row = motion[tick * inner + sub]
            row[:7] = state[:7]
            drift = np.einsum("jin,jn->in", R, batch.current)
            row[7:10] = state[7:10] + drift
            row[10:13] = state[10:13]
            # Steady current: the rate of the velocity over ground is that of the velocity through the water, both seen from the world.
            row[13:16] = rate[7:10] + cross(state[10:13], state[7:10]) - 9.81 * R[2]
            state = after
    return commands, motion
