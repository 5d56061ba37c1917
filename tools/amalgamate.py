#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes the library as one header:  amalgamate.py [-o espalier-single.hpp] [--include DIR] [--entry HEADER]...

HEADER is a header as a program includes it; given none, it is espalier.hpp. `--entry espalier.hpp --entry espalier/parallel.hpp` adds the threads. Every header
of the library stands in the result where it would be read first, without its `#pragma once` (one that has none stands wherever it is included); headers of others that are always needed stand on top, sorted; what
is included under a condition stays under it. Equal headers give equal bytes.
"""
import argparse
import pathlib
import posixpath
import re
import sys

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)')
DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif|pragma[ \t]+once)\b")
ONCE = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+once\b")
LICENCE = "// SPDX-License-Identifier: BSL-1.0"
LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"')
GUARD = "ESPALIER_SINGLE_HEADER"
VERSION = "espalier/base/version.hpp"
HIDE, RESTORE = "espalier/base/hide_macros.hpp", "espalier/base/restore_macros.hpp"


class UserError(Exception):
    """A sentence about headers of which no single one can be made."""


class Amalgamation:
    """Headers, read in the order of a preprocessor that takes every branch of every condition."""

    def __init__(self, top):
        self.top = pathlib.Path(top)
        self.places = {}     # header -> the branches it stands in, one tuple for each time
        self.again = set()   # headers that stand in more than one place: each needs a guard
        self.others = set()  # includes of others' headers, needed whatever the conditions
        self.branches = 0

    def find(self, name, quoted, of):
        """The name from the include folder, or None for somebody else's header."""
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(of), name))
        for known in ([beside] if quoted else []) + [name]:
            if (self.top / known).is_file():
                return known
        if quoted or name.split("/")[0].removesuffix(".hpp") == "espalier":
            raise UserError(f"{of} includes {name}, which does not exist in {self.top}")
        return None

    def directives(self, name):
        """The directives of a header that brackets others, until its mark [macros]: a single header hides macros once."""
        path = self.top / name
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
        at = next((i for i, line in enumerate(lines) if line.startswith("// [macros]")), len(lines))
        return [line for line in lines[:at] if line.startswith("#")]

    def text(self, name, branch):
        """The lines for one include of the header `name` in the branch `branch`: none where it has been read on every way there."""
        lines = (self.top / name).read_text(encoding="utf-8").splitlines()
        if not any(ONCE.match(line) for line in lines):  # it brackets the headers that include it, so it stands in each
            return self.directives(name)
        if any(branch[:len(place)] == place for place in self.places.get(name, [])):
            return []
        if name in self.places:
            self.again.add(name)
        self.places.setdefault(name, []).append(branch)
        out, here, depth = [], branch, len(branch)
        for line in lines:
            if "/*" in LITERAL.sub('""', line).split("//")[0]:
                raise UserError(f"{name} has a comment /* */, inside of which directives would be none")
            directive, include = DIRECTIVE.match(line), INCLUDE.match(line)
            kind = directive[1] if directive else ""
            if kind.startswith("pragma") or line == LICENCE:
                continue
            if kind in ("elif", "else", "endif") and len(here) == depth:
                raise UserError(f"{name} closes a condition that it did not open")
            if kind.startswith("if"):
                here += (self.new_branch(),)
            elif kind in ("elif", "else"):
                here = here[:-1] + (self.new_branch(),)
            elif kind == "endif":
                here = here[:-1]
            if not include:
                out.append(line)
                continue
            own = self.find(include[1] or include[2], include[1] is not None, name)
            if own:
                out += self.text(own, here)
            elif here:
                out.append(line)
            else:
                self.others.add(include[2])
        if len(here) != depth:
            raise UserError(f"{name} leaves a condition open")
        return [("begin", name), *out, ("end", name)]

    def new_branch(self):
        self.branches += 1
        return self.branches


def guard_of(name):
    return "ESPALIER_SINGLE_" + re.sub(r"\W", "_", name).upper()


def printed(lines, again):
    """The text of the marks and lines, with at most one blank line in a row."""
    out = []
    for line in lines:
        if isinstance(line, tuple):
            kind, name = line
            if kind == "begin":
                out += ["", f"// ---- {name}"]
            if name in again:
                out += [f"#ifndef {guard_of(name)}", f"#define {guard_of(name)}"] if kind == "begin" else [f"#endif  // {guard_of(name)}"]
        elif line.strip() or (out and out[-1]):
            out.append(line.rstrip())
    return out


def version_of(top):
    path = pathlib.Path(top) / VERSION
    match = re.search(r'^#define ESPALIER_VERSION_STRING "([^"]*)"$', path.read_text(encoding="utf-8") if path.is_file() else "", re.M)
    if not match:
        raise UserError(f"{path} does not name a version")
    return match[1]


def amalgamate(top, entries=("espalier.hpp",)):
    """The text of the single header."""
    made, lines = Amalgamation(top), []
    for entry in entries:
        if not (made.top / entry).is_file():
            raise UserError(f"{entry} does not exist in {top}")
        lines += made.text(entry, ())
    head = [LICENCE, f"// espalier {version_of(top)} in one header, written by tools/amalgamate.py: " + " ".join(f"<{e}>" for e in entries),
            "// Include this or the library's own headers in a program, not both.", f"#ifndef {GUARD}", f"#define {GUARD}", ""]
    hidden, back = (made.directives(name) for name in (HIDE, RESTORE))
    others = [f"#include <{name}>" for name in sorted(made.others)]
    return "\n".join(head + hidden + others + printed(lines, made.again) + back + ["", f"#endif  // {GUARD}"]) + "\n"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", dest="output", default="espalier-single.hpp", help="the file to write")
    parser.add_argument("--include", default=pathlib.Path(__file__).resolve().parents[1] / "include", help="the folder of the library's headers")
    parser.add_argument("--entry", action="append", default=[], help="a header as a program includes it (repeated)")
    given = parser.parse_args(arguments)
    try:
        text = amalgamate(given.include, given.entry or ["espalier.hpp"])
    except UserError as sentence:
        return f"amalgamate.py: {sentence}"
    pathlib.Path(given.output).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
