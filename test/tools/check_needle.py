#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks the table from needle to espalier:  check_needle.py ROOT

docs/needle.md has a table below each heading, of rows

    | `needle's name`, ... | `espalier's name`, ... | `header below include/espalier`, ... | remark |

Every header must exist and hold one of the row's names of espalier; each of these must occur in the code (not the comments) of one of the
row's headers; a row without names has no header, and a remark that gives the reason. Names may be qualified: `nn::Linear` is looked up as
Linear, `operator+` as it stands. test/tools/needle_names.txt lists what needle has, a line `module.name` each: every name must stand in the
first column below that module's heading, and nothing else may.
"""
import pathlib
import re
import sys

PAGE = "docs/needle.md"
NAMES = "test/tools/needle_names.txt"
SECTIONS = {"Autograd": "autograd", "Ops": "ops", "Initialization": "init", "Modules": "nn", "Optimizers": "optim", "Data": "data"}
CODE = re.compile(r"`([^`]+)`")


def rows(text):
    """(line number, heading, cells) of each row of a table, without its head."""
    heading = ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("## "):
            heading = line[3:].strip()
        elif line.startswith("|"):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if cells[0] != "needle" and not re.fullmatch(r"[-: ]+", cells[0]):
                yield number, heading, cells


def code_of(header):
    """A header's text without comments."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", header, flags=re.S)


def occurs(name, code):
    name = name.split("::")[-1]
    if name.startswith("operator"):
        return re.search(r"\boperator\s*" + re.escape(name[len("operator"):]) + r"\s*\(", code) is not None
    return re.search(rf"\b{re.escape(name)}\b", code) is not None


def check_row(root, cells):
    """The faults of a row, as sentences."""
    if len(cells) != 4:
        return [f"expected 4 columns, got {len(cells)}"]
    names, headers, found = CODE.findall(cells[1]), CODE.findall(cells[2]), []
    if not names and (headers or not cells[3]):
        return ["a row without a counterpart has no header and gives the reason"]
    if names and not headers:
        return [f"{', '.join(names)}: no header is named"]
    codes = {}
    for header in headers:
        path = root / "include/espalier" / header
        if path.is_file():
            codes[header] = code_of(path.read_text(encoding="utf-8"))
        else:
            found.append(f"{header} does not exist")
    for name in names:
        if not any(occurs(name, code) for code in codes.values()):
            found.append(f"{name} does not occur in {' or '.join(headers)}")
    for header, code in codes.items():
        if not any(occurs(name, code) for name in names):
            found.append(f"{header} holds no name of its row")
    return found


def violations(root):
    root = pathlib.Path(root)
    found, named = [], {}
    for number, heading, cells in rows((root / PAGE).read_text(encoding="utf-8")):
        found += [f"{PAGE}:{number}: {sentence}" for sentence in check_row(root, cells)]
        for name in CODE.findall(cells[0]) if heading in SECTIONS else []:
            name = f"{SECTIONS[heading]}.{name}"
            if name in named:
                found.append(f"{PAGE}:{number}: {name} stands in line {named[name]} already")
            named[name] = number
    wanted = (root / NAMES).read_text(encoding="utf-8").split()
    found += [f"{PAGE}: {name} of needle is missing" for name in wanted if name not in named]
    found += [f"{PAGE}:{number}: needle has no {name}" for name, number in named.items() if name not in wanted]
    return found


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    all_found = violations(sys.argv[1])
    print("\n".join(all_found) or "every name of needle has its counterpart or a reason")
    sys.exit(1 if all_found else 0)
