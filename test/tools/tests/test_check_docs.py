#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What check_docs.py accepts and what it finds."""
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import check_docs  # noqa: E402

SOURCE = "int before;\n  // [part]\n  int a;\n    int b;\n  // [/part]\n\nint after;\n"


class CheckDocs(unittest.TestCase):
    def found(self, page, write=False, name="README.md"):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "docs").mkdir()
            (root / "test").mkdir()
            (root / "test/a.cpp").write_text(SOURCE, encoding="utf-8")
            (root / "meson.build").write_text("# [part]\nx = 1\n# [/part]\n", encoding="utf-8")
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(page, encoding="utf-8")
            found = check_docs.violations(root, write)
            self.text = (root / name).read_text(encoding="utf-8")
            return found

    def test_equal_blocks(self):
        self.assertEqual(self.found("x\n<!-- file: test/a.cpp [part] -->\n```cpp\nint a;\n  int b;\n```\n"), [])
        self.assertEqual(self.found(f"<!-- file: test/a.cpp -->\n\n```cpp\n{SOURCE}```\n"), [])

    def test_regions_of_build_files(self):
        self.assertEqual(self.found("<!-- file: meson.build [part] -->\n```meson\nx = 1\n```\n"), [])
        self.assertIn("differs", self.found("<!-- file: meson.build [part] -->\n```meson\nx = 2\n```\n")[0])

    def test_blocks_that_need_no_file(self):
        self.assertEqual(self.found("```sh\nls\n```\n"), [])
        self.assertEqual(self.found("```math\ny = \\frac{x}{2}\n```\n", name="docs/course/page.md"), [])
        self.assertEqual(self.found("<!-- not a file: a drawing -->\n```text\nx\n```\n"), [])
        self.assertEqual(self.found("```text\na -> b\n```\n", name="docs/design/page.md"), [])
        self.assertEqual(self.found("```diff\n- a\n```\n", name="docs/errors.md"), [])

    def test_blocks_that_need_one(self):
        self.assertIn("```text block without", self.found("```text\nx\n```\n")[0])
        self.assertIn("``` block without", self.found("```\nx\n```\n")[0])
        self.assertIn("```text block without", self.found("<!-- not a file: a drawing -->\nwords\n```text\nx\n```\n")[1])

    def test_no_way_around(self):
        for language in ("cpp", "c++", "cuda"):
            self.assertIn("without a line <!-- file", self.found(f"<!-- not a file: no time -->\n```{language}\nint a;\n```\n")[0])
            self.assertIn("without a line <!-- file", self.found(f"```{language}\nint a;\n```\n", name="docs/errors.md")[0])
        self.assertIn("at the first column", self.found("~~~cpp\nint a;\n~~~\n")[0])
        self.assertIn("at the first column", self.found("- x\n  ```cpp\n  int a;\n  ```\n")[0])
        self.assertIn("at the first column", self.found("```cpp title\nint a;\n```\n")[0])
        self.assertIn("indented block", self.found("words\n\n    int a;\n")[0])

    def test_code_of_what_is_not_compiled(self):
        self.assertIn("no file of C++", self.found("<!-- file: meson.build [part] -->\n```cpp\nx = 1\n```\n")[0])

    def test_lines_of_a_text(self):
        self.assertEqual(self.found("<!-- file: test/a.cpp [3-4] -->\n```text\nint a;\n  int b;\n```\n"), [])
        self.assertIn("differs", self.found("<!-- file: test/a.cpp [3-3] -->\n```text\nint b;\n```\n")[0])
        self.assertIn("no lines 3-9", self.found("<!-- file: test/a.cpp [3-9] -->\n```text\nint a;\n```\n")[0])

    def test_a_block_that_differs(self):
        self.assertIn("differs from test/a.cpp [part]", self.found("<!-- file: test/a.cpp [part] -->\n```cpp\nint a;\n```\n")[0])
        self.assertIn("README.md:2", self.found("<!-- file: test/a.cpp [part] -->\n```text\nint a;\n```\n")[0])

    def test_a_block_without_a_file(self):
        self.assertIn("without a line", self.found("```cpp\nint a;\n```\n", name="docs/page.md")[0])
        self.assertIn("without a line", self.found("<!-- file: test/a.cpp [part] -->\nwords\n```cpp\nint a;\n```\n")[1])

    def test_what_does_not_exist(self):
        self.assertIn("test/b.cpp does not exist", self.found("<!-- file: test/b.cpp -->\n```cpp\n```\n")[0])
        self.assertIn("not exactly one region [none]", self.found("<!-- file: test/a.cpp [none] -->\n```cpp\n```\n")[0])
        self.assertIn("no end", self.found("<!-- file: test/a.cpp -->\n```cpp\n")[0])

    def test_write(self):
        self.assertEqual(self.found("<!-- file: test/a.cpp [part] -->\n```cpp\nold\n```\nend\n", write=True), [])
        self.assertEqual(self.text, "<!-- file: test/a.cpp [part] -->\n```cpp\nint a;\n  int b;\n```\nend\n")

    def test_a_mark_without_its_block(self):
        self.assertIn("README.md:1: no block follows", self.found("<!-- file: test/a.cpp [part] -->\n\nwords\n")[0])
        self.assertIn("no block follows", self.found("<!-- file: test/a.cpp [part] -->\n")[0])
        self.assertIn("no block follows", self.found("<!-- file: test/a.cpp [part] -->\n<!-- file: test/a.cpp [part] -->\n```cpp\nint a;\n  int b;\n```\n")[0])
        self.assertIn("no block follows", self.found("<!-- not a file: PyTorch -->\n\nwords\n")[0])
        for mark in ("<!--file: test/a.cpp [part] -->", "<!-- file test/a.cpp [part] -->", " <!-- file: test/a.cpp [part] -->"):
            self.assertIn("README.md:1: no mark", self.found(f"{mark}\n\nwords\n")[0])
        self.assertEqual(self.found("<!-- file: test/a.cpp [part] -->\n\nwords\n", write=True), [])
        self.assertEqual(self.text, "<!-- file: test/a.cpp [part] -->\n```cpp\nint a;\n  int b;\n```\n\nwords\n")

    def test_empty_blocks(self):
        self.assertIn("an empty block", self.found("```sh\n\n```\n")[0])
        self.assertIn("test/a.cpp [6-6] is empty", self.found("<!-- file: test/a.cpp [6-6] -->\n```text\n```\n")[0])


if __name__ == "__main__":
    unittest.main()
