#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests bench/compile/compile_errors.py with a program that plays the compiler."""
import argparse
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "bench/compile"))
import compile_errors  # noqa: E402

# Spends the tenths of a second that the program asks for, one number for the right one and one for the wrong one, and refuses what it should.
COMPILER = """#!{python}
import sys, time
if "--version" in sys.argv: sys.exit()
text = open(sys.argv[-1]).read().split()
wrong = "-DSHOULD_FAIL" in sys.argv
end = time.process_time() + int(text[wrong]) / 10
while time.process_time() < end: pass
sys.exit(1 if wrong and "accepted" not in text or "broken" in text else 0)
"""


class Refusals(unittest.TestCase):
    def run_on(self, programs):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for name, text in programs.items():
                (folder / f"{name}.cpp").write_text(text)
            compiler = folder / "compiler"
            compiler.write_text(COMPILER.format(python=sys.executable))
            compiler.chmod(0o755)
            before, compile_errors.FOLDER = compile_errors.FOLDER, folder
            said = io.StringIO()
            try:
                with contextlib.redirect_stdout(said):
                    rows, failed = compile_errors.rows_of(str(compiler), sorted(programs), argparse.Namespace(repeat=1, arch="none", limit=20))
                    slow = compile_errors.report("compiler", rows)
            finally:
                compile_errors.FOLDER = before
            return rows, failed, slow, said.getvalue()

    def test_a_slow_refusal_is_found(self):
        rows, failed, slow, said = self.run_on({"quick": "3 1", "slow": "1 4"})
        self.assertEqual((failed, slow), (0, 1), said)
        self.assertEqual([r["refusal"] for r in rows], ["quick", "slow"])
        self.assertLess(rows[0]["ratio"], 0.8)
        self.assertGreater(rows[1]["ratio"], 1.5)
        self.assertIn("SLOW   slow", said)
        self.assertLess(said.index("  slow"), said.index("  quick"))  # the slowest first

    def test_what_is_no_refusal_counts(self):
        rows, failed, slow, said = self.run_on({"accepted": "1 1 accepted", "broken": "1 1 broken", "good": "1 1"})
        self.assertEqual((failed, slow, len(rows)), (2, 0, 1), said)
        self.assertIn("FAILED accepted.cpp -DSHOULD_FAIL ends with 0", said)
        self.assertIn("FAILED broken.cpp ends with 1", said)

    def test_limit(self):
        self.assertFalse(compile_errors.is_slow(1, 1.14))
        self.assertTrue(compile_errors.is_slow(1, 1.16))
        self.assertFalse(compile_errors.is_slow(0.01, 0.06))  # a twentieth of a second is what a busy machine does


if __name__ == "__main__":
    unittest.main()
