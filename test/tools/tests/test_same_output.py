#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests of same_output.py, with programs that print what they are told to."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import same_output  # noqa: E402


class SameOutput(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, name, *lines):
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + "".join(f"echo {line}\n" for line in lines))
        path.chmod(0o755)
        return str(path)

    def test_the_same(self):
        self.assertEqual(same_output.main([self.program("a", "one", "two"), self.program("b", "one", "two")]), 0)

    def test_another_line(self):
        self.assertIn("line 2", same_output.main([self.program("a", "one", "two"), self.program("b", "one", "three")]))

    def test_fewer_lines(self):
        self.assertIn("printed 2 lines", same_output.main([self.program("a", "one", "two"), self.program("b", "one")]))

    def test_nothing(self):
        self.assertIn("printed nothing", same_output.main([self.program("a"), self.program("b")]))


if __name__ == "__main__":
    unittest.main()
