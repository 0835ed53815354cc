"""The architecture holds: the order of add_subdirectory(fathom/...) in the top CMakeLists.txt is the order of
dependency, and a module sees only what stands above it.

Run by ctest (repo:layering). FATHOM_BUILD names the build folder; its compile_commands.json gives the compiler flags
for the check that every public header can be included alone.
"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = (".cpp", ".hpp", ".h", ".cc", ".ipp")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)


def without_comments(text, marker):
    return re.sub(marker + r".*", "", text)


def module_order(root):
    """The modules in the order in which the top CMakeLists.txt adds them."""
    text = without_comments((root / "CMakeLists.txt").read_text(), "#")
    return re.findall(r"add_subdirectory\(\s*fathom/([A-Za-z0-9_]+)\s*\)", text)


def declared_module(root, module, key="DEPENDS"):
    """Name and DEPENDS, or the list under another key, as the module's own CMakeLists.txt states them."""
    text = without_comments((root / "fathom" / module / "CMakeLists.txt").read_text(), "#")
    call = re.search(r"fathom_module\(\s*([A-Za-z0-9_]+)(.*?)\)", text, re.DOTALL)
    if not call:
        return None, []
    depends, inside = [], False
    for word in call.group(2).split():
        if word.isupper() and not word.startswith("$"):
            inside = word == key
        elif inside:
            depends.append(word)
    return call.group(1), depends


def source_files(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in SOURCES and p.is_file()) if folder.is_dir() else []


def includes_of(root, file):
    """(line, path inside the project, how it was written); what lies outside the project is left out."""
    text = file.read_text(errors="replace")
    for match in INCLUDE.finditer(text):
        line, written = text.count("\n", 0, match.start()) + 1, match.group(2)
        if written.startswith(("fathom/", "studies/", "cli/")):
            yield line, pathlib.PurePosixPath(written), written
            continue
        if match.group(1) == "<":
            continue
        for base in (file.parent, root):
            target = (base / written).resolve()
            if target.is_file() and target.is_relative_to(root.resolve()):
                yield line, pathlib.PurePosixPath(target.relative_to(root.resolve())), written
                break


def violations(root):
    """Everything that breaks the architecture, one line each."""
    found = []
    order = module_order(root)
    if not order:
        return ["CMakeLists.txt: no add_subdirectory(fathom/...)"]
    for module in {m for m in order if order.count(m) > 1}:
        found.append(f"CMakeLists.txt: fathom/{module} is added twice")
    folders = {p.name for p in (root / "fathom").iterdir() if p.is_dir()}
    found += [f"fathom/{m}: not in the top CMakeLists.txt" for m in sorted(folders - set(order))]
    found += [f"CMakeLists.txt: fathom/{m} does not exist" for m in order if m not in folders]
    place = {module: k for k, module in enumerate(order)}

    for module in (m for m in order if m in folders):
        name, depends = declared_module(root, module)
        test_depends = declared_module(root, module, "TEST_DEPENDS")[1]
        where = f"fathom/{module}/CMakeLists.txt"
        if name != module:
            found.append(f"{where}: fathom_module({name}), expected {module}")
        for other in depends:
            if other not in place:
                found.append(f"{where}: DEPENDS {other}, which is no module")
            elif place[other] >= place[module]:
                found.append(f"{where}: DEPENDS {other}, which is not above {module}")
        found += [f"{where}: TEST_DEPENDS {other}, which is no module" for other in test_depends if other not in place]
        for file in source_files(root / "fathom" / module):
            for line, target, written in includes_of(root, file):
                at = f"{file.relative_to(root)}:{line}"
                if target.parts[0] != "fathom":
                    found.append(f"{at}: includes {written}, which is outside fathom/")
                    continue
                if written != str(target) and "test" not in file.relative_to(root).parts:
                    found.append(f"{at}: includes {written}; the include path is the folder path, {target}")
                other = target.parts[1]
                if not (root / target).is_file():
                    found.append(f"{at}: includes {written}, which does not exist")
                elif other not in place:
                    found.append(f"{at}: includes {written} of no known module")
                elif other in test_depends and "test" in file.relative_to(root).parts:
                    pass
                elif other != module and place[other] >= place[module]:
                    found.append(f"{at}: includes {written}, but {other} is below {module}")
                elif other != module and other not in depends and "test" not in file.relative_to(root).parts:
                    found.append(f"{at}: includes {written}, but {where} has no DEPENDS {other}")
                if other != module and "internal" in target.parts:
                    found.append(f"{at}: includes {written}, the inside of another module")

    for outside in ("studies", "cli", "bench", "examples"):
        for file in source_files(root / outside):
            for line, target, written in includes_of(root, file):
                at = f"{file.relative_to(root)}:{line}"
                if target.parts[0] == "fathom" and "internal" in target.parts:
                    found.append(f"{at}: includes {written}, the inside of a module")
                if outside == "studies" and target.parts[0] not in ("fathom", "studies"):
                    found.append(f"{at}: includes {written}; studies have the library and one another, no program")
                if outside == "studies" and written != str(target):
                    found.append(f"{at}: includes {written}; the include path is the folder path, {target}")
    for header in headers(root):
        if not re.search(r"^#pragma once$", header.read_text(), re.MULTILINE):
            found.append(f"{header.relative_to(root)}: has no #pragma once")
    return found


def headers(root):
    return [p for p in source_files(root / "fathom") if p.suffix != ".cpp" and p.suffix != ".cc"]


def compile_commands(build):
    """For each source file the words of its compile command, without input and output."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = entry.get("arguments") or shlex.split(entry["command"])
        kept, skip = [], False
        for word in words:
            if skip or word in ("-c", entry["file"]):
                skip = False
            elif word in ("-o", "-include", "-Xclang"):  # a precompiled header would hide what a header lacks
                skip = True
            elif not word.startswith(("-O", "-W", "-fsanitize", "-g")):  # only what decides whether it compiles
                kept.append(word)
        file = pathlib.Path(entry["file"]).resolve()
        if file.is_relative_to(build):  # several sources in one: it counts as one of the module that it is made for
            file = ROOT / file.relative_to(build)
        commands[file] = (kept, entry["directory"])
    return commands


def command_for(commands, header, root):
    """The command of a source beside the header, else of any source of its module."""
    module = root / "fathom" / header.relative_to(root / "fathom").parts[0]
    candidates = sorted(c for c in commands if c.is_relative_to(module))
    beside = [c for c in candidates if c.parent == header.parent]
    chosen = (beside or candidates or [None])[0]
    return commands.get(chosen)


def reached(root, file, seen):
    """The headers of the project that the file includes, itself or through others; EIGEN if one of them includes it."""
    if file not in seen:
        seen[file] = set()  # of a circle
        others = [root / path for _, path, _ in includes_of(root, file) if (root / path).is_file()]
        seen[file] = set(others).union(*(reached(root, other, seen) for other in others))
        if re.search(r"#\s*include\s*<Eigen/", file.read_text(errors="replace")):
            seen[file].add(EIGEN)
    return seen[file]


# Compiled once for all headers that reach them. A later one reaches those before it.
EIGEN = "<Eigen/Core>"
BASES = (EIGEN, "fathom/model/robot.hpp", "fathom/dynamics/vehicle.hpp")


def chains(root, own, flags=lambda header: None):
    """(base, headers) such that every header of `own` is in one of them, has the same flags as the others, and reaches the base and
    the headers before it. So none of these can lend it what it does not include itself, and one compilation proves them all. As few as can be: the fewest
    chains that cover a partial order, by matching each header with one that comes right after it (Fulkerson 1956)."""
    seen = {}
    base = {}
    for header in own:
        reaches = reached(root, header, seen)
        base[header] = max((k for k, name in enumerate(BASES) if (name if name == EIGEN else root / name) in reaches), default=None)
    alike = {header: (base[header], flags(header)) for header in own}
    after, before = {}, {}

    def match(header, tried):
        for other in own:
            if other in reached(root, header, seen) and other != header and alike[other] == alike[header] and other not in tried:
                tried.add(other)
                if other not in after or match(after[other], tried):
                    after[other], before[header] = header, other
                    return True
        return False

    for header in own:
        match(header, set())
    found = []
    for header in own:
        if header not in before:
            chain = [header]
            while chain[-1] in after:
                chain.append(after[chain[-1]])
            found.append((base[header], chain))
    return found


def precompile(root, folder, commands):
    """Headers that are one of BASES and no more, compiled. A compiler that cannot use them reads their text."""
    made = []
    for k, name in enumerate(BASES):
        words, directory = command_for(commands, root / BASES[max(k, 1)], root)
        made.append(pathlib.Path(folder) / f"base{k}.hpp")
        made[-1].write_text(f"#include {name}\n" if name == EIGEN else f'#include "{name}"\n')
        if "clang" in words[0]:  # without it every user makes them anew, most of its time
            words = [*words, "-fpch-instantiate-templates"]
        subprocess.run([*words, "-x", "c++-header", str(made[-1]), "-o", f"{made[-1]}.gch"], cwd=directory, capture_output=True)
    return made


def compile_alone(root, chain, commands, before=None):
    """What the compiler says when the headers of `chain` are the only includes, after `before`; "" if it is content."""
    names = " ".join(str(header.relative_to(root)) for header in chain)
    found = command_for(commands, chain[-1], root)
    if not found:
        return f"{names}: no source of its module is compiled, so there are no flags for it"
    words, directory = found
    text = "".join(f'#include "{header.relative_to(root)}"\n' * 2 for header in chain)
    first = ["-include", str(before)] if before else []
    result = subprocess.run([*words, "-fsyntax-only", *first, "-x", "c++", "-"], input=text, cwd=directory, text=True,
                            capture_output=True)
    return "" if result.returncode == 0 else f"{names}:\n{result.stderr[:2000]}"


class TheProject(unittest.TestCase):
    def test_modules_see_only_what_stands_above_them(self):
        found = violations(ROOT)
        self.assertFalse(found, "\n" + "\n".join(found))

    def test_every_public_header_can_be_included_alone(self):
        if "FATHOM_BUILD" not in os.environ:
            self.skipTest("set FATHOM_BUILD to a configured build folder")
        commands = compile_commands(pathlib.Path(os.environ["FATHOM_BUILD"]).resolve())
        own = [h for h in headers(ROOT) if not {"test", "internal"} & set(h.relative_to(ROOT).parts)]  # what is installed
        self.assertTrue(own, "no headers found")
        found = chains(ROOT, own, lambda header: command_for(commands, header, ROOT))
        self.assertEqual(sorted(h for _, chain in found for h in chain), sorted(own))
        with tempfile.TemporaryDirectory() as folder:
            bases = precompile(ROOT, folder, commands)
            complaints = [c for base, chain in found if (c := compile_alone(ROOT, chain, commands, None if base is None else bases[base]))]
        self.assertFalse(complaints, "\n" + "\n".join(complaints))


class TheCheckerItself(unittest.TestCase):
    """A tree of two modules, `low` above `high`, in which each kind of violation is made in turn."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.write("CMakeLists.txt", "add_subdirectory(fathom/low)\n# add_subdirectory(fathom/none)\n"
                                     "add_subdirectory(fathom/high)\nadd_subdirectory(studies)\nadd_subdirectory(cli)\n")
        self.write("fathom/low/CMakeLists.txt", "fathom_module(low\n  SOURCES low.cpp\n  LINK fmt::fmt)\n")
        self.write("fathom/low/low.hpp", "#pragma once\n#include <vector>\n")
        self.write("fathom/low/low.cpp", '#include "fathom/low/low.hpp"\n#include "fathom/low/internal/own.hpp"\n')
        self.write("fathom/low/internal/own.hpp", "#pragma once\n")
        self.write("fathom/high/CMakeLists.txt", "fathom_module(high SOURCES high.cpp DEPENDS low PRIVATE_LINK yaml-cpp)\n")
        self.write("fathom/high/high.hpp", '#pragma once\n#include "fathom/low/low.hpp"\n')
        self.write("fathom/high/high.cpp", '#include "fathom/high/high.hpp"\n')
        self.write("studies/one/plant.hpp", '#pragma once\n#include "fathom/high/high.hpp"\n')
        self.write("studies/one/plant.cpp", '#include "studies/one/plant.hpp"\n')
        self.write("cli/main.hpp", '#pragma once\n#include "fathom/high/high.hpp"\n#include "studies/one/plant.hpp"\n')

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def assert_found(self, *parts):
        found = violations(self.root)
        self.assertTrue(any(all(part in line for part in parts) for line in found), f"not caught; found {found}")

    def test_accepts_a_good_tree(self):
        self.assertEqual(violations(self.root), [])

    def test_catches_an_include_from_below(self):
        self.write("fathom/low/low.hpp", '#pragma once\n#include "fathom/high/high.hpp"\n')
        self.assert_found("fathom/low/low.hpp:2", "high is below low")

    def test_catches_it_with_angle_brackets_and_spaces(self):
        self.write("fathom/low/low.cpp", "  #  include <fathom/high/high.hpp>\n")
        self.assert_found("fathom/low/low.cpp:1", "high is below low")

    def test_catches_it_by_a_relative_path(self):
        self.write("fathom/low/low.cpp", '#include "../high/high.hpp"\n')
        self.assert_found("fathom/low/low.cpp:1", "high is below low")
        self.assert_found("fathom/low/low.cpp:1", "the include path is the folder path")

    def test_catches_it_in_a_module_test(self):
        self.write("fathom/low/test/low_test.cpp", '#include "fathom/high/high.hpp"\n')
        self.assert_found("fathom/low/test/low_test.cpp:1", "high is below low")

    def test_a_module_test_sees_what_its_tests_depend_on(self):
        self.write("fathom/low/CMakeLists.txt", "fathom_module(low SOURCES low.cpp TEST_DEPENDS high LINK fmt::fmt)\n")
        self.write("fathom/low/test/low_test.cpp", '#include "fathom/high/high.hpp"\n')
        self.assertEqual(violations(self.root), [])
        self.write("fathom/low/low.cpp", '#include "fathom/high/high.hpp"\n')
        self.assert_found("fathom/low/low.cpp:1", "high is below low")

    def test_catches_a_dependency_that_is_not_declared(self):
        self.write("fathom/high/CMakeLists.txt", "fathom_module(high SOURCES high.cpp)\n")
        self.assert_found("fathom/high/high.hpp:2", "no DEPENDS low")

    def test_catches_a_declared_dependency_on_what_is_below(self):
        self.write("fathom/low/CMakeLists.txt", "fathom_module(low SOURCES low.cpp DEPENDS high LINK fmt::fmt)\n")
        self.assert_found("fathom/low/CMakeLists.txt", "high, which is not above low")

    def test_catches_the_inside_of_another_module(self):
        self.write("fathom/high/high.cpp", '#include "fathom/low/internal/own.hpp"\n')
        self.assert_found("fathom/high/high.cpp:1", "the inside of another module")

    def test_catches_the_inside_of_a_module_in_the_command_line(self):
        self.write("cli/main.hpp", '#pragma once\n#include "fathom/low/internal/own.hpp"\n')
        self.assert_found("cli/main.hpp:2", "the inside of a module")

    def test_catches_the_command_line_in_the_library(self):
        self.write("fathom/high/high.cpp", '#include "cli/main.hpp"\n')
        self.assert_found("fathom/high/high.cpp:1", "outside fathom/")

    def test_catches_a_study_in_the_library(self):
        self.write("fathom/high/high.cpp", '#include "studies/one/plant.hpp"\n')
        self.assert_found("fathom/high/high.cpp:1", "outside fathom/")

    def test_catches_the_command_line_in_a_study(self):
        self.write("studies/one/plant.cpp", '#include "studies/one/plant.hpp"\n#include "cli/main.hpp"\n')
        self.assert_found("studies/one/plant.cpp:2", "no program")

    def test_catches_the_inside_of_a_module_in_a_study(self):
        self.write("studies/one/plant.cpp", '#include "fathom/low/internal/own.hpp"\n')
        self.assert_found("studies/one/plant.cpp:1", "the inside of a module")

    def test_catches_a_study_that_includes_by_a_relative_path(self):
        self.write("studies/one/plant.cpp", '#include "plant.hpp"\n')
        self.assert_found("studies/one/plant.cpp:1", "the include path is the folder path")

    def test_catches_a_header_without_pragma_once(self):
        self.write("fathom/high/high.hpp", "// #pragma once\n")
        self.assert_found("fathom/high/high.hpp", "no #pragma once")

    def test_catches_a_folder_that_no_list_names(self):
        self.write("fathom/other/other.hpp", "#pragma once\n")
        self.assert_found("fathom/other", "not in the top CMakeLists.txt")

    def test_catches_a_header_that_needs_another_first(self):
        self.write("fathom/low/low.hpp", "#pragma once\ninline std::vector<int> needs_vector() { return {}; }\n")
        compiler = os.environ.get("CXX", "c++")
        command = {self.root / "fathom/low/low.cpp": ([compiler, "-std=c++20", f"-I{self.root}"], str(self.root))}
        self.assertIn("vector", compile_alone(self.root, [self.root / "fathom/low/low.hpp"], command))
        self.assertEqual("", compile_alone(self.root, [self.root / "fathom/low/internal/own.hpp"], command))

    def test_compiles_a_header_only_after_those_that_it_includes(self):
        self.write("fathom/high/top.hpp", '#pragma once\n#include "fathom/high/high.hpp"\n')
        self.write("fathom/high/lost.hpp", "#pragma once\n#include <Eigen/Core>\n")
        low, high, top, lost = (self.root / "fathom" / name for name in ("low/low.hpp", "high/high.hpp", "high/top.hpp", "high/lost.hpp"))
        found = chains(self.root, [top, lost, low, high])
        self.assertCountEqual(found, [(None, [low, high, top]), (0, [lost])])


if __name__ == "__main__":
    unittest.main(verbosity=2)
