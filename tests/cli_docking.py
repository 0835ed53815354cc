"""Vehicles that dock, turn as one and part: what `fathom simulate` writes of it, and what it says of couplings that cannot be.

Run by ctest (repo:cli_docking), or by hand: FATHOM_BIN=build/release/bin/fathom python3 tests/cli_docking.py
"""

import csv
import math

from cli_case import Case, main

PAIR = """\
format: fathom-scenario-1
name: pair
duration: 2
vehicles:
  - {name: a, robot: bluerov2-heavy, sensors: none, start: {position: [0, 0, 5]}}
  - {name: b, robot: bluerov2-heavy, sensors: none}
couplings:
  - {name: dock, between: [a.bow, b.stern], closed: true}
"""


def rows(path):
    """The rows of a channel, by column."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    return [{key.split(" ")[0]: float(value) for key, value in row.items()} for row in csv.DictReader(lines)]


class Shipped(Case):
    def test_dock_turn_undock(self):
        document = self.document("simulate", "dock-turn-undock", "--out", "run")
        dock, pair = document["couplings"][0], document["clusters"][0]
        closes, opens = dock["events"]
        self.assertEqual((closes["what"], opens["what"]), ("closes", "opens"))
        self.assertLess(closes["misfit_m"], 0.02)
        self.assertLess(closes["speed_m_s"], 0.15)
        self.assertGreater(closes["energy_lost_J"], 0)
        self.assertGreater(math.hypot(*closes["impulse"][:3]), 0)
        self.assertAlmostEqual(opens["t_s"], 70, places=6)
        self.assertFalse(dock["closed"])
        self.assertLess(max(dock["drift_m"], dock["drift_rad"]), 1e-9)
        self.assertAlmostEqual(pair["in_charge_s"], opens["t_s"] - closes["t_s"], places=6)
        self.assertLess(pair["tracking"]["position_rms_m"], 0.1)
        log = self.here / "run/log"
        loads = rows(log / "dock.load.csv")
        self.assertAlmostEqual(loads[0]["t"], closes["t_s"], places=6)
        self.assertAlmostEqual(loads[-1]["t"], 69.99, places=6)
        largest = max(math.hypot(row["X"], row["Y"], row["Z"]) for row in loads)
        self.assertAlmostEqual(largest, dock["largest_force_N"], places=6)
        # Turned by 90 degrees as one, then apart.
        a, b = rows(log / "a.state.csv"), rows(log / "b.state.csv")
        yaw = lambda row: math.degrees(2 * math.atan2(row["qz"], row["qw"]))
        self.assertAlmostEqual(yaw(a[6990]) - yaw(a[0]), 90, delta=3)
        gap = lambda k: math.dist(*([row[k][axis] for axis in ("north", "east", "down")] for row in (a, b)))
        self.assertAlmostEqual(gap(6990), gap(round(100 * closes["t_s"]) + 1), places=9)
        self.assertGreater(gap(-1), 2)
        page = (self.here / "run/report.html").read_text()
        self.assertIn("dock: load, force", page)


class Wrong(Case):
    def refused(self, old, new, *words):
        (self.here / "wrong.yaml").write_text(PAIR.replace(old, new))
        result = self.fathom("simulate", "wrong.yaml", status=2)
        for word in ("wrong.yaml:8", *words):
            self.assertIn(word, result.stderr)
        self.assertFalse((self.here / "out").exists())

    def test_good(self):
        (self.here / "good.yaml").write_text(PAIR)
        self.assertEqual(self.document("simulate", "good.yaml")["couplings"][0]["name"], "dock")

    def test_places(self):
        self.refused("b.stern", "c.stern", "couplings[0].between[1]", "no such vehicle")
        self.refused("b.stern", "b.strn", "no such connector", "did you mean stern?")
        self.refused("closed: true", "latch: {distance: -1}", "couplings[0].latch.distance", "must be > 0")
        self.refused("closed: true", "closed: true, opens_at: [2, 1]", "opens_at", "not after 2 s")
        self.refused("closed: true", "closed: false", "never closes")


if __name__ == "__main__":
    main()
