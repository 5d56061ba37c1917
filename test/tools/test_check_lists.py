#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Plants a test that no list names and checks that check_lists.py sees it."""
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
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


if __name__ == "__main__":
    unittest.main()
