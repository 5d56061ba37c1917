#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests compile_controls.py with small files:  test_compile_controls.py COMPILER ARGUMENTS..."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import compile_controls  # noqa: E402
from program_files import checked  # noqa: E402

COMMAND = []

RIGHT = """// SPDX-License-Identifier: BSL-1.0
// expect: less
#include <vector>

#define LENGTH 3
inline std::vector<int> numbers(LENGTH);
#ifdef SHOULD_FAIL
static_assert(LENGTH < 3, "less");
#endif
inline int first() { return numbers[0]; }
"""


class Controls(unittest.TestCase):
    def problems(self, *texts):
        """What is wrong with these files, and how often the compiler was called for them."""
        return checked(lambda paths: compile_controls.check(paths, COMMAND), texts)

    def test_right_programs_of_the_same_names_are_compiled_once(self):
        self.assertEqual(self.problems(RIGHT, RIGHT, RIGHT), ([], 1))

    def test_a_wrong_one_is_named(self):
        for wrong in ("int x = y;\n", "#warning careful\n"):
            problems, calls = self.problems(RIGHT, RIGHT + wrong, RIGHT)
            self.assertEqual(len(problems), 1, problems)
            self.assertRegex(problems[0], r"program_ab\.cpp does not compile as it stands:")
            self.assertEqual(calls, 4)

    def test_one_that_another_disturbs_is_right(self):
        self.assertEqual(self.problems("#include <vector>\nstatic_assert(__INCLUDE_LEVEL__ == 0);\n", RIGHT + "namespace std { struct mine; }\n"), ([], 2))
        other = RIGHT.replace("#include <vector>", "#define vector other\n#include <cstddef>\n#undef vector\n#include <vector>")
        self.assertEqual(self.problems(RIGHT, other, RIGHT), ([], 2))

    def test_one_alone(self):
        self.assertEqual(self.problems(RIGHT), ([], 1))
        self.assertEqual(len(self.problems("int x = y;\n")[0]), 1)

    def test_machine_code(self):
        """A file that g++ only says something of when it makes machine code."""
        text = RIGHT + "// code: __builtin\ntemplate <class T> struct late { static_assert(sizeof(T) == 0); };\n"
        self.assertEqual(self.problems(RIGHT, text, RIGHT), ([], 2))


if __name__ == "__main__":
    COMMAND = sys.argv[1:] or ["c++", "-std=c++20", "-fsyntax-only"]
    unittest.main(argv=sys.argv[:1])
