#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks docs/examples against its list:  check_examples.py ROOT

Each program of docs/examples stands in its README.md. Below "## Demos" a row names a program of at most 70 lines and the file of what it prints. Each file of
what a program prints is compared by a test: meson.build gives it to the program, or has the program run by expected.py. (That each program is built and run
is what check_lists.py and meson see to.)
"""
import pathlib
import re
import sys

FOLDER = "docs/examples"
MOST_LINES = 70
NAME = re.compile(r"\]\((\w+)\.(cpp|txt)\)")


def compared(name, build):
    """Whether a line of meson.build has what a program prints compared with NAME.txt."""
    entry = re.search(rf"^ *(?:examples \+= \{{)?.*'{name}': (\{{.*?\}})", build, re.M)
    return entry is not None and (f"'{name}.txt'" in entry[1] or "'expected.py'" in entry[1])


def violations(root):
    folder, found = pathlib.Path(root) / FOLDER, []
    readme, build = ((folder / name).read_text(encoding="utf-8") for name in ("README.md", "meson.build"))
    listed = {name for name, kind in NAME.findall(readme) if kind == "cpp"}
    found += [f"{FOLDER}/{p.name} is not in README.md" for p in sorted(folder.glob("*.cpp")) if p.stem not in listed]
    demos = re.search(r"^## Demos\n(.*?)(?=^## |\Z)", readme, re.M | re.S)
    rows = [NAME.findall(line) for line in (demos[1] if demos else "").splitlines() if line.startswith("| [")]
    if not rows:
        found.append(f"{FOLDER}/README.md lists no demos")
    for row in rows:
        name = row[0][0]
        source = folder / f"{name}.cpp"
        lines = len(source.read_text(encoding="utf-8").splitlines()) if source.is_file() else 0
        if not 0 < lines <= MOST_LINES:
            found.append(f"{FOLDER}/{name}.cpp has {lines} lines, and a demo 1 to {MOST_LINES}")
        if (name, "txt") not in row or not (folder / f"{name}.txt").is_file():
            found.append(f"{FOLDER}/{name}.cpp: what it prints does not stand beside it")
    return found + [f"{FOLDER}/{p.name} is compared by no test" for p in sorted(folder.glob("*.txt")) if not compared(p.stem, build)]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    all_found = violations(sys.argv[1])
    print("\n".join(all_found) or "every example is listed, every demo short, and what they print is compared")
    sys.exit(1 if all_found else 0)
