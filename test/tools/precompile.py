#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Makes a precompiled header:  precompile.py ROOT HEADER OUT -- COMPILER ARGUMENTS...

The compiler runs in the folder ROOT, as it does where the header is used, so that messages name files in the same way. OUT.d lists what the header includes,
for ninja. ARGUMENTS may be those of a check of syntax.
"""
import os
import re
import subprocess
import sys


def absolute(rule, root):
    """A rule of make with every path made absolute."""
    target, _, sources = rule.partition(": ")
    words = [os.path.normpath(os.path.join(root, word)) for word in re.split(r"[\s\\]+", sources) if word]
    return f"{target}: {' '.join(words)}\n"


def main(arguments):
    if "--" not in arguments or arguments.index("--") != 3:
        sys.exit(__doc__)
    root, header, out = arguments[:3]
    command = [word for word in arguments[4:] if word != "-fsyntax-only"]
    out = os.path.abspath(out)
    done = subprocess.run([*command, "-MD", "-MF", out + ".d", "-MT", os.path.relpath(out), "-x", "c++-header", os.path.abspath(header), "-o", out], cwd=root)
    if done.returncode:
        return done.returncode
    with open(out + ".d", encoding="utf-8") as file:
        rule = file.read()
    with open(out + ".d", "w", encoding="utf-8") as file:
        file.write(absolute(rule, root))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
