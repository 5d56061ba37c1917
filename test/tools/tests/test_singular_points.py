#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What singular_points.py copies and what it finds."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import singular_points  # noqa: E402

TEST = 'constexpr char const* of_one = R"(\n| a | b |\n|---|---|\n)";\n'


class SingularPoints(unittest.TestCase):
    def test_a_table_is_replaced(self):
        self.assertEqual(singular_points.with_tables("<!-- table: of_one -->\n| old |\n\nEnd.\n", TEST), ("<!-- table: of_one -->\n| a | b |\n|---|---|\n\nEnd.\n", []))

    def test_names_that_differ(self):
        _, faults = singular_points.with_tables("<!-- table: of_two -->\n", TEST)
        self.assertEqual(len(faults), 2)


if __name__ == "__main__":
    unittest.main()
