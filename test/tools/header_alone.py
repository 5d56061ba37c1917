#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compiles every header of one floor with nothing before it:  header_alone.py FLOOR -- COMPILER ARGUMENTS...

Runs in the root of the repository. FLOOR is a folder of include/espalier, or 'umbrella' for the headers that gather the floors.
'together' compiles all headers in one translation unit: a name that two of them define differently is an error there.
'foreign' does so behind macros that do not compile: those of hidden_macros.txt, and of test/support/foreign_macros.hpp. Then it asks the preprocessor
whether macros as real headers define them (test/support/real_macros.hpp) are still there behind all headers.
All of them do without exceptions and type information, so they are compiled without; the tests compile them with both.
"""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import hidden_macros  # noqa: E402
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


DEFINE = re.compile(r"^#define (\w+)(.*)$", re.M)
# A module of the program, where the macros are back: the text of ESPALIER_MODULE has names of its own, except Hana's `apply`.
MODULE = """#undef apply
struct Behind {
  espalier::nn::Linear<2, 2> linear;
  ESPALIER_MODULE(Behind, linear)
  constexpr auto forward(auto operand) const { return linear(operand); }
};
static_assert(espalier::parameter_count<Behind> == 6);
"""


def foreign_macros():
    """Macros of others in front of everything: headers of others that espalier includes must not see the hidden ones."""
    keywords = ["#ifdef __clang__", '#pragma clang diagnostic ignored "-Wkeyword-macro"', "#endif"]
    lines = ['#include "support/foreign_macros.hpp"', *keywords, *(f"#undef {name}\n#define {name} ESPALIER_GARBAGE" for name in hidden_macros.names())]
    return "\n".join(lines) + "\n"


def lost_macros(command, includes):
    """Macros of real headers that are no longer, or not as before, behind all headers."""
    real = pathlib.Path("test/support/real_macros.hpp").read_text(encoding="utf-8")
    command = [word for word in command if word != "-fsyntax-only"]

    def defined(source):
        done = subprocess.run([*command, "-E", "-dM", "-x", "c++", "-"], input=source, capture_output=True, text=True, errors="replace")
        if done.returncode:
            sys.exit(done.stderr)
        return dict(DEFINE.findall(done.stdout))
    before, behind = defined(real), defined(real + includes)
    return [f"{name} was {before[name]!r} and is {behind.get(name)!r} behind espalier" for name, _ in DEFINE.findall(real) if before[name] != behind.get(name)]


def main(arguments):
    floor, command = arguments[0], arguments[2:]
    flags = ["-fno-exceptions", "-fno-rtti"]
    headers = headers_of(floor)
    failed = 0
    names = [str(header.relative_to(INCLUDE)) for header in headers]
    source = ""
    if floor == "foreign":
        command += ["-Itest"]
        includes = "".join(f"#include <{name}>\n" for name in names)
        source = foreign_macros() + includes + MODULE
        lost = lost_macros(command, includes)
        failed += len(lost)
        print("\n".join(lost))
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
