#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Whether include/espalier.cppm has what it should:  check_module.py ROOT

- Every header that an error names as missing (base/needs_header.hpp) is included: each name that has a header is in the module.
- Every header of others that the included ones include stands in front of `export module`: the module exports nothing of it.
"""
import pathlib
import re
import sys

UNIT, NEEDED = "include/espalier.cppm", "include/espalier/base/needs_header.hpp"
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(?:<([^>]+)>|"([^"]+)")', re.M)
NAMED = re.compile(r"espalier/[a-z0-9_/]+\.hpp")
LEFT_OUT = {"espalier/mpi.hpp"}  # another library, which the module would have to be linked with
# Included only under conditions that the module never meets: batches of xsimd, Windows, and graphics processors.
NOT_OF_THE_MODULE = re.compile(r"xsimd/|io\.h$|process\.h$|cuda|nvrtc|nccl|windows\.h$")


def problems(root):
    root = pathlib.Path(root)
    unit = (root / UNIT).read_text(encoding="utf-8")
    front, _, purview = unit.partition("export module espalier;")
    if not purview:
        return [f"{UNIT}: there is no `export module espalier;`"]
    before = {angled for angled, _ in INCLUDE.findall(front)}
    found, others, wanted = set(), {}, [angled for angled, _ in INCLUDE.findall(purview)]
    while wanted:
        name = wanted.pop()
        if name in found:
            continue
        found.add(name)
        path = root / "include" / name
        if not path.is_file():
            others.setdefault(name, UNIT)
            continue
        for angled, quoted in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if quoted:
                wanted.append(str((path.parent / quoted).resolve().relative_to((root / "include").resolve())))
            elif (root / "include" / angled).is_file():
                wanted.append(angled)
            else:
                others.setdefault(angled, name)
    named = set(NAMED.findall((root / NEEDED).read_text(encoding="utf-8"))) - LEFT_OUT
    outside = [(name, by) for name, by in sorted(others.items()) if name not in before and not NOT_OF_THE_MODULE.search(name)]
    return ([f"{UNIT}: <{name}> is missing; {NEEDED} names it" for name in sorted(named - found)] +
            [f"{UNIT}: <{name}> is missing in front of `export module`; {by} includes it" for name, by in outside])


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    found = problems(arguments[0])
    print("\n".join(found) or f"{UNIT} has every header")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
