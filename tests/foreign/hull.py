"""The files that a user of a vehicle writes before its first log (format fathom-hull-1), with the errors that such knowledge has."""

import numpy as np

import sensors
import vehicle as vehicles

COARSE = np.round(np.concatenate([-np.arange(1, 0.05, -0.1), [-0.06, 0, 0.06], np.arange(0.1, 1.05, 0.1)]), 3)


def row(numbers, form):
    return "[" + ", ".join(form % (n + 0.0) for n in numbers) + "]"


def matrix(numbers, form):
    return "[" + ", ".join(row(r, form) for r in numbers) + "]"


def text(vehicle, mass, mass_sigma, inertia, inertia_sigma, centre, centre_sigma, commands, forces, lag, digits):
    lines = ["format: fathom-hull-1", f"name: {vehicle.name}", "kind: open_frame",
             f"mass: {{value: {mass:.2f}, sigma: {mass_sigma:.3f}, source: rough}}" if digits < 5 else
             f"mass: {{value: {mass:.5f}, sigma: {mass_sigma:.5f}, source: rough}}",
             f"shape: {{box: {row(vehicle.box, '%.2f')}}}",
             f"inertia: {{value: {inertia}, sigma: {inertia_sigma}, source: drawing}}",
             f"centre_of_mass: {{value: {row(centre, '%%.%df' % digits)}, sigma: {row(centre_sigma, '%.3f')}, source: drawing}}",
             "thruster_maps:", "  bench:", "    source: bench", "    command: {unit: normalized}", "    table:",
             f"      commands: {row(commands, '%%.%df' % digits)}", "      voltages: [16]", f"      forces: [{row(forces, '%%.%df' % digits)}]"]
    if lag:
        lines += ["thruster_transients:", f"  lag: {{assumed: step test, first_order: {{{lag}}}}}"]
    lines.append("thrusters:")
    for k, (r, e) in enumerate(zip(vehicle.positions, vehicle.directions)):
        lines.append(f"  - {{name: t{k + 1}, source: drawing, position: {row(r, '%%.%df' % digits)}, direction: "
                     f"{row(e, '%%.%df' % (digits + 1))}, map: bench{', transient: lag' if lag else ''}}}")
    n = sensors.NOISE
    lines += ["sensors:",
              "  - {name: ahrs, kind: ahrs, source: data sheet, rate_hz: 50, noise: {attitude: 0.0052, heading: 0.0052}, bias: {attitude: 0.0175, heading: 0.0175}}",
              f"  - {{name: dvl, kind: dvl, source: data sheet, position: {row(vehicle.dvl_position, '%.3f')}, rate_hz: {vehicle.dvl_rate}, "
              f"noise: {{velocity: {n['velocity']}}}}}",
              "  - {name: depth, kind: depth, source: data sheet, rate_hz: 10, noise: {depth: 0.004}, bias: {depth: 0.005}}"]
    if vehicle.has_imu:
        lines.append("  - {name: imu, kind: imu, source: data sheet, rate_hz: 50, noise: {acceleration: 0.05, rate: 0.004}, "
                     "bias: {acceleration: 0.03, rate: 0.002}}")
    if vehicle.has_fix:
        lines.append("  - {name: fix, kind: position, source: data sheet, rate_hz: 5, noise: {position: 0.03}}")
    return "\n".join(lines) + "\n"


def write(folder, vehicle, rng):
    """hull_lag.yaml and hull_nolag.yaml (a user's knowledge), hull_exact.yaml (the truth of everything that is not identified)."""
    mass = vehicle.mass * (1 + rng.uniform(-0.1, 0.1))
    inertia = vehicles.draw_body(rng, np.diag(vehicle.inertia), 0.2)
    centre = np.array([vehicle.r_g[0] + rng.normal(0, 0.004), 0, vehicle.r_g[2] + rng.normal(0, 0.004)])
    lag = vehicle.lag * (1 + rng.uniform(-0.15, 0.15))
    forces = vehicle.thruster.force(COARSE) * (1 + rng.normal(0, 0.01, len(COARSE)))
    user = lambda with_lag: text(vehicle, mass, 0.06 * mass, row(inertia, "%.4g"), row(0.12 * inertia, "%.3g"), centre, (0.005, 0.003, 0.005),
                                 COARSE, forces, f"time_constant: {lag:.3f}" if with_lag else None, 3)
    (folder / "hull_lag.yaml").write_text(user(True))
    (folder / "hull_nolag.yaml").write_text(user(False))
    fine = np.concatenate([-np.linspace(1, 0.06, 60), [0], np.linspace(0.06, 1, 60)])
    I = vehicle.inertia
    exact = text(vehicle, vehicle.mass, 0.005 * vehicle.mass, matrix(I, "%.5f"), matrix(0.01 * np.abs(I), "%.5f"), vehicle.r_g, (0.0005, 0.0005, 0.0005),
                 fine, vehicle.thruster.force(fine), f"time_constant: {vehicle.lag:.5f}, acts_on: {vehicle.lag_kind}", 6)
    (folder / "hull_exact.yaml").write_text(exact)
