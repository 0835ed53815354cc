"""Compares two builds of the program on every verb and every shipped example. Run by hand before a change that must not
change results; CI does not run it:

    build/venv/bin/python tests/compare_programs.py OLD NEW [--relative 1e-9] [--only identify] [--jobs 2]

OLD and NEW are programs inside build folders (ROOT/build/release/bin/fathom); --old-root and --new-root name their source
trees where that is not so. Each program reads the shipped files and the examples of its own tree. program_runs.py lists the
runs, renames.yaml the keys, options, words and files that NEW calls by another name.

Compared: exit status; standard output and pages as lists of (label, number); warnings; summary.json, --json and other JSON,
parsed; YAML, parsed, with the order of its keys; XML, parsed; CSV, as numbers; all other files by their bytes. Paths and times
of computing are left out. With --relative, a printed number may also differ by one unit of its last digit.

Outputs are kept in --work, by program and run, so that a program that did not change runs once. Exit status: 0 all runs are
equal, 1 a run differs, is missing or does not end as the list says, 2 bad usage.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import hashlib
import html.parser
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree

import yaml

import program_runs

HERE = pathlib.Path(__file__).resolve().parent
NUMBER = re.compile(r"(?<![\w.])[-+\u2212]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?!\w)")
# What depends on the machine's speed: removed from texts, and from documents by key.
SPEED = re.compile(r"simulated in \S+ s \(\S+ times real time\)|done in \S+ s|in \S+ s on \d+ threads?")
SPEED_KEYS = {"seconds", "wall_seconds", "times_real_time", "real_time_factor", "threads"}
YAML_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Renames:
    """What NEW calls by another name. Empty tables change nothing."""

    def __init__(self, path):
        tables = yaml.safe_load(path.read_text()) or {}
        self.keys, self.options, self.words, self.files = (tables.get(k) or {} for k in ("keys", "options", "words", "files"))
        unknown = set(tables) - {"keys", "options", "words", "files"}
        if unknown:
            raise SystemExit(f"{path}: unknown tables {', '.join(sorted(unknown))}; expected keys, options, words, files")
        self.pattern = self.compiled(self.words)

    @staticmethod
    def compiled(words):
        longest_first = sorted(words, key=len, reverse=True)
        return re.compile("|".join(rf"(?<!\w){re.escape(w)}(?!\w)" for w in longest_first)) if words else None

    def key(self, path):
        """`path` is the key with its parents, outermost first; a table's entry may name parents too: `hull.mass`."""
        for start in range(len(path)):
            new = self.keys.get(".".join(path[start:]))
            if new is not None:
                return new
        return path[-1]

    def command(self, words):
        """An entry of `options` is one word or several that follow each other."""
        text = "\0".join(words)
        for old, new in self.options.items():
            old, new = ("\0".join(shlex.split(x)) for x in (old, new))
            text = re.sub(rf"(?:(?<=\0)|^){re.escape(old)}(?=\0|$)", lambda _, new=new: new, text)
        return [word for word in text.split("\0") if word]

    def text(self, text):
        for old, new in self.options.items():
            text = re.sub(rf"(?<![\w-]){re.escape(old)}(?![\w-])", lambda _, new=new: new, text)
        return self.pattern.sub(lambda m: self.words[m[0]], text) if self.pattern else text

    def file(self, name):
        return self.files.get(name, name)


class Program:
    """One program with its source tree, staged in a folder of its own: a build's links to shipped files may lead elsewhere."""

    def __init__(self, side, binary, root, work, renames):
        self.binary = pathlib.Path(binary).resolve()
        self.root = pathlib.Path(root).resolve() if root else self.binary.parents[3]
        self.renames = renames
        if not self.binary.is_file():
            raise SystemExit(f"{self.binary} does not exist: build it first")
        if not (self.root / "examples").is_dir():
            raise SystemExit(f"{self.root} is no source tree of Fathom (no examples/); name it with --{side}-root")
        self.stage = work / side / "program"
        shutil.rmtree(self.stage, ignore_errors=True)
        (self.stage / "bin").mkdir(parents=True)
        shutil.copy2(self.binary, self.stage / "bin/fathom")
        share = self.binary.parents[1] / "share/fathom"
        for entry in share.iterdir():
            to = self.stage / "share/fathom" / entry.name
            to.parent.mkdir(parents=True, exist_ok=True)
            to.symlink_to(self.in_root(entry))
        self.digest = self.digest_of([self.stage / "share/fathom", *(self.root / name for name in program_runs.INPUT_FOLDERS)])
        self.outputs = work / side / self.digest
        for former in (work / side).iterdir():
            if former not in (self.stage, self.outputs):
                shutil.rmtree(former)

    def in_root(self, entry):
        """Where a link of the build leads in this tree: below the folder that the build was configured in."""
        if not entry.is_symlink():
            return entry
        target = pathlib.Path(os.readlink(entry))
        configured = re.search(r"^CMAKE_HOME_DIRECTORY:\w+=(.*)$", (self.binary.parents[1] / "CMakeCache.txt").read_text(), re.M)
        return self.root / target.relative_to(configured[1]) if configured else target

    def digest_of(self, folders):
        digest = hashlib.sha256(self.binary.read_bytes())
        for folder in folders:
            for top, inner, names in os.walk(folder, followlinks=True):
                inner.sort()
                for path in (pathlib.Path(top) / name for name in sorted(names) if not name.endswith((".cpp", ".hpp", ".md"))):
                    digest.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
        return digest.hexdigest()[:16]

    def key(self, run):
        """Names the run's outputs: what it does, and on what."""
        said = json.dumps([self.renames.command(shlex.split(run.command)), run.files, [self.key(r) for r in run.needs]])
        return run.name[:60] + "-" + hashlib.sha256(said.encode()).hexdigest()[:12]

    def run(self, run, data):
        """Runs it once; the outputs of `needs` must be there. Returns where the outputs are."""
        folder = self.outputs / self.key(run)
        if (folder / "status").exists():
            return folder
        shutil.rmtree(folder, ignore_errors=True)
        here = folder / "files"
        here.mkdir(parents=True)
        for need in run.needs:
            shutil.copytree(self.outputs / self.key(need) / "files", here, copy_function=link, dirs_exist_ok=True,
                            ignore=lambda folder, names: [name for name in names if (pathlib.Path(folder) / name).is_symlink()])
        for name, text in run.files.items():
            (here / name).write_text(text)
        for name in program_runs.INPUT_FOLDERS:
            (here / name).symlink_to(self.root / name)
        before = self.files_in(here)
        words = [word.replace("$FATHOM_DATA", str(data)) for word in shlex.split(run.command)]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("FATHOM_")} | {"FATHOM_DATA": str(data)}
        begin = time.monotonic()
        with open(folder / "stdout", "wb") as out, open(folder / "stderr", "wb") as err:
            done = subprocess.run([self.stage / "bin/fathom", *self.renames.command(words)], cwd=here, env=environment,
                                  stdin=subprocess.DEVNULL, stdout=out, stderr=err, timeout=1800)
        (folder / "before").write_text(json.dumps(sorted(before)))
        (folder / "status").write_text(json.dumps({"status": done.returncode, "seconds": time.monotonic() - begin}))
        return folder

    @staticmethod
    def files_in(folder):
        return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file() or p.is_symlink()}


class Words(html.parser.HTMLParser):
    """The text of a page, and the document that its plots are drawn from."""

    def __init__(self, page):
        super().__init__()
        self.parts, self.data, self.inside = [], "", []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag in ("script", "style"):
            self.inside.append("data" if ("id", "fathom-data") in attributes else "code")
        self.parts.append(" ")

    def handle_endtag(self, tag):
        if tag in ("script", "style"):
            self.inside.pop()
        self.parts.append(" ")

    def handle_data(self, data):
        if not self.inside:
            self.parts.append(data)
        elif self.inside[-1] == "data":
            self.data += data


class Comparison:
    """Collects the differences between two outputs of one run."""

    def __init__(self, old, new, renames, options, folders):
        self.old, self.new, self.renames, self.options, self.folders = old, new, renames, options, folders
        self.differences = []

    def differ(self, where, old, new):
        self.differences.append(f"{where}: {shown(old)} | {shown(new)}")

    # Texts without what may differ.
    def without_paths(self, text, side):
        for folder in self.folders[side]:  # of a shipped file or of an example the name, of what the run wrote the relative path
            keep = "" if str(folder).endswith("/files") else r"(?:[\w.+-]+/)*"
            text = re.sub(re.escape(str(folder)) + r"(?:/+|(?=\W|$))" + keep, "", text)
        return text

    def clean(self, text, side):
        text = self.without_paths(text, side)
        return self.renames.text(text) if side == "old" else text

    # Numbers and words.
    def near(self, old, new, printed=False):
        a, b = (float(str(x).replace("\u2212", "-")) for x in (old, new))
        if a == b or (a != a and b != b):
            return True
        if abs(a - b) <= max(self.options.relative * max(abs(a), abs(b)), self.options.absolute):
            return True
        return printed and self.options.relative > 0 and abs(a - b) <= 1.001 * max(last_digit(old), last_digit(new))

    def text(self, where, old, new):
        """Lists of (label, number): the words between two numbers, and the number."""
        lists = []
        for text, side in ((old, "old"), (new, "new")):
            text = self.clean(SPEED.sub("", " ".join(self.without_paths(text, side).split())), side)
            numbers = NUMBER.findall(text)
            labels = [" ".join(label.split()) for label in NUMBER.split(text)]
            lists.append(list(zip(labels, [*numbers, None])))
        for k, ((old_label, a), (new_label, b)) in enumerate(zip(*lists)):
            if old_label != new_label:
                return self.differ(f"{where}, number {k + 1}", old_label, new_label)
            if (a is None) != (b is None) or (a is not None and not self.near(a, b, printed=True)):
                return self.differ(f"{where}, number {k + 1}, after '{old_label[-40:]}'", a, b)
        if len(lists[0]) != len(lists[1]):
            self.differ(f"{where}, count of numbers", len(lists[0]) - 1, len(lists[1]) - 1)

    def value(self, where, old, new, path=(), ordered=False):
        if isinstance(old, dict) and isinstance(new, dict):
            return self.mapping(where, old, new, path, ordered)
        if isinstance(old, list) and isinstance(new, list):
            if len(old) != len(new):
                self.differ(f"{where} {'.'.join(path)}, length", len(old), len(new))
            for k, (a, b) in enumerate(zip(old, new)):
                self.value(f"{where}[{k}]" if not path else where, a, b, path, ordered)
            return None
        if is_number(old) and is_number(new):
            if not self.near(old, new):
                self.differ(f"{where} {'.'.join(path)}", old, new)
        elif isinstance(old, str) and isinstance(new, str):
            old, new = self.clean(SPEED.sub("", old), "old"), self.clean(SPEED.sub("", new), "new")
            if self.options.relative and NUMBER.search(old):
                self.text(f"{where} {'.'.join(path)}", old, new)
            elif old != new:
                self.differ(f"{where} {'.'.join(path)}", old, new)
        elif old != new or type(old) is not type(new):
            self.differ(f"{where} {'.'.join(path)}", old, new)

    def mapping(self, where, old, new, path, ordered):
        new = {str(key): value for key, value in new.items() if key not in SPEED_KEYS}
        old = {str(key): value for key, value in old.items() if key not in SPEED_KEYS}
        names = {key: key if key in new else self.renames.key((*path, key)) for key in old}  # a key that kept its name is no difference
        old = {names[key]: (key, value) for key, value in old.items()}
        if set(old) != set(new):
            self.differ(f"{where} {'.'.join(path)}, keys", sorted(set(old) - set(new)), sorted(set(new) - set(old)))
        elif ordered and list(old) != list(new):
            self.differ(f"{where} {'.'.join(path)}, order of keys", list(old), list(new))
        for key, (former, value) in old.items():
            if key in new:
                self.value(where, value, new[key], (*path, former), ordered)

    def element(self, where, old, new):
        here = f"{where} <{old.tag}>"
        if (old.tag, len(old)) != (new.tag, len(new)):
            self.differ(f"{here}, tag and children", (old.tag, len(old)), (new.tag, len(new)))
        self.value(here, dict(old.attrib), dict(new.attrib))
        self.text(here, old.text or "", new.text or "")
        for a, b in zip(old, new):
            self.element(where, a, b)

    def table(self, where, old, new):
        """CSV: the words of comments and header, and each cell. Stops at the first row that differs."""
        rows = [self.clean(text, side).splitlines() for text, side in ((old, "old"), (new, "new"))]
        if len(rows[0]) != len(rows[1]):
            return self.differ(f"{where}, rows", len(rows[0]), len(rows[1]))
        for k, (a, b) in enumerate(zip(*rows), 1):
            if a == b:
                continue
            cells = [re.split(r"[,;\s]+", row.strip()) for row in (a, b)]
            if len(cells[0]) != len(cells[1]) or not all(
                    x == y or (is_number(x) and is_number(y) and self.near(x, y)) for x, y in zip(*cells)):
                return self.differ(f"{where}, row {k}", a, b)
        return None

    def page(self, where, old, new):
        old, new = Words(old), Words(new)
        self.text(where, "".join(old.parts), "".join(new.parts))
        if bool(old.data) != bool(new.data):
            self.differ(f"{where}, document of the plots", bool(old.data), bool(new.data))
        elif old.data:
            self.value(f"{where}, plots", json.loads(old.data), json.loads(new.data))

    def file(self, where, old, new):
        old, new = old.read_bytes(), new.read_bytes()
        if old == new:
            return
        try:
            old, new = old.decode(), new.decode()
        except UnicodeDecodeError:
            return self.differ(f"{where}, bytes", len(old), len(new))
        kind = where.rsplit(".", 1)[-1]
        if kind == "json":
            self.value(where, json.loads(old), json.loads(new))
        elif kind in ("yaml", "yml"):
            self.value(where, *(yaml.load(x, YAML_LOADER) for x in (old, new)), ordered=True)
        elif kind == "csv":
            self.table(where, old, new)
        elif kind == "html":
            self.page(where, old, new)
        elif kind in ("sdf", "urdf", "xml", "scn", "config", "xacro", "launch"):
            self.element(where, *(xml.etree.ElementTree.fromstring(x) for x in (old, new)))
        else:
            self.text(where, old, new)

    def run(self, run):
        status = [json.loads((folder / "status").read_text())["status"] for folder in (self.old, self.new)]
        if status[0] != status[1]:
            self.differ("exit status", *status)
        if status[0] not in run.status:
            self.differ("exit status of OLD, and what the list of runs expects", status[0], sorted(run.status))
        out, err = ([(folder / name).read_text(errors="replace") for folder in (self.old, self.new)] for name in ("stdout", "stderr"))
        if "--json" in run.command.split() and status[0] in (0, 1):
            self.value("stdout", *(json.loads(x) for x in out))
        elif "text" not in self.options.skip_parts:
            self.text("stdout", *out)
        if "warnings" not in self.options.skip_parts:
            self.text("stderr", *("\n".join(line for line in x.splitlines() if is_warning(line)) for x in err))
        written = []
        for folder in (self.old, self.new):
            written.append(Program.files_in(folder / "files") - set(json.loads((folder / "before").read_text())))
        names = {name: self.renames.file(name) for name in written[0]}
        if set(names.values()) != written[1]:
            self.differ("files", sorted(set(names.values()) - written[1]), sorted(written[1] - set(names.values())))
        for name, new_name in sorted(names.items()):
            if new_name in written[1] and not (name.endswith(".html") and "text" in self.options.skip_parts):
                self.file(name, self.old / "files" / name, self.new / "files" / new_name)
        return self.differences


def link(source, target):
    """Runs that need the same run bring the same files."""
    if not os.path.exists(target):
        os.link(source, target)


def is_warning(line):
    """Progress comes by the clock; all else on standard error is compared."""
    return bool(line.strip()) and not re.match(r"^\S.*:? +\d+ ?%", line)


def is_number(x):
    if isinstance(x, bool) or x is None:
        return False
    try:
        float(x)
    except (TypeError, ValueError):
        return False
    return True


def last_digit(printed):
    """What one unit of the last digit is worth: 0.01 of "3.14", 10 of "3.14e3"."""
    mantissa, _, exponent = str(printed).lower().partition("e")
    return 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


def shown(x, most=160):
    text = x if isinstance(x, str) else json.dumps(x, default=str)
    return text if len(text) <= most else text[: most // 2] + " ... " + text[-most // 2 :]


@dataclasses.dataclass
class Outcome:
    run: program_runs.Run
    differences: list
    seconds: tuple


def compare_one(run, programs, options, earlier):
    """Runs both programs. `earlier`: the futures of the runs before, of which those that it needs are awaited."""
    for need in run.needs:
        earlier[need.name].result()
    folders = [program.run(run, options.data) for program in programs]
    prefixes = {side: sorted((str(p) for p in (folder / "files", program.stage, program.root)), key=len, reverse=True)
                for side, folder, program in zip(("old", "new"), folders, programs)}
    differences = Comparison(*folders, programs[1].renames, options, prefixes).run(run)
    return Outcome(run, differences, tuple(json.loads((f / "status").read_text())["seconds"] for f in folders))


def compare_all(runs, programs, options):
    outcomes, earlier = [], {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for run in runs:
            earlier[run.name] = pool.submit(compare_one, run, programs, options, earlier)
        for run in runs:
            try:
                outcome = earlier[run.name].result()
            except Exception as error:  # a run that cannot be compared is a difference
                outcome = Outcome(run, [f"{type(error).__name__}: {error}"], (0, 0))
            outcomes.append(outcome)
            if outcome.differences:
                print(f"{run.verb}: fathom {run.command}", file=sys.stderr)
                for line in outcome.differences[: options.show]:
                    print(f"    {line}", file=sys.stderr)
                if len(outcome.differences) > options.show:
                    print(f"    and {len(outcome.differences) - options.show} more", file=sys.stderr)
            elif options.verbose:
                print(f"equal: fathom {run.command}  ({outcome.seconds[0]:.1f} s, {outcome.seconds[1]:.1f} s)", file=sys.stderr)
    return outcomes


def print_table(outcomes, skipped, options):
    verbs = collections.OrderedDict()
    for outcome in outcomes:
        verbs.setdefault(outcome.run.verb, []).append(outcome)
    print(f"{'verb':<12}{'runs':>6}{'equal':>7}{'different':>11}{'old [s]':>9}{'new [s]':>9}  first difference")
    for verb, all_of in verbs.items():
        different = [o for o in all_of if o.differences]
        first = f"{different[0].run.command}: {different[0].differences[0]}" if different else ""
        old, new = (sum(o.seconds[k] for o in all_of) for k in (0, 1))
        print(f"{verb:<12}{len(all_of):>6}{len(all_of) - len(different):>7}{len(different):>11}{old:>9.1f}{new:>9.1f}  {shown(first)}")
    for reason, count in collections.Counter(skipped).items():
        print(f"not run: {count}, because {reason}")
    if options.skip_parts:
        print(f"not compared: {', '.join(options.skip_parts)} (--skip-parts)")
    different = sum(bool(o.differences) for o in outcomes)
    tolerance = f"relative {options.relative:g}" if options.relative else "exact"
    print(f"{len(outcomes)} runs, {len(outcomes) - different} equal, {different} different ({tolerance})")
    return different


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", help="the program to compare with")
    parser.add_argument("new", help="the program that changed")
    parser.add_argument("--old-root", help="source tree of OLD (default: four folders above the program)")
    parser.add_argument("--new-root", help="source tree of NEW")
    parser.add_argument("--relative", type=float, default=0, help="largest relative difference of a number (default: none)")
    parser.add_argument("--absolute", type=float, default=0, help="largest absolute difference of a number (default: none)")
    parser.add_argument("--only", action="append", default=[], metavar="VERB", help="only this verb; may be repeated")
    parser.add_argument("--match", default="", metavar="REGEX", help="only runs whose command matches")
    parser.add_argument("--reproduce", action="store_true", help="all studies too, which takes minutes")
    parser.add_argument("--skip-parts", type=lambda x: x.split(","), default=[], metavar="text,warnings",
                        help="do not compare texts and pages, or what stands on standard error")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time (default: 2)")
    parser.add_argument("--show", type=int, default=5, help="differences to print of each run (default: 5)")
    parser.add_argument("--verbose", action="store_true", help="print equal runs with their times, too")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("/tmp/fathom-compare"), help="folder of the outputs")
    parser.add_argument("--renames", type=pathlib.Path, default=HERE / "renames.yaml")
    parser.add_argument("--data", type=pathlib.Path, default=os.environ.get("FATHOM_DATA"),
                        help="folder of measured data (default: $FATHOM_DATA, or ../shared/data beside the tree of OLD)")
    options = parser.parse_args()
    if set(options.skip_parts) - {"text", "warnings"}:
        parser.error("--skip-parts takes text, warnings or both")
    return options


def main():
    options = arguments()
    work = options.work.resolve()
    none = Renames(pathlib.Path(os.devnull))
    programs = (Program("old", options.old, options.old_root, work, none),
                Program("new", options.new, options.new_root, work, Renames(options.renames)))
    options.data = pathlib.Path(options.data or programs[0].root.parent / "shared/data").resolve()
    everything, skipped = program_runs.all_runs(programs[0], options)
    chosen = [r for r in everything if (not options.only or r.verb in options.only) and re.search(options.match, r.command)]
    if not chosen:
        raise SystemExit(f"no run of {', '.join(options.only)} matches '{options.match}'")
    wanted = {run.name for run in chosen}
    for run in reversed(everything):
        if run.name in wanted:
            wanted |= {need.name for need in run.needs}
    return 1 if print_table(compare_all([r for r in everything if r.name in wanted], programs, options), skipped, options) else 0


if __name__ == "__main__":
    sys.exit(main())
