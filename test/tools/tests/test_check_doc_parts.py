#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What check_doc_parts.py accepts and what it finds."""
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import check_doc_parts  # noqa: E402

GOOD = "/// exp(x).\n/// shape   S -> S\n/// saves   y\n/// gradient  dx = dy y\nint exp;\n"
TWO = "/// a + b.\n/// shape   S, S -> S\n/// errors  other shapes\n/// saves   nothing\n/// gradient  dy\nint add;\n"


class CheckDocParts(unittest.TestCase):
    def found(self, op=GOOD, layer=GOOD):
        with tempfile.TemporaryDirectory() as root:
            for name, text in {"operation/operation.hpp": '#include "exp.hpp"\n', "operation/exp.hpp": op, "nn/nn.hpp": '#include "layer.hpp"\n', "nn/layer.hpp": layer}.items():
                path = pathlib.Path(root) / "include/espalier" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return check_doc_parts.violations(root)

    def test_what_is_right(self):
        self.assertEqual(self.found(), [])
        self.assertEqual(self.found(op=TWO + "\n/// A word without a shape.\nint word;\n"), [])
        self.assertEqual(self.found(op=GOOD + "\n/// Makes the node of an op.\n/// shape   S -> S\nint make;\n"), [])

    def test_parts_that_are_missing(self):
        self.assertEqual(self.found(op=GOOD.replace("/// gradient  dx = dy y\n", "")), ["operation/exp.hpp:1: the block does not say: gradient"])
        self.assertEqual(self.found(layer="\n" + GOOD.replace("/// saves   y\n", "")), ["nn/layer.hpp:2: the block does not say: saves"])
        self.assertEqual(self.found(op=TWO.replace("/// errors  other shapes\n", "")), ["operation/exp.hpp:1: the block does not say: errors"])

    def test_a_header_without_a_shape(self):
        self.assertEqual(self.found(op="/// exp(x).\nint exp;\n"), ["operation/exp.hpp: no doc block says a shape"])


if __name__ == "__main__":
    unittest.main()
