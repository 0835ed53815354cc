"""The motion of many vehicles at once: Fossen's equations (2011, eqs. 2.26, 6.43, 8.12) by Runge-Kutta of order 4.

One row of the batch is one run of one vehicle. Arrays have the batch as their last axis, so that each operation is a few long loops.
"""

import numpy as np

STEP = 0.01  # s; thruster commands change every COMMAND_STEP
COMMAND_STEP = 0.05


FORTH, BACK = [1, 2, 0], [2, 0, 1]


def cross(a, b):
    return a[FORTH] * b[BACK] - a[BACK] * b[FORTH]


def rotation_table():
    """Entries of R_nb (9) from products of the quaternion w x y z (16): Fossen 2011, eq. 2.33, with w^2 + x^2 + y^2 + z^2 for 1."""
    table = np.zeros((3, 3, 4, 4))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        table[i, i, 0, 0] = table[i, i, i + 1, i + 1] = 1
        table[i, i, j + 1, j + 1] = table[i, i, k + 1, k + 1] = -1
        table[i, j, i + 1, j + 1] = table[j, i, i + 1, j + 1] = 2
        table[i, j, 0, k + 1], table[j, i, 0, k + 1] = -2, 2
    return table.reshape(9, 16)


def quaternion_table():
    """Rate of the quaternion (4) from products of it with the rates p q r (12): 1/2 q (x) [0, omega]."""
    table = np.zeros((4, 4, 3))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        table[0, i + 1, i] = -0.5
        table[i + 1, 0, i] = 0.5
        table[i + 1, j + 1, k], table[i + 1, k + 1, j] = 0.5, -0.5
    return table.reshape(4, 12)


ROTATION, QUATERNION = rotation_table(), quaternion_table()


def rotation(q):
    """R_nb (3 x 3 x n) of quaternions w x y z (4 x n)."""
    return (ROTATION @ (q[:, None] * q[None]).reshape(16, -1)).reshape(3, 3, -1)


class Batch:
    def __init__(self, vehicles):
        self.vehicles = vehicles
        self.count = len(vehicles)
        thrusters = 8
        self.M = np.stack([v.mass_matrix for v in vehicles], -1)
        self.inverse = np.stack([np.linalg.inv(v.mass_matrix) for v in vehicles], -1)
        self.by_twist = np.concatenate([self.M, np.stack([v.linear for v in vehicles], -1)])  # momentum and linear drag
        Q = np.stack([v.quadratic for v in vehicles], -1)
        entries = np.argwhere(np.abs(Q).max(-1) > 0)  # most are zero
        self.speed_of, self.row_of, self.twist_of = entries.T
        self.q = Q[self.speed_of, self.row_of, self.twist_of]
        self.rows = (np.arange(6)[:, None] == self.row_of).astype(float)
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
        both = np.einsum("ijn,jn->in", self.by_twist, nu)
        momentum, drag = both[:6], both[6:]
        wrench = np.einsum("ijn,jn->in", self.B, np.where(self.on_shaft, self.force(lagged), lagged))
        wrench += np.einsum("ijn,jn->in", self.Wh, R[2])
        wrench -= drag + self.rows @ (self.q * np.abs(nu)[self.speed_of] * nu[self.twist_of])
        wrench[:3] -= cross(omega, momentum[:3])
        wrench[3:] -= cross(omega, momentum[3:]) + cross(v, momentum[:3])
        rate = np.empty_like(state)
        rate[:3] = np.einsum("ijn,jn->in", R, v) + self.current
        rate[3:7] = QUATERNION @ (state[3:7, None] * omega[None]).reshape(12, -1)
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
