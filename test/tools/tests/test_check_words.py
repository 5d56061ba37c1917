#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests check_words.py against small trees."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from check_words import faults_of, rules_of  # noqa: E402

LIST = "# comment\nslopes? ||| gradient\nrough_\\w+ ||| shift estimate ||| include/old.hpp\n"


class CheckWords(unittest.TestCase):
    def faults(self, files, words=LIST):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {"test/tools/words.txt": words, **files}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return list(faults_of(root))

    def test_no_old_word(self):
        self.assertEqual(self.faults({"include/a.hpp": "// the gradient\nint sloped;\n", "include/old.hpp": "rough_sum\n"}), [])

    def test_whole_words_of_any_case(self):
        self.assertEqual(self.faults({"docs/a.md": "x\nSlopes are\n", "include/old.hpp": "rough_sum"}), ["docs/a.md:2: 'Slopes': write gradient"])

    def test_exceptions_are_of_one_word(self):
        self.assertEqual(self.faults({"include/old.hpp": "rough_sum slope\n"}), ["include/old.hpp:1: 'slope': write gradient"])

    def test_exceptions_that_nothing_needs(self):
        self.assertEqual(self.faults({"include/a.hpp": "\n"}), ["test/tools/words.txt:3: no file needs the exception include/old.hpp"])

    def test_the_change_log_may_name_them(self):
        self.assertEqual(self.faults({"CHANGELOG.md": "slope -> gradient\n", "include/old.hpp": "rough_sum"}), [])

    def test_a_line_that_is_no_rule(self):
        with self.assertRaises(SystemExit):
            list(rules_of("slope gradient\n"))


if __name__ == "__main__":
    unittest.main()
