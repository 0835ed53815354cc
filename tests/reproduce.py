"""Every published table comes out as its study says, and the same on one thread as on two. Takes some seconds; needs an
optimised build.

Run by ctest (repo:reproduce); FATHOM_BIN names the program.
"""
import math

from cli_case import Case, main

KEYS = {"item", "published", "ours", "unit", "criterion", "pass", "note"}
TIMES = "time per start"


class Reproduced(Case):
    def check(self, name, **more):
        one = self.document("reproduce", name, "--threads", "1", **more)
        self.assertEqual(set(one), {"name", "rows"})
        self.assertEqual(one["name"], name)
        for row in one["rows"]:
            self.assertEqual(set(row), KEYS)
            self.assertTrue(math.isfinite(row["ours"]), row)
            self.assertTrue(row["pass"], row)
        return one["rows"]

    def test_excitation(self):
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
        without_times = lambda all_rows: [row for row in all_rows if not row["item"].endswith(TIMES)]
        self.assertEqual(without_times(two), without_times(rows))


if __name__ == "__main__":
    main()
