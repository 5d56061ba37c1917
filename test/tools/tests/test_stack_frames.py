#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests stack_frames:  test_stack_frames.py COMPILER..."""
import pathlib
import subprocess
import sys
import tempfile

TOOL = pathlib.Path(__file__).resolve().parents[1] / "stack_frames.py"
SMALL = "".join(f"int f{i}(int* x) {{ return x[{i}]; }}\n" for i in range(60))
LARGE = SMALL + "void keep(char*);\nvoid large() { char room[5000]; keep(room); }\n"


def run(folder, text, limit, compiler):
    source = pathlib.Path(folder) / "program.cpp"
    source.write_text(text)
    return subprocess.run([sys.executable, TOOL, source, str(limit), "--", *compiler], capture_output=True, text=True)


def main(compiler):
    with tempfile.TemporaryDirectory() as folder:
        small, large, allowed = (run(folder, t, n, compiler) for t, n in ((SMALL, 4096), (LARGE, 4096), (LARGE, 8192)))
        few, broken = run(folder, "int f() { return 1; }\n", 4096, compiler), run(folder, "int f( {\n", 4096, compiler)
    assert small.returncode == 0, small.stdout + small.stderr
    assert large.returncode == 1 and "large" in large.stdout and "at most 4096" in large.stdout, large.stdout + large.stderr
    assert allowed.returncode == 0, allowed.stdout
    assert few.returncode != 0 and "only 1 functions" in few.stderr, few.stderr
    assert broken.returncode != 0
    print("stack_frames itself: passed")


if __name__ == "__main__":
    main(sys.argv[1:])
