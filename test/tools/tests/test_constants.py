#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests constants:  test_constants.py COMPILER..."""
import sys

from object_limits import check

SMALL = "extern int const small[3]; int const small[3] = {1, 2, 3};\n"
LARGE = SMALL + "inline constexpr int large[2000] = {1}; int read(int i) { return large[i]; }\n"

if __name__ == "__main__":
    check("constants.py", SMALL, LARGE, "8000 bytes: large", "no constant", sys.argv[1:])
