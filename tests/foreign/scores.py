"""How good intervals are: each parameter of the truth beside its estimate, and figures per group with their scatter over vehicles."""

import math
import re

import numpy as np

GROUPS = ["diagonal inertia", "other inertia", "linear drag", "quadratic drag", "restoring"]
QUANTILES = {"50": 0.6744898, "80": 1.2815516}


def group_of(name):
    if name.startswith("m"):
        return "diagonal inertia" if name[1] == name[2] else "other inertia"
    if name.startswith("d"):
        return "linear drag"
    return "quadratic drag" if name.startswith("q") else "restoring"


def read_parameter(entry):
    """Estimate, sigma and intervals of one parameter of summary.json; None where there is no 95 % interval."""
    interval = entry.get("interval_95")
    if entry.get("seen") is False or entry.get("identifiable") is False or not interval or any(not isinstance(x, (int, float)) for x in interval):
        return None
    found = {"estimate": entry["estimate"], "sigma": entry.get("sigma"), "95": interval}
    for level, quantile in QUANTILES.items():
        stated = entry.get(f"interval_{level}")
        if stated:
            found[level] = stated
        elif found["sigma"]:
            found[level] = [found["estimate"] - quantile * found["sigma"], found["estimate"] + quantile * found["sigma"]]
    return found


def read_parameters(summary):
    """name -> what read_parameter() gives, for the parameters of the chosen structure; symmetric entries by both names of the truth."""
    return {} if summary is None else {entry["name"]: read_parameter(entry) for entry in summary["parameters"]}


def compare(truth, found, exact):
    """One entry for each parameter that counts: all with an interval, and those that the exact file's fit identifies."""
    entries = []
    for name, true in truth.items():
        estimate = found.get(name)
        if estimate is None and exact is not None and exact.get(name) is None:
            continue
        entry = {"name": name, "group": group_of(name), "truth": true, "absent": estimate is None, "held": name in found}
        if estimate is not None:
            entry |= estimate
            entry["in"] = {level: estimate[level][0] <= true <= estimate[level][1] for level in ("95", "80", "50") if level in estimate}
            if estimate["sigma"]:
                entry["z"] = (estimate["estimate"] - true) / estimate["sigma"]
            entry["width"] = (estimate["95"][1] - estimate["95"][0]) / abs(true) if true else math.nan
            entry["error"] = abs(estimate["estimate"] / true - 1) if true else math.nan
        entries.append(entry)
    return entries


def zeros(truth, found):
    """Parameters of the structure that are zero in truth: they must be covered too."""
    return compare({name: 0.0 for name, entry in found.items() if name not in truth and entry is not None}, found, None)


def figures(entries):
    """Figures over a list of entries; NaN where there are none."""
    if not entries:
        return dict.fromkeys(("cov95", "cov80", "cov50", "rms_z", "width", "error"), math.nan)
    share = lambda level: sum(bool(e.get("in", {}).get(level)) for e in entries) / len(entries)
    z = [e["z"] for e in entries if "z" in e]
    median = lambda key: float(np.median([e[key] for e in entries if key in e])) if any(key in e for e in entries) else math.nan
    return {"cov95": share("95"), "cov80": share("80"), "cov50": share("50"), "rms_z": math.sqrt(np.mean(np.square(z))) if z else math.nan,
            "width": median("width"), "error": median("error")}


def bootstrap(per_vehicle, rounds=1000, seed=1):
    """95 % ranges of the figures, by drawing vehicles with replacement."""
    rng = np.random.default_rng(seed)
    samples = []
    for _ in range(rounds):
        chosen = rng.integers(0, len(per_vehicle), len(per_vehicle))
        samples.append(figures([e for k in chosen for e in per_vehicle[k]]))
    with np.errstate(all="ignore"):
        return {key: np.nanquantile([s[key] for s in samples], [0.025, 0.975]) if np.isfinite([s[key] for s in samples]).any() else (math.nan, math.nan)
                for key in samples[0]}


def print_table(title, per_vehicle, rounds=1000):
    """per_vehicle: a list of entries for each vehicle."""
    print(f"\n{title}")
    print(f"{'group':<18}{'n':>5}  {'95 %':>5} {'range':<11}{'80 %':>6} {'50 %':>6}  {'rms z':>6} {'range':<13}{'width':>7} {'error':>7}  "
          f"{'no interval':>11} {'not held':>8}")
    for group in [*GROUPS, "all"]:
        chosen = [[e for e in entries if group in ("all", e["group"])] for entries in per_vehicle]
        flat = [e for entries in chosen for e in entries]
        if not flat:
            continue
        f, r = figures(flat), bootstrap(chosen, rounds)
        print(f"{group:<18}{len(flat):>5}  {100 * f['cov95']:>5.1f} {'[%.0f, %.0f]' % tuple(100 * x for x in r['cov95']):<11}{100 * f['cov80']:>6.1f} "
              f"{100 * f['cov50']:>6.1f}  {f['rms_z']:>6.2f} {'[%.2f, %.2f]' % tuple(r['rms_z']):<13}{100 * f['width']:>6.2f}% {100 * f['error']:>6.2f}%  "
              f"{sum(e['absent'] and e['held'] for e in flat):>11} {sum(e['absent'] and not e['held'] for e in flat):>8}", flush=True)
