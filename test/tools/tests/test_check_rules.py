#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What check_rules.py accepts and what it finds."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import check_rules  # noqa: E402


class CheckRules(unittest.TestCase):
    def found(self, page):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in {"docs/design/rules.md": page, "test/model/trainer.cpp": "BOOST_AUTO_TEST_CASE(labels) {}\n", "test/compile_fail/step_labels.cpp": "",
                               "include/espalier/storage/error.hpp": ""}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding="utf-8")
            return check_rules.violations(root)

    def test_what_exists(self):
        self.assertEqual(self.found("## Labels\n\nSaid in `storage/error.hpp`.\n\n| door | test |\n|---|---|\n| `trainer` | `model/trainer.cpp:labels`, `model/trainer.cpp` |\n| step | `step_labels` |\n"), [])

    def test_what_does_not(self):
        rule = "## Labels\n\nSaid in `storage/error.hpp`.\n\n"
        self.assertEqual(self.found(rule + "| trainer | `model/trainer.cpp:counts` |\n"), ["docs/design/rules.md:5: model/trainer.cpp has no case counts"])
        self.assertEqual(self.found(rule + "| trainer | `step_counts` |\n"), ["docs/design/rules.md:5: step_counts is no test"])
        self.assertEqual(self.found(rule + "| trainer | none |\n"), ["docs/design/rules.md:5: no test of trainer"])
        self.assertEqual(self.found("## Labels\n\n| door | test |\n"), ["docs/design/rules.md: no header is named that says: Labels"])
        self.assertEqual(self.found("## Labels\n\nSaid in `storage/other.hpp`.\n"), ["docs/design/rules.md:3: storage/other.hpp is no header"])


if __name__ == "__main__":
    unittest.main()
