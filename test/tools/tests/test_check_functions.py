#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests check_functions.py against small texts and trees."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from check_functions import faults_of, functions_of  # noqa: E402

LONG = "int f(int a) {\n" + "  ++a;\n" * 60 + "}\n"


class CheckFunctions(unittest.TestCase):
    def names(self, text):
        return [(name, lines) for _, name, lines in functions_of(text)]

    def test_functions_and_members(self):
        self.assertEqual(self.names("struct s {\n  int f() const noexcept { return 1; }\n  auto g(int a)\n      -> int {\n    return a;\n  }\n};\n"), [("f", 1), ("g", 4)])

    def test_constructors(self):
        self.assertEqual(self.names("struct s {\n  s(int x) : a{x}, b(x) {\n  }\n  s() : a{} {}\n  int a, b;\n};\n"), [("s", 2), ("s", 1)])

    def test_what_is_inside_a_function_is_part_of_it(self):
        self.assertEqual(self.names("int f() {\n  auto g = [](int a) {\n    return a;\n  };\n  if (g(1)) {\n  }\n  return 0;\n}\n"), [("f", 8)])

    def test_declarations_calls_and_tables_are_none(self):
        self.assertEqual(self.names("int f(int);\nint x = f(1);\nint y[] = {\n1,\n2};\nstruct s { int a = f(2); };\n#define M(a) { a }\n// f() {\n"), [])

    def test_trailing_requirements(self):
        self.assertEqual(self.names("template <class T>\nint f(T a)\n  requires(sizeof(T) > 1)\n{\n  return 1;\n}\n"), [("f", 5)])

    def faults(self, text, exceptions=""):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "include").mkdir()
            (root / "test/tools").mkdir(parents=True)
            (root / "include/a.hpp").write_text(text)
            (root / "test/tools/long_functions.txt").write_text(exceptions)
            return list(faults_of(root))

    def test_long(self):
        self.assertEqual(self.faults(LONG), ["include/a.hpp:1: f has 62 lines, at most 60 are allowed"])

    def test_exceptions(self):
        self.assertEqual(self.faults(LONG, "include/a.hpp f 62 a table\n"), [])
        self.assertEqual(self.faults(LONG, "include/a.hpp f 61 a table\n"), ["include/a.hpp:1: f has 62 lines, at most 61 are allowed"])
        self.assertEqual(self.faults("int f() { return 1; }\n", "include/a.hpp f 62 a table\n"), ["long_functions.txt:1: include/a.hpp has no function f of more than 60 lines"])
        self.assertEqual(self.faults("", "f 62\n"), ["long_functions.txt:1: is not 'path function lines reason'"])


if __name__ == "__main__":
    unittest.main()
