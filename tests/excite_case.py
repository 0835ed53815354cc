"""What tests of `fathom excite` share: a small problem, and how it is run."""
import json
import shutil

from cli_case import Case

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
starts: 3
"""
OURS = {"summary.json", "trajectory.yaml", "samples.csv", "waypoints.csv", "report.html"}


def changed(old, new, text=GOOD):
    """The text with one place changed."""
    assert text.count(old) == 1, old
    return text.replace(old, new)


def line_of(words, text=GOOD):
    assert words in text, words
    return text[: text.index(words)].count("\n") + 1


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
