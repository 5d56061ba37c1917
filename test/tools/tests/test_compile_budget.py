#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests compile_budget.py with small programs of known faults:  test_compile_budget.py COMPILER ARGUMENTS..."""
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import compile_budget  # noqa: E402

COMMAND = []
# A list of a hundred million types takes more than the half gigabyte that the test allows.
ENDLESS = """
#include <utility>
template <int... I> constexpr int last(std::integer_sequence<int, I...>) { return (I, ...); }
static_assert(last(std::make_integer_sequence<int, 100000000>{}) > 0);
"""


class Budget(unittest.TestCase):
    def problems(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "program.cpp"
            path.write_text(text)
            return compile_budget.check(path, COMMAND)

    def test_small_program(self):
        self.assertEqual(self.problems("// budget: 2000 MB\nint main() {}\n"), [])

    def test_no_budget(self):
        self.assertRegex(self.problems("int main() {}\n")[0], "lacks a line")

    def test_budget_exceeded(self):
        self.assertRegex(self.problems("// budget: 1 MB\nint main() {}\n")[0], "more than its 1")

    def test_wrong_result(self):
        self.assertRegex(self.problems("// budget: 2000 MB\nint main() { return 3; }\n")[0], "ends with 3")

    def test_does_not_compile(self):
        self.assertRegex(self.problems("// budget: 2000 MB\nint main() { return nothing; }\n")[0], "does not compile")

    def test_the_machine_is_safe(self):
        limit, compile_budget.LIMIT = compile_budget.LIMIT, 1 << 29
        try:
            self.assertRegex(self.problems("// budget: 2000 MB\n" + ENDLESS + "int main() {}\n")[0], "does not compile")
        finally:
            compile_budget.LIMIT = limit


if __name__ == "__main__":
    COMMAND = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
