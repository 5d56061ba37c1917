#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests of bench/compile/instantiations.py: that it counts, and that it refuses too many and too few."""
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "bench/compile"))
import instantiations  # noqa: E402

assert not instantiations.faults((100, 1000), (100, 1000), "x")
assert not instantiations.faults((103, 901), (100, 1000), "x")
more = instantiations.faults((104, 1000), (100, 1000), "x")
assert len(more) == 1 and "104 classes" in more[0] and "baseline says 100" in more[0]
fewer = instantiations.faults((100, 899), (100, 1000), "x")
assert len(fewer) == 1 and "899 functions" in fewer[0] and "fewer" in fewer[0]
assert len(instantiations.faults((200, 2000), (100, 1000), "x")) == 2

if shutil.which(instantiations.COMPILER) is None:
    print(f"skipped: there is no {instantiations.COMPILER}")
    sys.exit(instantiations.SKIPPED)
with tempfile.TemporaryDirectory() as folder:
    source = pathlib.Path(folder) / "three.cpp"
    source.write_text("template <int N> struct box { int at[N]; };\ntemplate <int N> int sum() { box<N> b{}; return b.at[0]; }\n"
                      "int main() { return sum<1>() + sum<2>() + sum<3>() + sum<3>(); }\n", encoding="utf-8")
    assert instantiations.count(source) == (3, 3), instantiations.count(source)
    baseline = pathlib.Path(folder) / "baseline.txt"
    baseline.write_text(f"# said\n{source} -DX=1 3 2 1000\n", encoding="utf-8")
    assert instantiations.check(baseline) == 1
    # A constant of 1000 rounds takes some thousands of steps.
    source.write_text(source.read_text(encoding="utf-8") + "constexpr int rounds(int n) { int s = 0; for (int i = 0; i < n; ++i) s += i; return s; }\nconstexpr int large = rounds(1000);\n",
                      encoding="utf-8")
    baseline.write_text(f"# said\n{source} -DX=1 3 3 500\n", encoding="utf-8")
    assert instantiations.check(baseline) == 1
    instantiations.record(baseline)
    words = baseline.read_text(encoding="utf-8").split()
    assert words[:6] == ["#", "said", str(source), "-DX=1", "3", "3"] and 500 < int(words[6]) < 10000, words
    assert instantiations.check(baseline) == 0
    source.write_text(source.read_text(encoding="utf-8").replace("rounds(1000)", "rounds(1200)"), encoding="utf-8")
    assert instantiations.check(baseline) == 1
print("passed")
