#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compiles right programs, many at a time:  compile_controls.py FILE... -- COMPILER ARGUMENTS...

They are those beside the compile-time errors: each FILE as it stands, without SHOULD_FAIL (see compile_fail.py). In one source, where each has a namespace of
its own, they cost less than half. Files that cannot stand in one (see group_tests.py), and all if the one source does not compile, are compiled alone, so
that an error names its file and no file fails for the sake of another.
"""
import sys

import compile_fail


def check(paths, command):
    """What is wrong, as sentences."""
    source, alone = compile_fail.together(paths)
    if len(paths) - len(alone) > 1:
        if compile_fail.compile_text(command, source, "-Werror")[0]:
            alone = paths
    else:
        alone = paths
    problems = []
    for path in alone:
        status, message = compile_fail.compile_(compile_fail.to_machine_code(command) if compile_fail.needs_machine_code(path) else command, path, "-Werror")
        if status:
            problems.append(f"{path} does not compile as it stands:\n{message}")
    return problems


def main(arguments):
    if "--" not in arguments or arguments.index("--") == 0:
        sys.exit(__doc__)
    at = arguments.index("--")
    problems = check(arguments[:at], arguments[at + 1:])
    for problem in problems:
        print("problem:", problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
