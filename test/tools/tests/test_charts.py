#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""The page and the charts of docs/benchmarks are those that bench/ draws from the recorded measurements."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGES = ROOT / "docs/benchmarks"


def run(*command):
    subprocess.run([sys.executable, *map(str, command)], check=True, stdout=subprocess.DEVNULL)


class Charts(unittest.TestCase):
    def same(self, folder, names):
        for name in names:
            self.assertEqual((folder / name).read_text(encoding="utf-8"), (PAGES / name).read_text(encoding="utf-8"),
                             f"docs/benchmarks/{name} is out of date: run.py --only-page draws it from the recorded measurements")

    def test_run_time(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for file in ("cpu.csv", "cpu.facts.txt"):
                shutil.copy(PAGES / file, folder)
            run(ROOT / "bench/run/run.py", "--only-page", "--out", folder)
            drawn = sorted(path.name for path in folder.glob("*.svg"))
            self.assertEqual(len(drawn), 5)
            self.same(folder, [*drawn, "cpu.md"])
            for path in folder.glob("*.svg"):
                xml.dom.minidom.parse(str(path))

    def test_compile_time(self):
        with tempfile.TemporaryDirectory() as name:
            chart = pathlib.Path(name) / "compile.svg"
            run(ROOT / "bench/compile/run.py", "--only-page", "--chart", chart)
            self.same(chart.parent, ["compile.svg"])


if __name__ == "__main__":
    unittest.main()
