#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What group_tests.py makes of test files, and those that it rejects."""
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import group_tests  # noqa: E402

HEAD = "// SPDX-License-Identifier: BSL-1.0\n#define BOOST_TEST_MODULE a_test\n"


class GroupTests(unittest.TestCase):
    def grouped(self, **files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "beside.hpp").write_text("", encoding="utf-8")
            for name, text in files.items():
                (root / f"{name}.cpp").write_text(text, encoding="utf-8")
            return group_tests.grouped([(name, str(root / f"{name}.cpp")) for name in files]).replace(folder, "FOLDER").splitlines()

    def test_a_suite_for_each_file_behind_all_includes(self):
        lines = self.grouped(one=HEAD + "#include <cmath>\n\n#include \"support/x.hpp\"\nint a;\n", two=HEAD + "#include <cmath>\n#include \"beside.hpp\"\n\n#define M 1\nint b = M;\n")
        self.assertEqual(lines, ["#define BOOST_TEST_MODULE group", "#include <boost/test/unit_test.hpp>", "#include <cmath>", '#include "support/x.hpp"',
                                 '#include "FOLDER/beside.hpp"', "BOOST_AUTO_TEST_SUITE(one)", '#line 6 "FOLDER/one.cpp"', "int a;", "BOOST_AUTO_TEST_SUITE_END()",
                                 "BOOST_AUTO_TEST_SUITE(two)", '#line 6 "FOLDER/two.cpp"', "#define M 1", "int b = M;", "#undef M", "BOOST_AUTO_TEST_SUITE_END()"])

    def rejected(self, text):
        with self.assertRaises(group_tests.NotForGroups) as caught:
            self.grouped(one=text)
        return str(caught.exception)

    def test_what_no_suite_may_hold(self):
        self.assertIn("one.cpp:4: this line has to stand before all others", self.rejected(HEAD + "int a;\n#include <cmath>\n"))
        self.assertIn("one.cpp:4: this line has to stand before all others", self.rejected(HEAD + "#if X\n#include <cmath>\n#endif\n"))
        self.assertIn("one.cpp:3: in a namespace of others", self.rejected(HEAD + "namespace espalier {}\n"))
        self.assertIn("one.cpp:4: in a namespace of others", self.rejected(HEAD + "template <>\nstruct esp::rule<int> {};\n"))
        self.assertIn("nothing but includes", self.rejected(HEAD + "#include <cmath>\n"))


if __name__ == "__main__":
    unittest.main()
