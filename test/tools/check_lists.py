#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks that every C++ file of the tests and examples is built:  check_lists.py ROOT LISTED...

LISTED are the sources that the meson.build files name. A file that none of them names would be a test that never runs.
"""
import pathlib
import sys

FOLDERS = ["test", "docs/examples", "bench/run"]


def unlisted(root, listed):
    root = pathlib.Path(root).resolve()
    known = {pathlib.Path(name).resolve() for name in listed}
    files = (p for folder in FOLDERS for p in sorted((root / folder).rglob("*.cpp")))
    return [str(p.relative_to(root)) for p in files if p not in known]


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    missing = unlisted(sys.argv[1], sys.argv[2:])
    for name in missing:
        print(f"{name} is in no list of its meson.build")
    if not missing:
        print(f"{len(sys.argv) - 2} sources, all listed")
    sys.exit(1 if missing else 0)
