"""Checks the docs and renders them to build/docs.

Checked: links between pages, source paths that extending.md names, equation numbers and sections that code and pages cite, robot files
shown in the docs (they must load), scenarios shown there (they must run, for a moment) and problems of excitation (one start
must converge).
`--check` stops there.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import markdown

import module_graph

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
FATHOM = os.environ.get("FATHOM_BIN", str(ROOT / "build/release/bin/fathom"))
STYLE = """body{max-width:60rem;margin:2rem auto;padding:0 1rem;font:16px/1.5 system-ui,sans-serif;color:#1b2733;background:#fff}
pre,code{background:#f1f4f7;border-radius:4px}pre{padding:.8rem;overflow-x:auto}table{border-collapse:collapse;display:block;overflow-x:auto}
td,th{border:1px solid #cdd6df;padding:.25rem .6rem;text-align:left}img{max-width:100%}
@media(prefers-color-scheme:dark){body{color:#d8e1ea;background:#12181f}pre,code{background:#1e2731}td,th{border-color:#3a4753}a{color:#7ab8ff}}"""


def anchors(text):
    """GitHub's anchors of the headings."""
    heads = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in heads}


def broken_links(page, text):
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path) if path else page
        if not file.exists():
            yield f"{page.relative_to(ROOT)}: link to {target}, which does not exist"
        elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text()):
            yield f"{page.relative_to(ROOT)}: link to {target}: no such heading"


def broken_paths(page):
    """`model/robot.hpp` in backticks is a file of fathom/ or of the root; `robot.hpp` without its folder is none."""
    for number, line in enumerate(page.read_text().splitlines(), 1):
        for path in re.findall(r"`([\w./-]+\.(?:[ch]pp|py|js|json|dict|bash|txt))`", line):
            if not (ROOT / "fathom" / path).is_file() and not (ROOT / path).is_file():
                yield f"{page.relative_to(ROOT)}:{number}: names {path}, which is no file of fathom/ or of the root"


def citations(text):
    """Pages and numbers in `docs/page.md eq. 3`, `[eqs. 3, 4 of the page](page.md#place)` and `eq. 3 of page.md`."""
    numbers = r"(\d+(?:(?:, | and | to )\d+)*)"
    for page, cited in re.findall(r"\b([\w-]+\.md) eqs?\. " + numbers, text):
        yield page, cited
    for cited, page in re.findall(r"\[eqs?\. " + numbers + r"[^\]]*\]\((?:docs/)?([\w-]+\.md)", text):
        yield page, cited
    for cited, page in re.findall(r"\beqs?\. " + numbers + r" of (?:docs/)?([\w-]+\.md)", text):
        yield page, cited


def sections(text):
    """Pages and headings in `docs/page.md, "Heading"`."""
    return re.findall(r'docs/([\w-]+\.md),? \\?"([^"\\]+)\\?"', text)


def broken_citations():
    heads = {page.name: set(re.findall(r"^#+ (.+)$", page.read_text(), re.M)) for page in (ROOT / "docs").glob("*.md")}
    known = {page.name: set(re.findall(r"^(?:\| )? *\((\d+)\) ", page.read_text(), re.M)) for page in (ROOT / "docs").glob("*.md")}
    code = [path for folder in ("fathom", "studies", "cli", "bench", "fuzz", "tests") for path in ROOT.glob(f"{folder}/**/*.?pp")]
    for source in [*code, *ROOT.glob("tests/**/*.py"), *PAGES]:
        text = re.sub(r"\s*\n\s*(///?|#)?\s*", " ", source.read_text())
        for page, head in sections(text):
            if head not in heads.get(page, ()):
                yield f"{source.relative_to(ROOT)}: cites docs/{page}, \"{head}\", which does not exist"
        for page, cited in citations(text):
            for number in re.findall(r"\d+", cited):
                if number not in known.get(page, ()):
                    yield f"{source.relative_to(ROOT)}: cites docs/{page} eq. {number}, which does not exist"


def lint_robot(block, folder):
    file = folder / "robot.yaml"
    file.write_text(block)
    return subprocess.run([FATHOM, "lint", str(file)], capture_output=True, text=True)


def run_scenario(block, folder):
    file = folder / "scenario.yaml"
    file.write_text(re.sub(r"^duration:.*$", "duration: 0.1", block, flags=re.M))
    return subprocess.run([FATHOM, "simulate", str(file), "--out", str(folder / "out")], capture_output=True, text=True)


def design_motion(block, folder):
    file = folder / "problem.yaml"
    file.write_text(block)
    return subprocess.run([FATHOM, "excite", str(file), "--starts", "1", "--out", str(folder / "out")],
                          capture_output=True, text=True)


CHECKS = {"fathom-robot-1": lint_robot, "fathom-scenario-1": run_scenario, "fathom-excitation-1": design_motion}


def broken_examples(page, text):
    for block in re.findall(r"```yaml\n(.*?)```", text, re.S):
        said = re.search(r"^format: (\S+)$", block, re.M)
        if not said or said[1] not in CHECKS:
            continue
        with tempfile.TemporaryDirectory() as folder:
            done = CHECKS[said[1]](block, pathlib.Path(folder))
        if done.returncode != 0:
            yield f"{page.relative_to(ROOT)}: a {said[1]} shown there does not work: {(done.stdout + done.stderr).strip()}"


def render(page, out):
    html = markdown.markdown(page.read_text(), extensions=["tables", "fenced_code", "toc"])
    html = re.sub(r'(href="(?!\w+://)[^"]*?)\.md', r"\1.html", html)
    target = out / page.relative_to(ROOT).with_suffix(".html")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" '
                      f'content="width=device-width"><title>{page.stem}</title><style>{STYLE}</style>{html}</html>\n')
    return target


def main():
    problems = [*broken_citations(), *broken_paths(ROOT / "docs/extending.md")]
    if module_graph.PICTURE.read_text() != module_graph.draw():
        problems.append("docs/pictures/modules.svg: modules include others now; python3 docs/module_graph.py draws it again")
    for page in PAGES:
        text = page.read_text()
        problems += [*broken_links(page, text), *broken_examples(page, text)]
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        return 1
    if "--check" not in sys.argv:
        for page in PAGES:
            print(render(page, ROOT / "build/docs").relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
