"""An outside project finds, links and runs an installed Fathom, whatever it is compiled for.

The build is installed to a temporary prefix, and the prefix is moved before it is used. Run by ctest
(repo:find_package); FATHOM_BUILD names the build folder.
"""

import json
import math
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROBOTS = ["bluerov2-heavy", "rexrov"]
DYNAMICS_LINKS = {"Eigen3::Eigen", "fmt::fmt", "Threads::Threads"}  # what a user of dynamics links beyond Fathom; Threads is the C library's
BUILD = pathlib.Path(os.environ.get("FATHOM_BUILD", ROOT / "build/release")).resolve()


def cached(name):
    match = re.search(rf"^{name}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)
    return match.group(1) if match else ""


def vector_flags():
    """What a user who wants speed may say on this machine, by the name of a build folder."""
    processor = pathlib.Path("/proc/cpuinfo")
    words = set(processor.read_text().split()) if processor.exists() else set()
    flags = {"native": ["-O1", "-march=native"]}  # what vectors it has, not how well they are used
    if "avx2" in words:
        flags["avx2"] = ["-O1", "-mavx2"]
    return flags


def numbers(text):
    """The last line of each name, as numbers."""
    return {words[0]: [float(x) for x in words[1:]] for words in map(str.split, text.splitlines()) if words[0] != "robot"}


def call(*command, **more):
    result = subprocess.run([str(word) for word in command], text=True, capture_output=True, timeout=300, **more)
    if result.returncode != 0:
        raise AssertionError(f"status {result.returncode}: {' '.join(map(str, command))}\n{result.stdout[-400:]}\n{result.stderr[-2000:]}")
    return result.stdout


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if cached("FATHOM_SANITIZE") == "ON":
            raise unittest.SkipTest("a library under the sanitizers is not one to install")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name).resolve()
        call("cmake", "--install", BUILD, "--prefix", cls.folder / "first")
        (cls.folder / "first").rename(cls.folder / "moved")
        cls.prefix = cls.folder / "moved"
        cls.build_outside("plain", ["-O1"])

    @classmethod
    def build_outside(cls, name, flags):
        """Compiles the outside program with these flags, in the folder `name`, by the machine's own compiler: not always the library's."""
        build = cls.folder / name
        cls.configure_outside("tests/find_package", build, f"-DCMAKE_CXX_FLAGS={' '.join(flags)}")
        used = re.search(r"^fathom_DIR:PATH=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE).group(1)
        if not pathlib.Path(used).is_relative_to(cls.prefix):
            raise AssertionError(f"found another Fathom, {used}")
        call("cmake", "--build", build)

    @classmethod
    def configure_outside(cls, source, build, *more):
        call("cmake", "-S", ROOT / source, "-B", build, "-G", cached("CMAKE_GENERATOR"), f"-DCMAKE_PREFIX_PATH={cls.prefix}",
             "-DCMAKE_CXX_COMPILER=c++", "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF", *more)

    @classmethod
    def printed(cls, build, robot, program="outside"):
        return call(cls.folder / build / program, cls.prefix / f"share/fathom/robots/{robot}.yaml")

    def test_dynamics_alone(self):
        """Of other modules' packages nothing is sought, and what it links is known."""
        build = self.folder / "dynamics_alone"
        self.configure_outside("tests/find_package/dynamics_alone", build, "-DCMAKE_DISABLE_FIND_PACKAGE_SQLite3=ON")
        self.assertNotIn("LZ4_LIBRARY", (build / "CMakeCache.txt").read_text())
        links = (build / "links.txt").read_text().split()
        self.assertEqual({link for link in links if not link.startswith("fathom::")}, DYNAMICS_LINKS)
        self.assertNotIn("fathom::log", links)
        call("cmake", "--build", build)
        self.assertAlmostEqual(float(call(build / "sphere")), 1, places=12)

    def test_unknown_component(self):
        project = self.folder / "unknown"
        project.mkdir()
        (project / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(p CXX)\nfind_package(fathom REQUIRED COMPONENTS wings)\n")
        with self.assertRaisesRegex(AssertionError, r"fathom\s+has\s+no\s+component\s+wings"):
            self.configure_outside(project, project / "build")

    def test_outside_program_gets_the_numbers_of_the_command_line(self):
        for robot in ROBOTS:
            with self.subTest(robot):
                lines = {line.split()[0]: line.split()[1:] for line in self.printed("plain", robot).splitlines()}
                self.assertEqual(lines["robot"], [robot])
                shown = json.loads(call(self.prefix / "bin/fathom", "models", robot, "--json"))
                matrices = shown["matrices"]
                M = [a + b for row_a, row_b in zip(matrices["M_rb"], matrices["M_a"]) for a, b in zip(row_a, row_b)]
                self.assertEqual([float(x) for x in lines["M"]], M)
                self.assertEqual([float(x) for x in lines["allocation"]], [x for row in matrices["allocation"] for x in row])

    def test_outside_program_identifies_a_vehicle_as_the_command_line_does(self):
        fathom = self.prefix / "bin/fathom"
        call(fathom, "simulate", "tank-waypoints", "--out", self.folder / "tank")
        shown = json.loads(call(fathom, "identify", "--robot", "bluerov2-heavy", "--log", self.folder / "tank/log", "--structure", "diagonal",
                                "--accept-bounds", "--json", "--out", self.folder / "found"))
        printed = [line.split() for line in call(self.folder / "plain/outside_identify", self.prefix / "share/fathom").splitlines()]
        self.assertEqual([(name, float(estimate), float(sigma)) for name, estimate, sigma in printed],
                         [(p["name"], p["estimate"], p["sigma"]) for p in shown["parameters"]])

    def test_outside_program_solves_the_equation_of_motion(self):
        """Surge of the BlueROV2 by hand."""
        value = numbers(self.printed("plain", "bluerov2-heavy"))
        nu_dot, M = value["nu_dot"], value["M"]
        momentum = [sum(M[6 * i + j] * nu for j, nu in enumerate((0.5, -0.25, 0.125, 0.0625, -0.5, 0.25))) for i in range(6)]
        coriolis = -0.5 * momentum[2] - 0.25 * momentum[1]  # omega x momentum, first row
        drag, weight = (13.7 + 141.0 * 0.5) * 0.5, (13.5 - 13.4) * 9.81
        self.assertAlmostEqual(nu_dot[0], (8 - coriolis - drag - weight * math.sin(-0.2)) / M[0], places=9)

    def test_numbers_do_not_depend_on_the_flags_of_the_user(self):
        """A user who compiles for AVX must lay out and free Eigen's matrices as the library does."""
        for build, flags in vector_flags().items():
            self.build_outside(build, flags)
            for robot in ROBOTS:
                with self.subTest(f"{robot}, {' '.join(flags)}"):
                    self.assertEqual(self.printed(build, robot), self.printed("plain", robot))
                with self.subTest(f"{robot}, {' '.join(flags)}, and the user's own algebra"):
                    # The linker may keep the user's instance of a template for the library too: rounding may differ.
                    mine, plain = (numbers(self.printed(b, robot, "outside_algebra")) for b in (build, "plain"))
                    self.assertEqual(mine.keys(), plain.keys())
                    for name, values in plain.items():
                        self.assertEqual(len(mine[name]), len(values))
                        scale = max(map(abs, values))
                        self.assertLessEqual(max(abs(a - b) for a, b in zip(mine[name], values)), 1e-12 * scale, name)

    def test_missing_file_is_an_exception_that_crosses_the_border(self):
        result = subprocess.run([self.folder / "plain/outside", "nowhere.yaml"], text=True, capture_output=True)
        self.assertEqual(result.returncode, 2)
        self.assertIn("nowhere.yaml: does not exist", result.stderr)

    def test_installed_program_finds_its_robots(self):
        environment = {k: v for k, v in os.environ.items() if k != "FATHOM_MODELS"}
        listed = json.loads(call(self.prefix / "bin/fathom", "models", "--json", cwd=self.folder, env=environment))["robots"]
        self.assertEqual([r["name"] for r in listed], sorted(p.stem for p in (ROOT / "data/robots").glob("*.yaml")))
        for robot in listed:
            self.assertTrue(pathlib.Path(robot["file"]).is_relative_to(self.prefix), robot["file"])

    def test_what_is_installed(self):
        files = {str(p.relative_to(self.prefix)) for p in self.prefix.rglob("*") if p.is_file()}
        for wanted in ("bin/fathom", "include/fathom/model_file/robot_file.hpp", "share/fathom/schemas/robot.schema.json", "share/fathom/schemas/scenario.schema.json",
                       "share/bash-completion/completions/fathom"):
            self.assertIn(wanted, files)
        self.assertFalse([f for f in files if "/internal/" in f or "/test/" in f or f.endswith((".cpp", "CMakeLists.txt"))])
        studies = {str(p.relative_to(ROOT)) for p in (ROOT / "studies").rglob("*")
                   if p.is_file() and p.suffix not in (".cpp", ".hpp") and p.name != "CMakeLists.txt"}  # what is read, not what is compiled
        self.assertIn("studies/tank/study.yaml", studies)
        self.assertEqual({f.removeprefix("share/fathom/") for f in files if f.startswith("share/fathom/studies/")}, studies)
        public = {str(p.relative_to(ROOT)) for p in (ROOT / "fathom").rglob("*.hpp") if not {"internal", "test"} & set(p.parts)}
        self.assertEqual({f.removeprefix("include/") for f in files if f.startswith("include/")}, public)

    def test_package_does_not_point_back_to_source_or_build(self):
        for file in self.prefix.rglob("*.cmake"):
            for folder in (ROOT, self.folder / "first"):
                self.assertNotIn(str(folder) + "/", file.read_text(), file.name)
            self.assertNotRegex(file.read_text(), r"/\S+/lib\S*\.(so|a)\b(?!\.in)" if "Targets-" not in file.name else r"/usr/", file.name)

    def test_public_headers_include_only_public_headers(self):
        for header in (self.prefix / "include").rglob("*.hpp"):
            for name in re.findall(r'#include [<"](fathom/[^>"]+)', header.read_text()):
                self.assertTrue((self.prefix / "include" / name).is_file(), f"{header.name} includes {name}, which is not installed")


if __name__ == "__main__":
    unittest.main(verbosity=2)
