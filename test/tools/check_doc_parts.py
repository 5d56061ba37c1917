#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks that the doc blocks of ops and layers have their parts:  check_doc_parts.py ROOT

Each header that operation/operation.hpp, nn/nn.hpp or nn/norm.hpp names has a doc block with a line `shape`, and each such block of these folders also says
what is saved for the backward pass and what the gradient is; one of several operands (S, S -> ...) says what does not compile. Free of that are the blocks of
NOT_OPS and the headers of NO_FORMULA.
"""
import pathlib
import re
import sys

UMBRELLAS = ["operation/operation.hpp", "nn/nn.hpp", "nn/norm.hpp"]
PART = re.compile(r"^/// (\w+)\s{2,}\S")
# The first words of blocks with a shape that are no ops and no layers.
NOT_OPS = ("Makes the node of", "Weights of classes", "y = x weight.")
# Headers without an op or a layer of their own: names, relations, and what several headers share.
NO_FORMULA = {"loss", "norm", "norm_family", "module", "initializer", "class_weights", "label_loss", "reduce", "rule", "apply", "axis_argument", "rejected_arguments", "other_names"}


def blocks(text):
    """(line, lines) of each doc block at the first column."""
    lines, at = text.splitlines(), 0
    while at < len(lines):
        end = at
        while end < len(lines) and lines[end].startswith("///"):
            end += 1
        if end > at:
            yield at + 1, lines[at:end]
        at = end + 1


def check_block(lines):
    """The parts that a block lacks."""
    parts = {m[1] for line in lines if (m := PART.match(line))}
    if "shape" not in parts or lines[0].removeprefix("/// ").startswith(NOT_OPS):
        return []
    wanted = ["saves", "gradient"]
    shape = next(line for line in lines if PART.match(line) and PART.match(line)[1] == "shape")
    if re.search(r"shape\s+S, S", shape):
        wanted.append("errors")
    return [word for word in wanted if word not in parts]


def violations(root):
    include, found = pathlib.Path(root) / "include/espalier", []
    for umbrella in UMBRELLAS:
        path = include / umbrella
        for name in re.findall(r'^#include "(\w+)\.hpp"', path.read_text(encoding="utf-8"), re.M) if path.is_file() else []:
            header = path.parent / f"{name}.hpp"
            if name not in NO_FORMULA and not any(PART.match(line) and PART.match(line)[1] == "shape"
                                                  for _, lines in blocks(header.read_text(encoding="utf-8")) for line in lines):
                found.append(f"{header.relative_to(include)}: no doc block says a shape")
    for folder in ("operation", "nn"):
        for header in sorted((include / folder).glob("*.hpp")):
            for number, lines in blocks(header.read_text(encoding="utf-8")):
                if lacking := check_block(lines):
                    found.append(f"{header.relative_to(include)}:{number}: the block does not say: {', '.join(lacking)}")
    return found


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    all_found = violations(sys.argv[1])
    print("\n".join(all_found) or "ops and layers say shape, saves and gradient")
    sys.exit(1 if all_found else 0)
