#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks that the tests that docs/design/rules.md names exist:  check_rules.py ROOT

A row of a table names a door and its tests, each in backquotes: FOLDER/FILE.cpp or FOLDER/FILE.cpp:CASE below test/, or the name of a program of test/compile_fail.
Every rule (a heading) names at least one header that says it, and it exists.
"""
import pathlib
import re
import sys

PAGE = "docs/design/rules.md"
NAME = re.compile(r"`([^`]+)`")


def fault_of(name, root):
    """Why a name is that of no test, or nothing."""
    file, _, case = name.partition(":")
    path = root / "test" / (file if "/" in file else f"compile_fail/{file}.cpp")
    if not path.is_file():
        return f"{name} is no test"
    if case and f"TEST_CASE({case})" not in path.read_text(encoding="utf-8"):
        return f"{file} has no case {case}"
    return ""


def violations(root):
    found, header, rule = [], True, ""
    for number, line in enumerate((root / PAGE).read_text(encoding="utf-8").splitlines(), 1):
        def report(text):
            found.append(f"{PAGE}:{number}: {text}")
        if line.startswith("## "):
            if not header:
                report(f"no header is named that says: {rule}")
            header, rule = False, line[3:]
        for name in NAME.findall(line) if not line.startswith("|") else ():
            if name.endswith(".hpp"):
                header = True
                if not (root / "include/espalier" / name).is_file():
                    report(f"{name} is no header")
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if len(cells) == 2 and cells[0] != "door" and not cells[0].startswith("---"):
            names = NAME.findall(cells[1])
            if not names:
                report(f"no test of {cells[0]}")
            for name in names:
                if fault := fault_of(name, root):
                    report(fault)
    if not header:
        found.append(f"{PAGE}: no header is named that says: {rule}")
    return found


def main(root):
    found = violations(pathlib.Path(root))
    print("\n".join(found) or "every rule has its tests at every door")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2] or ["."]))
