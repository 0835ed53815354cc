"""Draws docs/pictures/first-swim.svg from the log of `fathom demo`: simulated surge speed on the closed form.

    build/release/bin/fathom demo && python3 docs/first_swim.py out/demo
"""
import csv
import json
import math
import pathlib
import sys

folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "out/demo")
summary = json.loads((folder / "summary.json").read_text())
rows = list(csv.DictReader((folder / "swim.csv").open()))
t = [float(r["t [s]"]) for r in rows]
u = [float(r["u [m/s]"]) for r in rows]

# m u' = X - d u - q u^2, from the numbers of models/bluerov2-heavy.yaml: a Riccati equation.
m, d, q, X = 13.5 + 6.36, 13.7, 141.0, summary["push_N"]
root = math.sqrt(d * d + 4 * q * X)
up, down = (root - d) / (2 * q), (-root - d) / (2 * q)
rate = q * (up - down) / m


def closed_form(time):
    fade = math.exp(-rate * time)
    return up * (1 - fade) / (1 - up / down * fade)


WIDTH, HEIGHT, LEFT, BOTTOM, SPAN, TOP = 760, 330, 62, 285, 10.0, 0.4


def place(time, speed):
    return LEFT + (WIDTH - LEFT - 20) * time / SPAN, BOTTOM - (BOTTOM - 40) * speed / TOP


line = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(k / 20, closed_form(k / 20)) for k in range(int(SPAN * 20) + 1)))
dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"/>'
               for x, y in (place(a, b) for a, b in zip(t[::2], u[::2]) if a <= SPAN))
grid = ""
for k in range(5):
    y = place(0, k / 10)[1]
    grid += f'<line x1="{LEFT}" x2="{WIDTH - 20}" y1="{y:.1f}" y2="{y:.1f}"/><text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{k / 10:.1f}</text>'
for k in range(0, 11, 2):
    x = place(k, 0)[0]
    grid += f'<text x="{x:.1f}" y="{BOTTOM + 20}" text-anchor="middle">{k}</text>'
svg = f'''<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="system-ui,sans-serif" font-size="13">
<rect width="100%" height="100%" fill="#fff"/>
<text x="{LEFT}" y="24" font-size="15" font-weight="600" fill="#1b2733">BlueROV2 Heavy pushed ahead with {X:g} N: simulated (dots) on the closed form (line)</text>
<g stroke="#d5dde5" fill="#4a5a68" stroke-width="1"><g stroke="none">{grid.replace("<line", '<line stroke="#d5dde5"')}</g></g>
<polyline points="{line}" fill="none" stroke="#0b6e99" stroke-width="2"/><g fill="#e07a1f">{dots}</g>
<text x="{WIDTH / 2}" y="{HEIGHT - 8}" text-anchor="middle" fill="#1b2733">time [s]</text>
<text transform="translate(18 165) rotate(-90)" text-anchor="middle" fill="#1b2733">surge speed u [m/s]</text>
</svg>
'''
worst = max(abs(closed_form(a) - b) for a, b in zip(t, u))
target = pathlib.Path(__file__).parent / "pictures" / "first-swim.svg"
target.parent.mkdir(exist_ok=True)
target.write_text(svg)
print(f"{target.name}: largest difference {worst:.2g} m/s over {t[-1]:g} s")
