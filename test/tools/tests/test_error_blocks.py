#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What error_blocks.py accepts and what it finds."""
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import error_blocks  # noqa: E402

SOURCE = "int main() { int x = 1; }\n"
MARK = "<!-- error: docs/a.cpp: int x = 1 -> int x = y: g++ {} -std=c++20{} -->\n```text\n{}\n```\n"
WORDS = "‘y’ was not declared in this scope"


class ErrorBlocks(unittest.TestCase):
    def setUp(self):
        self.version = next((v for v in range(11, 20) if error_blocks.command_of("g++", str(v))), None)

    def found(self, page, write=False, compiles=False):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "docs").mkdir()
            (root / "include").mkdir()
            (root / "docs/a.cpp").write_text(SOURCE, encoding="utf-8")
            (root / "README.md").write_text(page, encoding="utf-8")
            found = []
            self.missing = error_blocks.check(root, root / "README.md", found, write, compiles)
            self.text = (root / "README.md").read_text(encoding="utf-8")
            return found

    def test_marks(self):
        self.assertEqual(self.found(MARK.format(12, "", "a.cpp:1: error: b")), [])
        self.assertIn("has 2 errors", self.found(MARK.format(12, "", "a.cpp:1: error: b\na.cpp:1: error: c"))[0])
        self.assertIn("has 0 errors", self.found(MARK.format(12, "", "nothing"))[0])
        self.assertIn("is not", self.found("<!-- error: docs/a.cpp -->\n```text\n```\n")[0])
        self.assertIn("does not exist", self.found(MARK.format(12, "", "x").replace("a.cpp:", "b.cpp:"))[0])
        self.assertIn("0 times", self.found(MARK.format(12, "", "x").replace("int x = 1 ->", "int z ->"))[0])

    def test_what_the_compiler_prints(self):
        if self.version is None:
            self.skipTest("there is no g++")
        self.assertEqual(self.found(MARK.format(self.version, "", ""), write=True), [])
        self.assertIn("a.cpp:1:", self.text)
        self.assertIn(f"error: {WORDS}", self.text)
        self.assertEqual(self.found(self.text, compiles=True), [])
        self.assertIn("prints something else", self.found(self.text.replace("declared", "found"), compiles=True)[0])

    def test_words_alone(self):
        if self.version is None:
            self.skipTest("there is no g++")
        self.assertEqual(self.found(MARK.format(self.version, " | ‘y’ was", WORDS), compiles=True), [])
        self.assertEqual(len(self.found(MARK.format(self.version, " | ‘y’ was", "something"), compiles=True)), 1)

    def test_a_compiler_that_is_not_there(self):
        self.assertEqual(self.found(MARK.format(3, "", "a.cpp:1: error: b"), compiles=True), [])
        self.assertEqual(self.missing, 1)


if __name__ == "__main__":
    unittest.main()
