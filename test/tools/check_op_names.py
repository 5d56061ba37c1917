#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks that planner, autodiff and devices name no op:  check_op_names.py ROOT

An op is a tag with a rule (struct tanh_ {}; template <> struct rule<tanh_> ...) in include/espalier/operation. Its tag may not be written in the
folders of NAMELESS: what they need to know of an op, its rule says. Comments may name what they like.
"""
import pathlib
import re
import sys

NAMELESS = ["derivative", "plan", "device"]

RULE = re.compile(r"\brule<\s*(\w+)\s*[<>]")
TAG = r"\bstruct\s+{}\b"
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)


def without_comments(text):
    """The text with comments and strings blanked, line numbers kept."""
    return COMMENT_OR_STRING.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def op_tags(root):
    text = "\n".join(without_comments(p.read_text(encoding="utf-8")) for p in sorted(pathlib.Path(root, "include/espalier/operation").rglob("*.hpp")))
    return sorted(name for name in set(RULE.findall(text)) if re.search(TAG.format(name), text))


def violations(root):
    tags = op_tags(root)
    if not tags:
        return []
    named = re.compile(r"\b(" + "|".join(map(re.escape, tags)) + r")\b")
    found = []
    for folder in NAMELESS:
        for path in sorted(p for p in pathlib.Path(root, "include/espalier", folder).rglob("*") if p.is_file()):
            for number, line in enumerate(without_comments(path.read_text(encoding="utf-8")).splitlines(), 1):
                found += [f"{path.relative_to(root)}:{number}: names the op {name}" for name in named.findall(line)]
    return found


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    all_found = violations(sys.argv[1])
    print("\n".join(all_found) or f"no op is named ({len(op_tags(sys.argv[1]))} ops)")
    sys.exit(1 if all_found else 0)
