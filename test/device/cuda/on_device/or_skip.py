#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs a command where this machine has an NVIDIA processor; elsewhere its exit status is 77 ("skipped"):  or_skip.py COMMAND..."""
import ctypes
import subprocess
import sys

SKIPPED = 77


def devices():
    """How many processors the driver sees; 0 where there is no driver."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int(0)
    return count.value if driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if devices() == 0:
        print("skipped: no CUDA device")
        sys.exit(SKIPPED)
    sys.exit(subprocess.run(sys.argv[1:]).returncode)
