#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests build_modes.py with programs and headers that are wrong."""
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import build_modes  # noqa: E402

PROGRAM = """#include <espalier.hpp>
#include <cstdio>
#include <cstdlib>
int main(int words, char**) {{
  if (words > 1) {{
    std::fprintf(stderr, "{sentence}\\n");
    {end}
  }}
  std::puts("{says}");
}}
"""
RIGHT = {"sentence": build_modes.NO_FILE, "end": "return 0;", "says": "right"}
STRICT = build_modes.Mode("strict", "gcc", "run", build_modes.STRICT)
INVALID = build_modes.Mode("invalid", "gcc", "invalid", "", "too old", standard="c++17")


@unittest.skipUnless(shutil.which("g++"), "there is no g++")
class BuildModes(unittest.TestCase):
    def problems(self, mode, header="", **words):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in (("include/espalier.hpp", header), ("test/modes/program.cpp", PROGRAM.format(**(RIGHT | words)))):
                (root / path).parent.mkdir(parents=True)
                (root / path).write_text(text, encoding="utf-8")
            return "\n".join(build_modes.problems(mode, root, "g++"))

    def test_right(self):
        self.assertEqual(self.problems(STRICT), "")

    def test_a_warning_in_a_header(self):
        self.assertRegex(self.problems(STRICT, header="inline int cut(double x) { return x; }"), "does not compile:\n(?s:.*)-Werror=float-conversion")

    def test_other_numbers(self):
        self.assertRegex(self.problems(STRICT, says="wrong"), "the program ended with 0 and said:\nwrong")

    def test_another_sentence(self):
        self.assertRegex(self.problems(STRICT, sentence="no"), "without its file the program ended with 0, not 0, and said:\nno")

    def test_without_exceptions_it_aborts(self):
        bare = build_modes.Mode("bare", "gcc", "run", "-fno-exceptions")
        self.assertRegex(self.problems(bare), "ended with 0, not -6")
        self.assertEqual(self.problems(bare, end="std::abort();"), "")

    def test_refusals(self):
        self.assertEqual(self.problems(INVALID, header='#include "this is too old"'), "")
        self.assertRegex(self.problems(INVALID), "<espalier.hpp> first: expected one error, 'too old'")
        self.assertRegex(self.problems(INVALID, header='#include "another one"'), "expected one error, 'too old'")
        self.assertRegex(self.problems(INVALID, header="#error too old\nint x = none;"), "expected one error, 'too old'")

    def test_a_syntax_mode_generates_nothing(self):
        syntax = build_modes.Mode("syntax", "gcc", "syntax", build_modes.STRICT)
        self.assertEqual(self.problems(syntax, says="wrong"), "")
        self.assertRegex(self.problems(syntax, header="inline int cut(double x) { return x; }"), "does not compile")

    def test_the_list(self):
        names = [mode.name for mode in build_modes.modes()]
        self.assertEqual(len(names), len(set(names)))
        for compiler in build_modes.COMPILERS:
            flags = [mode.flags for mode in build_modes.modes() if mode.compiler == compiler and mode.kind == "run"]
            for flag in ["-O0", "-O1", "-O2", "-O3", "-march=native", "-fno-exceptions", "-ffast-math", "-flto=auto", "-fsanitize=address,undefined"]:
                self.assertTrue(any(flag in words for words in flags), f"{compiler} {flag}")


if __name__ == "__main__":
    unittest.main()
