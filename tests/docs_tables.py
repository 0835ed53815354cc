"""Tables of keys in docs/*.md follow from the declarations: blocks between `<!-- keys: FORMAT [SECTION...] -->` and `<!-- end -->`
hold what `fathom schema FORMAT --as table` prints, all of it or these sections; `.` is the file itself.

Run by ctest (repo:docs_tables). After a change of a declaration: FATHOM_BIN=build/release/bin/fathom python3 tests/docs_tables.py --write
"""

import functools
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = pathlib.Path(os.environ.get("FATHOM_BIN", ROOT / "build/release/bin/fathom")).resolve()
BLOCK = re.compile(r"(<!-- keys: (.*?) -->\n).*?(<!-- end -->)", re.S)
# The pages that explain the keys of a format.
PAGES = {"trajectory": ["trajectory-file"], "scenario": ["scenario-file"], "problem": ["problem-file"], "robot": ["robot-file", "arm-file"],
         "arm": ["arm-file", "robot-file"], "assembly": ["assembly-file"],
         "hull": ["prior", "robot-file"], "description": ["log-description"], "towing": ["tank-tests"], "decay": ["tank-tests"]}


@functools.cache
def sections(format):
    """Path of a map: its table."""
    text = subprocess.run([BIN, "schema", format, "--as", "table"], check=True, capture_output=True, text=True).stdout
    parts = re.split(r"^\*\*`(.*)`\*\*$", text, flags=re.M)
    return dict(zip([".", *parts[1::2]], [part.strip() for part in parts[0::2]]))


def block(words):
    format, *wanted = words.split()
    found = sections(format)
    unknown = set(wanted) - set(found)
    if unknown:
        raise SystemExit(f"{format} has no section {', '.join(sorted(unknown))}; it has {', '.join(found)}")
    heads = ["" if path == "." else f"**`{path}`**\n\n" for path in wanted or found]
    return "\n\n".join(head + found[path] for head, path in zip(heads, wanted or found))


def written(text):
    return BLOCK.sub(lambda m: f"{m[1]}\n{block(m[2])}\n\n{m[3]}", text)


def unexplained(format):
    """Keys of a format that none of its pages names."""
    text = "".join((ROOT / f"docs/{page}.md").read_text() for page in PAGES[format])
    keys = {key for table in sections(format).values() for key in re.findall(r"^\| `(\w+)`", table, re.M)}
    return sorted(key for key in keys if not re.search(rf"\b{key}\b", text))


def main():
    write, problems = "--write" in sys.argv, []
    for page in sorted((ROOT / "docs").glob("*.md")):
        text = page.read_text()
        new = written(text)
        if new != text and write:
            page.write_text(new)
        elif new != text:
            problems.append(f"docs/{page.name}: a table of keys is out of date; run tests/docs_tables.py --write")
    problems += [f"docs/{PAGES[format][0]}.md: does not name the key {key} of {format}" for format in PAGES for key in unexplained(format)]
    print("\n".join(problems) or "docs: the tables of keys are those of the declarations")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
