#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests constants:  test_constants.py COMPILER..."""
import pathlib
import subprocess
import sys
import tempfile

TOOL = pathlib.Path(__file__).resolve().parents[1] / "constants.py"
SMALL = "extern int const small[3]; int const small[3] = {1, 2, 3};\n"
LARGE = SMALL + "inline constexpr int large[2000] = {1}; int read(int i) { return large[i]; }\n"


def run(folder, text, limit, compiler):
    source = pathlib.Path(folder) / "program.cpp"
    source.write_text(text)
    return subprocess.run([sys.executable, TOOL, source, str(limit), "--", *compiler], capture_output=True, text=True)


def main(compiler):
    with tempfile.TemporaryDirectory() as folder:
        small, large, allowed = (run(folder, t, n, compiler) for t, n in ((SMALL, 4096), (LARGE, 4096), (LARGE, 8192)))
        none, broken = run(folder, "int f() { return 1; }\n", 4096, compiler), run(folder, "int f( {\n", 4096, compiler)
    assert small.returncode == 0, small.stdout + small.stderr
    assert large.returncode == 1 and "8000 bytes: large" in large.stdout and "at most 4096" in large.stdout, large.stdout + large.stderr
    assert allowed.returncode == 0, allowed.stdout
    assert none.returncode != 0 and "no constant" in none.stderr, none.stderr
    assert broken.returncode != 0
    print("constants itself: passed")


if __name__ == "__main__":
    main(sys.argv[1:])
