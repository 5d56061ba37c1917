#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks the headers against the rules of the house:  check_floors.py ROOT  (--list prints the floors, --write ROOT adds the includes that silence -Wshadow)

A floor includes only itself and floors below it, and no header includes itself through others; the tables say the rest. Prints each violation as
file:line: sentence.
"""
import pathlib
import posixpath
import re
import sys

# From the ground up.
FLOORS = ["base", "shape", "storage", "expression", "graph", "operation", "tracing", "derivative", "plan", "device", "eager", "nn", "optim", "model", "io", "data", "report"]

# Floors that stand above others without using them: (floor, what it must not include).
FORBIDDEN = {
    "nn": ["tracing", "derivative", "plan", "device", "eager"],     # modules are parameters and a forward expression: no derivative, no kernel
    "optim": ["tracing", "derivative", "plan", "device", "eager"],  # updates are expressions too
    "io": ["nn", "optim", "device"],
    "report": ["io", "data"],                                     # what it says it says as text
}

# Headers that gather floors and so stand above all of them.
GATHERING = {"espalier.hpp", "espalier/cuda.hpp", "espalier/cuda_distributed.hpp", "espalier/cuda_parallel.hpp", "espalier/distributed.hpp", "espalier/macros.hpp", "espalier/mpi.hpp", "espalier/nvtx.hpp", "espalier/parallel.hpp", "espalier/simulated_cuda.hpp",
             "espalier/simulated_cuda_distributed.hpp", "espalier/simulated_cuda_parallel.hpp", "espalier/stream.hpp",
             "espalier/up_to.hpp"}

# The device with kernels of its own: no other device and no floor below includes it.
OF_CUDA = ("espalier/device/cuda/", "espalier/cuda.hpp", "espalier/cuda_distributed.hpp", "espalier/cuda_parallel.hpp", "espalier/nvtx.hpp")
# What only compiles with the CUDA toolkit, or with MPI.
NEEDS_OTHERS = ("espalier/device/cuda/library/cuda_", "espalier/device/cuda/library/cublas_", "espalier/device/cuda/library/cudnn_", "espalier/device/cuda/library/event_",
              "espalier/device/cuda/library/nccl_", "espalier/device/cuda/library/nvtx_", "espalier/cuda.hpp", "espalier/cuda_distributed.hpp", "espalier/cuda_parallel.hpp", "espalier/nvtx.hpp",
              "espalier/device/distributed/library/mpi_", "espalier/mpi.hpp")

# Headers of other libraries: prefix -> where it may be included.
OTHERS = {
    "boost/hana/": "espalier/",
    "boost/context/": "espalier/device/cuda/simulator/fiber.hpp",
    "xsimd/": "espalier/device/cpu/",
    "cuda": "espalier/device/cuda/",
    "cublas": "espalier/device/cuda/",
    "cudnn": "espalier/device/cuda/",
    "nccl": "espalier/device/cuda/",
    "flatbuffers/": "espalier/io/",
    "nlohmann/": "espalier/io/",
    "nvtx3/": "espalier/device/cuda/",
    "mpi.h": "espalier/device/distributed/library/",
}

# Headers of the system: header -> where it may be included.
SYSTEM = {"cblas.h": "espalier/device/cpu/product/contract_cblas.hpp", "ucontext.h": "espalier/device/cuda/simulator/fiber.hpp",
          **{name: "espalier/device/cpu/thread/" for name in ["pthread.h", "semaphore.h"]}, "sched.h": "espalier/device/distributed/library/",
          "signal.h": ("espalier/device/cpu/thread/", "espalier/device/distributed/library/"),
          **{name: "espalier/io/" for name in ["fcntl.h", "io.h", "process.h", "sys/mman.h", "sys/stat.h", "sys/types.h", "zlib.h"]},
          "unistd.h": ("espalier/io/", "espalier/device/distributed/library/")}

# Standard headers that cost 0.1 to 0.4 s of every compilation: kept out of the floors below io.
EXPENSIVE = {"algorithm", "any", "deque", "filesystem", "format", "fstream", "functional", "iomanip", "ios", "iostream", "istream", "list", "locale", "map",
          "memory_resource", "numeric", "ostream", "queue", "random", "ranges", "regex", "set", "sstream", "stdexcept", "string", "thread",
          "unordered_map", "unordered_set", "vector"}
CHEAP_BELOW = "io"
EXPENSIVE_ALLOWED = {                                  # header -> what it may include all the same
    "espalier/storage/print.hpp": {"ostream"},      # printing, opted into
    "espalier/device/cuda/simulator/thread_context.hpp": {"thread"},  # a thread for each thread of a block, in tests
}

# Every header includes this one, or a header that does, before it says anything.
SUPPORTED = "espalier/base/supported.hpp"

MODULE = "espalier.cppm"  # check_module.py

LICENCE = "// SPDX-License-Identifier: BSL-1.0"

# Around each header and what it includes. These two have no `#pragma once`, and each header includes them.
PUSH = "espalier/base/diagnostics_push.hpp"
POP = "espalier/base/diagnostics_pop.hpp"
BRACKETS = {posixpath.basename(PUSH), posixpath.basename(POP), "hide_macros.hpp", "restore_macros.hpp"}

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


def resolved(name, quote, target, headers):
    """The header of ours that an include names, by its name from include/; None for somebody else's."""
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
    if quote == '"' and (beside in headers or not target.startswith("espalier")):
        return beside
    return target if target.startswith("espalier") else None


def cycles(headers):
    """Each include that closes a cycle, as (header, line, the headers on the way back to it)."""
    includes = {name: [(number, resolved(name, quote, target, headers)) for number, quote, target in included(text)] for name, text in headers.items()}
    found, done, path = [], set(), []

    def visit(name):
        path.append(name)
        for number, target in includes[name]:
            if target in path:
                found.append((name, number, [*path[path.index(target):], target]))
            elif target in headers and target not in done:
                visit(target)
        done.add(path.pop())

    for name in sorted(headers):
        if name not in done:
            visit(name)
    return found


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
    if below and target in EXPENSIVE and target not in EXPENSIVE_ALLOWED.get(name, set()):
        return f"<{target}> is expensive to compile and kept out of the floors below {CHEAP_BELOW}"
    return None


def speaks(name, lines):
    """Whether a header has more than includes and macros; what only nvcc reads is no header of a program."""
    return name.endswith(".hpp") and any(line.startswith("namespace ") for line in lines)


def line_of(target, name):
    """The line by which a header includes PUSH or POP, from its own folder."""
    return f'#include "{posixpath.relpath(target, posixpath.dirname(name) or ".")}"'


def is_quiet(name, lines):
    """Whether PUSH is the first include, behind `#pragma once`, and POP the last line."""
    push = line_of(PUSH, name)
    return lines.count(push) == 1 and lines[lines.index(push) - 1] == "#pragma once" and lines[-1] == line_of(POP, name)


def quieted(name, lines):
    """The lines of a header with PUSH before its other includes, and POP at the end."""
    push, pop = line_of(PUSH, name), line_of(POP, name)
    rest = [line for line in lines if line not in (push, pop)]
    first = rest.index("#pragma once") + 1 if "#pragma once" in rest else 1
    return [*rest[:first], push, *([""] if first < len(rest) and rest[first].strip() else []), *rest[first:], pop]


def write(root):
    """Adds what is_quiet asks for."""
    top = pathlib.Path(root) / "include"
    for path in sorted(top.rglob("*.hpp")):
        lines, name = path.read_text(encoding="utf-8").splitlines(), str(path.relative_to(top))
        if speaks(name, lines) and not is_quiet(name, lines):
            path.write_text("\n".join(quieted(name, lines)) + "\n", encoding="utf-8")


def violations(root):
    top = pathlib.Path(root) / "include"
    files = {str(p.relative_to(top)): p for p in sorted(top.rglob("*")) if p.is_file()}
    found = []
    for name, path in files.items():
        def say(line, sentence, name=name):
            found.append(f"include/{name}:{line}: {sentence}")

        if name == MODULE:
            continue
        if not name.endswith((".hpp", ".cuh")):
            say(1, "is no header (.hpp, or .cuh in device/cuda)")
            continue
        if name not in GATHERING and floor_of(name) is None:
            say(1, f"belongs to no floor ({', '.join(FLOORS)})")
            continue
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        if speaks(name, lines) and not is_quiet(name, lines):
            say(3, f"does not include <{PUSH}> before its other includes and <{POP}> at its end: check_floors.py --write ROOT adds them")
        if not lines or lines[0] != LICENCE:
            say(1, f"does not start with '{LICENCE}'")
        if posixpath.basename(name) in BRACKETS:
            continue
        if "#pragma once" not in lines[:3]:
            say(1, "has no '#pragma once' in its first three lines")
        if SUPPORTED in files and name != SUPPORTED and not any(quote == '"' and pathlib.Path(target).name not in BRACKETS for _, quote, target in included(text)):
            say(3, f"includes no other header of ours: <{SUPPORTED}> comes first everywhere, and refuses what cannot work")
        for number, quote, target in included(text):
            ours = resolved(name, quote, target, files)
            sentence = own_include(name, ours, files) if ours else other_include(name, target)
            if sentence:
                say(number, sentence)
    headers = {name: path.read_text(encoding="utf-8") for name, path in files.items()}
    for name, number, way in cycles(headers):
        found.append(f"include/{name}:{number}: closes a cycle of includes: {' -> '.join(way)}")
    return found


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--write":
        sys.exit(write(sys.argv[2]))
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--list":
        sys.exit(print("\n".join(FLOORS)))
    all_found = violations(sys.argv[1])
    print("\n".join(all_found) or "every header keeps to its floor")
    sys.exit(1 if all_found else 0)
