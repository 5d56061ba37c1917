#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks one refusal:  compile_fail.py [--without-control] FILE -- COMPILER ARGUMENTS...

FILE must compile as it stands, and with -DSHOULD_FAIL must be refused with exactly one error, in few words. The file says what is expected:

  // expect: REGEX          found anywhere in what the compiler prints (at least one such line is required)
  // expect-early: REGEX    found within its first EARLY_LINES lines
  // expect-26: REGEX       found in what the compiler prints under -std=c++26, where a sentence has the facts in words; both branches are compiled once more.
                            Left out for compilers that cannot compute the message of a static_assert
  // lines: N               more lines than MOST_LINES, at most LINES_OF_OWN_CODE: where the way to the user's own code costs some (no limit in bytes then)
  // net: REGEX             the user's own net type: what matches costs no bytes
  // code: WHY              compiled to machine code, where g++ says it; others are only read

With --without-control the file is not compiled as it stands: compile_controls.py does so for many at a time.

The include stack counts for nothing: where a header is included from is the user's own doing.
"""
import functools
import os
import re
import subprocess
import sys

MOST_LINES = 8
LINES_OF_OWN_CODE = 12
MOST_BYTES = 1500
EARLY_LINES = 6  # g++: the way (two lines), the sentence, the line of code and its mark, and then the facts

INCLUDE_STACK = re.compile(r"^(In file included from .*|\s+from \S+?:\d+(:\d+)?)[:,]$")
ERROR = re.compile(r"\berror: ")
DIRECTIVE = re.compile(r"^// (expect|expect-early|expect-26|lines|net|code): (.+?)\s*$", re.M)
CLOSING = re.compile(r"^\d+ (warnings? and \d+ )?errors? generated\.$")
STANDARD = re.compile(r"^-std=\S+$")
COMPUTED_MESSAGES = 202306  # the value of __cpp_static_assert


def compile_(command, source, *flags):
    done = subprocess.run([*command, *flags, source], capture_output=True, text=True, errors="replace")
    return done.returncode, done.stdout + done.stderr


def with_computed_messages(command):
    """The command in C++26, with no header before the source."""
    without_header = [word for at, word in enumerate(command) if word != "-include" and (at == 0 or command[at - 1] != "-include")]
    return [word for word in without_header if not STANDARD.match(word)] + ["-std=c++26"]


def with_header_of_26(command):
    """The command in C++26. A precompiled header is one of another standard: that of this one, if it was made, is NAME_26.hpp beside NAME.hpp."""
    headers = [command[at + 1][: -len(".hpp")] + "_26.hpp" for at, word in enumerate(command[:-1]) if word == "-include"]
    made = [header for header in headers if any(os.path.exists(header + suffix) for suffix in (".pch", ".gch"))]
    return with_computed_messages(command) + [word for header in made for word in ("-include", header)]


@functools.lru_cache(maxsize=None)
def computes_messages(command):
    """Whether the compiler takes -std=c++26 and computes the messages of static_assert there."""
    done = subprocess.run([*with_computed_messages(command), "-E", "-P", "-x", "c++", "-"], input="__cpp_static_assert\n",
                          capture_output=True, text=True, errors="replace")
    value = re.search(r"^(\d+)L?$", done.stdout, re.M)
    return done.returncode == 0 and value is not None and int(value.group(1)) >= COMPUTED_MESSAGES


def to_machine_code(command):
    """The command without -fsyntax-only, its result thrown away."""
    return [word for word in command if word != "-fsyntax-only"] + ["-c", "-o", os.devnull]


def without_include_stack(message):
    return [line for line in message.splitlines() if not INCLUDE_STACK.match(line)]


def directives(text):
    found = {"expect": [], "expect-early": [], "expect-26": [], "lines": [], "net": [], "code": []}
    for kind, pattern in DIRECTIVE.findall(text):
        found[kind].append(pattern)
    return found


def problems_of_message(message, expected):
    """What is wrong with the text of a refusal, as sentences."""
    lines = without_include_stack(message)
    text = "\n".join(lines)
    early = "\n".join(lines[:EARLY_LINES])
    problems = [f"the message lacks /{p}/" for p in expected["expect"] if not re.search(p, text)]
    problems += [f"the first {EARLY_LINES} lines lack /{p}/" for p in expected["expect-early"] if not re.search(p, early)]
    errors = sum(1 for line in lines if ERROR.search(line))
    if errors != 1:
        problems.append(f"the message has {errors} errors, not one")
    own_lines = [int(n) for n in expected.get("lines", [])]
    most = max(own_lines, default=MOST_LINES)
    if own_lines:
        lines = [line for line in lines if not CLOSING.match(line)]
    if most > LINES_OF_OWN_CODE:
        problems.append(f"'// lines: {most}' allows more than {LINES_OF_OWN_CODE}")
    if len(lines) > most:
        problems.append(f"the message has {len(lines)} lines, more than {most}")
    for pattern in expected["net"]:
        text = re.sub(pattern, "", text)
    size = len(text.encode())
    if size > MOST_BYTES and not own_lines:
        problems.append(f"the message has {size} bytes, more than {MOST_BYTES}")
    return problems, f"{len(lines)} lines, {size} bytes"


def check(source, command, with_control=True):
    """Returns (problems, report). with_control: also compiles the file as it stands."""
    with open(source, encoding="utf-8") as file:
        text = file.read()
    expected = directives(text)
    problems = []
    if expected["code"]:
        command = to_machine_code(command)
    if not expected["expect"]:
        problems.append("no '// expect: REGEX' line: the file does not say how it is refused")
    if "SHOULD_FAIL" not in text:
        problems.append("SHOULD_FAIL is not used")

    status, message = compile_(command, source, "-Werror") if with_control else (0, "")
    if status:
        problems.append("the positive control does not compile:\n" + message)

    status, message = compile_(command, source, "-DSHOULD_FAIL")
    if status == 0:
        return problems + ["it compiled with -DSHOULD_FAIL"], message
    found, size = problems_of_message(message, expected)
    problems += found
    report = f"refused in {size}:\n{message}"
    if expected["expect-26"] and computes_messages(tuple(command)):
        found, more = check_computed(source, with_header_of_26(command), expected)
        problems += found
        report += more
    return problems, report


def check_computed(source, command, expected):
    """The same in C++26, with the facts in words."""
    status, message = compile_(command, source, "-Werror")
    problems = ["C++26: the positive control does not compile:\n" + message] if status else []
    status, message = compile_(command, source, "-DSHOULD_FAIL")
    if status == 0:
        return problems + ["C++26: it compiled with -DSHOULD_FAIL"], message
    found, size = problems_of_message(message, {"expect": expected["expect-26"], "expect-early": [], "lines": expected["lines"], "net": expected["net"]})
    return problems + ["C++26: " + words for words in found], f"refused in C++26 in {size}:\n{message}"


def main(arguments):
    with_control = arguments[:1] != ["--without-control"]
    if not with_control:
        arguments = arguments[1:]
    if "--" not in arguments or arguments.index("--") != 1:
        sys.exit(__doc__)
    problems, report = check(arguments[0], arguments[2:], with_control)
    for problem in problems:
        print("problem:", problem)
    print(report)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
