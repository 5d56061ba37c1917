#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks one refusal:  compile_fail.py FILE -- COMPILER ARGUMENTS...

FILE must compile as it stands, and with -DSHOULD_FAIL must be refused with exactly one error, in few words. The file says what is expected:

  // expect: REGEX          found anywhere in what the compiler prints (at least one such line is required)
  // expect-early: REGEX    found within its first EARLY_LINES lines
  // net: REGEX             the user's own net type: what matches costs no bytes

The include stack counts for nothing: where a header is included from is the user's own doing.
"""
import re
import subprocess
import sys

MOST_LINES = 8
MOST_BYTES = 1500
EARLY_LINES = 5

INCLUDE_STACK = re.compile(r"^(In file included from .*|\s+from \S+?:\d+(:\d+)?)[:,]$")
ERROR = re.compile(r"\berror: ")
DIRECTIVE = re.compile(r"^// (expect|expect-early|net): (.+?)\s*$", re.M)


def compile_(command, source, *flags):
    done = subprocess.run([*command, *flags, source], capture_output=True, text=True, errors="replace")
    return done.returncode, done.stdout + done.stderr


def without_include_stack(message):
    return [line for line in message.splitlines() if not INCLUDE_STACK.match(line)]


def directives(text):
    found = {"expect": [], "expect-early": [], "net": []}
    for kind, pattern in DIRECTIVE.findall(text):
        found[kind].append(pattern)
    return found


def problems_of_message(message, wanted):
    """What is wrong with the text of a refusal, as sentences."""
    lines = without_include_stack(message)
    text = "\n".join(lines)
    early = "\n".join(lines[:EARLY_LINES])
    problems = [f"the message lacks /{p}/" for p in wanted["expect"] if not re.search(p, text)]
    problems += [f"the first {EARLY_LINES} lines lack /{p}/" for p in wanted["expect-early"] if not re.search(p, early)]
    errors = sum(1 for line in lines if ERROR.search(line))
    if errors != 1:
        problems.append(f"the message has {errors} errors, not one")
    if len(lines) > MOST_LINES:
        problems.append(f"the message has {len(lines)} lines, more than {MOST_LINES}")
    for pattern in wanted["net"]:
        text = re.sub(pattern, "", text)
    size = len(text.encode())
    if size > MOST_BYTES:
        problems.append(f"the message has {size} bytes, more than {MOST_BYTES}")
    return problems, f"{len(lines)} lines, {size} bytes"


def check(source, command):
    """Returns (problems, report)."""
    with open(source, encoding="utf-8") as file:
        text = file.read()
    wanted = directives(text)
    problems = []
    if not wanted["expect"]:
        problems.append("no '// expect: REGEX' line: the file does not say how it is refused")
    if "SHOULD_FAIL" not in text:
        problems.append("SHOULD_FAIL is not used")

    status, message = compile_(command, source, "-Werror")
    if status:
        problems.append("the positive control does not compile:\n" + message)

    status, message = compile_(command, source, "-DSHOULD_FAIL")
    if status == 0:
        return problems + ["it compiled with -DSHOULD_FAIL"], message
    found, size = problems_of_message(message, wanted)
    return problems + found, f"refused in {size}:\n{message}"


def main(arguments):
    if "--" not in arguments or arguments.index("--") != 1:
        sys.exit(__doc__)
    problems, report = check(arguments[0], arguments[2:])
    for problem in problems:
        print("problem:", problem)
    print(report)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
