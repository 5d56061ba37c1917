#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks that every C++ file of the tests and examples is built, and that every op and module is tested on devices:  check_lists.py ROOT LISTED...

LISTED are the sources that the meson.build files name. A file that none of them names would be a test that never runs. Each header that an umbrella
header names has a check in a file of its tests: a string that names it, "softmax of rows".
"""
import pathlib
import re
import sys

FOLDERS = ["test", "docs/examples", "docs/browser", "bench/run"]

# tests: the umbrella headers whose every header they check
TESTED = {
    "test/device/cuda/every_op_*.cpp": ["operation/operation.hpp"],
    "test/device/cuda/every_module_*.cpp": ["nn/nn.hpp", "nn/norm.hpp"],
}
UMBRELLAS = {"norm"}
NO_OPS = {"axis_argument", "rejected_arguments", "other_names"}  # refusals only


def unlisted(root, listed):
    root = pathlib.Path(root).resolve()
    known = {pathlib.Path(name).resolve() for name in listed}
    files = (p for folder in FOLDERS for p in sorted((root / folder).rglob("*.cpp")))
    return [str(p.relative_to(root)) for p in files if p not in known]


def included(umbrella):
    return re.findall(r'^#include "(\w+)\.hpp"', umbrella.read_text(encoding="utf-8"), re.M) if umbrella.exists() else []


def untested(root):
    root = pathlib.Path(root)
    found = []
    for tests, umbrellas in TESTED.items():
        text = "\n".join(p.read_text(encoding="utf-8") for p in sorted(root.glob(tests)))
        strings = re.findall(r'"((?:\\.|[^"\\\n])*)"', re.sub(r"^#.*$", "", text, flags=re.M))
        named = {word for string in strings for word in re.findall(r"\w+", string)}
        for umbrella in umbrellas:
            folder = umbrella.split("/")[0]
            found += [f"{folder}/{name}.hpp has no check in {tests}" for name in included(root / "include/espalier" / umbrella) if name not in UMBRELLAS | NO_OPS | named]
    return found


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    missing = [f"{name} is in no list of its meson.build" for name in unlisted(sys.argv[1], sys.argv[2:])] + untested(sys.argv[1])
    print("\n".join(missing) or f"{len(sys.argv) - 2} sources, all listed; every op and module has its checks")
    sys.exit(1 if missing else 0)
