#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Whether functions of include/ are short enough to be read at once.

    check_functions.py ROOT

A function has at most 60 lines, from its name to its closing brace. test/tools/long_functions.txt names those that may have more, with the reason, as
'path function lines reason'. Exit status 1 where a function is longer, or where an exception is not needed any more.
"""
import pathlib
import re
import sys

MOST = 60
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|[A-Za-z_]\w*|::|->|\n|[^\s\w]', re.S | re.M)
CONTROL = {"if", "for", "while", "switch", "catch", "alignas", "decltype", "sizeof", "static_assert", "requires", "noexcept", "return", "constexpr"}


def tokens_of(text):
    """[(token, line)], without comments, literals and preprocessor lines."""
    found, line = [], 1
    for match in TOKEN.finditer(text):
        token = match[0]
        if token[0].isalpha() or token[0] == "_" or token in ("::", "->") or (len(token) == 1 and token != "\n"):
            if not token.startswith('R"'):
                found.append((token, line))
        line += token.count("\n")
    return found


def partners_of(tokens):
    """The index of the bracket that closes each one that opens."""
    partner, stack = {}, []
    for i, (token, _) in enumerate(tokens):
        if token in "({[":
            stack.append(i)
        elif token in ")}]" and stack:
            partner[stack.pop()] = i
    return partner


def body_after(tokens, partner, at):
    """The index of the brace that opens a function's body behind its parameters, which close at `at`; None where there is none."""
    i = at + 1
    while i < len(tokens):
        token = tokens[i][0]
        if token == "{":
            return i
        if token in (";", "=", ",", ")", "]", "}", "?"):
            return None
        if token == ":":  # the initializers of a constructor
            i += 1
            while i < len(tokens) and tokens[i][0] not in ("(", "{"):
                i += 1
            while i in partner:
                i = partner[i] + 1
                if i < len(tokens) and tokens[i][0] == ",":
                    while i < len(tokens) and tokens[i][0] not in ("(", "{"):
                        i += 1
                else:
                    return i if i < len(tokens) and tokens[i][0] == "{" else None
            return None
        i = partner[i] + 1 if i in partner else i + 1
    return None


def functions_of(text):
    """Yields (line, name, lines) of each function that has a body, without those inside a function."""
    tokens = tokens_of(text)
    partner = partners_of(tokens)
    i = 0
    while i < len(tokens):
        name = tokens[i - 1][0] if i else ""
        if tokens[i][0] != "(" or i not in partner or name in CONTROL or not (name[:1].isalpha() or name[:1] == "_" or i > 1 and tokens[i - 2][0] == "operator"):
            i += 1
            continue
        body = body_after(tokens, partner, partner[i])
        if body is None or body not in partner:
            i += 1
            continue
        yield tokens[i][1], name, tokens[partner[body]][1] - tokens[i][1] + 1
        i = partner[body] + 1


def faults_of(root):
    excepted = {}
    listed = root / "test/tools/long_functions.txt"
    for number, line in enumerate(listed.read_text(encoding="utf-8").splitlines() if listed.exists() else [], 1):
        if line.strip() and not line.startswith("#"):
            parts = line.split(None, 3)
            if len(parts) != 4 or not parts[2].isdigit():
                yield f"{listed.name}:{number}: is not 'path function lines reason'"
                continue
            excepted[parts[0], parts[1]] = [int(parts[2]), number, False]
    for path in sorted((root / "include").rglob("*.hpp")):
        name = str(path.relative_to(root))
        for line, function, count in functions_of(path.read_text(encoding="utf-8")):
            if count <= MOST:
                continue
            exception = excepted.get((name, function))
            if exception:
                exception[2] = True
            if not exception or count > exception[0]:
                yield f"{name}:{line}: {function} has {count} lines, at most {exception[0] if exception else MOST} are allowed"
    for (name, function), (_, number, used) in excepted.items():
        if not used:
            yield f"{listed.name}:{number}: {name} has no function {function} of more than {MOST} lines"


def main():
    faults = list(faults_of(pathlib.Path(sys.argv[1])))
    for fault in faults:
        print(fault)
    print(f"{len(faults)} faults" if faults else "every function is short enough")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
