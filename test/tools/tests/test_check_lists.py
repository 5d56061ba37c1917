#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Plants a test that no list names, and an op and a module that no test checks, and checks that check_lists.py sees them."""
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import check_lists  # noqa: E402


class Lists(unittest.TestCase):
    def test_unlisted(self):
        with tempfile.TemporaryDirectory() as root:
            for name in ["test/shape/shape.cpp", "test/odr/deep/first.cpp", "docs/examples/digits.cpp", "test/tools/tool.py", "bench/compile/depth.cpp"]:
                path = pathlib.Path(root, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch()
            listed = [root + "/test/shape/shape.cpp", root + "/docs/examples/digits.cpp"]
            self.assertEqual(check_lists.unlisted(root, listed), ["test/odr/deep/first.cpp"])
            self.assertEqual(check_lists.unlisted(root, listed + [root + "/test/odr/deep/first.cpp"]), [])

    def test_untested(self):
        with tempfile.TemporaryDirectory() as root:
            def write(name, text):
                path = pathlib.Path(root, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            write("include/espalier/operation/operation.hpp", '/// Every op.\n#include "exp.hpp"\n#include "sum.hpp"\n')
            write("include/espalier/nn/nn.hpp", '#include "linear.hpp"\n#include "norm.hpp"\n')
            write("include/espalier/nn/norm.hpp", '#include "layer_norm.hpp"\n')
            write("test/device/cuda/every_op_sums.cpp", '#include "exp.hpp"\ncheck("sum of rows", [](auto exp) { return 1; });\n')
            write("test/device/cuda/every_module_layer.cpp", 'check<Linear>("a linear layer");\n')
            self.assertEqual(check_lists.untested(root), ["operation/exp.hpp has no check in test/device/cuda/every_op_*.cpp",
                                                          "nn/layer_norm.hpp has no check in test/device/cuda/every_module_*.cpp"])
            write("test/device/cuda/every_module_norm.cpp", 'check<LayerNorm>("layer_norm");\n')
            write("test/device/cuda/every_op_more.cpp", 'check("exp", [](auto a) { return exp(a); });\n')
            self.assertEqual(check_lists.untested(root), [])


if __name__ == "__main__":
    unittest.main()
