#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests check_module.py and imported_examples.py against small trees and programs."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from check_module import NEEDED, UNIT, problems  # noqa: E402
from imported_examples import imports  # noqa: E402

FILES = {
    UNIT: "module;\n#include <vector>\nexport module espalier;\nexport {\n#include <espalier.hpp>\n}\n",
    "include/espalier.hpp": '#include "espalier/io/npy.hpp"\n',
    "include/espalier/io/npy.hpp": "#include <vector>\n",
    NEEDED: '"include <espalier/io/npy.hpp>, and <espalier/mpi.hpp>"\n',
}


class CheckModule(unittest.TestCase):
    def found(self, **changed):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (FILES | {"include/espalier/" + name + ".hpp": text for name, text in changed.items()}).items():
                path = pathlib.Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return problems(folder)

    def test_whole(self):
        self.assertEqual(self.found(), [])

    def test_a_header_that_an_error_names(self):
        self.assertEqual(self.found(**{"base/needs_header": '"include <espalier/up_to.hpp>"'}), [f"{UNIT}: <espalier/up_to.hpp> is missing; {NEEDED} names it"])

    def test_a_header_of_others(self):
        self.assertEqual(self.found(**{"io/npy": "#include <map>\n"}), [f"{UNIT}: <map> is missing in front of `export module`; espalier/io/npy.hpp includes it"])
        self.assertEqual(self.found(**{"io/npy": "#include <xsimd/xsimd.hpp>\n"}), [])

    def test_imports(self):
        headers = {"support/show.hpp": "#include <espalier.hpp>\n#include <list>\n"}
        text = imports('#include <espalier.hpp>\n#include <map>\n\n#include "support/show.hpp"\n\nint main() {}\n', headers)
        self.assertIn("#include <list>\n#include <map>\n", text)  # of its own header, too: they stand in front of the import
        self.assertTrue(text.endswith('#include <espalier/macros.hpp>\nimport espalier;\n\n#include "support/show.hpp"\n\nint main() {}\n'))
        self.assertIsNone(imports("#include <espalier/cuda.hpp>\nint main() {}\n", headers))


if __name__ == "__main__":
    unittest.main()
