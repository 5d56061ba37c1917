#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What other_names.py takes for code, and what it says of wrong advice, of names that are not reported, and of those that take what is the user's."""
import os
import pathlib
import sys
import unittest

TOOLS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOOLS))
import other_names  # noqa: E402

COMMAND = []


class OtherNames(unittest.TestCase):
    def test_code_ends_at_a_comma_outside_of_brackets(self):
        for words, code in (("abs(x)", "abs(x)"), ("max<1>(x), with the axes", "max<1>(x)"), ("a < b", "a < b"), ("a >= b, of masks", "a >= b"),
                            ("clamp(x, 0, 6)", "clamp(x, 0, 6)"), ("where(a > b, 0, x), with more, words", "where(a > b, 0, x)")):
            self.assertEqual(other_names.code_of(words), code)

    def test_entries_are_sentences_in_one_literal_or_in_two(self):
        head = "ESPALIER_OTHER_NAME({}) {{\n  static_assert(detail::is_other_name<A...>,"
        text = "#define ESPALIER_OTHER_NAME(name) x\n" + head.format("neg") + ' "esp::neg has another name here: write -x");\n  return {};\n}\n'
        text += head.format("floor") + '\n                "esp::floor does not exist: no op "\n                "rounds");\n'
        self.assertEqual(other_names.entries(text), [("neg", "esp::neg has another name here: write -x", "-x"), ("floor", "esp::floor does not exist: no op rounds", None)])

    def test_names_that_only_one_compiler_has(self):
        text = 'ESPALIER_OTHER_NAME(longer) {\n  static_assert(detail::is_other_name<A...>, "esp::longer does not exist");\n}\n#if !defined(__clang__)\n'
        text += 'ESPALIER_OTHER_NAME(neg) {\n  static_assert(detail::is_other_name<A...>, "esp::neg does not exist");\n}\n#endif\n'
        self.assertEqual([name for name, _, _ in other_names.entries(text)], ["longer", "neg"])
        self.assertEqual([name for name, _, _ in other_names.entries(text, with_clang=True)], ["longer"])

    def problems(self, *found):
        return other_names.problems_of(list(found), COMMAND)

    def test_right_advice_of_a_name_that_is_reported(self):
        self.assertEqual(self.problems(("absolute", "esp::absolute has another name here: write abs(x)", "abs(x)")), [])

    def test_advice_that_does_not_compile(self):
        problems = self.problems(("absolute", "esp::absolute has another name here: write abs(x)", "magnitude(x)"))
        self.assertEqual(len(problems), 1)
        self.assertIn("does not compile", problems[0])

    def test_a_name_that_nobody_declares_and_one_with_another_sentence(self):
        self.assertIn("nobody: 0 errors", "\n".join(self.problems(("nobody", "esp::nobody does not exist", None))))
        self.assertIn("absolute: 1 errors", "\n".join(self.problems(("absolute", "esp::absolute is abs", None))))

    def test_a_name_of_an_op_is_no_error(self):
        self.assertIn("abs: 0 errors", "\n".join(self.problems(("abs", "esp::abs does not exist", None))))


if __name__ == "__main__":
    COMMAND = sys.argv[1:] or ["g++", "-std=c++20", "-fsyntax-only", "-Iinclude"]
    os.chdir(TOOLS.parent.parent)
    unittest.main(argv=sys.argv[:1])
