"""What the tests of schemas share: a schema and a reader agree on what a file is.

An editor checks a file by its schema while it is typed; the reader checks it again, and its meaning too. What one of them
refuses for its form, the other must refuse. A test names its schema, a file that uses every key, and changes of it.
Needs jsonschema and PyYAML.
"""

import copy
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = pathlib.Path(os.environ.get("FATHOM_BIN", ROOT / "build/release/bin/fathom")).resolve()
ECHO = pathlib.Path(os.environ.get("FATHOM_FILE_ECHO", ROOT / "build/release/bin/fathom_file_echo")).resolve()
INF = float("inf")
DELETE = object()
# libyaml, where PyYAML has it: ten times as fast, and what words mean is decided by the same resolver.
LOADER, DUMPER = (getattr(yaml, f"C{name}", getattr(yaml, name)) for name in ("SafeLoader", "SafeDumper"))


def yaml_load(text):
    return yaml.load(text, LOADER)


def yaml_dump(content):
    return yaml.dump(content, Dumper=DUMPER, sort_keys=False, allow_unicode=True)


def diagonal(*entries):
    return [[x if i == j else 0 for j in range(len(entries))] for i, x in enumerate(entries)]


def edited(*changes, full):
    """`full` after changes ("hull.mass.value", 3), (..., DELETE); a number in a path is a place in a list. In a path
    "rov~dvl" is the key rov.dvl."""
    whole = copy.deepcopy(full)
    for path, value in changes:
        node, *rest = whole, *(step.replace("~", ".") for step in path.split("."))
        for step in rest[:-1]:
            node = node[int(step) if isinstance(node, list) else step]
        last = int(rest[-1]) if isinstance(node, list) else rest[-1]
        if value is DELETE:
            del node[last]
        else:
            node[last] = copy.deepcopy(value)
    return whole


def named(changes):
    return " and ".join(f"{path} {'deleted' if value is DELETE else '= ' + json.dumps(value)}" for path, value in changes)


def walked(node, visit):
    """Calls visit(node) for it and everything below it."""
    visit(node)
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        walked(child, visit)


class Case(unittest.TestCase):
    format = ""  # the word by which `fathom schema` prints it
    kind = ""   # of file, as fathom_file_echo calls it

    @classmethod
    def setUpClass(cls):
        text = subprocess.run([BIN, "schema", cls.format], capture_output=True, text=True, timeout=60, check=True).stdout
        cls.schema = json.loads(text)
        cls.validator = jsonschema.Draft202012Validator(cls.schema)
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)

    def complaint_of_schema(self, content):
        if self.validator.is_valid(content):
            return ""
        error = jsonschema.exceptions.best_match(self.validator.iter_errors(content))
        return f"{error.json_path}: {error.message[:300]}"

    def complaint_of_reader(self, content):
        text = yaml_dump(content)
        self.assertEqual(yaml_load(text), content, "the test's own writing")
        return self.complaint_about(text)

    def complaint_about(self, text):
        file = pathlib.Path(self.folder.name) / "file.yaml"
        file.write_text(text)
        return self.echoed(file)

    def echoed(self, file):
        result = subprocess.run([ECHO, self.kind, file, ROOT / "data/robots"], capture_output=True, text=True, timeout=60)
        self.assertIn(result.returncode, (0, 2), f"{result.stdout}{result.stderr}\n{file.read_text()}")
        return result.stdout if result.returncode == 2 else ""


class Agreement:
    """Of a Case: `full` is a file that uses nearly every key, the lists are lists of changes of it."""

    full = {}
    refused = []   # by both
    accepted = []  # by both
    same = []      # both or neither: which of the two it is, is not for the test to say
    also = []      # other files of this schema, tried elsewhere: their keys count as tried
    enough_accepted = 20
    meaning = []   # the form is right, but not what it says: the reader must refuse, the schema need not

    def edited(self, changes):
        return edited(*changes, full=self.full)

    def test_refused_by_both(self):
        for changes in self.refused:
            with self.subTest(named(changes)):
                content = self.edited(changes)
                self.assertFalse(self.validator.is_valid(content), "the schema accepts it")
                self.assertTrue(self.complaint_of_reader(content), "the reader accepts it")

    def test_accepted_by_both(self):
        for changes in self.accepted:
            with self.subTest(named(changes)):
                content = self.edited(changes)
                self.assertEqual(self.complaint_of_schema(content), "", "the schema refuses it")
                self.assertEqual(self.complaint_of_reader(content), "", "the reader refuses it")

    def test_same_verdict(self):
        for changes in self.same:
            with self.subTest(named(changes)):
                content = self.edited(changes)
                schema, reader = self.complaint_of_schema(content), self.complaint_of_reader(content)
                self.assertEqual(bool(schema), bool(reader), f"schema: {schema or 'accepts'}; reader: {reader or 'accepts'}")

    def test_meaning_is_the_reader_s(self):
        for changes in self.meaning:
            with self.subTest(named(changes)):
                self.assertTrue(self.complaint_of_reader(self.edited(changes)), "the reader accepts it")

    def test_enough_is_tried(self):
        self.assertGreaterEqual(len(self.refused), 40)
        self.assertGreaterEqual(len(self.accepted), self.enough_accepted)

    def part_of_schema(self):
        """Whose keys are to be tried."""
        return self.schema

    def test_every_key_is_in_the_tests(self):
        """A new key of the schema must be tried here, and so in the reader."""
        tried, keys = set(), set()
        for content in [self.edited(changes) for changes in self.accepted] + self.also:
            walked(content, lambda node: tried.update(node if isinstance(node, dict) else ()))
        walked(self.part_of_schema(), lambda node: keys.update(node.get("properties", ()) if isinstance(node, dict) else ()))
        self.assertEqual(keys - tried, set())


class Form:
    """Of any schema: its own, and the files in the repository that say they are of it."""

    begins = ""      # the first line of such a file, below its comments
    shipped = ()     # patterns of files, seen from the repository
    in_docs = False  # the docs have some

    def test_is_valid_draft_2020_12(self):
        self.assertEqual(self.schema["$schema"], "https://json-schema.org/draft/2020-12/schema")
        jsonschema.Draft202012Validator.check_schema(self.schema)

    def test_has_no_loose_ends(self):
        used = set()
        walked(self.schema, lambda node: used.update([node["$ref"]] if isinstance(node, dict) and "$ref" in node else ()))
        self.assertEqual(used, {f"#/$defs/{name}" for name in self.schema.get("$defs", ())})

    def is_of_schema(self, text):
        return self.begins in text

    def ship(self):
        return [file for pattern in self.shipped for file in sorted(ROOT.glob(pattern)) if self.is_of_schema(file.read_text())]

    def test_every_file_that_ships_validates(self):
        files = self.ship()
        self.assertTrue(files, f"no files of {self.shipped}")
        for file in files:
            with self.subTest(file.name):
                self.assertEqual(self.complaint_of_schema(yaml_load(file.read_text())), "")
                if self.kind:
                    self.assertEqual(self.echoed(file), "")

    def test_every_file_that_ships_names_its_schema(self):
        for file in self.ship():
            with self.subTest(file.name):
                line = re.match(r"# yaml-language-server: \$schema=(\S+)\n", file.read_text())
                self.assertIsNotNone(line, "its first line does not name the schema")
                self.assertEqual(pathlib.PurePath(line[1]).name, f"{self.format}.schema.json")

    def test_every_file_in_the_docs_validates(self):
        count = 0
        for page in sorted((ROOT / "docs").glob("*.md")) if self.begins else ():
            for block in re.findall(r"```yaml\n(.*?)```", page.read_text(), re.S):
                if not re.match(r"(#.*\n)*" + re.escape(self.begins), block) or not self.is_of_schema(block):
                    continue
                count += 1
                with self.subTest(page.name):
                    self.assertEqual(self.complaint_of_schema(yaml_load(block)), "")
                    self.assertEqual(self.complaint_about(block), "")
        self.assertEqual(count > 0, self.in_docs)
