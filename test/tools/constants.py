#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks that a program does not carry its plan:  constants.py SOURCE LIMIT -- COMPILER ARGUMENTS...

Graphs and plans are constants of several megabytes that only the compiler reads. A function that reads one when the program runs keeps all of it, in the flash
of a microcontroller, too: no constant of SOURCE may have more than LIMIT bytes. Runs in the root of the repository.
"""
import pathlib
import subprocess
import sys
import tempfile

OBJECTS = "VvRruDdGgSs"  # letters of nm: weak and unique objects, data, read-only or not


def constants(listing):
    """(bytes, name) of each object with a value in the listing of nm, the largest first."""
    found = []
    for line in listing.splitlines():
        parts = line.split(None, 3)
        if len(parts) == 4 and parts[2] in OBJECTS:
            found.append((int(parts[1], 16), parts[3]))
    return sorted(found, reverse=True)


def main(arguments):
    source, limit, command = arguments[0], int(arguments[1]), arguments[3:]
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder) / "made.o"
        subprocess.run([*command, "-c", source, "-o", made], check=True, stdout=subprocess.DEVNULL)
        found = constants(subprocess.run(["nm", "-S", "-C", made], check=True, capture_output=True, text=True).stdout)
    if not found:
        sys.exit("no constant was found")
    for size, name in found:
        if size > limit:
            print(f"{size} bytes: {name[:200]}")
    print(f"{len(found)} constants; the largest has {found[0][0]} bytes, at most {limit} are allowed")
    return found[0][0] > limit


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
