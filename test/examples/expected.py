#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compares what an example prints with the file beside its source:  expected.py PROGRAM FOLDER/data

The file is FOLDER/NAME.txt. Words are the same; a number with a decimal point, which the last digits of a training may move, is within 5 percent
of the expected one, or within half a unit of its last digit.
"""
import pathlib
import re
import subprocess
import sys

NUMBER = re.compile(r"-?\d+\.\d+")


def near(found, expected):
    unit = 10.0 ** -len(expected.split(".")[1])
    return abs(float(found) - float(expected)) <= max(0.05 * abs(float(expected)), 0.51 * unit)


def same(found, expected):
    found, expected = ("\n".join(line.rstrip() for line in text.splitlines()) for text in (found, expected))
    numbers, wanted = NUMBER.findall(found), NUMBER.findall(expected)
    return NUMBER.sub("#", found) == NUMBER.sub("#", expected) and all(map(near, numbers, wanted))


def main():
    program, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).parent
    expected = folder / f"{program.stem}.txt"
    done = subprocess.run([str(program.resolve())], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{program} failed with {done.returncode}:\n{done.stdout}{done.stderr}")
    if not same(done.stdout, expected.read_text(encoding="utf-8")):
        sys.exit(f"{expected} is out of date; this is what holds now:\n{done.stdout}")


if __name__ == "__main__":
    main()
