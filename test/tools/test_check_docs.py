#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What check_docs.py accepts and what it finds."""
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_docs  # noqa: E402

SOURCE = "int before;\n  // [part]\n  int a;\n    int b;\n  // [/part]\nint after;\n"


class CheckDocs(unittest.TestCase):
    def found(self, page, write=False, name="README.md"):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "docs").mkdir()
            (root / "a.cpp").write_text(SOURCE, encoding="utf-8")
            (root / "meson.build").write_text("# [part]\nx = 1\n# [/part]\n", encoding="utf-8")
            (root / name).write_text(page, encoding="utf-8")
            found = check_docs.violations(root, write)
            self.text = (root / name).read_text(encoding="utf-8")
            return found

    def test_equal_blocks(self):
        self.assertEqual(self.found("x\n<!-- file: a.cpp [part] -->\n```cpp\nint a;\n  int b;\n```\n"), [])
        self.assertEqual(self.found(f"<!-- file: a.cpp -->\n\n```cpp\n{SOURCE}```\n"), [])

    def test_regions_of_build_files(self):
        self.assertEqual(self.found("<!-- file: meson.build [part] -->\n```meson\nx = 1\n```\n"), [])
        self.assertIn("differs", self.found("<!-- file: meson.build [part] -->\n```meson\nx = 2\n```\n")[0])

    def test_other_blocks_need_no_file(self):
        self.assertEqual(self.found("```sh\nls\n```\n```text\nx\n```\n"), [])

    def test_a_block_that_differs(self):
        self.assertIn("differs from a.cpp [part]", self.found("<!-- file: a.cpp [part] -->\n```cpp\nint a;\n```\n")[0])
        self.assertIn("README.md:2", self.found("<!-- file: a.cpp [part] -->\n```text\nint a;\n```\n")[0])

    def test_a_block_without_a_file(self):
        self.assertIn("without a line", self.found("```cpp\nint a;\n```\n", name="docs/page.md")[0])
        self.assertIn("without a line", self.found("<!-- file: a.cpp [part] -->\nwords\n```cpp\nint a;\n```\n")[0])

    def test_what_does_not_exist(self):
        self.assertIn("b.cpp does not exist", self.found("<!-- file: b.cpp -->\n```cpp\n```\n")[0])
        self.assertIn("not exactly one region [none]", self.found("<!-- file: a.cpp [none] -->\n```cpp\n```\n")[0])
        self.assertIn("no end", self.found("<!-- file: a.cpp -->\n```cpp\n")[0])
        self.assertIn("leads nowhere", self.found("[a](b.md)\n")[0])
        self.assertEqual(self.found("[a](a.cpp) [b](https://example.org/x) [c](a.cpp#part)\n"), [])

    def test_write(self):
        self.assertEqual(self.found("<!-- file: a.cpp [part] -->\n```cpp\nold\n```\nend\n", write=True), [])
        self.assertEqual(self.text, "<!-- file: a.cpp [part] -->\n```cpp\nint a;\n  int b;\n```\nend\n")


if __name__ == "__main__":
    unittest.main()
