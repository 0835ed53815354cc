"""Runs a script's tests: all of them, or with `--label LABEL` the classes that say `label = "LABEL"` (CONTRIBUTING.md)."""

import sys
import unittest


def main():
    script, arguments = sys.modules["__main__"], sys.argv[1:]
    if "--label" in arguments:
        at = arguments.index("--label")
        label = arguments[at + 1]
        del arguments[at : at + 2]
        classes = {name: c for name, c in vars(script).items() if isinstance(c, type) and issubclass(c, unittest.TestCase)
                   and unittest.defaultTestLoader.getTestCaseNames(c)}
        without = [name for name, c in classes.items() if getattr(c, "label", None) not in ("quick", "long")]
        if without:
            raise SystemExit(f"{sys.argv[0]}: class {without[0]} says neither label = \"quick\" nor label = \"long\"")
        arguments += [name for name, c in classes.items() if c.label == label]
        if not arguments:
            raise SystemExit(f"{sys.argv[0]}: no class has the label {label}")
    unittest.main(argv=[sys.argv[0], *arguments], verbosity=2)
