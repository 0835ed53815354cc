"""The MATLAB function that Fathom writes, run line by line here, against the library's own accelerations.

MATLAB is not at hand and Octave is large, so that a reader of the little MATLAB that the function needs stands below: it
turns each line into Python over NumPy, and knows nothing of vehicles. FATHOM_MODEL_ECHO names the program that exports
and computes.
"""
import json
import os
import re
import subprocess
import unittest

import numpy as np


class Matrix:
    """A matrix as MATLAB has it: * is the matrix product, / by a scalar, (i) counts from one, ' transposes."""

    def __init__(self, value):
        self.a = np.atleast_2d(np.asarray(value, float))

    def scalar(self):
        return self.a.shape == (1, 1)

    def __mul__(self, other):
        return Matrix(self.a * other.a) if self.scalar() or other.scalar() else Matrix(self.a @ other.a)

    def __truediv__(self, other):
        assert other.scalar()
        return Matrix(self.a / other.a)

    def __add__(self, other):
        assert self.a.shape == other.a.shape or self.scalar() or other.scalar()
        return Matrix(self.a + other.a)

    def __sub__(self, other):
        return self + (-other)

    def __neg__(self):
        return Matrix(-self.a)

    def __call__(self, first, last=None):
        flat = self.a.flatten("F")
        first, last = int(first.a[0, 0]), int((last or first).a[0, 0])
        assert 1 <= first <= last <= flat.size
        return Matrix(flat[first - 1:last].reshape(-1, 1))

    def transposed(self):
        return Matrix(self.a.T)

    def solve(self, b):
        return Matrix(np.linalg.solve(self.a, b.a))


BUILT_IN = {
    "sin": lambda a: Matrix(np.sin(a.a)), "cos": lambda a: Matrix(np.cos(a.a)), "tan": lambda a: Matrix(np.tan(a.a)),
    "abs": lambda a: Matrix(np.abs(a.a)), "eye": lambda n: Matrix(np.eye(int(n.a[0, 0]))),
    "zeros": lambda m, n: Matrix(np.zeros((int(m.a[0, 0]), int(n.a[0, 0])))),
}
TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)|([A-Za-z_]\w*)|(.))", re.DOTALL)


class Reader:
    """Expressions by recursive descent: sum, product with * / \\, sign, transpose, call or index, literal."""

    def __init__(self, text, names):
        self.tokens = [m.groups() for m in TOKEN.finditer(text.strip())]
        self.at, self.names = 0, names

    def peek(self):
        return self.tokens[self.at][2] if self.at < len(self.tokens) else None

    def take(self, symbol):
        assert self.peek() == symbol, (symbol, self.tokens[self.at:self.at + 5])
        self.at += 1

    def sum(self):
        value = self.product()
        while self.peek() in ("+", "-"):
            sign = self.peek()
            self.at += 1
            value = value + self.product() if sign == "+" else value - self.product()
        return value

    def product(self):
        value = self.signed()
        while self.peek() in ("*", "/", "\\"):
            operator = self.peek()
            self.at += 1
            right = self.signed()
            value = value * right if operator == "*" else value / right if operator == "/" else value.solve(right)
        return value

    def signed(self):
        if self.peek() == "-":
            self.at += 1
            return -self.signed()
        value = self.primary()
        while self.peek() == "'":
            self.at += 1
            value = value.transposed()
        return value

    def arguments(self):
        self.take("(")
        values = [self.sum()]
        while self.peek() in (",", ":"):
            self.at += 1
            values.append(self.sum())
        self.take(")")
        return values

    def primary(self):
        number, name, symbol = self.tokens[self.at]
        if number:
            self.at += 1
            return Matrix(float(number))
        if name:
            self.at += 1
            value = self.names[name] if name in self.names else BUILT_IN[name]
            return value(*self.arguments()) if self.peek() == "(" else value
        if symbol == "(":
            return self.arguments()[0]
        self.take("[")
        rows, row = [], [self.sum().a]
        while self.peek() in (",", ";"):
            if self.peek() == ";":
                rows.append(row)
                row = []
            self.at += 1
            row.append(self.sum().a)
        self.take("]")
        return Matrix(np.block(rows + [row]))


def functions_of(text):
    """Name, outputs, inputs and statements of each function of a file."""
    text = re.sub(r"%.*", "", text)
    found = {}
    for block in re.split(r"^function ", text, flags=re.MULTILINE)[1:]:
        head, body = block.split("\n", 1)
        outputs, name, inputs = re.fullmatch(r"(.*?)\s*=\s*(\w+)\((.*)\)\s*", head).groups()
        body = body.rstrip()
        assert body.endswith("end")
        body = re.sub(r"if nargin < \d+\n(.*?)\nend\n", "", body[:-3], flags=re.DOTALL)
        found[name] = (re.findall(r"\w+", outputs), re.findall(r"\w+", inputs), statements(body))
    return found


def statements(body):
    """Cut at the semicolons that stand in no bracket."""
    depth, start, found = 0, 0, []
    for k, c in enumerate(body):
        depth += (c in "[(") - (c in "])")
        if c == ";" and depth == 0:
            name, expression = body[start:k].split("=", 1)
            found.append((name.strip(), expression))
            start = k + 1
    assert not body[start:].strip()
    return found


def run(functions, name, *arguments):
    outputs, inputs, lines = functions[name]
    assert len(inputs) == len(arguments)
    names = {other: (lambda *a, f=other: run(functions, f, *a)[0]) for other in functions if other != name}
    names.update(zip(inputs, arguments))
    for target, expression in lines:
        reader = Reader(expression, names)
        names[target] = reader.sum()
        assert reader.at == len(reader.tokens), expression
    return [names[output] for output in outputs]


def column(values):
    return Matrix(np.array(values).reshape(-1, 1))


class Matlab(unittest.TestCase):
    def test_accelerations(self):
        text = subprocess.run([os.environ["FATHOM_MODEL_ECHO"]], check=True, capture_output=True, text=True).stdout
        robots = json.loads(text)
        self.assertGreater(len(robots), 10)
        worst = 0
        for robot in robots:
            functions = functions_of(robot["text"])
            name = robot["file"].removesuffix(".m")
            self.assertRegex(name, r"^[A-Za-z]\w*$")
            for sample in robot["samples"]:
                x, v_c = np.array(sample["x"]), column(sample["v_c"])
                xdot, M, C, D, g, B = run(functions, name, column(x), column(sample["tau"]), v_c)
                expected = np.array(sample["xdot"])
                error = np.abs(xdot.a.ravel() - expected).max() / max(1, np.abs(expected).max())
                worst = max(worst, error)
                self.assertLess(error, 1e-9, robot["name"])
                np.testing.assert_allclose(M.a, M.a.T, rtol=0, atol=1e-9 * np.abs(M.a).max())
                np.testing.assert_allclose(C.a, -C.a.T, rtol=0, atol=1e-9 * np.abs(C.a).max())
                np.testing.assert_allclose(g.a.ravel(), sample["g"], atol=1e-9 * max(1, np.abs(sample["g"]).max()))
                np.testing.assert_allclose(B.a.flatten("F"), robot["B"], atol=1e-12)
        print(f"largest difference of an acceleration: {worst:.1e}")

    def test_the_reader_itself(self):
        functions = functions_of("function y = f(a)\n% no\nb = [1, 2; 3, -4];\ny = b\\(b*a) + b'*[a(2); 2*a(1)]/2 - a;\nend\n")
        np.testing.assert_allclose(run(functions, "f", column([5, 7]))[0].a.ravel(), [.5 * (7 + 30), .5 * (14 - 40)])


if __name__ == "__main__":
    unittest.main()
