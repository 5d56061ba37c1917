#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What check_needle.py accepts and what it finds."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from check_needle import NAMES, PAGE, violations  # noqa: E402

HEAD = "# Page\n\nwords\n\n## Ops\n\n| needle | espalier | header | |\n|---|---|---|---|\n"
GOOD = "| `Add`, `add` | `operator+` | `operation/add.hpp` | |\n"
ADD = "// gone: subtract\ntemplate <class A>\nconstexpr A operator+(A a, A b);\nstruct sum_of {};\n/* also\n gone_too */\n"


class CheckNeedle(unittest.TestCase):
    def found(self, table, names="ops.Add ops.add", head=HEAD):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in ((PAGE, head + table), (NAMES, names), ("include/espalier/operation/add.hpp", ADD),
                               ("include/espalier/operation/other.hpp", "struct other {};\n")):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            return violations(root)

    def test_good_tables(self):
        self.assertEqual(self.found(GOOD), [])
        self.assertEqual(self.found("| `Add` | `esp::sum_of` | `operation/add.hpp` | a remark |\n| `add` | | | the reason |\n"), [])
        self.assertEqual(self.found("| `Add`, `add` | `sum_of`, `other` | `operation/add.hpp`, `operation/other.hpp` | |\n"), [])

    def test_headers(self):
        self.assertIn("operation/plus.hpp does not exist", self.found(GOOD.replace("add.hpp", "plus.hpp"))[0])
        self.assertIn("no header is named", self.found("| `Add`, `add` | `operator+` | | |\n")[0])
        self.assertIn("operation/other.hpp holds no name", self.found("| `Add`, `add` | `sum_of` | `operation/add.hpp`, `operation/other.hpp` | |\n")[0])

    def test_names_that_do_not_occur(self):
        for name in ("operator-", "sum", "subtract", "gone_too", "esp::detail::missing"):
            self.assertIn(f"{name} does not occur in operation/add.hpp", self.found(GOOD.replace("operator+", name))[0])

    def test_rows_without_a_counterpart(self):
        self.assertIn("gives the reason", self.found("| `Add`, `add` | | | |\n")[0])
        self.assertIn("gives the reason", self.found("| `Add`, `add` | | `operation/add.hpp` | why |\n")[0])

    def test_columns(self):
        self.assertIn("expected 4 columns, got 3", self.found("| `Add`, `add` | `operator+` | `operation/add.hpp` |\n")[0])

    def test_names_of_needle(self):
        self.assertEqual(self.found(GOOD, names="ops.Add ops.add ops.Mul"), [f"{PAGE}: ops.Mul of needle is missing"])
        self.assertEqual(self.found(GOOD, names="ops.Add"), [f"{PAGE}:9: needle has no ops.add"])
        self.assertIn("stands in line 9 already", self.found(GOOD + "| `Add` | `sum_of` | `operation/add.hpp` | |\n")[0])
        self.assertEqual(self.found(GOOD, names="", head=HEAD.replace("Ops", "Extra")), [])  # other sections are free


if __name__ == "__main__":
    unittest.main()
