"""What tests of `fathom excite` share: a small problem, and how it is run."""
import json
import shutil

from cli_case import Case, line_in, one_change

MPIRUN = shutil.which("mpirun")
RANKS = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
         "OMPI_MCA_hwloc_base_binding_policy": "none", "ASAN_OPTIONS": "detect_leaks=0"}

GOOD = """\
format: fathom-excitation-1
name: small
robot: defender-like
structure: {dof: 4, inertia: diagonal, linear: diagonal, quadratic: none}
tank: {min: [-3, -2, 0], max: [3, 2, 2], clearance: [0.6, 0.6, 0.3]}
start: {position: [0, 0, 1]}
duration: 30
sampling: 0.2
limits:
  yaw_deg: [-180, 180]
  speed: 0.4
  turn_rate: 0.6
  acceleration: 0.25
  turn_acceleration: 0.4
thrusters: 0.8
noise: {force: 1, torque: 0.25}
thruster_errors: false
starts: 3
"""
OURS = {"summary.json", "trajectory.yaml", "samples.csv", "waypoints.csv", "multisine.yaml", "report.html"}


def changed(old, new, text=GOOD):
    return one_change(text, old, new)


def line_of(words, text=GOOD):
    return line_in(text, words)


class Excited(Case):
    def excite(self, *args, text=GOOD, status=0, **more):
        self.write("p.yaml", text)
        return self.fathom("excite", "p.yaml", "--out", "results", *args, status=status, **more)

    def summary(self, folder="results"):
        return json.loads((self.here / folder / "summary.json").read_text())

    def refused(self, *args, words, **more):
        """Status 2, words on standard error, nothing elsewhere."""
        before = self.tree()
        result = self.fathom("excite", *args, status=2, **more)
        self.assertEqual(result.stdout, "")
        for word in words:
            self.assertIn(word, result.stderr)
        self.assertEqual(self.tree(), before)
        return result.stderr

    def refused_text(self, text, words, *args, line=None):
        self.write("p.yaml", text)
        error = self.refused("p.yaml", "--out", "results", *args, words=["p.yaml", *words])
        if line is not None:
            self.assertIn(f"p.yaml:{line}: ", error)
        return error

    def needs_no_network(self, page):
        page = page.read_text()
        self.assertIn("excite p.yaml --seed 1", page)
        self.assertNotRegex(page, r'(src|href)="https?:')

    def json_stands_alone(self, text=GOOD):
        result = self.excite("--json", text=text)
        self.assertEqual(result.stderr, "")
        self.assertEqual(result.stdout, (self.here / "results/summary.json").read_text())

    def threads_change_no_byte(self, text=GOOD):
        trees = []
        for threads in ("1", "2", "3"):
            self.excite("--threads", threads, text=text)
            trees.append(self.tree(self.here / "results"))
        for tree in trees[1:]:
            self.assertEqual(tree.keys(), trees[0].keys())
            self.assertEqual([name for name in tree if tree[name] != trees[0][name]], [])

    def seed_changes_the_motion(self, what, text=GOOD):
        """`what` the summary has of each start."""
        self.excite("--starts", "1", text=text)
        first = self.summary()
        self.excite("--starts", "1", "--seed", "2", text=text)
        self.assertNotEqual(first["starts"][0][what], self.summary()["starts"][0][what])
