# SPDX-License-Identifier: BSL-1.0
"""How a process of a Python library takes its turns (python_side.hpp). It prints "ready" after two steps of warming up, then reads lines:
"time": runs a block of steps, and prints the seconds of one; "results": writes the results as float32 into the file, and prints "done"."""
import sys
import time

import numpy

BLOCK = 0.003  # seconds: a block of steps begins with one that is not timed, because another process had the caches


def block(step, finish, last):
    """The seconds of one step; the least before were `last`."""
    step()
    finish()
    steps = max(1, int(BLOCK / last))
    begin = time.perf_counter()
    for _ in range(steps):
        step()
    finish()
    return (time.perf_counter() - begin) / steps


def take(step, finish, results, path):
    """step() may return before it has been computed; finish() waits for all steps. results() are arrays."""
    for _ in range(2):
        step()
    finish()
    last = BLOCK
    print("ready", flush=True)
    for line in sys.stdin:
        if line.strip() == "results":
            numpy.concatenate([numpy.asarray(x, dtype=numpy.float32).ravel() for x in results()]).tofile(path)
            print("done", flush=True)
        else:
            seconds = block(step, finish, last)
            last = min(last, seconds)
            print(f"{seconds:.9f}", flush=True)
