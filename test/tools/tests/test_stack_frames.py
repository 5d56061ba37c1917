#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests stack_frames:  test_stack_frames.py COMPILER..."""
import sys

from object_limits import check

SMALL = "".join(f"int f{i}(int* x) {{ return x[{i}]; }}\n" for i in range(60))
LARGE = SMALL + "void keep(char*);\nvoid large() { char room[5000]; keep(room); }\n"

if __name__ == "__main__":
    check("stack_frames.py", SMALL, LARGE, "large", "only 1 functions", sys.argv[1:])
