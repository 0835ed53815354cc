#!/usr/bin/env python3
"""Makes run-1.csv and run-2.csv: an arm of two links that swings in a vertical plane, by the textbook's closed form.

It is not the arm of arm.yaml: it carries more, its friction falls before it rises (Stribeck), its position is counted on the motor's side
of a flexible joint, and its torque sensor has noise that remembers.
"""
import math
import pathlib
import random

G, L1, DT = 9.81, 0.4, 0.01
M1, C1, I1 = 3.4, 0.21, 0.055     # kg, m along the link, kg m^2 about the centre of mass
M2, C2, I2 = 2.1, 0.19, 0.024
STIFF = (9000, 4000)              # N m/rad
COUNT = 2 * math.pi / 65536       # rad


def friction(v, viscous, dry, more):
    return viscous * v + math.copysign(dry + more * math.exp(-(v / 0.05) ** 2), v) * (1 if abs(v) > 1e-9 else 0)


def motion(waves, t):
    q = dq = ddq = 0
    for a, f, p in waves:
        w = 2 * math.pi * f
        q, dq, ddq = q + a * math.sin(w * t + p), dq + a * w * math.cos(w * t + p), ddq - a * w * w * math.sin(w * t + p)
    return q, dq, ddq


def torques(one, two):
    """About axes y, z down: a positive angle lifts the arm, which begins along x."""
    (q1, v1, a1), (q2, v2, a2) = one, two
    c = M2 * L1 * C2
    m22 = I2 + M2 * C2 ** 2
    m12 = m22 + c * math.cos(q2)
    m11 = I1 + M1 * C1 ** 2 + M2 * L1 ** 2 + m22 + 2 * c * math.cos(q2)
    g2 = M2 * G * C2 * math.cos(q1 + q2)
    g1 = (M1 * C1 + M2 * L1) * G * math.cos(q1) + g2
    return (m11 * a1 + m12 * a2 - c * math.sin(q2) * (2 * v1 * v2 + v2 ** 2) + g1 + friction(v1, 0.9, 0.8, 0.15),
            m12 * a1 + m22 * a2 + c * math.sin(q2) * v1 ** 2 + g2 + friction(v2, 0.4, 0.5, 0.1))


def write(name, seed, waves):
    draw = random.Random(seed)
    here = pathlib.Path(__file__).parent
    noise = [0.0, 0.0]
    lines = ["t,q.shoulder,q.elbow,effort.shoulder,effort.elbow"]
    for k in range(2000):
        t = k * DT
        tau = torques(motion(waves[0], t), motion(waves[1], t))
        seen = []
        for j in range(2):
            noise[j] = 0.8 * noise[j] + draw.gauss(0, (0.06, 0.04)[j])
            seen.append(round((motion(waves[j], t)[0] + tau[j] / STIFF[j]) / COUNT) * COUNT)
        lines.append(f"{t:.2f},{seen[0]:.6f},{seen[1]:.6f},{tau[0] + noise[0] + 0.3:.4f},{tau[1] + noise[1] - 0.1:.4f}")
    (here / name).write_text("\n".join(lines) + "\n")


write("run-1.csv", 1, (((0.7, 0.2, 0.3), (0.35, 0.55, 1.0), (0.1, 1.3, 0.2)), ((0.9, 0.25, 1.2), (0.4, 0.7, 0.1), (0.12, 1.6, 2.0))))
write("run-2.csv", 2, (((0.9, 0.15, 0.9), (0.3, 0.45, 0.4), (0.12, 1.1, 1.7)), ((0.7, 0.35, 0.2), (0.5, 0.5, 2.1), (0.1, 1.5, 0.6))))
