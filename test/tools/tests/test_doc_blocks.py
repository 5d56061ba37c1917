#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What doc_blocks.py makes of doc blocks, and what check_api.py says of pages."""
import pathlib
import sys
import tempfile
import unittest

here = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(here), str(here.parents[1] / "tools")]
from check_api import faults  # noqa: E402
from doc_blocks import filtered  # noqa: E402


def lines(*text):
    return filtered("\n".join(text)).split("\n")


class DocBlocks(unittest.TestCase):
    def test_words_become_items(self):
        self.assertEqual(lines("/// f(x): a sentence.", "/// shape   S -> S", "///         and more", "/// gradient  dx = dy", "int f(int);"),
                         ["/// f(x): a sentence.", "/// - **shape** S -&gt; S", "///   and more", "/// - **gradient** dx = dy", "int f(int);"])
        self.assertEqual(lines("  /// 16 bits  floats", "  int f;")[0], "  /// - **16 bits** floats")
        self.assertEqual(lines("/// A table", "///   f<S>()     says it", "int f;")[1], "/// - `f<S>()` says it")

    def test_text_stays_text(self):
        self.assertEqual(lines("/// <ostream>, #if, @x, \\r and 100% of a * b ~ c of T::type and <T>::type", "int f;")[0],
                         "/// &lt;ostream&gt;, \\#if, \\@x, \\\\r and 100\\% of a &#42; b &#126; c of T::type and &lt;T&gt;\\::type")
        self.assertEqual(lines("/// `a<b>` and <b>", "int f;")[0], "/// `a<b>` and &lt;b&gt;")
        self.assertEqual(lines("int f;  ///< of <b>")[0], "int f;  ///< of &lt;b&gt;")
        self.assertEqual(lines("int f;  // of <b>", "x /// y <b>"), ["int f;  // of <b>", "x /// y <b>"])

    def test_code(self):
        self.assertEqual(lines("/// As in", "///     a<b> c;", "///       d;", "/// it is", "int f;")[1:4],
                         ["/// \\code{.cpp} a<b> c;", "///   d; \\endcode", "/// it is"])
        self.assertEqual(lines("/// As in", "///     a;", "int f;")[1], "/// \\code{.cpp} a; \\endcode")

    def test_blocks_of_files(self):
        self.assertEqual(lines("#pragma once", "/// Everything.", "#include <a>"), ["/// \\file", "/// Everything.", "#include <a>"])
        self.assertEqual(lines("", "/// All.", "namespace a {")[0], "/// \\file")
        self.assertEqual(lines("", "/// One.", "struct a {")[0], "")
        self.assertEqual(lines("", "  /// One.", "#if X")[0], "")

    def test_details_are_left_out(self):
        text = ["namespace a {", "namespace detail {", "/// x", 'char const* s = "{{{";  // {', "struct b {", "};", "}", "struct c;", "}  // namespace a"]
        self.assertEqual(lines(*text), ["namespace a {"] + [""] * 6 + ["struct c;", "}  // namespace a"])
        self.assertEqual(lines("namespace a::detail {", "int x = '{';", "}  // namespace a::detail", "int y;"), ["", "", "", "int y;"])
        self.assertEqual(lines("namespace a::details {", "int x;", "}"), ["namespace a::details {", "int x;", "}"])

    def test_as_many_lines_as_before(self):
        for header in here.parents[1].glob("include/espalier/*/*.hpp"):
            text = header.read_text(encoding="utf-8")
            self.assertEqual(filtered(text).count("\n"), text.count("\n"), header.name)


class CheckApi(unittest.TestCase):
    def found(self, pages):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in pages.items():
                (pathlib.Path(folder) / name).write_text(text, encoding="utf-8")
            return faults(pathlib.Path(folder))

    def test_pages(self):
        good = {"matmul_8hpp.html": "matmul <b>shape</b>"}
        self.assertEqual(self.found(good), [])
        self.assertIn("in bold", self.found({"matmul_8hpp.html": "matmul shape"})[0])
        self.assertIn("namespace detail", self.found(good | {"namespaceespalier_1_1detail.html": ""})[0])
        self.assertIn("namespace detail", self.found(good | {"structespalier_1_1detail_1_1thing.html": ""})[0])


if __name__ == "__main__":
    unittest.main()
