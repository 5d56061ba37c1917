#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests compile_fail_nvcc.py with recorded messages and with a program that plays nvcc; no nvcc is needed."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import compile_fail_nvcc  # noqa: E402

MATMUL = r"inner_dimensions<(espalier::)?shape<8, 13>, (espalier::)?shape<12, 16> ?>"
MESSAGE = '''include/op.hpp(7): error: static assertion failed with "matmul(a, b): columns of a must equal rows of b"
    static_assert(fits<A, B>, "matmul(a, b): columns of a must equal rows of b");
    ^
          detected during instantiation of "auto matmul(A &&, B &&) [with A=tensor<float, shape<8, 13>>, B=tensor<double, shape<12, 16>>, Axis=2, Count=64UL]" at line 13 of x.cpp

1 error detected in the compilation of "x.cpp".
'''
PROGRAM = "// expect: columns of a must equal rows of b\n#ifdef SHOULD_FAIL\n#endif\n"
SIMULATES_NVCC = '''#!{python}
import sys
wrong = "-DSHOULD_FAIL" in sys.argv
assert sys.argv[sys.argv.index("-x") + 1] == "cu" and "-cuda" in sys.argv
if wrong or {right_is_wrong}: print({message!r}, file=sys.stderr)
sys.exit({status} if wrong else int({right_is_wrong}))
'''


class Message(unittest.TestCase):
    def problems(self, *expect, message=MESSAGE, early=(), source=""):
        return compile_fail_nvcc.problems_of_message(message, {"expect": list(expect), "expect-early": list(early), "net": []}, source)[0]

    def assert_one_problem(self, pattern, *expect, **rest):
        problems = self.problems(*expect, **rest)
        self.assertEqual(len(problems), 1, problems)
        self.assertRegex(problems[0], pattern)

    def test_sentence(self):
        self.assertEqual(self.problems(r"matmul\(a, b\): columns of a must equal rows of b"), [])
        self.assert_one_problem("lacks /matmul", r"matmul\(a, b\): rows of a must equal columns of b")

    def test_relation_that_is_printed(self):
        self.assertEqual(self.problems(MATMUL, message=MESSAGE.replace("Axis=2", "Fit=inner_dimensions<shape<8, 13>, shape<12, 16>>")), [])

    def test_facts_of_a_relation_that_is_not_printed(self):
        self.assertEqual(self.problems(MATMUL), [])
        self.assertEqual(self.problems(r"axes_exist<(espalier::)?shape<8, 13>, (espalier::)?axes<2> ?>"), [])
        self.assertEqual(self.problems("same_element<float, double>"), [])
        self.assertEqual(self.problems("enough_bytes<64"), [])

    def test_each_fact_counts(self):
        self.assert_one_problem("lacks /shape<12, 17>/", MATMUL.replace("16", "17"))
        self.assert_one_problem("lacks .*3", r"axes_exist<(espalier::)?shape<8, 13>, (espalier::)?axes<3> ?>")
        self.assert_one_problem("lacks .*half", "same_element<float, half>")
        self.assert_one_problem("lacks .*6", "enough_bytes<6")  # 64 and shape<12, 16> are no 6
        self.assert_one_problem("lacks .*-2", "axes_exist<shape<8, 13>, axes<-2>>")

    def test_early_ones_count(self):
        self.assertEqual(self.problems(early=["shape<12, 16>"]), [])
        self.assert_one_problem("lacks /shape<12, 1>/", early=["shape<12, 1>"])

    def test_places_and_modules_are_no_relations(self):
        self.assert_one_problem("lacks /layer<2, 8>/", "layer<2, 8>")
        self.assert_one_problem("lacks .*Linear", "Linear<8, 13")

    def test_module_by_its_parameters(self):
        self.assertEqual(self.problems("Linear<8", message=MESSAGE.replace("Axis=2", "Linear<In, Out> [with In=8]")), [])

    def test_axis_follows_from_the_shapes(self):
        self.assertEqual(self.problems("at_axis<-1>"), [])

    def test_a_sentence_may_speak_of_batches(self):
        self.assertEqual(self.problems("written esp::batch<N, ...>", message=MESSAGE.replace("columns of a", "written esp::batch<N, ...>{}, columns of a")), [])

    def test_names_of_the_program(self):
        source = "#ifdef SHOULD_FAIL\nusing size = esp::batch<1, 8>;\n#else\nusing size = esp::batch<2, 8>;\n#endif\n"
        message = MESSAGE.replace("Axis=2", "Batch=size")
        self.assertEqual(self.problems("shape<1, 8>", message=message, source=source), [])
        self.assert_one_problem("lacks /shape<2, 8>/", "shape<2, 8>", message=message, source=source)  # that of the right program
        self.assert_one_problem("lacks /shape<1, 8>/", "shape<1, 8>", source=source)  # a name that the message does not hold

    def test_two_errors(self):
        self.assert_one_problem("2 errors, not one", message=MESSAGE + 'x.cpp(3): error: no suitable conversion function from "refused" to "float" exists\n')

    def test_another_error(self):
        self.assert_one_problem("not a static_assert", message='x.cpp(3): error: identifier "x" is undefined\n')

    def test_no_error(self):
        self.assert_one_problem("0 errors, not one", message="Killed\n")

    def test_too_many_lines(self):
        self.assertEqual(self.problems(message=MESSAGE + "  instantiation of X at line 1\n" * 4), [])
        self.assert_one_problem("9 lines, more than 8", message=MESSAGE + "  instantiation of X at line 1\n" * 5)

    def test_stack_and_count_are_left_out(self):
        stack = "In file included from a.hpp:3,\n                 from b.hpp:4:\n" * 4
        self.assertEqual(self.problems(message=stack + MESSAGE), [])


class Check(unittest.TestCase):
    def problems(self, program=PROGRAM, right=False, message=MESSAGE, status=2, right_is_wrong=False):
        with tempfile.TemporaryDirectory() as folder:
            source, nvcc = os.path.join(folder, "x.cpp"), os.path.join(folder, "nvcc")
            with open(source, "w", encoding="utf-8") as file:
                file.write(program)
            with open(nvcc, "w", encoding="utf-8") as file:
                file.write(SIMULATES_NVCC.format(python=sys.executable, message=message, status=status, right_is_wrong=right_is_wrong))
            return compile_fail_nvcc.check(source, [sys.executable, nvcc], right)[0]

    def assert_one_problem(self, pattern, **how):
        problems = self.problems(**how)
        self.assertEqual(len(problems), 1, problems)
        self.assertRegex(problems[0], pattern)

    def test_good_refusal(self):
        self.assertEqual(self.problems(), [])
        self.assertEqual(self.problems(right=True), [])

    def test_it_compiled(self):
        self.assert_one_problem("compiled with -DSHOULD_FAIL", status=0)

    def test_right_program_does_not_compile(self):
        self.assertEqual(self.problems(right_is_wrong=True), [])  # not asked
        self.assert_one_problem("right program does not compile", right=True, right_is_wrong=True)

    def test_no_expect(self):
        self.assert_one_problem("no '// expect: REGEX'", program=PROGRAM.replace("expect", "except"))

    def test_facts_are_looked_for(self):
        self.assert_one_problem("lacks /shape<3>/", program=PROGRAM + "// expect-early: shape<3>\n")


if __name__ == "__main__":
    unittest.main()
