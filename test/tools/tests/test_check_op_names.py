#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Plants the name of an op in the planner and checks that check_op_names.py sees it."""
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import check_op_names  # noqa: E402

OPS = """
/// tanh(x)
struct tanh_ {};
template <> struct rule<tanh_> : elementwise {};
template <int... Axes> struct sum_ {};
template <int... Axes>
struct rule<sum_<Axes...>> : reduction {};
// struct rule<spoken_of_> is only spoken of
"""


class OpNames(unittest.TestCase):
    def violations(self, text, place="plan/fuse.hpp"):
        with tempfile.TemporaryDirectory() as root:
            for name, content in {"operation/tanh.hpp": OPS, place: text}.items():
                path = pathlib.Path(root, "include/espalier", name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content, encoding="utf-8")
            self.assertEqual(check_op_names.op_tags(root), ["sum_", "tanh_"])
            return check_op_names.violations(root)

    def test_named(self):
        self.assertEqual(self.violations("\nif (op == tanh_{})\n"), ["include/espalier/plan/fuse.hpp:2: names the op tanh_"])
        self.assertEqual(len(self.violations("described<sum_<1>>", "device/cpu/reduce.hpp")), 1)
        self.assertEqual(len(self.violations("described<sum_<1>>", "device/cuda/reduce.cuh")), 1)
        self.assertEqual(len(self.violations("tanh_ sum_", "derivative/reverse.hpp")), 2)

    def test_comments_and_other_words_are_free(self):
        self.assertEqual(self.violations("// like tanh_\n/* sum_\n sum_ */ int tanh_sum_ = atanh_; char const* s = \"tanh_\"; // \" \n"), [])
        self.assertEqual(len(self.violations("/* a */ tanh_ // b\n")), 1)

    def test_other_floors_may_name(self):
        self.assertEqual(self.violations("tanh_", "nn/tanh.hpp"), [])


if __name__ == "__main__":
    unittest.main()
