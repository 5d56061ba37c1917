#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks how much of the stack functions take:  stack_frames.py SOURCE LIMIT -- COMPILER ARGUMENTS...

The compiler (g++ or clang) states the frame of each function of SOURCE; none may have more than LIMIT bytes. Threads of audio systems, browsers and
microcontrollers have small stacks, and a program that exceeds one ends without a word. Runs in the root of the repository.
"""
import pathlib
import re
import subprocess
import sys
import tempfile


def frames(text):
    """(bytes, function) of each line of a report of -fstack-usage, the largest first."""
    found = []
    for line in text.splitlines():
        function, size, kind = line.rsplit("\t", 2)
        found.append((int(size), re.sub(r"^.*?(\w+\.\w+:\d+)", r"\1", function) + ("" if kind == "static" else f" ({kind})")))
    return sorted(found, reverse=True)


def main(arguments):
    source, limit, command = arguments[0], int(arguments[1]), arguments[3:]
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder) / "made.o"
        subprocess.run([*command, "-fstack-usage", "-c", source, "-o", made], check=True, stdout=subprocess.DEVNULL)
        all_frames = frames(made.with_suffix(".su").read_text())
    if len(all_frames) < 50:
        sys.exit(f"only {len(all_frames)} functions were found")
    for size, function in all_frames:
        if size > limit:
            print(f"{size} bytes: {function[:200]}")
    print(f"{len(all_frames)} functions; the largest frame has {all_frames[0][0]} bytes, at most {limit} are allowed")
    return all_frames[0][0] > limit


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
