#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Follows a file's includes:  check_light.py ROOT FILE FLOOR...   Fails if they reach a header of the library outside of these floors.

Prints how FILE comes to each such header.
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*(<|")([^>"]+)[>"]', re.MULTILINE)


def includes(root, path):
    for kind, name in INCLUDE.findall(path.read_text(encoding="utf-8")):
        near, far = (path.parent / name).resolve(), (root / "include" / name).resolve()
        if kind == '"' and near.is_file():
            yield near
        elif far.is_file():
            yield far


def reached(root, start):
    """Every file that start includes, and the way to it."""
    ways = {start: [start]}
    pending = [start]
    while pending:
        path = pending.pop()
        for found in includes(root, path):
            if found not in ways:
                ways[found] = [*ways[path], found]
                pending.append(found)
    return ways


def floor_of(root, path):
    """The folder below include/espalier; empty for a header above all floors, None for a file that is not the library's."""
    try:
        parts = path.relative_to(root / "include").parts
    except ValueError:
        return None
    return parts[1] if len(parts) > 2 else ""


def faults(root, start, floors):
    return [" includes ".join(str(step.relative_to(root)) for step in way)
            for path, way in reached(root, start).items() if floor_of(root, path) not in (None, *floors)]


def main(words):
    root = pathlib.Path(words[0]).resolve()
    start = (root / words[1]).resolve()
    if len(reached(root, start)) < 2:
        print(f"{words[1]} includes nothing of the library")
        return 1
    said = faults(root, start, words[2:])
    print("\n".join(said) if said else f"{words[1]}: {len(reached(root, start)) - 1} headers")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
