"""The code cites pages as `docs/PAGE.md eq. 7`, `docs/PAGE.md eqs. 3 to 5` and `docs/PAGE.md, "Section"`: each page, equation and section
must exist.

Run by ctest (repo:docs_citations).
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["fathom", "cli", "studies", "python"]
ENDINGS = {".cpp", ".hpp", ".py"}
PAGE = re.compile(r"docs/([a-z0-9-]+)\.md")
NUMBER = r"\d+[a-z]?"
EQUATIONS = re.compile(rf",?(?: below)? eqs?\. ({NUMBER}(?:(?:,? and |, | to ){NUMBER}(?!\.\d))*)")
SECTION = re.compile(r',? \\?"([^"\\]+)\\?"')


def joined(text):
    """Text without the line breaks of comments and of string literals."""
    text = re.sub(r"\n[ \t]*(?:///?<?|\*|#)[ \t]*", " ", text)
    return re.sub(r'"\s*\n\s*"', "", text)


def expanded(numbers):
    """"3 to 5 and 8" as ["3", "4", "5", "8"]."""
    found = []
    for part in re.split(r",? and |, ", numbers):
        ends = part.split(" to ")
        if len(ends) == 2 and all(end.isdigit() for end in ends):
            found += [str(number) for number in range(int(ends[0]), int(ends[1]) + 1)]
        else:
            found += ends
    return found


def equations_of(page):
    return set(re.findall(rf"^\s*(?:\| )?\(({NUMBER})\)\s", page, flags=re.M))


def sections_of(page):
    return {title.replace("`", "").strip() for title in re.findall(r"^#+ (.*)$", page, flags=re.M)}


def wrong_citations(text, pages):
    """What the text cites and the pages, a map from name to content, do not have."""
    wrong = []
    text = joined(text)
    for cited in PAGE.finditer(text):
        name = cited[1]
        if name not in pages:
            wrong.append(f"docs/{name}.md does not exist")
            continue
        rest = text[cited.end():cited.end() + 200]
        if numbers := EQUATIONS.match(rest):
            missing = [number for number in expanded(numbers[1]) if number not in equations_of(pages[name])]
            wrong += [f"docs/{name}.md has no equation ({number})" for number in missing]
        elif (section := SECTION.match(rest)) and section[1] not in sections_of(pages[name]):
            wrong.append(f'docs/{name}.md has no section "{section[1]}"')
    return wrong


def check_the_check():
    """A check that finds nothing must not pass because it reads nothing."""
    pages = {"a": "# Page\n\n## One `thing`\n\n(1) x = 1\n| (2) | y = 2 |\n"}
    for text, count in (("// docs/a.md eqs. 1 and\n// 2, see", 0), ("docs/a.md eqs. 1 to 3", 1), ('"docs/a.md, "\n "\\"One thing\\""', 0),
                        ('// docs/a.md, "Two"', 1), ("docs/b.md", 1), ("// docs/a.md\n// eq. 7", 1)):
        assert len(wrong_citations(text, pages)) == count, (text, wrong_citations(text, pages))


def main():
    check_the_check()
    pages = {path.stem: path.read_text() for path in (ROOT / "docs").glob("*.md")}
    failed = False
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in ENDINGS:
                continue
            for wrong in wrong_citations(path.read_text(), pages):
                print(f"{path.relative_to(ROOT)}: {wrong}")
                failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
