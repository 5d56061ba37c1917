#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests check_tests.py against small trees."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from check_tests import faults_of  # noqa: E402

TREE = {
    "include/espalier.hpp": '#include "espalier/plan/plan.hpp"\n',
    "include/espalier/plan/plan.hpp": '#include "../base/text.hpp"\n',
    "include/espalier/base/text.hpp": "",
    "include/espalier/base/other.hpp": "",
    "test/plan/plan.cpp": "#include <espalier/plan/plan.hpp>\n",
    "test/law/all.cpp": '#include "support/all.hpp"\n',
    "test/support/all.hpp": "#include <espalier.hpp>\n",
    "test/base/other.cpp": "",
}


class CheckTests(unittest.TestCase):
    def faults(self, listed, changes=None):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {**TREE, **(changes or {}), "test/tools/tested_elsewhere.txt": listed}.items():
                if text is not None:
                    (root / name).parent.mkdir(parents=True, exist_ok=True)
                    (root / name).write_text(text)
            return list(faults_of(root))

    def test_a_header_without_a_test_is_listed(self):
        self.assertEqual(self.faults("# why\nbase/text.hpp: plan/plan.cpp\n"), [])
        self.assertEqual(self.faults(""), ["include/espalier/base/text.hpp: has no test; write test/base/text.cpp, or list it in test/tools/tested_elsewhere.txt"])

    def test_support_headers_and_umbrellas_are_followed(self):
        self.assertEqual(self.faults("base/text.hpp: plan/plan.cpp law/all.cpp\n"), [])

    def test_a_listed_test_includes_the_header(self):
        self.assertEqual(self.faults("base/text.hpp: base/other.cpp\n"), ["tested_elsewhere.txt:1: test/base/other.cpp does not include base/text.hpp"])

    def test_a_listed_test_exists(self):
        self.assertEqual(self.faults("base/text.hpp: plan/plans.cpp\n"), ["tested_elsewhere.txt:1: there is no test/plan/plans.cpp"])

    def test_a_listed_header_exists(self):
        self.assertEqual(self.faults("base/text.hpp: plan/plan.cpp\nbase/texts.hpp: plan/plan.cpp\n"), ["tested_elsewhere.txt:2: there is no include/espalier/base/texts.hpp"])

    def test_an_entry_is_needed(self):
        self.assertEqual(self.faults("base/text.hpp: plan/plan.cpp\n", {"test/base/text.cpp": ""}), ["tested_elsewhere.txt:1: base/text.hpp has a test of its own, test/base/text.cpp"])

    def test_the_form_of_an_entry(self):
        self.assertEqual(self.faults("base/text.hpp: plan/plan.cpp\nbase/text.hpp: law/all.cpp\n"), ["tested_elsewhere.txt:2: base/text.hpp is also in line 1"])
        self.assertEqual(self.faults("base/text.hpp plan/plan.cpp\n")[0], "tested_elsewhere.txt:1: is not 'header: tests'")
        self.assertEqual(self.faults("base/text.hpp:\n")[0], "tested_elsewhere.txt:1: is not 'header: tests'")


if __name__ == "__main__":
    unittest.main()
