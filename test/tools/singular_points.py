#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Holds the tables of docs/gradients_at_singular_points.md to those that test/law/singular_points.cpp checks:  singular_points.py ROOT [--write]

A table of the page is below a line `<!-- table: NAME -->`; NAME is a raw string of the test. --write copies them.
"""
import pathlib
import re
import sys

PAGE, TEST = "docs/gradients_at_singular_points.md", "test/law/singular_points.cpp"
TABLE = re.compile(r'char const\* (\w+) = R"\(\n(.*?\n)\)";', re.DOTALL)
PLACE = re.compile(r"<!-- table: (\w+) -->\n((?:\|[^\n]*\n)*)")


def with_tables(page, test):
    """The page with the tables of the test, and what is wrong with their names."""
    tables = dict(TABLE.findall(test))
    names = [name for name, _ in PLACE.findall(page)]
    faults = [f"{PAGE}: {TEST} has no table {name}" for name in names if name not in tables]
    faults += [f"{PAGE}: the table {name} of {TEST} is missing" for name in tables if name not in names]
    return PLACE.sub(lambda found: f"<!-- table: {found[1]} -->\n" + tables.get(found[1], found[2]), page), faults


def main(arguments):
    root = pathlib.Path(arguments[0])
    page = (root / PAGE).read_text(encoding="utf-8")
    text, faults = with_tables(page, (root / TEST).read_text(encoding="utf-8"))
    if text != page and "--write" in arguments:
        (root / PAGE).write_text(text, encoding="utf-8")
    elif text != page:
        faults.append(f"{PAGE}: a table differs from {TEST}; run test/tools/singular_points.py . --write")
    print("\n".join(faults) or "the tables of singular points are those of their test")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
