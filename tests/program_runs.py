"""The runs that compare_programs.py compares: every verb on every shipped file and on the examples of help, tutorials and tests.

Commands are in the words of the old program. A run that needs another finds its files in its own folder, and every run finds
the folders INPUT_FOLDERS of the program's source tree there.
"""

import dataclasses
import re

INPUT_FOLDERS = ("examples", "studies", "fuzz")
DONE = frozenset({0, 1})
FORMATS = ("gz-sim", "uuv-simulator", "rdml", "urdf", "stonefish", "matlab")
MODEL_FILES = {"gz-sim": "model.sdf", "uuv-simulator": "{}.urdf", "rdml": "{}.urdf"}  # of the formats that convert reads
VERBS = ("demo", "simulate", "excite", "identify", "validate", "convert", "align", "prior", "assemble", "export", "models", "lint", "reproduce")


@dataclasses.dataclass(frozen=True)
class Run:
    verb: str
    command: str
    needs: tuple
    files: dict
    status: frozenset

    @property
    def name(self):
        return re.sub(r"[^\w.]+", "-", self.command)


class Runs:
    """Collects runs in the order in which they are made; those that take long come last."""

    def __init__(self, program, options):
        self.root, self.share = program.root, program.stage / "share/fathom"
        self.data, self.options = options.data, options
        self.runs, self.skipped, self.names = [], [], set()

    def shipped(self, folder):
        if folder == "robots" and not (self.share / folder).is_dir():
            folder = "models"  # of a program before the structure issue
        names = sorted(p.stem for p in (self.share / folder).glob("*.yaml"))
        assert names, f"no files in {self.share / folder}"
        return names

    def text(self, path):
        return (self.root / path).read_text()

    def add(self, command, needs=(), files=None, status=DONE):
        run = Run("help" if command.endswith("--help") else command.split()[0], command, tuple(needs), files or {}, frozenset(status))
        assert run.name not in self.names, f"two runs are called {run.name}"
        self.names.add(run.name)
        self.runs.append(run)
        return run

    def add_with_data(self, folder, command, **more):
        """A run on measured data, which the repository does not hold."""
        if (self.data / folder).is_dir():
            return self.add(command, **more)
        self.skipped.append(f"{self.data / folder} does not exist (measured data; --data names their folder)")
        return None


def help_texts(runs):
    runs.add("--help")
    for verb in VERBS:
        runs.add(f"{verb} --help")


def robots(runs):
    runs.add("models")
    runs.add("models --json")
    for robot in runs.shipped("robots"):
        runs.add(f"models {robot}")
        runs.add(f"models {robot} --json")
        runs.add(f"models {robot} --yaml")
        runs.add(f"models {robot} --density 1025 --json")
        for target in ("fathom", "gz-sim", "uuv-simulator", "stonefish"):
            runs.add(f"lint {robot} --for {target}")
    for other in runs.shipped("arms") + runs.shipped("assemblies"):
        runs.add(f"models {other}", status={2})
    runs.add(f"lint {' '.join(runs.shipped('robots'))} --json")
    runs.add("lint bluerov2-heavy rexrov --density 1025")
    runs.add("models examples/vehicle-with-arm/heavy-alpha-5.yaml --json", status={0, 1, 2})
    for path in ("examples/vehicle-with-arm/heavy-alpha-5.yaml", *(f"studies/pool-day/{name}.yaml" for name in ("nominal", "plant", "in-class-plant")),
                 "studies/excitation/truth.yaml", *(str(p.relative_to(runs.root)) for p in sorted((runs.root / "fuzz/model_xml_seeds").iterdir()))):
        runs.add(f"lint {path} --json", status={0, 1, 2})


def robots_of_docs(runs):
    """Robots, scenarios and problems that the docs show, as docs/build.py runs them."""
    commands = {"fathom-robot-1": "lint {0}.yaml --json", "fathom-scenario-1": "simulate {0}.yaml --out out/{0}",
                "fathom-excitation-1": "excite {0}.yaml --starts 1 --threads 1 --out out/{0}", "fathom-hull-1": "prior {0}.yaml --out out/{0}",
                "fathom-assembly-1": "assemble {0}.yaml --out out/{0}"}
    for page in sorted((runs.root / "docs").glob("*.md")):
        for k, block in enumerate(re.findall(r"```yaml\n(.*?)```", page.read_text(), re.S)):
            said = re.search(r"^format: (\S+)$", block, re.M)
            if not said or said[1] not in commands:
                continue
            name = f"{page.stem}-{k}"
            block = re.sub(r"^duration:.*$", "duration: 5", block, flags=re.M) if said[1] == "fathom-scenario-1" else block
            runs.add(commands[said[1]].format(name), files={f"{name}.yaml": block}, status={0, 1, 2})


def assemblies(runs):
    runs.add('assemble bluerov-pair --push "A: X=10, N=2"')
    runs.add('assemble bluerov-pair --push "A: X=10, N=2" --fail A-surge_starboard', status={0, 1, 2})
    runs.add("assemble bluerov-pair --out pair.yaml")
    for name in (*runs.shipped("assemblies"), "examples/vehicle-with-arm/heavy-alpha-5.yaml",
                 *(f"fuzz/assembly_file_seeds/{seed}.yaml" for seed in ("armed", "nested", "pair", "ring"))):
        runs.add(f"assemble {name} --out out/assembly", status={0, 1, 2})
        runs.add(f'assemble {name} --origin first_module --pose "roll=90, pitch=10" --density 1025 --out out/turned --json', status={0, 1, 2})


def exchange(runs):
    for robot in runs.shipped("robots"):
        for name in FORMATS:
            made = runs.add(f"export --robot {robot} --to {name} --density 1000 --out out/{robot}-{name}", status={0, 1, 2})
            if name in MODEL_FILES and robot in ("bluerov2-heavy", "rexrov", "defender-like"):
                model = f"out/{robot}-{name}/" + MODEL_FILES[name].format(robot.replace("-", "_"))
                runs.add(f"convert {model} --out back.yaml", needs=[made])
                runs.add(f"lint {model}", needs=[made])
    runs.add("export --robot bluerov2-heavy --to gz-sim --out out/gazebo --json")
    runs.add("export --robot studies/pool-day/plant.yaml --to matlab --out out/plant")
    for path in sorted((runs.root / "fuzz/model_xml_seeds").iterdir()):
        runs.add(f"convert fuzz/model_xml_seeds/{path.name} --out out/model --json", status={0, 1, 2})


def logs_of_others(runs):
    runs.add("convert examples/strange-log/strange.yaml --out out/strange")
    runs.add("convert examples/strange-log/strange.yaml --out out/strange --json")
    bag = runs.add("convert examples/strange-log/strange.yaml --out strange.mcap")
    runs.add("convert strange.mcap --out again", needs=[bag])
    for path in sorted((runs.root / "fuzz/bag_seeds").glob("*.mcap")):
        runs.add(f"convert fuzz/bag_seeds/{path.name} --out out/bag", status={0, 1, 2})
    runs.add("convert pool.yaml --log pool.csv --out out/pool", files={
        "pool.csv": "ms,alt\n0,100\n20,101\n40,99\n",
        "pool.yaml": "format: fathom-description-1\nchannels:\n  rov.depth:\n    clock: {column: ms, unit: ms}\n    columns: {depth: {from: alt, unit: cm}}\n"})
    runs.add_with_data("ardusub", "convert $FATHOM_DATA/ardusub/small.tlog --out out/tlog", status={2})


def hulls(runs):
    runs.add("prior hull.yaml --out new.yaml", files={
        "hull.yaml": "format: fathom-hull-1\nname: new\nkind: open_frame\nmass: 12\nshape: {box: [.5, .4, .3]}\n"})
    for path in ("studies/real/auv_hull.yaml", "studies/real/rov_hull.yaml",
                 *(f"fuzz/hull_seeds/{seed}.yaml" for seed in ("box", "cylinder", "ellipsoid"))):
        runs.add(f"prior {path} --out out/hull", status={0, 1, 2})
        runs.add(f"prior {path} --density 1025 --out out/sea --json", status={0, 1, 2})


def arms_thrusters_tanks(runs):
    arm = "identify --what arm --arm examples/arm/arm.yaml --log examples/arm/run-1.csv"
    runs.add(f"{arm} --hold-out 0.4 --out out/arm")
    runs.add(f"{arm} --test examples/arm/run-2.csv --out out/arm")
    runs.add(f"{arm} --hold-out 0.4 --out out/arm --json")
    for more in ("--friction coulomb", "--friction none --no-offset", "--derivatives spline", "--medium air", "--estimator ordinary", "--no-motors"):
        runs.add(f"{arm} {more} --out out/arm", status={0, 1, 2})
    lwr4 = "--arm $FATHOM_DATA/arm_lwr4/kuka_lwr4.urdf --log $FATHOM_DATA/arm_lwr4/measurements_1.csv --hold-out 0.4"
    runs.add_with_data("arm_lwr4", f"identify --what arm {lwr4} --out out/lwr4")
    ur10e = ("--arm $FATHOM_DATA/arm_ur10e/ur10e.urdf --by-current --log $FATHOM_DATA/arm_ur10e/ur-20_02_12-40sec_12harm.csv "
             "--test $FATHOM_DATA/arm_ur10e/ur-20_02_19_14harm50sec.csv --columns time=1,q=2..7,effort=14..19,wanted_effort=20..25,wanted_torque=26..31")
    runs.add_with_data("arm_ur10e", f"identify --what arm {ur10e} --out out/ur10e")
    thruster = "identify --what thruster --table examples/thruster-inflow/towing.csv"
    steps = "--steps examples/thruster-inflow/steps-1.csv --steps examples/thruster-inflow/steps-2.csv"
    runs.add(f"{thruster} --name towed --out out/towed")
    runs.add(f"{thruster} {steps} --out out/towed")
    runs.add(f"{thruster} {steps} --out out/towed --json")
    for law in ("force", "shaft", "motor", "force+flow", "shaft+flow", "motor+flow"):
        runs.add(f"{thruster} {steps} --law {law} --out out/towed", status={0, 1, 2})
    for seed in ("inflow", "voltages", "volts"):
        runs.add(f"identify --what thruster --table fuzz/bollard_table_seeds/{seed}.csv --out out/bench", status={0, 1, 2})
    for what, campaign in (("towing", "surge"), ("decay", "roll")):
        for robot in ("rexrov", "bluerov2-heavy"):
            made = runs.add(f"identify --what {what} --campaign examples/tank/{campaign}.yaml --robot {robot} --out out/{campaign}", status={0, 1, 2})
        runs.add(f"identify --what {what} --campaign examples/tank/{campaign}.yaml --robot bluerov2-heavy --out out/{campaign} --json")
        runs.add(f"lint out/{campaign}/robot.yaml", needs=[made])


def simulations(runs):
    """Returns the run of each shipped scenario, by name."""
    made = {name: runs.add(f"simulate {name} --out out/{name}") for name in runs.shipped("scenarios")}
    runs.add("simulate open-loop --seed 7 --out out/seven --json")
    runs.add("simulate studies/pool-day/joystick.yaml --out out/joystick")
    return made


def vehicles(runs, made):
    """Logs of shipped scenarios: aligned, identified with every structure and estimator, and validated."""
    tank = made["tank-waypoints"]
    of_tank = "--robot bluerov2-heavy --log out/tank-waypoints/log"
    runs.add(f"align {of_tank} --out out/aligned", needs=[tank])
    runs.add("align --log out/tank-waypoints/log --out out/aligned --json", needs=[tank])
    runs.add("align --log out/thruster-failure/log --most 1 --out out/aligned", needs=[made["thruster-failure"]])
    runs.add(f"identify {of_tank} --structure diagonal --accept-bounds --out out/found", needs=[tank])
    runs.add(f"identify {of_tank} --structure diagonal --accept-bounds --out out/found --json", needs=[tank])
    runs.add(f"validate {of_tank} --threads 1 --out out/valid", needs=[tank])
    runs.add(f"validate {of_tank} --dof 4 --horizon 5 --slope symmetric --ends open --members 8 --limit 0.9 --threads 1 --out out/valid --json", needs=[tank])
    pushes = runs.add("simulate pushes.yaml --out out/pushes", files={"pushes.yaml": PUSHES})
    of_pushes = "--robot bluerov2-heavy --log out/pushes/log"
    runs.add(f"identify {of_pushes} --out out/found", needs=[pushes])
    for structure in ("linear", "quadratic", "cross", "vehicle-23"):
        runs.add(f"identify {of_pushes} --structure {structure} --out out/found", needs=[pushes])
    for estimator in ("ordinary", "weighted", "total", "instrumental", "robust", "forward"):
        runs.add(f"identify {of_pushes} --structure linear --estimator {estimator} --out out/found", needs=[pushes])
    runs.add(f"identify {of_pushes} --structure diagonal --output-error --thrust-sigma 0.01 --from 5 --until 50 --out out/found", needs=[pushes])
    runs.add(f"identify {of_pushes} --structure diagonal --delay 0.05 --current none --no-dry-body --bound m11=30: --blur 0.3 --out out/found", needs=[pushes])
    runs.add(f"validate {of_pushes} --seen out/tank-waypoints/log --members 8 --threads 1 --out out/valid", needs=[pushes, tank])


PUSHES = """format: fathom-scenario-1
name: pushes
duration: 60
vehicles:
  - name: rov
    robot: bluerov2-heavy
    start: {position: [0, 0, 20]}
    control: {kind: joystick, share: 0.3, axes: [surge, sway, heave, yaw], hold: [0.5, 4]}
"""


def real_vehicles(runs):
    """The runs of two real vehicles whose commands pass a path that is identified, too (tutorial-your-log.md)."""
    seen, unseen = (1, 4, 7, 10, 13), (0, 3)
    hull = runs.add("prior studies/real/auv_hull.yaml --out auv.yaml")
    logs = {k: runs.add_with_data("auv_pool_wrench", f"convert studies/real/auv_pool_wrench.yaml --log $FATHOM_DATA/auv_pool_wrench --run {k} --out auv-{k}")
            for k in (*seen, *unseen)}
    if all(logs.values()):
        logs_seen, logs_unseen = (" ".join(f"--log auv-{k}/log" for k in some) for some in (seen, unseen))
        for estimator in ("forward", "consistent"):
            model = runs.add(f"identify --robot auv.yaml {logs_seen} --structure diagonal --estimator {estimator} --accept-bounds --accept-unseen --out model",
                             needs=[hull, *(logs[k] for k in seen)])
            runs.add(f"validate --robot model/robot.yaml {logs_unseen} {logs_seen.replace('--log', '--seen')} --members 0 --threads 1 --out check-{estimator}",
                     needs=[model, *(logs[k] for k in unseen)])
    hull = runs.add("prior studies/real/rov_hull.yaml --out rov.yaml")
    files = sorted((runs.data / "rov_tank_teleop").glob("*_real.csv"))
    logs = [runs.add_with_data("rov_tank_teleop", f"convert studies/real/rov_tank_motion.yaml --log $FATHOM_DATA/rov_tank_teleop/{path.name} --out rov-{k}")
            for k, path in enumerate(files)]
    if files:
        model = runs.add("identify --robot rov.yaml --log rov-0/log --log rov-1/log --structure diagonal --estimator forward --accept-bounds --accept-unseen "
                         "--out model", needs=[hull, *logs[:2]])
        runs.add("validate --robot model/robot.yaml --log rov-2/log --seen rov-0/log --seen rov-1/log --dof 4 --members 0 --threads 1 --out check",
                 needs=[model, logs[2]])
    else:
        runs.add_with_data("rov_tank_teleop", "")


def excitations(runs):
    for name in runs.shipped("problems"):
        runs.add(f"excite {name} --starts 1 --threads 1 --out out/motion", status={0, 1})
    for criterion in ("d-optimal", "condition"):
        runs.add(f"excite two-minutes --criterion {criterion} --duration 60 --starts 2 --threads 1 --seed 3 --out out/motion")
    runs.add("excite two-minutes --duration 60 --starts 4 --waypoint-interval 2 --threads 2 --out out/minute --json")
    runs.add("excite reach-alpha-5 --starts 4 --rate 50 --periods 2 --threads 2 --out out/reach")


def pool_day(runs):
    """tutorial-identify.md: design, dive, identify, validate."""
    problem = re.search(r"```\n(format: fathom-excitation-1\nname: pool\n.*?)```", runs.text("docs/tutorial-identify.md"), re.S)[1]
    problem = problem.replace("my_rov.yaml", "studies/pool-day/nominal.yaml")
    motion = runs.add("excite pool.yaml --starts 1 --threads 1 --out out/motion", files={"pool.yaml": problem})
    dive = runs.text("studies/pool-day/excitation.yaml")
    dive = re.sub(r"reference: \{way.*", "reference: {trajectory: out/motion/trajectory.yaml}", dive)
    dive = dive.replace("robot: plant.yaml", "robot: studies/pool-day/plant.yaml").replace("nominal.yaml", "studies/pool-day/nominal.yaml")
    swum = runs.add("simulate swim.yaml --out out/swim", needs=[motion], files={"swim.yaml": dive})
    robot = "--robot studies/pool-day/nominal.yaml --log out/swim/log"
    runs.add(f"identify {robot} --out out/pool", needs=[swum])
    runs.add(f"identify {robot} --structure 6dof --output-error --out out/pool", needs=[swum])
    runs.add(f"identify {robot} --structure vehicle-24 --out out/pool", needs=[swum])
    runs.add(f"identify {robot} --structure 6dof-cross --estimator robust --out out/pool", needs=[swum], status={0, 1, 2})
    cross = runs.add(f"identify {robot} --structure cross --out out/cross", needs=[swum])
    runs.add("validate --robot out/cross/robot.yaml --log out/swim/log --threads 1 --out out/valid", needs=[cross])
    runs.add("export --robot out/cross/robot.yaml --to gz-sim --out out/gazebo", needs=[cross])


def demo(runs):
    runs.add("demo --threads 2 --out out/demo")
    runs.add("demo --quick --threads 1 --out out/demo")
    runs.add("demo --quick --seed 2 --threads 1 --out out/demo --json")


def studies(runs):
    runs.add("reproduce --list")
    names = sorted(p.parent.name for p in (runs.root / "studies").glob("*/study.yaml"))
    for name in names:
        if runs.options.reproduce:
            runs.add(f"reproduce {name} --json --threads 1")
        else:
            runs.skipped.append("studies take minutes (--reproduce)")


def all_runs(program, options):
    """The runs, quick verbs first, and the reason of each that is left out."""
    runs = Runs(program, options)
    for part in (help_texts, robots, assemblies, exchange, logs_of_others, hulls, robots_of_docs, arms_thrusters_tanks):
        part(runs)
    vehicles(runs, simulations(runs))
    for part in (real_vehicles, excitations, pool_day, demo, studies):
        part(runs)
    return runs.runs, runs.skipped
