#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests check_format.py against small trees."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from check_format import differing, formatter, long_lines, sources_of  # noqa: E402


class CheckFormat(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        (self.root / "include").mkdir()
        (self.root / ".clang-format").write_text("BasedOnStyle: Google\nColumnLimit: 120\n")

    def write(self, text):
        (self.root / "include/a.hpp").write_text(text)
        return ["include/a.hpp"]

    def test_files(self):
        self.write("int a;\n")
        (self.root / "include/a.md").write_text("x\n")
        self.assertEqual(sources_of(self.root), ["include/a.hpp"])

    def test_written_headers_are_not_ours(self):
        self.write("// The weights of a net, written by espalier. They come back by\n")
        self.assertEqual(sources_of(self.root), [])

    def test_long_lines(self):
        names = self.write("int a;  // " + "a " * 60 + "\n")
        self.assertEqual(list(long_lines(self.root, names)), ["include/a.hpp:1: 131 columns, at most 120 are allowed"])

    def test_what_may_be_long(self):
        long = "x" * 120
        for line in (f'char const* a = "{long}";', f"/// | {long} |", f"///     code {long}", f"// expect: {long}"):
            self.assertEqual(list(long_lines(self.root, self.write(line + "\n"))), [], line)

    @unittest.skipUnless(formatter(), "there is no clang-format 14")
    def test_format(self):
        self.assertEqual(list(differing(self.root, self.write("int a = 1;\n"), formatter())), [])
        self.assertEqual(list(differing(self.root, self.write("int  a=1;\n"), formatter())),
                         ["include/a.hpp: is not formatted; check_format.py ROOT --write formats it"])


if __name__ == "__main__":
    unittest.main()
