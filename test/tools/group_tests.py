#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes one source for several Boost.Test files:  group_tests.py OUTPUT NAME=SOURCE...

Each file becomes the test suite NAME, a namespace of its own, so that `program --run_test=NAME` runs what the file's own program would. What the library's
templates are instantiated with is then compiled once for all of them: six files in half of the time. Their includes are hoisted before the first suite, and so
have to stand before everything else but comments and BOOST_TEST_MODULE; a file for which that is not so is an error, and is no member of a group. Macros
that a file defines end with it.
"""
import os
import re
import sys

INCLUDE = re.compile(r"^#include\s+(?:<[^>]+>|\"([^\"]+)\")\s*$")
MODULE = re.compile(r"^#define BOOST_TEST_MODULE\b")
MACRO = re.compile(r"^#define (\w+)")
REMARK = re.compile(r"^(//.*)?$")
# What is defined for another namespace cannot stand in one.
ELSEWHERE = re.compile(r"^(inline )?namespace (espalier|std|boost)\b|^(template <> )?struct (esp|espalier|std)::")


class NotForGroups(Exception):
    pass


def parts_of(path):
    """(includes, the number of the first other line, those lines, macros) of a file."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    includes, first, macros = [], None, []
    for number, line in enumerate(lines, 1):
        found = INCLUDE.match(line)
        if found and first is None:
            beside = os.path.join(os.path.dirname(os.path.abspath(path)), found[1] or "")
            includes.append(f'#include "{beside}"' if found[1] and os.path.exists(beside) else line.strip())
        elif line.startswith("#include") or (MODULE.match(line) and first is not None):
            raise NotForGroups(f"{path}:{number}: this line has to stand before all others, or the file is no member of a group: {line}")
        elif ELSEWHERE.match(line):
            raise NotForGroups(f"{path}:{number}: in a namespace of others, so the file is no member of a group: {line}")
        elif first is None and not REMARK.match(line) and not MODULE.match(line):
            first = number
        macro = MACRO.match(line)
        if macro and macro[1] != "BOOST_TEST_MODULE":
            macros.append(macro[1])
    if first is None:
        raise NotForGroups(f"{path}: the file has nothing but includes")
    return includes, first, lines[first - 1:], macros


def grouped(members):
    """The text of one source for [(name, path)]."""
    includes, suites = {}, []
    for name, path in members:
        own, first, lines, macros = parts_of(path)
        includes |= dict.fromkeys(own)
        suites += [f"BOOST_AUTO_TEST_SUITE({name})", f'#line {first} "{path}"', *lines, *(f"#undef {macro}" for macro in dict.fromkeys(macros)),
                   "BOOST_AUTO_TEST_SUITE_END()"]
    return "\n".join(["#define BOOST_TEST_MODULE group", "#include <boost/test/unit_test.hpp>", *includes, *suites]) + "\n"


def main(arguments):
    if len(arguments) < 2 or not all("=" in member for member in arguments[1:]):
        sys.exit(__doc__)
    try:
        text = grouped([tuple(member.split("=", 1)) for member in arguments[1:]])
    except NotForGroups as error:
        sys.exit(str(error))
    with open(arguments[0], "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
