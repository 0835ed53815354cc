"""Writes the runs of this folder: a small vehicle towed under a carriage, and let go from a tilt. The same bytes every time.

python3 make.py
"""
import math
import pathlib
import random

HERE = pathlib.Path(__file__).resolve().parent
RNG = random.Random(7)


def remembering(sigma, keep):
    state = 0
    while True:
        state = keep * state + math.sqrt(1 - keep * keep) * RNG.gauss(0, 1)
        yield sigma * state


def tow(name, speed, caught=0):
    """Two cells carry the bracket; a wire at 20 degrees pulls back with a third."""
    noises = [remembering(.4, .6) for _ in range(3)]
    zeros = [RNG.gauss(0, 1) for _ in range(3)]
    phase, water = RNG.uniform(0, 6), RNG.gauss(0, .003)
    lines = ["t [s],carriage [m/s],m1,m2,m3"]
    for k in range(150):
        t = k / 10
        u = speed * max(0, min(1, (t - 3) / 1.5, (14 - t) / 1.5))
        acceleration = speed / 1.5 * ((3 < t < 4.5) - (12.5 < t < 14))
        v = u + water * (u != 0)
        drag = 2 * v + 35 * abs(v) * v * (1 - .03 * math.exp(-((abs(v) - .5) / .15)**2))
        force = drag + 4 * u + 25.06 * abs(u) * u + 20 * acceleration + u * math.sin(4.4 * t + phase) + caught * u / speed
        wire = 4 + .2 * force
        carried = force + wire * math.cos(math.radians(20))
        cells = [z + next(n) + f for z, n, f in zip(zeros, noises, (.6 * carried, .4 * carried, wire))]
        lines.append(f"{t:.1f},{u + RNG.gauss(0, .001):.4f}," + ",".join(f"{c:.2f}" for c in cells))
    (HERE / name).write_text("\n".join(lines) + "\n")


def swing(name, release):
    """Roll about -12 degrees; seconds and degrees."""
    noise, angle, rate, at_rest, h = remembering(.25, .5), math.radians(release), 0, math.radians(-12), .02
    lines = ["t,roll"]
    for k in range(200):
        lines.append(f"{k / 5:.1f},{math.degrees(angle) + next(noise):.2f}")
        for _ in range(10):
            push = .003 * RNG.gauss(0, 1)
            slope = lambda a, r: push - 2.2 * math.sin(a - at_rest) - (.08 + .25 * abs(r)) * r
            middle = angle + h / 2 * rate, rate + h / 2 * slope(angle, rate)
            angle, rate = angle + h * middle[1], rate + h * slope(*middle)
    (HERE / name).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    for sign, word in ((1, "ahead"), (-1, "astern")):
        for tenths in (2, 4, 6, 8, 10):
            for run in "ab":
                tow(f"{word}-{tenths}{run}.csv", sign * tenths / 10, caught=sign * 9 * ((word, tenths, run) == ("ahead", 6, "b")))
    for number, release in enumerate((20, 28, -45), 1):
        swing(f"roll-{number}.csv", release)
