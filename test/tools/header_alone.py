#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compiles every header of one floor with nothing before it:  header_alone.py FLOOR -- COMPILER ARGUMENTS...

Runs in the root of the repository. FLOOR is a folder of include/espalier, or 'umbrella' for the headers that gather the floors.
'together' compiles all headers in one translation unit: a name that two of them define differently is an error there.
'foreign' does so behind every header of others that they include and test/support/foreign_macros.hpp, which defines what windows.h, Arduino.h, X11 and
termios.h define to something that does not compile.
All of them do without exceptions and type information, so they are compiled without; the tests compile them with both.
"""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from check_floors import BRACKETS, FLOORS, GATHERING, NEEDS_OTHERS  # noqa: E402

SKIPPED = 77
INCLUDE = pathlib.Path("include")


ALTERNATIVES = "instructions_"  # device/cpu/vector: one set of instructions for each processor, of which a program includes one


def headers_of(floor):
    top = INCLUDE / "espalier"
    if floor in ("together", "foreign"):
        return [h for f in [*FLOORS, "umbrella"] for h in headers_of(f) if not h.name.startswith(ALTERNATIVES)]
    if floor == "umbrella":
        found = [INCLUDE / name for name in sorted(GATHERING)]
    elif floor in FLOORS:
        found = sorted((top / floor).rglob("*.hpp")) + [top / f"{floor}.hpp"]
    else:
        sys.exit(f"{floor} is not a floor")
    return [h for h in found if h.exists() and h.name not in BRACKETS and not any(str(h.relative_to(INCLUDE)).startswith(c) for c in NEEDS_OTHERS)]


def before_foreign_macros(headers):
    """Includes of all headers of others, where they are installed: macros would break those as well, which is not ours to mend."""
    others = {name for header in headers for name in re.findall(r"^#include <([^>]+)>", header.read_text(encoding="utf-8"), re.M)}
    lines = [f"#if __has_include(<{name}>)\n#include <{name}>\n#endif" for name in sorted(others)]
    return "\n".join(lines) + '\n#include "support/foreign_macros.hpp"\n'


def main(arguments):
    floor, command = arguments[0], arguments[2:]
    flags = ["-fno-exceptions", "-fno-rtti"]
    headers = headers_of(floor)
    failed = 0
    names = [str(header.relative_to(INCLUDE)) for header in headers]
    source = before_foreign_macros(headers) if floor == "foreign" else ""
    if source:
        command += ["-Itest"]
        source += "".join(f"#include <{name}>\n" for name in names)
    for unit in [names] if floor in ("together", "foreign") else [[name] for name in names]:
        includes = [] if source else [word for name in unit for word in ("-include", name)]
        done = subprocess.run([*command, *flags, *includes, "-x", "c++", "-"], input=source, capture_output=True, text=True, errors="replace")
        if done.returncode:
            failed += 1
            print(f"{'The headers do not compile together' if len(unit) > 1 else f'<{unit[0]}> does not compile alone'}:\n{done.stderr}")
    print(f"{floor}: {len(headers)} headers, {failed} failed")
    if not headers:
        return SKIPPED
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
