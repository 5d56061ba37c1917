#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks refusals:  compile_fail.py [--without-control] FILE... -- COMPILER ARGUMENTS...

Each FILE must compile as it stands, and with -DSHOULD_FAIL must be refused with exactly one error, in few words. The file says what is expected:

  // expect: REGEX          found anywhere in what the compiler prints (at least one such line is required)
  // expect-early: REGEX    found within its first EARLY_LINES lines
  // expect-26: REGEX       found in what the compiler prints under -std=c++26, where a sentence has the facts in words; both branches are compiled once more.
                            Left out for compilers that cannot compute the message of a static_assert
  // lines: N               more lines than MOST_LINES, at most LINES_OF_OWN_CODE: where the way to the user's own code costs some (no limit in bytes then)
  // net: REGEX             the user's own net type: what matches costs no bytes
  // code: WHY              compiled to machine code, where g++ says it; others are only read

With --without-control no file is compiled as it stands: compile_controls.py does so for many at a time.

Several files are compiled as one source first, where each has a namespace of its own, in two fifths of the time. The compiler's output is told apart by the
files that its parts name, and a file passes if its own part is as expected. All others are compiled alone, and that decides: a compiler says an error of a
template that two files instantiate once, for the first of them.

The include stack counts for nothing: where a header is included from is the user's own doing.
"""
import functools
import os
import re
import subprocess
import sys
import tempfile

from group_tests import NotForGroups, parts_of

MOST_LINES = 8
LINES_OF_OWN_CODE = 12
MOST_BYTES = 1500
EARLY_LINES = 6  # g++: the way (two lines), the sentence, the line of code and its mark, and then the facts

INCLUDE_STACK = re.compile(r"^(In file included from .*|\s+from \S+?:\d+(:\d+)?)[:,]$")
ERROR = re.compile(r"\berror: ")
DIRECTIVE = re.compile(r"^// (expect|expect-early|expect-26|lines|net|code): (.+?)\s*$", re.M)
CLOSING = re.compile(r"^\d+ (warnings? and \d+ )?errors? generated\.$")
STANDARD = re.compile(r"^-std=\S+$")
SPACE = re.compile(r"\brefusal_\d+::")
CONTEXT = re.compile(r"^\S+: (In|At) .*:$|:\d+:   (required|recursively required) (from|by) ")  # what g++ says before an error or a note
DIAGNOSTIC = re.compile(r": (?P<kind>fatal error|error|warning|note): ")
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


def directives_of(path):
    with open(path, encoding="utf-8") as file:
        return directives(file.read())


def needs_machine_code(path):
    return bool(directives_of(path)["code"])


def together(paths):
    """(one source for those that can stand in one, the others). Macros that a file defines end with it."""
    includes, spaces, others = {}, [], []
    for number, path in enumerate(paths):
        try:
            if needs_machine_code(path):
                raise NotForGroups(path)
            own, first, lines, macros = parts_of(path)
        except NotForGroups:
            others.append(path)
            continue
        includes |= dict.fromkeys(own)
        spaces += [f"namespace refusal_{number} {{", f'#line {first} "{path}"', *lines, *(f"#undef {macro}" for macro in dict.fromkeys(macros)), "}"]
    return "\n".join([*includes, *spaces]) + "\n", others


def compile_text(command, text, *flags):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "together.cpp")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return compile_(command, path, *flags)


def blocks_of(message):
    """The diagnostics of a message as lists of lines: an error or a warning, with what is said before it of where it is, and with its notes."""
    blocks, context = [], []
    for line in without_include_stack(message):
        found = DIAGNOSTIC.search(line)
        if CLOSING.match(line):
            continue
        if found and found["kind"] != "note":
            blocks.append(context + [line])
            context = []
        elif CONTEXT.search(line) and not found:
            context.append(line)
        elif found and blocks:  # a note of the last one
            blocks[-1] += context + [line]
            context = []
        elif context or not blocks:
            context.append(line)
        else:
            blocks[-1].append(line)
    if blocks:
        blocks[-1] += context
    return blocks


def messages_of(message, paths):
    """What a compiler says of one source as what it says of each file. What names no file belongs to the file before; None if there is none, or there are several."""
    messages, owner = {path: [] for path in paths}, None
    for block in blocks_of(message):
        owners = {path for path in paths if any(f"{path}:" in line for line in block)}
        if len(owners) > 1 or (not owners and owner is None):
            return None
        owner = owners.pop() if owners else owner
        messages[owner] += [SPACE.sub("", line) for line in block]
    closing = ["1 error generated."] if any(CLOSING.match(line) for line in message.splitlines()) else []
    return {path: "\n".join(lines + closing) for path, lines in messages.items()}


def limitless(command):
    """The flag of compilers that else say twenty errors and no more."""
    return ["-ferror-limit=0"] if "clang" in os.path.basename(command[0]) else []


def pass_together(paths, command, kind):
    """Those of the files that are refused as expected when all are compiled as one source. kind: expect or expect-26."""
    source, others = together(paths)
    status, message = compile_text([*command, *limitless(command)], source, "-DSHOULD_FAIL")
    messages = messages_of(message, [path for path in paths if path not in others]) if status else None
    passed = []
    for path, own in (messages or {}).items():
        with open(path, encoding="utf-8") as file:
            text = file.read()
        expected = directives(text)
        wanted = {"expect": expected[kind], "expect-early": expected["expect-early"] if kind == "expect" else [], "lines": expected["lines"], "net": expected["net"]}
        if wanted["expect"] and "SHOULD_FAIL" in text and not problems_of_message(own, wanted)[0]:
            passed.append(path)
    return passed


def check_many(paths, command):
    """Returns (problems, report) of files whose controls are compiled elsewhere."""
    passed = set(pass_together(paths, command, "expect"))
    computed = [path for path in paths if path in passed and directives_of(path)["expect-26"]]
    if computed and computes_messages(tuple(command)):
        command_26 = with_header_of_26(command)
        controls, _ = together(computed)
        good = pass_together(computed, command_26, "expect-26") if compile_text(command_26, controls, "-Werror")[0] == 0 else []
        passed -= set(computed) - set(good)
    problems, report = [], [f"{len(passed)} of {len(paths)} refused as expected in one source"]
    for path in paths:
        if path not in passed:
            found, said = check(path, command, with_control=False)
            problems += [f"{path}: {problem}" for problem in found]
            report.append(f"{path}: {said}" if found else f"{path}: refused as expected, alone")
    return problems, "\n".join(report)


def main(arguments):
    with_control = arguments[:1] != ["--without-control"]
    if not with_control:
        arguments = arguments[1:]
    at = arguments.index("--") if "--" in arguments else 0
    if at < 1 or (at > 1 and with_control):
        sys.exit(__doc__)
    paths, command = arguments[:at], arguments[at + 1:]
    problems, report = check(paths[0], command, with_control) if at == 1 else check_many(paths, command)
    for problem in problems:
        print("problem:", problem)
    print(report)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
