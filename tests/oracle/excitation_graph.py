"""A problem of excitation in CasADi's symbols, with nothing of Fathom in it but the free numbers' control points.

Body velocities come from the rotation matrix and CasADi's derivative of it, the regressor from docs/model.md eqs. 4 and
16 to 18, column by column, the information matrix from the stacked regressor, gradients from CasADi. Used by
check_excitation.py and by bench/excitation_race. `Graph.x` is one vector: the coordinates that move, one after the other.
"""
from math import comb

import casadi as ca
import numpy as np
import scipy.sparse as sp


def sparse(matrix):
    entries = np.array(matrix["entries"]).reshape(-1, 3)
    place = entries[:, 0].astype(int), entries[:, 1].astype(int)
    return sp.csc_matrix((entries[:, 2], place), shape=(matrix["rows"], matrix["columns"]))


def bernstein(n, u):
    """All of degree n at each u, one row each."""
    return np.array([comb(n, i) * u**i * (1 - u) ** (n - i) for i in range(n + 1)]).T


def derivative(lower, n):
    """Of the Bernstein polynomials of degree n, from those of degree n - 1 (or their derivatives)."""
    zero = np.zeros((len(lower), 1))
    return n * (np.hstack([zero, lower]) - np.hstack([lower, zero]))


def sample_matrices(basis, interval):
    """Value, rate and acceleration at the samples, by control points."""
    knots, n = np.array(basis["knots"]), basis["degree"]
    t = interval * np.arange(int(np.floor((knots[-1] - knots[0]) / interval * (1 + 1e-12))) + 1)
    piece = np.clip(np.searchsorted(knots, t + 1e-9 * interval, side="right") - 1, 0, len(knots) - 2)
    length = np.diff(knots)[piece]
    u = np.clip((t - knots[piece]) / length, 0, 1)
    scale = length[:, None]
    levels = [bernstein(n, u), derivative(bernstein(n - 1, u), n) / scale,
              derivative(derivative(bernstein(n - 2, u), n - 1), n) / scale**2]
    row = np.repeat(np.arange(len(t)), n + 1)
    column = (piece[:, None] * (n + 1) + np.arange(n + 1)).ravel()
    shape = (len(t), (len(knots) - 1) * (n + 1))
    return [sp.csc_matrix((level.ravel(), (row, column)), shape=shape) for level in levels]


def is_zero(a):
    return isinstance(a, (int, float)) and a == 0


def times(a, b):
    return 0 if is_zero(a) or is_zero(b) else a * b


def product(A, B):
    return [[sum_of(times(A[i][k], B[k][j]) for k in range(3)) for j in range(3)] for i in range(3)]


def sum_of(terms):
    terms = [term for term in terms if not is_zero(term)]
    return sum(terms[1:], terms[0]) if terms else 0


def cross(a, b):
    return [sum_of([times(a[(i + 1) % 3], b[(i + 2) % 3]), times(times(-1, a[(i + 2) % 3]), b[(i + 1) % 3])])
            for i in range(3)]


def rotation(angles):
    """R_nb of roll, pitch, yaw (z-y-x); an angle that is the number 0 leaves no trace."""
    R = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    for axis in (2, 1, 0):
        if is_zero(angles[axis]):
            continue
        c, s, i, j = ca.cos(angles[axis]), ca.sin(angles[axis]), (axis + 1) % 3, (axis + 2) % 3
        turn = [[1 if row == column else 0 for column in range(3)] for row in range(3)]
        turn[i][i], turn[i][j], turn[j][i], turn[j][j] = c, -s, s, c
        R = product(R, turn)
    return R


class Graph:
    def __init__(self, problem):
        self.problem = problem
        self.moving = problem["coordinates"]
        basis = problem["basis"]
        levels = sample_matrices(basis, problem["sampling"])
        points, start, end = sparse(basis["points"]), np.array(basis["start"]), np.array(basis["end"])
        self.count, self.free = levels[0].shape[0], points.shape[1]
        self.x = ca.MX.sym("x", self.free * len(self.moving))
        parts = ca.vertsplit(self.x, self.free)

        def coordinate(level, c):
            if c not in self.moving:
                return 0
            fixed = levels[level] @ (problem["start"][c] * start + problem["end"][c] * end)
            return ca.DM((levels[level] @ points).tocsc().sorted_indices()) @ parts[self.moving.index(c)] + ca.DM(fixed)

        angle, rate, acceleration = ([coordinate(level, c) for c in range(6)] for level in range(3))
        self.nu, self.nu_dot, self.down = self.body(angle[3:], rate, acceleration)

    def body(self, angles, rate, acceleration):
        """Twist of the body, its derivative in time and where down is, all in b. Columns over samples."""
        moved = [c for c in range(6) if c in self.moving]
        symbol = {("angle", c): ca.MX.sym("angle", self.count) for c in moved if c > 2}
        symbol.update({("rate", c): ca.MX.sym("rate", self.count) for c in moved})
        q = [symbol.get(("angle", c), 0) for c in range(3, 6)]
        q_dot = [symbol.get(("rate", c), 0) for c in range(6)]
        R = rotation(q)
        turning = [(("angle", c), q_dot[c]) for c in moved if c > 2]

        def rate_of(a, along):
            """Derivative of a column in time: the symbols in `along` change at the rates given."""
            if not isinstance(a, ca.MX):
                return 0
            return ca.jtimes(a, ca.vertcat(*[symbol[key] for key, _ in along]), ca.vertcat(*[r for _, r in along]))

        v = [sum_of(times(R[k][i], q_dot[k]) for k in range(3)) for i in range(3)]  # R' p_dot
        # The skew matrix of omega is R' R_dot.
        R_dot = [[rate_of(a, turning) for a in row] for row in R]
        omega = [sum_of(times(R[k][j], R_dot[k][i]) for k in range(3)) for i, j in ((1, 2), (2, 0), (0, 1))]
        accelerations = {("rate", c): ca.MX.sym("acceleration", self.count) for c in moved}
        along = turning + list(accelerations.items())
        nu = v + omega
        nu_dot = [rate_of(a, along) for a in nu]
        given = list(symbol.values()) + list(accelerations.values())
        known = [(angles[c - 3] if kind == "angle" else rate[c]) for kind, c in symbol] + [acceleration[c] for _, c in accelerations]
        columns = nu + nu_dot + [R[2][i] for i in range(3)]
        symbolic = [a for a in columns if isinstance(a, ca.MX)]
        placed = iter(ca.substitute(symbolic, given, known))
        columns = [next(placed) if isinstance(a, ca.MX) else a for a in columns]
        return columns[:6], columns[6:12], columns[12:]

    def column(self, term):
        """The wrench that one unit of a parameter makes, a column over samples in each of six rows."""
        kind, i, j = term["kind"], term["row"], term["column"]
        wrench = [0] * 6
        if kind in ("inertia", "inertia_entry"):
            entries = {(i, j), (j, i)} if kind == "inertia" else {(i, j)}
            momentum = [sum_of(self.nu[b] for a, b in entries if a == row) for row in range(6)]
            gain = [sum_of(self.nu_dot[b] for a, b in entries if a == row) for row in range(6)]
            v, omega, p, l = self.nu[:3], self.nu[3:], momentum[:3], momentum[3:]
            carried = cross(omega, p) + [sum_of(pair) for pair in zip(cross(omega, l), cross(v, p))]
            wrench = [sum_of(pair) for pair in zip(gain, carried)]
        elif kind == "linear":
            wrench[i] = self.nu[j]
        elif kind == "quadratic":
            wrench[i] = ca.fabs(self.nu[term["speed"]]) * self.nu[j]
        elif kind in ("net_weight", "weight", "buoyancy"):
            sign = 1 if kind == "buoyancy" else -1
            wrench[:3] = [times(sign, d) for d in self.down]
        elif kind == "first_moment":
            arm = [0, 0, 0]
            arm[i] = -1
            wrench[3:] = cross(arm, self.down)
        return wrench

    def regressor(self, weights):
        """Stacked over samples, each free row times the root of its weight."""
        columns = []
        for term in self.problem["structure"]["terms"]:
            wrench = self.column(term)
            blocks = [self.block(wrench[row], weight) for row, weight in zip(self.problem["structure"]["free"], weights)]
            columns.append(ca.vertcat(*blocks))
        return ca.horzcat(*columns)

    def block(self, a, weight):
        if is_zero(a):
            return ca.MX(self.count, 1)
        if not isinstance(a, ca.MX):
            a = ca.MX(ca.DM.ones(self.count) * a)
        return a if weight == 1 else np.sqrt(weight) * a

    def information(self, weighted=True):
        weights = self.problem["row_weights"]
        Y = self.regressor(weights if weighted else [1] * len(weights))
        return Y.T @ Y

    def criterion(self, name, power=64):
        """docs/excitation.md eqs. 15 to 17; less is better."""
        if name == "condition":
            return log_condition(ca.densify(self.information(False)), power)
        scale = ca.DM(self.problem["scales"])
        G = ca.diag(scale) @ (self.information() + ca.diag(ca.DM(self.problem["prior"]))) @ ca.diag(scale)
        inverse, log_det = inverse_and_log_det(G.shape[0])(ca.densify(G))
        return ca.log(ca.trace(inverse)) if name == "a-optimal" else -log_det / G.shape[0]


def inverse_and_log_det(n):
    """Of a symmetric matrix, by Cholesky in scalar operations: the fastest that CasADi has for this size."""
    G = ca.SX.sym("G", n, n)
    R = ca.chol(ca.SX(ca.triu2symm(ca.triu(G))))  # R'R = G
    inverse = ca.SX.zeros(n, n)
    for j in range(n):  # column j of R^-1
        inverse[j, j] = 1 / R[j, j]
        for i in range(j - 1, -1, -1):
            inverse[i, j] = -ca.dot(R[i, i + 1 : j + 1].T, inverse[i + 1 : j + 1, j]) / R[i, i]
    root = ca.triu(inverse)
    return ca.Function("inverse", [G], [root @ root.T, 2 * ca.sum1(ca.log(ca.diag(R)))])


def log_condition(G, power):
    """Of the root of G: half the log of |G| |G^-1| in Schatten norms, which are traces of powers."""
    def log_norm(A):
        size = ca.trace(A)
        A = A / size
        for _ in range(int(np.log2(power))):
            A = A @ A
        return ca.log(size) + ca.log(ca.trace(A)) / power

    inverse, _ = inverse_and_log_det(G.shape[0])(G)
    return 0.5 * (log_norm(G) + log_norm(inverse))
