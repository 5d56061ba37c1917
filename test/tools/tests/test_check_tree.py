#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What check_tree.py accepts and what it finds."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from check_tree import faults_of, tracked  # noqa: E402


class CheckTree(unittest.TestCase):
    def found(self, *names):
        """The files among these that do not belong."""
        return [fault.split(": ")[0] for fault in faults_of(sorted(names))]

    def test_what_belongs(self):
        self.assertEqual(self.found("README.md", ".ci/run", "include/espalier/core.hpp", "docs/benchmarks/curves.csv", "docs/pictures/digits_curves.svg"), [])

    def test_files_at_the_top(self):
        self.assertEqual(self.found("README.md", "digits_curve.csv", "a.out", "notes/x.md"), ["a.out", "digits_curve.csv", "notes/x.md"])

    def test_what_programs_write(self):
        self.assertEqual(self.found("docs/examples/digits_curve.svg", "test/x.o", "docs/data/core", "docs/core.hpp"), ["docs/data/core", "docs/examples/digits_curve.svg", "test/x.o"])

    def test_this_repository(self):
        self.assertEqual(list(faults_of(tracked(pathlib.Path(__file__).resolve().parents[3]))), [])


if __name__ == "__main__":
    unittest.main()
