"""Writes the table and the runs of this folder: a thruster under a carriage, at rest and towed, and stepped on a bench. The same bytes every time.

python3 make.py
"""
import math
import pathlib
import random

HERE = pathlib.Path(__file__).resolve().parent
RNG = random.Random(11)
DENSITY, DIAMETER = 1000, .0762


def shaft_speed(pwm, inflow):
    """rad/s; water that runs along unloads the shaft."""
    return 12.7 * max(0, abs(pwm - 1500) - 27)**.55 * (1 + .06 * inflow)


def thrust(w, inflow, alpha0=.435, alpha1=-.789, alpha2=.03):
    """N, K_T = alpha0 + alpha1 J + alpha2 J^2: not the law that is fitted, which has no J^2."""
    n = w / (2 * math.pi)
    J = inflow / (n * DIAMETER)
    return DENSITY * DIAMETER**4 * n * n * (alpha0 + alpha1 * J + alpha2 * J * J)


def row(pwm, inflow):
    w = shaft_speed(pwm, inflow)
    force = 0 if w == 0 else thrust(w, inflow) if pwm > 1500 else -.8 * thrust(w, -inflow)
    rpm = w * 30 / math.pi + RNG.gauss(0, 3) * (w > 0)
    return f"{pwm},{inflow},{rpm:.0f},{force + RNG.gauss(0, .15):.2f}"


def steps(name, commands, hold=.7, dt=.02):
    """A motor against a load that grows with the square of its speed, and blades that push harder until the water flows: no first-order lag."""
    lines, w, flow = ["time [s],pwm [us],rpm,force [N]"], 0, 0
    for k in range(round(hold / dt) * len(commands)):
        pwm = commands[k // round(hold / dt)]
        turning = math.copysign(1, w)
        force = (1 if w > 0 else .8) * thrust(abs(w), 0) * turning * (1.15 - .15 * flow / w) if abs(w) > 1 else 0
        lines.append(f"{k * dt:.2f},{pwm},{abs(w) * 30 / math.pi + RNG.gauss(0, 15):.0f},{force + RNG.gauss(0, .3):.2f}")
        aim = math.copysign(shaft_speed(pwm, 0), pwm - 1500)
        for _ in range(20):
            w += dt / 20 * (4 * (aim - w) + (aim * abs(aim) - w * abs(w)) / 50)
            flow += dt / 20 * (w - flow) / .15
    (HERE / name).write_text("\n".join(lines) + "\n")


still = [(pwm, 0) for pwm in range(1100, 1901, 25)]
towed = [(pwm, inflow) for inflow in (.3, .6, .9) for pwm in range(1600, 1901, 50)]
lines = ["pwm [us],inflow [m/s],rpm,force [N]", *(row(*at) for at in still + towed)]
(HERE / "towing.csv").write_text("\n".join(lines) + "\n")
steps("steps-1.csv", (1500, 1700, 1850, 1600, 1500))
steps("steps-2.csv", (1500, 1800, 1650, 1300, 1150, 1500))
