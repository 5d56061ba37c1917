#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks that io/onnx_table.hpp says of every op what it is in ONNX:  check_table.py ROOT

An op of include/espalier/operation (a tag with a rule) stands in the table as described<tag>, or in never_nodes; no other tag does. Templates of tags are
written with what they are of. The check then takes one op from the table after the other, and must miss it.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import check_op_names  # noqa: E402

TEMPLATE = re.compile(r"\btemplate\s*<[^<>]+>\s*struct\s+(\w+)\s*\{\s*\}")


def problems(tags, table):
    listed = re.findall(r"\{&described<(\w+)>", table) + [t for body in re.findall(r"never_nodes\s*=\s*ops<([^>]*)>", table) for t in body.replace(",", " ").split()]
    return ([f"{tag} is not in include/espalier/io/onnx_table.hpp: say there what it is in ONNX" for tag in sorted(tags - set(listed))] +
            [f"{tag} is in the table and is no op" for tag in sorted(set(listed) - tags)] +
            [f"{tag} stands twice" for tag in sorted(set(listed)) if listed.count(tag) > 1])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1])
    sources = "\n".join(p.read_text(encoding="utf-8") for p in sorted((root / "include/espalier/operation").rglob("*.hpp")))
    tags = set(check_op_names.op_tags(root)) - set(TEMPLATE.findall(sources))
    table = check_op_names.without_comments((root / "include/espalier/io/onnx_table.hpp").read_text(encoding="utf-8"))
    found = problems(tags, table)
    for tag in sorted(tags):
        if not any(tag in line for line in problems(tags, re.sub(rf"\b{tag}\b", "", table))):
            found.append(f"the check would not miss {tag}")
    print("\n".join(found) or f"{len(tags)} ops are in the table")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
