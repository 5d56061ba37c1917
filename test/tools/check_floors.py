#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks the headers against the rules of the house:  check_floors.py ROOT  (check_floors.py --list prints the floors)

A floor includes only itself and floors below it; the tables say the rest. Prints each violation as file:line: sentence.
"""
import pathlib
import posixpath
import re
import sys

# From the ground up.
FLOORS = ["base", "shape", "storage", "expression", "graph", "operation", "trace", "derivative", "plan", "device", "eager", "nn", "optim", "model", "io", "data", "report"]

# Floors that stand above others without using them: (floor, what it must not include).
FORBIDDEN = {
    "nn": ["trace", "derivative", "plan", "device", "eager"],     # modules are parameters and a forward expression: no derivative, no kernel
    "optim": ["trace", "derivative", "plan", "device", "eager"],  # updates are expressions too
    "io": ["nn", "optim", "device"],
    "report": ["io", "data"],                                     # what it says it says as text
}

# Headers that gather floors and so stand above all of them.
GATHERING = {"espalier.hpp", "espalier/cuda.hpp", "espalier/parallel.hpp", "espalier/simulated_cuda.hpp"}

# The device with kernels of its own: no other device and no floor below includes it.
OF_CUDA = ("espalier/device/cuda/", "espalier/cuda.hpp")
# What only compiles with the CUDA toolkit.
NEEDS_CUDA = ("espalier/device/cuda/cuda_", "espalier/device/cuda/cublas_", "espalier/device/cuda/cudnn_", "espalier/cuda.hpp")

# Headers of other libraries: prefix -> where it may be included.
OTHERS = {
    "boost/hana/": "espalier/",
    "xsimd/": "espalier/device/cpu/",
    "cuda": "espalier/device/cuda/",
    "cublas": "espalier/device/cuda/",
    "cudnn": "espalier/device/cuda/",
    "nlohmann/": "espalier/io/",
}

# Headers of the system: header -> where it may be included.
SYSTEM = {"cblas.h": "espalier/device/cpu/contract_cblas.hpp", "ucontext.h": "espalier/device/cuda/fiber.hpp",
          **{name: "espalier/device/cpu/parallel.hpp" for name in ["pthread.h", "semaphore.h", "signal.h"]},
          **{name: "espalier/io/" for name in ["fcntl.h", "sys/mman.h", "sys/stat.h", "unistd.h", "zlib.h"]}}

# Standard headers that cost 0.1 to 0.4 s of every compilation: kept out of the floors below io.
COSTLY = {"algorithm", "any", "deque", "filesystem", "format", "fstream", "functional", "iomanip", "ios", "iostream", "istream", "list", "locale", "map",
          "memory_resource", "numeric", "ostream", "queue", "random", "ranges", "regex", "set", "sstream", "stdexcept", "string", "thread",
          "unordered_map", "unordered_set", "vector"}
CHEAP_BELOW = "io"
COSTLY_ALLOWED = {                                  # header -> what it may include all the same
    "espalier/storage/print.hpp": {"ostream"},      # printing, opted into
    "espalier/device/cuda/thread_context.hpp": {"thread"},  # a thread for each thread of a block, in tests
}

# Every header includes this one, or a header that does, before it says anything.
SUPPORTED = "espalier/base/supported.hpp"

MOST_LINES = 400
LICENCE = "// SPDX-License-Identifier: BSL-1.0"

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def floor_of(name):
    """The floor of a header by its name from include/ ('espalier/shape/shape.hpp'), or None."""
    parts = name.split("/")
    if len(parts) < 2 or parts[0] != "espalier":
        return None
    floor = parts[1].removesuffix(".hpp")
    return floor if floor in FLOORS else None


def included(text):
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1], match[2]


def own_include(name, target, headers):
    """A violation in the include of one of our own headers, or None."""
    if target not in headers:
        return f"<{target}> does not exist"
    if name in GATHERING:
        return None
    if target in GATHERING:
        return f"<{target}> gathers all floors: include what is needed"
    mine, theirs = floor_of(name), floor_of(target)
    if FLOORS.index(theirs) > FLOORS.index(mine):
        return f"<{target}> stands above {mine}"
    if theirs in FORBIDDEN.get(mine, []):
        return f"<{target}>: {mine} must not include {theirs}"
    if any(target.startswith(c) for c in OF_CUDA) and not any(name.startswith(c) for c in OF_CUDA + ("espalier/simulated_cuda.hpp",)):
        return f"<{target}>: only device/cuda includes device/cuda"
    return None


def other_include(name, target):
    """A violation in the include of somebody else's header, or None."""
    if target in ("boost/hana.hpp",):
        return "<boost/hana.hpp>: include the single headers of Hana that are needed"
    for prefix, home in OTHERS.items():
        if target.startswith(prefix):
            return None if name.startswith(home) else f"<{target}> belongs into {home} alone"
    if target in SYSTEM:
        return None if name.startswith(SYSTEM[target]) else f"<{target}> belongs into {SYSTEM[target]} alone"
    if "/" in target or target.endswith((".h", ".hpp")):
        return f"<{target}>: neither ours, nor standard, nor Hana, nor xsimd"
    floor = floor_of(name)
    below = floor is not None and FLOORS.index(floor) < FLOORS.index(CHEAP_BELOW)
    if below and target in COSTLY and target not in COSTLY_ALLOWED.get(name, set()):
        return f"<{target}> is costly to compile and kept out of the floors below {CHEAP_BELOW}"
    return None


def violations(root):
    top = pathlib.Path(root) / "include"
    files = {str(p.relative_to(top)): p for p in sorted(top.rglob("*")) if p.is_file()}
    found = []
    for name, path in files.items():
        def say(line, sentence, name=name):
            found.append(f"include/{name}:{line}: {sentence}")

        if not name.endswith((".hpp", ".cuh")):
            say(1, "is no header (.hpp, or .cuh in device/cuda)")
            continue
        if name not in GATHERING and floor_of(name) is None:
            say(1, f"belongs to no floor ({', '.join(FLOORS)})")
            continue
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        if len(lines) > MOST_LINES:
            say(len(lines), f"has {len(lines)} lines, more than {MOST_LINES}")
        if not lines or lines[0] != LICENCE:
            say(1, f"does not start with '{LICENCE}'")
        if "#pragma once" not in lines[:3]:
            say(1, "has no '#pragma once' in its first three lines")
        if SUPPORTED in files and name != SUPPORTED and not any(quote == '"' for _, quote, _ in included(text)):
            say(3, f"includes no other header of ours: <{SUPPORTED}> comes first everywhere, and refuses what cannot work")
        for number, quote, target in included(text):
            beside = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
            if quote == '"' and (beside in files or not target.startswith("espalier")):
                sentence = own_include(name, beside, files)
            elif target.startswith("espalier"):
                sentence = own_include(name, target, files)
            else:
                sentence = other_include(name, target)
            if sentence:
                say(number, sentence)
    return found


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--list":
        sys.exit(print("\n".join(FLOORS)))
    all_found = violations(sys.argv[1])
    print("\n".join(all_found) or "every header keeps to its floor")
    sys.exit(1 if all_found else 0)
