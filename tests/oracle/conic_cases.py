"""Problems of least squares under matrix inequalities, as fathom_conic_echo reads them, and Clarabel's answers."""
import clarabel
import numpy as np
from scipy import sparse


def upper(m):
    return [(i, j) for j in range(m) for i in range(j + 1)]


def linear_matrix(case, matrix):
    """The constant and the coefficients of one matrix inequality, dense."""
    constant = np.array(matrix["constant"], float)
    A = np.zeros((case["unknowns"],) + constant.shape)
    for i, row, column, value in matrix["entries"]:
        A[i, row, column] += value
        if row != column:
            A[i, column, row] += value
    return constant, A


def linear_scalar(case, scalar):
    a = np.zeros(case["unknowns"])
    for i, value in scalar["entries"]:
        a[i] += value
    return scalar["constant"], a


def smooth_part(case):
    """P, q, constant of x'Px - 2q'x + constant: all but Huber's bend."""
    G, b, c = np.array(case["G"]), np.array(case["b"]), case["c"]
    if "Q" in case:
        Q, x0 = np.array(case["Q"]), np.array(case.get("x0", np.zeros(len(b))))
        return G + Q, b + Q @ x0, c + x0 @ Q @ x0
    return G, b, c


def value(case, x):
    G, b, c = np.array(case["G"]), np.array(case["b"]), case["c"]
    s = max(0.0, c - 2 * b @ x + x @ G @ x)
    rho = case.get("huber", np.inf)
    f = s if s <= rho**2 else 2 * rho * np.sqrt(s) - rho**2
    if "Q" in case:
        d = x - np.array(case.get("x0", np.zeros(len(b))))
        f += d @ np.array(case["Q"]) @ d
    return f


def svec(S):
    """Clarabel's order: upper triangle by columns, off the diagonal times sqrt 2."""
    return np.array([S[i, j] * (1 if i == j else np.sqrt(2)) for i, j in upper(len(S))])


def cones_of(case):
    """Rows and cones of s = h - A x in K."""
    n = case["unknowns"]
    A, h, cones = [np.zeros((0, n))], [np.zeros(0)], []
    if case["scalars"]:
        parts = [linear_scalar(case, scalar) for scalar in case["scalars"]]
        A.append(-np.array([a for _, a in parts]))
        h.append(np.array([constant for constant, _ in parts]))
        cones.append(clarabel.NonnegativeConeT(len(parts)))
    for matrix in case["matrices"]:
        constant, coefficients = linear_matrix(case, matrix)
        A.append(-np.array([svec(a) for a in coefficients]).T)
        h.append(svec(constant))
        cones.append(clarabel.PSDTriangleConeT(len(constant)))
    return np.vstack(A), np.concatenate(h), cones


def with_huber(case, A, h, cones):
    """Unknowns [x, e, v, t]: |e|^2 + 2 rho t, residual = e + v, |v| <= t (Huber is that least value)."""
    n, rho = case["unknowns"], case["huber"]
    G, b, c = np.array(case["G"]), np.array(case["b"]), case["c"]
    # Rows R with R'R = [[G, -b], [-b', c]]: the residual is R [x; 1].
    values, vectors = np.linalg.eigh(np.block([[G, -b[:, None]], [-b[None, :], np.array([[c]])]]))
    R = np.sqrt(np.maximum(values, 0))[:, None] * vectors.T
    k = len(R)
    zero = np.zeros
    equal = np.hstack([-R[:, :n], np.eye(k), np.eye(k), zero((k, 1))])
    ball = np.vstack([np.hstack([zero((1, n + 2 * k)), [[-1.0]]]), np.hstack([zero((k, n + k)), -np.eye(k), zero((k, 1))])])
    rows = np.vstack([equal, ball, np.hstack([A, zero((len(A), 2 * k + 1))])])
    right = np.concatenate([R[:, n], zero(k + 1), h])
    P = zero((n + 2 * k + 1,) * 2)
    q = zero(n + 2 * k + 1)
    if "Q" in case:
        Q, x0 = np.array(case["Q"]), np.array(case.get("x0", zero(n)))
        P[:n, :n], q[:n] = 2 * Q, -2 * Q @ x0
    P[n : n + k, n : n + k] = 2 * np.eye(k)
    q[-1] = 2 * rho
    return P, q, rows, right, [clarabel.ZeroConeT(k), clarabel.SecondOrderConeT(k + 1)] + cones


def solve(case, tolerance=1e-9):
    """Clarabel's solution and its x, for unknowns scaled so that P has a unit diagonal: it needs that."""
    A, h, cones = cones_of(case)
    if "huber" in case:
        P, q, A, h, cones = with_huber(case, A, h, cones)
    else:
        P, q, _ = smooth_part(case)
        P, q = 2 * P, -2 * q
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    D = np.ones(len(q))
    D[: case["unknowns"]] = [1 / np.sqrt(p) if p > 0 else 1 for p in np.diag(smooth_part(case)[0])]
    P, q, A = np.triu(D[:, None] * P * D), D * q, A * D
    solution = clarabel.DefaultSolver(sparse.csc_matrix(P), q, sparse.csc_matrix(A), h, cones, settings).solve()
    return solution, (D * np.array(solution.x))[: case["unknowns"]]


# Problems


def objective(rng, n, rows, x, noise, scales=None):
    """Rows of a regression whose truth is x."""
    A = rng.normal(size=(rows, n))
    if scales is not None:
        A = A / scales
    y = A @ x + noise * rng.normal(size=rows)
    return {"G": (A.T @ A).tolist(), "b": (A.T @ y).tolist(), "c": float(y @ y)}


def full_block(first, m, constant):
    """One unknown per entry of the upper triangle."""
    entries = [[first + k, i, j, 1.0] for k, (i, j) in enumerate(upper(m))]
    return {"constant": np.asarray(constant, float).tolist(), "entries": entries}


def random_case(seed):
    """Dense coefficients; the feasible set holds a ball around a known point, the free optimum lies anywhere."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 16))
    inner = rng.normal(size=n)
    matrices, scalars = [], []
    for _ in range(rng.integers(1, 4)):
        m = int(rng.integers(1, 8))
        A = rng.normal(size=(n, m, m)) * (rng.random((n, m, m)) < 0.4)
        A = np.triu(A) + np.triu(A, 1).transpose(0, 2, 1)
        root = rng.normal(size=(m, m))
        constant = root @ root.T + 0.1 * np.eye(m) - np.tensordot(inner, A, 1)
        entries = [[i, r, c, A[i, r, c]] for i in range(n) for r, c in upper(m) if A[i, r, c] != 0]
        matrices.append({"constant": constant.tolist(), "entries": entries})
    for _ in range(rng.integers(0, 6)):
        a = rng.normal(size=n) * (rng.random(n) < 0.5)
        scalars.append({"constant": float(rng.random() + 0.05 - a @ inner), "entries": [[i, v] for i, v in enumerate(a) if v]})
    case = {"unknowns": n, "matrices": matrices, "scalars": scalars}
    case.update(objective(rng, n, 3 * n, inner + 3 * rng.normal(size=n), rng.choice([0.0, 0.1, 1.0])))
    if seed % 3 == 1:
        case["Q"], case["x0"] = np.diag(10 ** rng.uniform(-4, 0, n)).tolist(), rng.normal(size=n).tolist()
    if seed % 4 == 3:
        case["huber"] = float(10 ** rng.uniform(-1, 1.5))
    return case


def vehicle_case(seed, noise=0.3, rows=400):
    """A 4-DoF vehicle: M - M_rb, linear and four quadratic drag matrices, bounds; 25 unknowns, kg beside kg m^2."""
    rng = np.random.default_rng(seed)
    size = np.array([12.0, 12.0, 12.0, 0.25])
    diagonal = [(i, i) for i in range(4)]
    truth, unit, matrices = [], [], []

    def add(pairs, scale, constant):
        entries = []
        for i, j in pairs:
            entries.append([len(truth), i, j, 1.0])
            unit.append(scale * np.sqrt(size[i] * size[j]))
            truth.append(unit[-1] * (rng.uniform(0.02, 1) if i == j else rng.uniform(-0.3, 0.3)))
        matrices.append({"constant": constant.tolist(), "entries": entries})

    dry = np.diag(size)
    dry[1, 3] = dry[3, 1] = 0.1
    add(diagonal + [(1, 3)], 1.0, -dry)
    for i in range(4):
        truth[i] += size[i]
    add(diagonal, 0.8, np.zeros((4, 4)))
    for _ in range(4):
        add(diagonal, 1.5, np.zeros((4, 4)))
        matrices[-1]["entries"].append([len(truth) - 3, 1, 3, 0.1])  # a cross term tied to the sway drag
    scalars = [{"constant": 20 * unit[i], "entries": [[i, -1.0]]} for i in range(5, 9)]
    case = {"unknowns": len(truth), "matrices": matrices, "scalars": scalars}
    case.update(objective(rng, len(truth), rows, np.array(truth), noise * np.sqrt(rows), np.array(unit)))
    return case


def arm_case(seed, noise=0.5, rows=500):
    """A vehicle with four links: inertia 6 x 6, pseudo-inertias 4 x 4, bounds; 75 unknowns, prior Q as online."""
    rng = np.random.default_rng(seed)
    truth, matrices = [], []

    def add(m, scale):
        root = rng.normal(size=(m, m)) * scale
        S = root @ root.T + 0.02 * np.diag(scale**2)
        matrices.append(full_block(len(truth), m, np.zeros((m, m))))
        truth.extend(S[i, j] for i, j in upper(m))

    add(6, np.array([3.5, 3.5, 3.5, 0.5, 0.5, 0.5]))
    for _ in range(4):
        add(4, np.array([0.1, 0.1, 0.1, 0.8]))
    truth.extend(rng.uniform(0.1, 2, 14))
    truth = np.array(truth)
    n = len(truth)
    unit = np.maximum(abs(truth), 0.05)
    scalars = [{"constant": 0.0, "entries": [[i, 1.0]]} for i in range(n - 14, n)]
    scalars += [{"constant": 5 * unit[i], "entries": [[i, -1.0]]} for i in range(n - 34, n)]
    case = {"unknowns": n, "matrices": matrices, "scalars": scalars}
    case.update(objective(rng, n, rows, truth, noise, unit))
    case["Q"] = np.diag(0.1 / unit**2).tolist()
    case["x0"] = (truth + 0.3 * unit * rng.normal(size=n)).tolist()
    return case


def degenerate_case(seed):
    """Eight kinds that interior points find hard."""
    rng = np.random.default_rng(seed)
    kind, m = seed % 8, 3
    n = m * (m + 1) // 2
    cone = full_block(0, m, np.zeros((m, m)))
    case = {"unknowns": n, "matrices": [cone], "scalars": []}
    root = rng.normal(size=(m, m))
    truth = np.array([(root @ root.T)[i, j] for i, j in upper(m)])
    if kind == 0:  # G of rank 2, a prior on the rest
        case.update(objective(rng, n, 2, truth, 0.1), Q=(1e-3 * np.eye(n)).tolist())
    elif kind == 1:  # the optimum is the tip of the cone
        case.update(objective(rng, n, 0, truth, 0), Q=np.eye(n).tolist(), x0=np.array([-1.0, 0, -2, 0, 0, -1]).tolist())
    elif kind == 2:  # every inequality twice
        case["matrices"].append(cone)
        case["scalars"] = [{"constant": -0.5, "entries": [[0, 1.0]]}] * 2
        case.update(objective(rng, n, 3 * n, -truth, 0.1))
    elif kind == 3:  # zero residual inside
        case.update(objective(rng, n, 3 * n, truth, 0))
    elif kind == 4:  # zero residual on the boundary
        v = rng.normal(size=m)
        case.update(objective(rng, n, 3 * n, np.array([v[i] * v[j] for i, j in upper(m)]), 0))
    elif kind == 5:  # a thin set
        case["scalars"] = [{"constant": -1.0, "entries": [[0, 1.0]]}, {"constant": 1.0 + 1e-4, "entries": [[0, -1.0]]}]
        case.update(objective(rng, n, 3 * n, -truth, 1.0))
    elif kind == 6:  # G without an unknown that inequalities alone hold
        case.update(objective(rng, n, 3 * n, truth, 0.1))
        G, b = np.array(case["G"]), np.array(case["b"])
        G[0], G[:, 0], b[0] = 0, 0, 0
        case.update(G=G.tolist(), b=b.tolist(), scalars=[{"constant": 50.0, "entries": [[0, -1.0]]}])
    else:  # kg beside g mm^2: columns six decades apart, Huber's bend far below the residual
        scales = 10.0 ** np.array([3, 0, -3, 0, -3, -3])
        cone["entries"] = [[k, i, j, 10.0 ** (2 - i - j)] for k, (i, j) in enumerate(upper(m))]
        case.update(objective(rng, n, 3 * n, truth * scales, 1.0, scales), huber=0.1)
    return case


def infeasible_case(seed):
    """A random problem with one inequality more, minus a positive combination of others and a little."""
    rng = np.random.default_rng(seed)
    case = random_case(4 * seed)
    total, a = -(10 ** rng.uniform(-3, 0)), np.zeros(case["unknowns"])
    for matrix in case["matrices"]:
        constant, coefficients = linear_matrix(case, matrix)
        root = rng.normal(size=constant.shape)
        Z = root @ root.T
        total -= np.sum(constant * Z)
        a -= np.tensordot(coefficients, Z, 2)
    case["scalars"].append({"constant": float(total), "entries": [[i, float(v)] for i, v in enumerate(a)]})
    return case
