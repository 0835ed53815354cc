"""Fathom's dynamics against others' code: Pinocchio (rigid body), CasADi (derivatives), SciPy (integration).

FATHOM_DUMP names the program that prints robots, states and Fathom's results. The equation of motion is written
here once more from docs/model.md eq. 4, body and added mass apart, with nothing of Fathom in it.
"""
import json
import os
import subprocess
import unittest

import casadi as ca
import numpy as np
import pinocchio as pin
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

DATA = json.loads(subprocess.run([os.environ["FATHOM_DUMP"]], check=True, capture_output=True, text=True).stdout)
RHO, G = DATA["density"], DATA["gravity"]


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def rotation(q_wxyz):
    return Rotation.from_quat(np.roll(q_wxyz, -1)).as_matrix()


class Oracle:
    """One robot, by Pinocchio for the dry body and by the textbook for the water."""

    def __init__(self, robot):
        self.mass, self.volume = robot["mass"], robot["volume"]
        self.com, self.cob = np.array(robot["com"]), np.array(robot["cob"])
        self.Ma = np.array(robot["added_mass"])
        self.damping = []
        for e in robot["damping"]:
            R = Rotation.from_euler("ZYX", e["rpy"][::-1]).as_matrix()  # body from element
            H = np.block([[R.T, -R.T @ skew(e["position"])], [np.zeros((3, 3)), R.T]])
            self.damping.append((H, np.array(e["linear"]), np.array(e["quadratic"])))
        self.model = pin.Model()
        self.model.gravity.linear = np.array([0, 0, G])  # north, east, down
        joint = self.model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "body")
        self.model.appendBodyToJoint(joint, pin.Inertia(self.mass, self.com, np.array(robot["inertia"])), pin.SE3.Identity())
        self.data = self.model.createData()
        self.M_rb = pin.crba(self.model, self.data, pin.neutral(self.model))
        self.M = self.M_rb + self.Ma

    def rigid_body(self, q_wxyz, nu, nu_dot):
        """M_rb nu_dot + C_rb nu - weight."""
        q = np.concatenate([np.zeros(3), np.roll(q_wxyz, -1)])
        return pin.rnea(self.model, self.data, q, np.asarray(nu), np.asarray(nu_dot))

    def damping_force(self, nu_r):
        force = np.zeros(6)
        for H, linear, quadratic in self.damping:
            own = H @ nu_r
            D = linear + sum(abs(own[j]) * quadratic[j] for j in range(6))
            force += H.T @ (D @ own)
        return force

    def water(self, q_wxyz, nu, nu_dot, v_n, a_n):
        """The rest of eq. 4's left-hand side, minus the force of accelerating water."""
        R_bn = rotation(q_wxyz).T
        v, a, down = R_bn @ v_n, R_bn @ a_n, R_bn[:, 2]
        nu_r, nu_r_dot = np.array(nu), np.array(nu_dot)
        nu_r[:3] -= v
        nu_r_dot[:3] -= a - np.cross(nu[3:], v)
        p = self.Ma @ nu_r
        C = np.block([[np.zeros((3, 3)), -skew(p[:3])], [-skew(p[:3]), -skew(p[3:])]])
        B = RHO * self.volume * G
        buoyancy = np.concatenate([B * down, np.cross(self.cob, B * down)])
        f_fk = RHO * self.volume * np.concatenate([a, np.cross(self.cob, a)])
        return self.Ma @ nu_r_dot + C @ nu_r + self.damping_force(nu_r) + buoyancy - f_fk

    def inverse(self, q, nu, nu_dot, v_n, a_n):
        return self.rigid_body(q, nu, nu_dot) + self.water(q, nu, nu_dot, v_n, a_n)

    def forward(self, q, nu, tau, v_n, a_n):
        return np.linalg.solve(self.M, tau - self.inverse(q, nu, np.zeros(6), v_n, a_n))

    def symbolic_forward(self):
        """CasADi function (R_bn, nu, tau, v_n, a_n) -> nu_dot, to be differentiated by the chain rule."""
        theta, nu, tau = ca.SX.sym("theta", 3), ca.SX.sym("nu", 6), ca.SX.sym("tau", 6)
        R0_bn, v_n, a_n = ca.SX.sym("R", 3, 3), ca.SX.sym("v", 3), ca.SX.sym("a", 3)
        # First order of (R_nb Exp(theta))' is enough for a derivative at theta = 0.
        R_bn = (ca.SX.eye(3) - ca.skew(theta)) @ R0_bn
        v, a, down = R_bn @ v_n, R_bn @ a_n, R_bn[:, 2]
        nu_r = nu - ca.vertcat(v, ca.SX.zeros(3))
        M_rb, Ma = ca.DM(self.M_rb), ca.DM(self.Ma)

        def coriolis(M, x):
            p = M @ x
            return ca.vertcat(ca.cross(x[3:], p[:3]), ca.cross(x[3:], p[3:]) + ca.cross(x[:3], p[:3]))

        force = ca.SX.zeros(6)
        for H, linear, quadratic in self.damping:
            own = ca.DM(H) @ nu_r
            D = ca.DM(linear)
            for j in range(6):
                D = D + ca.fabs(own[j]) * ca.DM(quadratic[j])
            force += ca.DM(H).T @ (D @ own)
        W, B = self.mass * G, RHO * self.volume * G
        g = -ca.vertcat((W - B) * down, ca.cross(ca.DM(W * self.com - B * self.cob), down))
        f_fk = RHO * self.volume * ca.vertcat(a, ca.cross(ca.DM(self.cob), a))
        drift = ca.vertcat(a - ca.cross(nu[3:], v), ca.SX.zeros(3))
        rest = coriolis(M_rb, nu) + coriolis(Ma, nu_r) - Ma @ drift + force + g - f_fk
        nu_dot = ca.solve(M_rb + Ma, tau - rest)
        jacobian = ca.jacobian(nu_dot, ca.vertcat(theta, nu, tau))
        return ca.Function("f", [theta, nu, tau, R0_bn, v_n, a_n], [nu_dot, jacobian])


class Dynamics(unittest.TestCase):
    def each_sample(self):
        self.assertGreaterEqual(len(DATA["robots"]), 18)
        for entry in DATA["robots"]:
            oracle = Oracle(entry["robot"])
            for s in entry["samples"]:
                with self.subTest(robot=entry["name"]):
                    q, nu = np.array(s["state"]["q_nb_wxyz"]), np.array(s["state"]["nu_b"])
                    yield oracle, s, q, nu, np.array(s["current_velocity_n"]), np.array(s["current_acceleration_n"])

    def test_inverse_dynamics_is_pinocchios_plus_water(self):
        for oracle, s, q, nu, v_n, a_n in self.each_sample():
            expected = oracle.inverse(q, nu, np.array(s["nu_dot"]), v_n, a_n)
            np.testing.assert_allclose(s["inverse"], expected, rtol=0, atol=1e-11 * (oracle.mass * G + abs(expected).max()))

    def test_forward_dynamics(self):
        for oracle, s, q, nu, v_n, a_n in self.each_sample():
            expected = oracle.forward(q, nu, np.array(s["tau"]), v_n, a_n)
            np.testing.assert_allclose(s["forward"], expected, rtol=0, atol=1e-9 * (1 + abs(expected).max()))

    def test_jacobians_are_casadis(self):
        for oracle, s, q, nu, v_n, a_n in self.each_sample():
            f = oracle.symbolic_forward()
            value, jacobian = f(np.zeros(3), nu, s["tau"], rotation(q).T, v_n, a_n)
            ours = np.hstack([s["by_attitude"], s["by_twist"], s["by_wrench"]])
            np.testing.assert_allclose(np.array(value).ravel(), s["forward"], atol=1e-9 * (1 + abs(np.array(value)).max()))
            np.testing.assert_allclose(ours, np.array(jacobian), rtol=0, atol=1e-9 * (1 + abs(np.array(jacobian)).max()))

    def test_a_swim_ends_where_scipys_does(self):
        for entry in DATA["robots"]:
            with self.subTest(robot=entry["name"]):
                oracle, swim = Oracle(entry["robot"]), entry["swim"]
                tau, v0, a = (np.array(swim[k]) for k in ("tau", "current_velocity_n", "current_acceleration_n"))

                def rate(t, x):
                    q, nu = x[3:7] / np.linalg.norm(x[3:7]), x[7:]
                    w, e = x[3], x[4:7]
                    q_dot = 0.5 * np.concatenate([[-e @ nu[3:]], w * nu[3:] + np.cross(e, nu[3:])])
                    return np.concatenate([rotation(q) @ nu[:3], q_dot, oracle.forward(q, nu, tau, v0 + t * a, a)])

                start = swim["start"]
                x0 = np.concatenate([start["p_nb_n"], start["q_nb_wxyz"], start["nu_b"]])
                x = solve_ivp(rate, (0, swim["duration"]), x0, method="DOP853", rtol=1e-11, atol=1e-12).y[:, -1]
                end = swim["end"]
                ours = np.concatenate([end["p_nb_n"], end["q_nb_wxyz"], end["nu_b"]])
                np.testing.assert_allclose(ours, x, rtol=0, atol=1e-6)


if __name__ == "__main__":
    unittest.main()
