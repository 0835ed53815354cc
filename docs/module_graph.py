"""Draws docs/pictures/modules.svg: which module includes which, as the code has it.

An arrow goes from a module to one that it includes; where a way over others says the same, it is left out. Run without
arguments to write the picture; docs/build.py tells when the code has moved on.
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs/pictures/modules.svg"
sys.path.insert(0, str(ROOT / "tests"))
import layering  # noqa: E402

WIDTH, HEIGHT, ACROSS, DOWN, MARGIN = 104, 34, 132, 84, 16


def included(module):
    """Modules whose headers the sources of `module` include, tests aside."""
    found = set()
    for file in layering.source_files(ROOT / "fathom" / module):
        if "test" not in file.relative_to(ROOT / "fathom" / module).parts:
            found |= {path.parts[1] for _, path, _ in layering.includes_of(ROOT, file) if path.parts[0] == "fathom"}
    return found - {module}


def without_detours(graph):
    """The graph's edges that no longer way implies."""
    def reach(start, skip):
        seen, left = set(), [m for m in graph[start] if m != skip]
        while left:
            m = left.pop()
            if m not in seen:
                seen.add(m)
                left += graph[m]
        return seen
    return {m: sorted(n for n in targets if n not in reach(m, n)) for m, targets in graph.items()}


def rows_of(graph, order):
    """Modules by the length of their longest way to one that includes none."""
    level = {}
    for module in order:  # in dependency order
        level[module] = 1 + max((level[m] for m in graph[module]), default=-1)
    return [[m for m in order if level[m] == k] for k in range(max(level.values()) + 1)]


def draw():
    order = layering.module_order(ROOT)
    graph = {module: included(module) for module in order}
    edges = without_detours(graph)
    rows = rows_of(graph, order)
    widest = max(map(len, rows))
    place = {}
    for k, row in enumerate(rows):
        left = MARGIN + (widest - len(row)) * ACROSS / 2
        for i, module in enumerate(row):
            shift = (k % 2) * ACROSS / 4 if len(row) == 1 else 0  # so that long arrows pass beside lone boxes
            place[module] = (left + i * ACROSS + shift, MARGIN + k * DOWN)
    size = (2 * MARGIN + widest * ACROSS, 2 * MARGIN + (len(rows) - 1) * DOWN + HEIGHT)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]:g} {size[1]:g}" width="{size[0]:g}" '
           'font-family="system-ui,sans-serif" font-size="14">',
           f'<rect width="{size[0]:g}" height="{size[1]:g}" fill="#fff"/>',
           '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
           '<path d="M0 0 8 4 0 8z" fill="#5b7083"/></marker></defs>']
    for module, targets in edges.items():
        for target in targets:
            (x, y), (u, v) = place[module], place[target]
            x, u, v = x + WIDTH / 2, u + WIDTH / 2, v + HEIGHT
            bend = (y - v) / 2
            out.append(f'<path d="M{x:g} {y:g}C{x:g} {y - bend:g} {u:g} {v + bend:g} {u:g} {v + 1:g}" fill="none" '
                       'stroke="#5b7083" marker-end="url(#tip)"/>')
    for module, (x, y) in place.items():
        out.append(f'<rect x="{x:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" rx="5" fill="#e8f1f8" stroke="#2b6a99"/>'
                   f'<text x="{x + WIDTH / 2:g}" y="{y + 22:g}" text-anchor="middle" fill="#12334d">{module}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(draw())
