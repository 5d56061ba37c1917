#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests compile_fail.py with small files of known faults:  test_compile_fail.py COMPILER ARGUMENTS..."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import compile_fail  # noqa: E402
from program_files import checked  # noqa: E402

COMMAND = []

GOOD = """
// expect: two must be three
template <int A, int B> struct same { static constexpr bool value = A == B; };
#ifdef SHOULD_FAIL
static_assert(same<2, 3>::value, "two must be three");
#endif
"""


class Harness(unittest.TestCase):
    def problems(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "refusal.cpp")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return compile_fail.check(path, COMMAND)[0]

    def assert_one_problem(self, text, pattern):
        problems = self.problems(text)
        self.assertEqual(len(problems), 1, problems)
        self.assertRegex(problems[0], pattern)


class CompileFail(Harness):
    def test_good_refusal(self):
        self.assertEqual(self.problems(GOOD), [])

    def test_compiles_under_should_fail(self):
        self.assert_one_problem(GOOD.replace("same<2, 3>", "same<2, 2>"), "compiled with -DSHOULD_FAIL")

    def test_no_expect(self):
        self.assert_one_problem(GOOD.replace("// expect:", "// except:"), "no '// expect: REGEX'")

    def test_empty_expect_is_none(self):
        self.assert_one_problem(GOOD.replace("// expect: two must be three", "// expect: "), "no '// expect: REGEX'")

    def test_wrong_words(self):
        self.assert_one_problem(GOOD.replace("// expect: two", "// expect: four"), "lacks /four must be three/")

    def test_every_expect_counts(self):
        self.assert_one_problem(GOOD + "// expect: and more\n", "lacks /and more/")

    def test_broken_positive_control(self):
        self.assert_one_problem(GOOD + "#ifndef SHOULD_FAIL\nint x = y;\n#endif\n", "positive control does not compile")

    def test_without_control(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "refusal.cpp")
            for text, expected in ((GOOD + "#ifndef SHOULD_FAIL\nint x = y;\n#endif\n", []), (GOOD.replace("same<2, 3>", "same<2, 2>"), ["it compiled with -DSHOULD_FAIL"])):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                self.assertEqual(compile_fail.check(path, COMMAND, with_control=False)[0], expected)

    def test_warning_in_positive_control(self):
        problems = self.problems(GOOD + "#ifndef SHOULD_FAIL\n#warning careful\n#endif\n")
        self.assertEqual(len(problems), 1, problems)

    def test_broken_control_without_should_fail(self):
        problems = self.problems("// expect: .\nint x = y;\n")
        self.assertTrue(any("SHOULD_FAIL is not used" in p for p in problems), problems)
        self.assertTrue(any("positive control" in p for p in problems), problems)

    def test_two_errors(self):
        text = GOOD.replace("#endif", 'static_assert(same<4, 5>::value, "four must be five");\n#endif')
        self.assertIn("the message has 2 errors, not one", self.problems(text))

    def test_too_many_lines(self):
        frames = "\n".join(["a.hpp:3:   required from here"] * 7)
        expected = {"expect": ["two"], "expect-early": [], "net": []}
        self.assertEqual(compile_fail.problems_of_message("a.hpp:1: error: two\n" + frames, expected)[0], [])
        self.assertEqual(compile_fail.problems_of_message("a.hpp:1: error: two\n" + frames + "\none more", expected)[0],
                         ["the message has 9 lines, more than 8"])

    def test_too_many_bytes_unless_they_are_the_net(self):
        name = "network_" + "x" * 1600
        text = f"""// expect: must be small
template <class> inline constexpr bool small = true;
struct {name} {{}};
#ifdef SHOULD_FAIL
template <> inline constexpr bool small<{name}> = false;
#endif
using net = {name};
template <class T> struct root {{
  static_assert(small<T>, "must be small");
}};
root<net> r;
"""
        self.assert_one_problem(text, "bytes, more than 1500")
        self.assertEqual(self.problems(text + "// net: network_x+\n"), [])

    def test_early(self):
        self.assertEqual(self.problems(GOOD + "// expect-early: two must be three\n"), [])
        self.assert_one_problem(GOOD + "// expect-early: not there\n", "first 6 lines lack /not there/")

    def test_early_means_the_first_lines(self):
        message = "\n".join(["In file included from a.hpp:1,", "                 from b.cpp:2:"] + ["x.cpp:1: error: one"] + ["more"] * 5 + ["late"])
        expected = {"expect": ["late"], "expect-early": ["error: one"], "net": []}
        self.assertEqual(compile_fail.problems_of_message(message, expected)[0], [])
        expected["expect-early"] = ["late"]
        self.assertEqual(len(compile_fail.problems_of_message(message, expected)[0]), 1)

    def test_include_stack_costs_nothing(self):
        stack = ["In file included from include/a.hpp:1,"] + ["                 from include/b.hpp:12,"] * 40 + ["                 from main.cpp:1:"]
        clang = ["In file included from include/a.hpp:1:"] * 10
        message = "\n".join(stack + clang + ["a.hpp:3: error: two"])
        self.assertEqual(compile_fail.problems_of_message(message, {"expect": ["two"], "expect-early": ["two"], "net": []})[0], [])
        self.assertEqual(compile_fail.problems_of_message("\n".join(stack), {"expect": ["include"], "expect-early": [], "net": []})[0][0],
                         "the message lacks /include/")


class Together(unittest.TestCase):
    """Several files at once."""

    ROOT = """// SPDX-License-Identifier: BSL-1.0
// expect: NUMBER must be three
template <int A> struct root { static_assert(A == 3, "NUMBER must be three"); };
#ifdef SHOULD_FAIL
root<NUMBER> r;
#endif
"""

    def check(self, *texts):
        """What is wrong with these files, what is said of them, and how often the compiler was called for them."""
        (problems, report), calls = checked(lambda paths: compile_fail.check_many(paths, COMMAND), texts)
        return problems, report, calls

    def test_right_ones_are_compiled_once(self):
        problems, report, calls = self.check(*(self.ROOT.replace("NUMBER", number) for number in "12456"))
        self.assertEqual((problems, calls), ([], 1))
        self.assertEqual(report, "5 of 5 refused as expected in one source")

    def test_wrong_words(self):
        problems, _, calls = self.check(self.ROOT.replace("NUMBER", "1"), self.ROOT.replace("// expect: NUMBER", "// expect: seven").replace("NUMBER", "2"))
        self.assertEqual((len(problems), calls), (1, 2))
        self.assertRegex(problems[0], "program_ab.cpp: the message lacks /seven must")

    def test_one_that_is_not_refused(self):
        problems, _, calls = self.check(self.ROOT.replace("NUMBER", "1"), self.ROOT.replace("NUMBER", "3"), self.ROOT.replace("NUMBER", "4"))
        self.assertEqual((len(problems), calls), (1, 2))
        self.assertRegex(problems[0], "program_ab.cpp: it compiled")

    def test_none_is_refused(self):
        problems, _, calls = self.check(self.ROOT.replace("NUMBER", "3"), self.ROOT.replace("NUMBER", "3"))
        self.assertEqual((len(problems), calls), (2, 3))

    def test_two_errors_of_one(self):
        problems, _, calls = self.check(self.ROOT.replace("NUMBER", "1"), self.ROOT.replace("NUMBER", "2").replace("#endif", "static_assert(1 > 2);\n#endif"))
        self.assertEqual(calls, 2)
        self.assertRegex(problems[0], "program_ab.cpp: the message has 2 errors, not one")

    def test_an_error_that_is_said_once_for_two_files(self):
        """A template of a header that both include; the second file is compiled alone."""
        with tempfile.TemporaryDirectory() as folder:
            header = os.path.join(folder, "root.hpp")
            with open(header, "w", encoding="utf-8") as file:
                file.write('#pragma once\ntemplate <int A> struct root { static_assert(A == 3, "must be three"); };\n')
            text = f'// expect: must be three\n#include "{header}"\n#ifdef SHOULD_FAIL\nroot<1> r;\n#endif\n'
            problems, report, calls = self.check(text, text)
            self.assertEqual((problems, calls), ([], 2))
            self.assertRegex(report, "1 of 2 refused as expected in one source\n.*program_ab.cpp: refused as expected, alone")

    def test_names_of_types_are_those_of_a_file_alone(self):
        own = """// SPDX-License-Identifier: BSL-1.0
// expect: [^:]\\broot<mine>
// lines: 12
template <class A> struct root { static_assert(sizeof(A) == 3, "small"); };
#ifdef SHOULD_FAIL
struct mine {};
root<mine> r;
#endif
"""
        problems, _, calls = self.check(own, self.ROOT.replace("NUMBER", "1"))
        self.assertEqual((problems, calls), ([], 1))

    def test_what_cannot_stand_in_one_source_is_compiled_alone(self):
        problems, _, calls = self.check(self.ROOT.replace("NUMBER", "1"), self.ROOT.replace("NUMBER", "2") + "namespace std { struct mine; }\n")
        self.assertEqual((problems, calls), ([], 2))

    def test_more_errors_than_a_compiler_says_at_once(self):
        problems, _, calls = self.check(*(self.ROOT.replace("NUMBER", str(number)) for number in range(10, 40)))
        self.assertEqual((problems, calls), ([], 1))

    def test_contexts_of_notes_stay_with_their_error(self):
        blocks = compile_fail.blocks_of("\n".join([
            "a.cpp: In function 'f':", "a.cpp:3:1: error: one", "    3 |  code", "b.hpp: In substitution of 'g':", "a.cpp:3:1:   required from here", "b.hpp:1:1: note: two",
            "c.cpp: In function 'g':", "c.cpp:7:1: warning: three", "2 errors generated."]))
        self.assertEqual([(len(block), block[0]) for block in blocks], [(6, "a.cpp: In function 'f':"), (2, "c.cpp: In function 'g':")])

    def test_a_message_of_no_file(self):
        self.assertIsNone(compile_fail.messages_of("x.hpp:1:1: error: whose", ["a.cpp", "b.cpp"]))
        self.assertIsNone(compile_fail.messages_of("a.cpp:1:1: error: whose\nb.cpp:1:1: note: this", ["a.cpp", "b.cpp"]))
        self.assertEqual(compile_fail.messages_of("b.cpp:1:1: error: one\nx.hpp:1:1: error: two", ["a.cpp", "b.cpp"]), {"a.cpp": "", "b.cpp": "b.cpp:1:1: error: one\nx.hpp:1:1: error: two"})


class ComputedMessages(Harness):
    """The directive expect-26, with a compiler that has the form and with one that has not."""

    COMPUTED = """
// expect: two must be three
// expect-26: two must be three; 2 and 3
#if defined(__cpp_static_assert) && __cpp_static_assert >= 202306L
struct words {
  constexpr unsigned long size() const { return 30; }
  constexpr char const* data() const { return "two must be three; 2 and 3    "; }
};
#define SENTENCE(text) words{}
#else
#define SENTENCE(text) text
#endif
template <int A, int B> struct same { static constexpr bool value = A == B; };
#ifdef SHOULD_FAIL
static_assert(same<2, 3>::value, SENTENCE("two must be three"));
#endif
"""

    def setUp(self):
        self.has_form = compile_fail.computes_messages(tuple(COMMAND))

    def assert_problem_in_26(self, text, pattern):
        if self.has_form:
            self.assert_one_problem(text, "^C\\+\\+26: " + pattern)
        else:
            self.assertEqual(self.problems(text), [])

    def test_good(self):
        self.assertEqual(self.problems(self.COMPUTED), [])

    def test_wrong_words_in_26(self):
        self.assert_problem_in_26(self.COMPUTED.replace("// expect-26: two must be three; 2", "// expect-26: two must be three; 4"),
                                  "the message lacks /two must be three; 4 and 3/")

    def test_compiles_in_26(self):
        self.assert_problem_in_26(self.COMPUTED.replace("#ifdef SHOULD_FAIL", "#if defined(SHOULD_FAIL) && __cplusplus <= 202002L"),
                                  "it compiled with -DSHOULD_FAIL")

    def test_two_errors_in_26(self):
        self.assert_problem_in_26(self.COMPUTED + "#if defined(SHOULD_FAIL) && __cplusplus > 202002L\nint x = y;\n#endif\n",
                                  "the message has 2 errors, not one")

    def test_warning_in_26(self):
        self.assert_problem_in_26(self.COMPUTED + "#if !defined(SHOULD_FAIL) && __cplusplus > 202002L\n#warning careful\n#endif\n",
                                  "the positive control does not compile")

    def test_together(self):
        """Files whose messages are computed are compiled as one source in C++26, too."""
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("good.cpp", "wrong.cpp")]
            for path, text in zip(paths, (self.COMPUTED, self.COMPUTED.replace("// expect-26: two must be three; 2", "// expect-26: two must be three; 4"))):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            problems = compile_fail.check_many(paths, COMMAND)[0]
            self.assertEqual(len(problems), 1 if self.has_form else 0, problems)

    def test_skipped_without_the_form(self):
        """A compiler without the form is asked nothing more than whether it has it."""
        with tempfile.TemporaryDirectory() as folder:
            log, tool = os.path.join(folder, "log"), os.path.join(folder, "c++")
            with open(tool, "w", encoding="utf-8") as file:
                file.write(f'#!/bin/sh\necho "$@" >> {log}\ncase "$*" in *c++26*) exit 1;; *SHOULD_FAIL*) echo "error: two must be three"; exit 1;; esac\n')
            os.chmod(tool, 0o755)
            path = os.path.join(folder, "refusal.cpp")
            with open(path, "w", encoding="utf-8") as file:
                file.write(self.COMPUTED)
            self.assertEqual(compile_fail.check(path, [tool, "-std=c++20"])[0], [])
            with open(log, encoding="utf-8") as file:
                asked = file.read().splitlines()
            self.assertEqual([("c++26" in line, "SHOULD_FAIL" in line) for line in asked], [(False, False), (False, True), (True, False)])

    def test_files_without_the_directive_ask_nothing(self):
        asked = compile_fail.computes_messages
        try:
            compile_fail.computes_messages = lambda command: self.fail("asked for C++26")
            self.assertEqual(self.problems(GOOD), [])
        finally:
            compile_fail.computes_messages = asked


if __name__ == "__main__":
    COMMAND = sys.argv[1:] or ["c++", "-std=c++20", "-fsyntax-only"]
    unittest.main(argv=sys.argv[:1])
