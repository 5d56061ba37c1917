#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks that code for a newer processor is not shared with code for an older one:  shared_code.py BASELINE.a AVX.a [kernels]

Both libraries come from the same source, built with different -m flags. An inline function with the same name in both is kept once by the linker, from
either. If the second library's copy uses AVX, a program for the baseline can die of it: such functions must carry the instruction set in their name. With "kernels" only the functions of the device
floor count: clang keeps small functions of the floors above apart that g++ inlines, and uses AVX in them where it likes (docs/design/traps.md).
"""
import re
import subprocess
import sys

SKIPPED = 77
OURS = re.compile(r"espalier")
# Only the compiler calls these; they exist because their addresses stand in descriptors.
COMPILER_ONLY = re.compile(r"graph::node_table|espalier::handle\b|espalier::detail::(?:evaluate|combine_single|combine_double)<espalier::\w+_(?:, (?:float|double))?>\(")
FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")
AVX = re.compile(r"%ymm|%zmm|\tv[a-z0-9]+\s.*%xmm")


def weak_functions(library):
    """Names of the functions of which the linker keeps one copy."""
    listing = subprocess.run(["nm", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return {line.split()[2] for line in listing.splitlines() if len(line.split()) == 3 and line.split()[1] in "WV"}


def functions_with_avx(library):
    listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", library], check=True, capture_output=True, text=True).stdout
    found, name = set(), None
    for line in listing.splitlines():
        match = FUNCTION.match(line)
        if match:
            name = match[1]
        elif name and AVX.search(line):
            found.add(name)
    return found


def readable(names):
    return subprocess.run(["c++filt"], input="\n".join(names), check=True, capture_output=True, text=True).stdout.splitlines()


def own_name(name):
    """A function's name without its template arguments and parameters, which may name types of other floors."""
    before = None
    while name != before:
        before, name = name, re.sub(r"<[^<>]*>", "", name)
    return name.partition("(")[0]


def main(baseline, avx, ours=OURS):
    if functions_with_avx(baseline):
        print("the baseline uses AVX: the compiler's default is not the baseline")
        return SKIPPED
    newer = functions_with_avx(avx)
    if not newer:
        print("the second library uses no AVX at all: its kernels are not its own")
        return 1
    shared = sorted(n for n in readable(sorted(weak_functions(baseline) & weak_functions(avx) & newer)) if ours.search(own_name(n)) and not COMPILER_ONLY.search(n))
    for name in shared:
        print("shared, but with AVX:", name[:400])
    print(f"{len(newer)} functions with AVX, {len(shared)} of them shared")
    return 1 if shared else 0


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4) or sys.argv[3:] not in ([], ["kernels"]):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:3], re.compile(r"espalier::on_cpu") if sys.argv[3:] else OURS))
