"""Every published table comes out as its study says, and the same on one thread as on two. Takes minutes; needs an optimised
build.

Run by ctest, a study at a time (repo:reproduce_excitation ...); FATHOM_BIN names the program.
"""
import json
import math

from cli_case import Case, main

KEYS = {"item", "published", "ours", "unit", "criterion", "pass", "note"}
TIMES = ("time per start", "time to smooth a 280 s log", "time of all estimators on it")


def without_times(rows):
    return [row for row in rows if not row["item"].endswith(TIMES)]


class Study(Case):
    def check(self, name, *settings, threads="1", missed=(), **more):
        """`missed`: rows that are known not to meet their criterion, which the program says by its exit status."""
        one = self.document("reproduce", name, *settings, "--threads", threads, **more)
        self.assertEqual(set(one), {"name", "rows"})
        self.assertEqual(one["name"], name)
        for row in one["rows"]:
            self.assertEqual(set(row), KEYS)
            self.assertTrue(math.isfinite(row["ours"]), row)
            if row["item"] in missed:
                self.assertFalse(row["pass"], f"no longer missed: {row}")
            elif not row["item"].endswith(TIMES):  # a timing is no assertion of a test
                self.assertTrue(row["pass"], row)
        return one["rows"]


class Excitation(Study):
    def test_every_row_passes(self):
        rows = self.check("excitation")
        ours = {row["item"]: row["ours"] for row in rows}
        self.assertEqual([row["published"] for row in rows if row["published"] is not None], [160.10, 74.67])
        self.assertEqual(sum(row["criterion"] is not None for row in rows), 4)
        errors = {item.split(", ", 1)[1]: x for item, x in ours.items() if item.startswith("identification error")}
        self.assertEqual(set(errors), {"A-optimal spline", "A-optimal spline, 348 free", "D-optimal spline", "condition, cut in 8", "condition, published",
                                       "sinusoids", "random path"})
        for baseline in ("condition, cut in 8", "condition, published", "sinusoids", "random path"):
            self.assertLess(errors["A-optimal spline"], errors[baseline])

        two = self.document("reproduce", "excitation", "--threads", "2")["rows"]
        self.assertEqual(without_times(two), without_times(rows))


class Identification(Study):
    def test_every_row_passes(self):
        # Bands are too wide on this plant: 99.6 % where 90 to 98 % are asked for. Half widths are 1.5 (heave) to 7 times (yaw) what the
        # errors ask for, at all speeds alike and without the parameters' covariance too: the stored unexplained wrench has too long a memory.
        rows = self.check("identification", "--setting", "days=40", timeout=800,  # of 100: each takes most of a second
                          status=1, missed=["measured velocities in their 95 % bands"])
        self.assertEqual([row["published"] for row in rows if row["published"] is not None], [3.38, 0.32])
        self.assertEqual(sum(row["criterion"] is not None for row in rows), 16)
        ours = {row["item"]: row["ours"] for row in rows}
        honest, naive = (ours["true values in their 95 % intervals, all days" + x] for x in ("", ": by naive intervals"))
        self.assertLess(naive, honest - 5)
        for velocity in ("", ": sway", ": heave", ": yaw"):
            self.assertGreater(ours["R2 of surge, ten minutes of joystick" + velocity],
                               ours["R2 of surge, joystick, linear structure" + velocity])

    def test_does_not_depend_on_threads(self):
        small = [x for name in ("seconds=60", "starts=1", "trajectories=2", "joystick_seconds=30", "members=8", "days=3")
                 for x in ("--setting", name)]
        one, two = (json.loads(self.fathom("reproduce", "identification", *small, "--threads", n, "--json").stdout)["rows"]
                    for n in ("1", "2"))
        self.assertEqual(without_times(two), without_times(one))


class Arm(Study):
    def test_every_row_passes(self):
        rows = self.document("reproduce", "arm")["rows"]
        for row in rows:
            self.assertEqual(set(row), KEYS)
            if row["ours"] is None:  # without the measured data
                self.assertEqual((row["note"], row["pass"]), ("skipped: no data", None))
            elif row["criterion"] is not None:
                self.assertTrue(row["pass"], row)
        self.assertEqual(sum(row["item"].startswith(("LWR4", "UR10e")) and row["criterion"] is not None for row in rows), 24)

    def test_without_data(self):
        rows = self.document("reproduce", "arm", env={"FATHOM_DATA": str(self.here)})["rows"]
        for row in rows:
            if row["item"].startswith(("LWR4", "UR10e")):
                self.assertEqual((row["ours"], row["note"]), (None, "skipped: no data"))


class Thrusters(Study):
    def test_every_row_passes(self):
        rows = self.document("reproduce", "thrusters")["rows"]
        self.assertEqual(sum(row["criterion"] is not None for row in rows), 13)
        for row in rows:
            self.assertEqual(set(row), KEYS)
            if row["ours"] is None:  # without the measured data
                self.assertEqual((row["note"], row["pass"]), ("skipped: no data", None))
            else:
                self.assertTrue(row["pass"], row)

    def test_without_data(self):
        rows = self.document("reproduce", "thrusters", env={"FATHOM_DATA": str(self.here)})["rows"]
        filled = [row["item"] for row in rows if row["ours"] is not None]
        self.assertEqual(len(filled), 6)
        for item in filled:
            self.assertRegex(item, "^(forces of a synthetic|towing|shaft speed by counting)")


class Real(Study):
    def test_every_row_passes(self):
        rows = self.document("reproduce", "real")["rows"]
        self.assertEqual(sum(row["criterion"] is not None for row in rows), 2)  # leave-one-run-out of two vehicles
        for row in rows:
            self.assertEqual(set(row), KEYS)
            if row["ours"] is None:  # without the logs
                self.assertEqual((row["note"], row["pass"]), ("skipped: no data", None))
            else:
                self.assertTrue(row["pass"], row)
        if all(row["ours"] is not None for row in rows):
            ours = {row["item"]: row["ours"] for row in rows}
            self.assertLess(abs(ours["AUV, all runs: dead band of a thruster"] - 3.1), 0.2)
            one, two = (json.loads(self.fathom("reproduce", "real", "--setting", "evaluations=12", "--threads", n, "--json").stdout)
                        for n in ("1", "2"))
            self.assertEqual(two, one)

    def test_without_data(self):
        rows = self.document("reproduce", "real", env={"FATHOM_DATA": str(self.here)})["rows"]
        self.assertEqual({row["note"] for row in rows}, {"skipped: no data"})


class Modular(Study):
    def test_every_row_passes(self):
        rows = self.check("modular", timeout=300)
        self.assertEqual(sum(row["published"] is not None for row in rows), 45)
        self.assertEqual(sum(row["criterion"] is not None for row in rows), 88)
        small = ("--setting", "campaigns=2", "--setting", "repeats=1")
        one, two = (json.loads(self.fathom("reproduce", "modular", *small, "--threads", n, "--json").stdout) for n in ("1", "2"))
        self.assertEqual(two, one)


class Tank(Study):
    def test_every_row_passes(self):
        rows = self.check("tank")
        self.assertEqual([row["published"] for row in rows if row["published"] is not None],
                         [-34, 25.06, 4, .084, .895, .43, 4.64, 103.25, .26])
        self.assertEqual(sum(row["criterion"] is not None for row in rows), 27)


if __name__ == "__main__":
    main()
