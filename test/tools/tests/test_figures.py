#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What figures.py gives for recorded measurements, and what it finds in pages."""
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import figures  # noqa: E402

CPU = """workload,implementation,compiler,min_ns,median_ns,min_bytes,flops
exp/4096,espalier,g++ 12.2.0,500,510,1,1
exp/4096,by_hand,g++ 12.2.0,250,255,1,1
exp/4096,xsimd,clang++ 19.1.7,1000,1010,1,1
exp/4096,eigen,clang++ 19.1.7,1500,1510,1,1
sum/1M,espalier,g++ 12.2.0,100,100,1,1
copy/8KiB,espalier,g++ 12.2.0,100,100,1,1
sum/1M,eigen,clang++ 19.1.7,50,50,1,1
exp/4096,espalier,clang++ 19.1.7,2000,2000,1,1
exp/4096,xsimd,clang++ 19.1.7,1000,1010,1,1
"""
COMPILE = "case,compiler,debug,seconds,megabytes,object_bytes,longest_symbol,instantiations\ndigits,g++,,4.58,380.4,1,1,\ndepth 64,g++,,9.16,700,1,1,\n"
FUNCTIONS = CPU.splitlines()[0] + "\nfunction_step/gan,espalier,g++ 12.2.0,2000,2000,0,0\nfunction_step/gan,jax,library,5000,5000,0,0\n"
ERRORS = "refusal,compiler,right_seconds,wrong_seconds,ratio\na,g++,1,1,0.9\nb,g++,1,1,1.1\nc,g++,1,1,0.95\n"


class Figures(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        (self.root / "docs/benchmarks").mkdir(parents=True)
        (self.root / "test/compile_fail").mkdir(parents=True)
        for name in ("a", "b"):
            (self.root / f"test/compile_fail/{name}.cpp").write_text("", encoding="ascii")
        for name, text in (("cpu", CPU), ("functions", FUNCTIONS), ("compile", COMPILE), ("compile_errors", ERRORS)):
            (self.root / f"docs/benchmarks/{name}.csv").write_text(text, encoding="ascii")

    def tearDown(self):
        self.folder.cleanup()

    def test_figures(self):
        for call, wanted in ((("time", "exp/4096, g++"), "500 ns"), (("time", "exp/4096, clang++"), "2 us"), (("peer", "exp/4096, g++"), "xsimd 1 us"),
                             (("peer_time", "exp/4096, Eigen, g++"), "1.5 us"), (("ratio", "exp/4096, g++"), "2.00"), (("ratio", "exp/4096, clang++"), "0.50"), (("ratio", "function_step/gan, g++"), "2.50"), (("peer", "function_step/gan, g++"), "JAX 5 us"), (("compared", "g++"), "2"),
                             (("at_least", "1, g++"), "1"), (("below", "0.95, g++"), "1"), (("worst", "g++"), "0.50"), (("seconds", "digits, g++"), "4.6 s"),
                             (("megabytes", "digits, g++"), "380 MB"), (("growth", "depth 64, digits, g++"), "2.0"), (("error_ratio", "median"), "0.95"),
                             (("error_ratio", "most"), "1.10"), (("invalid_programs", ""), "2")):
            self.assertEqual(figures.figure(self.root, *call), wanted, call)

    def test_pages(self):
        page = self.root / "README.md"
        page.write_text("a <!-- = time(exp/4096, g++) -->1 ns<!-- / --> b <!-- = ratio(exp/4096, g++) -->2.00<!-- / -->\n", encoding="ascii")
        found = figures.violations(self.root)
        self.assertEqual(len(found), 1)
        self.assertIn("time(exp/4096, g++) is 500 ns, not 1 ns", found[0])
        self.assertEqual(figures.violations(self.root, write=True), [])
        self.assertEqual(figures.violations(self.root), [])
        self.assertIn("-->500 ns<!-- / --> b", page.read_text(encoding="ascii"))

    def test_mistakes(self):
        page = self.root / "README.md"
        for text, wanted in (("<!-- = time(log/4096, g++) -->x<!-- / -->", "no row log/4096"), ("<!-- = speed(1) -->x<!-- / -->", "is no figure"),
                             ("<!-- = time(exp/4096, icc) -->x<!-- / -->", "neither g"), ("<!-- = time(exp/4096, g++) -->x", "in one line"),
                             ("<!-- = seconds(resnet9, g++) -->x<!-- / -->", "has 0 lines"), ("<!-- = time(exp/4096) -->x<!-- / -->", "missing"),
                             ("<!-- = peer_time(exp/4096, oneDNN, g++) -->x<!-- / -->", "no peer oneDNN")):
            page.write_text(text + "\n", encoding="ascii")
            self.assertIn(wanted, "\n".join(figures.violations(self.root)), text)


if __name__ == "__main__":
    unittest.main()
