#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs programs that must print the same, and something:  same_output.py PROGRAM PROGRAM..."""
import subprocess
import sys


def main(programs):
    if len(programs) < 2:
        sys.exit(__doc__)
    said = [subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines() for program in programs]
    if not said[0]:
        return f"{programs[0]} printed nothing"
    for program, lines in zip(programs[1:], said[1:]):
        for number, (first, other) in enumerate(zip(said[0], lines), 1):
            if first != other:
                return f"line {number}\n{programs[0]}: {first}\n{program}: {other}"
        if len(lines) != len(said[0]):
            return f"{programs[0]} printed {len(said[0])} lines, {program} {len(lines)}"
    print(f"{len(said[0])} lines, the same in {len(programs)} programs")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
