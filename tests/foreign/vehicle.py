"""Draws of remotely operated vehicles: geometry, inertia, drag, restoring forces, thrusters, lag.

The equations are Fossen's (2011, chapters 3 and 6), in the signs of docs/conventions.md, written for this generator only: nothing here
shares code with the library that is judged by it. All arrays are in SI units.
"""

import dataclasses

import numpy as np

GRAVITY, DENSITY = 9.81, 1000.0
DEAD_BAND = 0.06  # of the normalised command
KINDS = ("force", "shaft")


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0.0]])


def moved(matrix, point):
    """A 6x6 matrix that holds for velocities at `point`, for velocities at the origin: H' M H with H = [I -S(p); 0 I]."""
    H = np.eye(6)
    H[:3, 3:] = -skew(point)
    return H.T @ matrix @ H


@dataclasses.dataclass
class Thruster:
    """A static map, the same for all thrusters of a vehicle: f = F (s y + (1 - s) y^p), y the share of the command beyond the dead band."""

    forward: float  # N, at command 1
    backward: float  # N, at command -1
    linear: float  # s
    power: float  # p

    def force(self, command):
        y = np.clip((np.abs(command) - DEAD_BAND) / (1 - DEAD_BAND), 0, None)
        size = self.linear * y + (1 - self.linear) * y**self.power
        return np.where(command > 0, self.forward, -self.backward) * size


@dataclasses.dataclass
class Vehicle:
    name: str
    box: np.ndarray
    mass: float
    volume: float
    r_g: np.ndarray
    r_b: np.ndarray
    inertia: np.ndarray  # about the centre of mass
    added: np.ndarray  # 6x6, at the origin
    linear: np.ndarray  # 6x6
    quadratic: np.ndarray  # 6 matrices 6x6: Q_j of D = D_lin + sum_j |nu_j| Q_j
    positions: np.ndarray  # thrusters x 3
    directions: np.ndarray
    thruster: Thruster
    lag: float
    lag_kind: str
    current: np.ndarray  # NED
    dialect: str  # "flu" or "frd", or "exact" of the in-plane family
    dvl_rate: int
    dvl_position: np.ndarray
    has_imu: bool
    has_fix: bool
    cross_drag: bool = False
    in_plane: bool = False

    @property
    def mass_matrix(self):
        S = skew(self.r_g)
        rigid = np.block([[self.mass * np.eye(3), -self.mass * S], [self.mass * S, self.inertia - self.mass * S @ S]])
        return rigid + self.added

    @property
    def allocation(self):
        """Columns are wrenches of 1 N: [e; r x e]."""
        return np.hstack([self.directions, np.cross(self.positions, self.directions)]).T

    @property
    def hydrostatic(self):
        """Wh of docs/model.md, eq. 12: times R' [0 0 1] it is the wrench of weight and buoyancy. Fossen 2011, eq. 4.6."""
        weight, buoyancy = self.mass * GRAVITY, DENSITY * self.volume * GRAVITY
        return np.vstack([(weight - buoyancy) * np.eye(3), skew(weight * self.r_g - buoyancy * self.r_b)])

    def parameters(self):
        """Every parameter that is not zero, by the names of docs/model.md, eqs. 16 to 18."""
        found = {}
        M = self.mass_matrix
        for i in range(6):
            for j in range(6):
                if j >= i and abs(M[i, j]) > 1e-12:
                    found[f"m{i + 1}{j + 1}"] = M[i, j]
            for j in range(6):
                if abs(self.linear[i, j]) > 1e-12:
                    found[f"d{i + 1}{j + 1}"] = self.linear[i, j]
        for k in range(6):
            for i in range(6):
                for j in range(6):
                    if abs(self.quadratic[k, i, j]) > 1e-12:
                        found[f"q{i + 1}{j + 1}|{k + 1}|"] = self.quadratic[k, i, j]
        weight, buoyancy = self.mass * GRAVITY, DENSITY * self.volume * GRAVITY
        found["W-B"] = weight - buoyancy
        found.update(zip(("xgW-xbB", "ygW-ybB", "zgW-zbB"), weight * self.r_g - buoyancy * self.r_b))
        return {name: float(number) for name, number in found.items()}

    def truth(self):
        return {
            "parameters": self.parameters(), "mass": self.mass, "centre_of_mass": list(self.r_g), "centre_of_buoyancy": list(self.r_b),
            "volume": self.volume, "inertia_about_cg": self.inertia.tolist(),
            "thruster_lag": {"kind": self.lag_kind, "time_constant": self.lag}, "current_n": list(self.current),
            "density": DENSITY, "gravity": GRAVITY}


def draw_added_mass(rng, box, mass):
    """Diagonal shares of the mass, and what a centre of added mass away from the origin couples. Symmetric in port and starboard."""
    length, width, height = box
    dry = 0.75 * mass * np.array([width**2 + height**2, length**2 + height**2, length**2 + width**2]) / 12
    diagonal = np.concatenate([mass * np.array([rng.uniform(0.4, 0.85), rng.uniform(0.6, 1.2), rng.uniform(0.9, 1.8)]),
                               dry * np.array([rng.uniform(0.4, 1.0), rng.uniform(0.6, 1.1), rng.uniform(0.6, 1.2)])])
    added = np.diag(diagonal)
    pairs = [(0, 4), (1, 3), (1, 5), (2, 4)]
    if rng.random() < 0.5:  # no fore and aft symmetry of the hull's tilt
        pairs += [(0, 2), (3, 5)]
    for i, j in pairs:
        added[i, j] = added[j, i] = np.clip(rng.normal(0, 0.08), -0.2, 0.2) * np.sqrt(diagonal[i] * diagonal[j])
    assert np.linalg.eigvalsh(added).min() > 0
    return added


def draw_drag(rng, box, cross):
    length, width, height = box
    q = 0.5 * DENSITY * np.array([width * height, length * height, length * width]) * rng.uniform(0.7, 1.05, 3)
    strips = [q[2] * width**3 + q[1] * height**3, q[2] * length**3 + q[0] * height**3, q[1] * length**3 + q[0] * width**3]
    turn = np.array(strips) * rng.uniform(0.025, 0.055, 3)
    d = q * np.array([rng.uniform(0.06, 0.3), rng.uniform(0.07, 0.25), rng.uniform(0.08, 0.28)])
    d_turn = turn * np.array([rng.uniform(0.5, 1.0), rng.uniform(0.15, 0.8), rng.uniform(0.28, 0.55)])
    linear = np.diag(np.concatenate([d, d_turn]))
    quadratic = np.zeros((6, 6, 6))
    for k in range(6):
        quadratic[k, k, k] = np.concatenate([q, turn])[k]
    if cross:  # the centre of drag is not the origin; port and starboard stay alike
        point = np.array([rng.choice([-1, 1]) * rng.uniform(0.01, 0.04) * length, 0, rng.choice([-1, 1]) * rng.uniform(0.02, 0.06) * height])
        shape = linear.copy()
        shape[3:, 3:] = 0
        linear = moved(shape, point) + np.diag(np.concatenate([np.zeros(3), d_turn]))
        for k in range(3):
            quadratic[k] = moved(quadratic[k], point)
    return linear, quadratic


def draw_thrusters(rng, box, in_plane):
    """Four horizontal thrusters at the corners; above them two or four vertical ones. Two stand fore and aft, or side by side."""
    length, width, height = box
    z = 0.0 if in_plane else rng.uniform(-0.08, 0.12) * height
    x, y, angle = rng.uniform(0.3, 0.42) * length, rng.uniform(0.38, 0.47) * width, np.radians(rng.uniform(32, 52))
    corners = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    positions = [[a * x, b * y, z] for a, b in corners]
    directions = [[np.cos(angle), -a * b * np.sin(angle), 0] for a, b in corners]
    top = -rng.uniform(0.08, 0.12) * height
    kind = 4 if in_plane else rng.choice([4, 4, 1, 2])
    x, y = rng.uniform(0.18, 0.32) * length, rng.uniform(0.3, 0.45) * width
    if kind == 4:
        positions += [[a * x, b * y, top] for a, b in corners]
    elif kind == 2:
        positions += [[x, 0, top], [-x, 0, top]]
    else:  # a little apart in x, so that their difference pitches too
        shift = rng.uniform(0.005, 0.02, 2)
        positions += [[shift[0], y, top], [-shift[1], -y, top]]
    directions += [[0, 0, -1.0]] * (4 if kind == 4 else 2)
    return np.round(positions, 6), np.array(directions)


def draw_body(rng, moments, error):
    """Principal moments that are off by up to this share, of a body that can be: no moment is above .97 of the sum of the others."""
    while True:
        drawn = moments * (1 + rng.uniform(-error, error, 3))
        if 2 * drawn.max() <= 0.985 * drawn.sum():
            return drawn


def draw_vehicle(rng, name, in_plane=False):
    mass = float(np.exp(rng.uniform(np.log(25), np.log(226))))
    shape = np.array([1, rng.uniform(0.72, 0.92), rng.uniform(0.42, 0.68)])
    box = np.round(shape * np.cbrt(mass / (DENSITY * rng.uniform(0.22, 0.35) * np.prod(shape))), 2)
    r_g = np.array([rng.normal(0, 0.008), rng.normal(0, 0.0006), rng.uniform(0.015, 0.045) * box[2]])
    r_b = r_g + [rng.normal(0, 0.0015), rng.normal(0, 0.0015), -rng.uniform(0.16, 0.28) * box[2]]
    extent = np.array([box[1]**2 + box[2]**2, box[0]**2 + box[2]**2, box[0]**2 + box[1]**2]) / 12
    inertia = np.diag(draw_body(rng, mass * extent * 0.735, 0.12))
    inertia[0, 2] = inertia[2, 0] = np.clip(rng.normal(0, 0.03), -0.08, 0.08) * np.sqrt(inertia[0, 0] * inertia[2, 2])
    cross = rng.random() < 0.3
    linear, quadratic = draw_drag(rng, box, cross)
    positions, directions = draw_thrusters(rng, box, in_plane)
    # Forces that drive the vehicle at .8 to 1.15 m/s ahead at full command.
    speed = rng.uniform(0.8, 1.15)
    forward = (linear[0, 0] * speed + quadratic[0, 0, 0] * speed**2) / (4 * directions[0, 0])
    thruster = Thruster(forward, forward * rng.uniform(0.74, 0.82), rng.uniform(0.2, 0.35), rng.uniform(1.5, 1.8))
    angle, speed = rng.uniform(0, 2 * np.pi), rng.uniform(0.005, 0.05)
    kind = str(rng.choice(KINDS, p=[0.6, 0.4]))
    sensors = rng.choice(3)
    return Vehicle(
        name=name, box=box, mass=mass, volume=float(mass / DENSITY * (1 + rng.normal(0, 0.002))), r_g=r_g, r_b=r_b, inertia=inertia,
        added=draw_added_mass(rng, box, mass), linear=linear, quadratic=quadratic, positions=positions, directions=directions, thruster=thruster,
        lag=float(np.exp(rng.uniform(np.log(0.05), np.log(0.35)))), lag_kind=kind,
        current=np.array([speed * np.cos(angle), speed * np.sin(angle), 0]), dialect="frd" if in_plane or rng.random() < 0.5 else "flu",
        dvl_rate=int(rng.choice([5, 10])), dvl_position=np.round([-0.2 * box[0], 0, 0.3 * box[2]], 3), has_imu=bool(sensors != 1 or in_plane),
        has_fix=bool(sensors != 2), cross_drag=cross, in_plane=in_plane)


def draw_vehicles(count, seed, in_plane=False):
    """Each vehicle has a stream of its own, so that the first ones do not change with their number."""
    family = "in_plane" if in_plane else "vehicle"
    return [draw_vehicle(np.random.default_rng([seed, 11 if in_plane else 7, k]), f"{family}_{k}", in_plane) for k in range(count)]
