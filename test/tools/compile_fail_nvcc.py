#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks what nvcc says of one refusal:  compile_fail_nvcc.py [--right] FILE -- NVCC ARGUMENTS...

FILE is a refusal as compile_fail.py describes it. With -DSHOULD_FAIL nvcc must find exactly one error, a static_assert of the library, in as many lines as the other compilers
may take. Its message must show the same facts, in its own way: it spells out the template arguments of the function or class that refuses, and the relation only where that is
one of them. So a line `expect` or `expect-early` that names a relation, like

  // expect: inner_dimensions<(espalier::)?shape<8, 13>, (espalier::)?shape<12, 16> ?>

asks for that, or for shape<8, 13> and shape<12, 16>, wherever they stand; any other line for what it says. A type that the program has named with `using` is called by that name:
what stands behind the name in the program then counts as shown.

Lines that do not speak of the error are left out: the include stack, and nvcc's own count of errors. Bytes are not counted.

--right: the program as it stands must compile, too. nvcc compiles kernels and not the processor's plans (docs/design/cuda_build.md), so this is asked of programs without one.
"""
import re
import sys
import tempfile

import compile_fail

# Only the front end, to the source text that would go to the host's compiler. Warnings are of no interest here: -w is nvcc's word for none.
FRONT_END = ["-x", "cu", "-cuda", "-w"]

COUNT = re.compile(r"^\d+ errors? detected in the compilation of ")
STACK = re.compile(r"^\s*(In file included from |from )\S+.*[:,]$")
ASSERTED = re.compile(r"\berror: static assertion failed with \"")

# Shapes and places in a Sequential have to be found as they are. A sentence has words behind words.
RELATION = re.compile(r"^(?!shape<|layer<)[A-Za-z_][A-Za-z_0-9]*<")
SENTENCE = re.compile(r"[\w.:)\]>] +[\w(\[]")
SHAPE = re.compile(r"shape<([-0-9, ]*)>")
BETWEEN = re.compile(r"\b[a-z_][a-z_0-9]*<|[<>,]")  # the names of relations; those of modules, which begin with a capital letter, are facts
USING = re.compile(r"^using (\w+) = (.+);", re.M)


def message_lines(message):
    return [line for line in message.splitlines() if line.strip() and not COUNT.match(line) and not STACK.match(line)]


def with_names(text, source):
    """A message, and behind it what the program says of the names of its own that stand in it."""
    wrong = re.sub(r"^#else.*?^#endif", "", source, flags=re.M | re.S)
    meanings = [meant for name, meant in USING.findall(wrong) if re.search(rf"\b{name}\b", text)]
    return "\n".join([text, *(re.sub(r"\bbatch<", "shape<", meant) for meant in meanings)])  # which is another name of the same


def facts_of(pattern):
    """The facts of an expected relation, each as a pattern; None: it is none, and has to be found as it is."""
    plain = re.sub(r"\((espalier::|nn::|\|)+\)\?|espalier::|\.\*| \?|\\", "", pattern)
    if not RELATION.match(plain) or SENTENCE.search(plain):
        return None
    if plain.startswith("at_axis<"):
        return []  # follows from the shapes
    facts = ["shape<" + extents + ">" for extents in SHAPE.findall(plain)]
    words = BETWEEN.sub(" ", SHAPE.sub(" ", plain)).split()
    return facts + [r"(?<![\w.-])" + re.escape(word) + r"(UL)?(?!\w)" for word in words if word not in ("true", "false")]


def as_nvcc_prints(pattern):
    """shape<2, 3> may be [with Extents=<2, 3>], inside shape; a backquote is a question mark."""
    return re.sub(r"shape<(?=-?\d)", "(shape|=)<", pattern).replace("`", "[`?]")


def problems_of_message(message, expected, source=""):
    """What is wrong with nvcc's text of a refusal, as sentences."""
    lines = message_lines(message)
    text = with_names("\n".join(lines), source)
    problems = []
    for pattern in expected["expect"] + expected["expect-early"]:
        if re.search(as_nvcc_prints(pattern), text):
            continue
        facts = facts_of(pattern)
        if facts is None:
            problems.append(f"the message lacks /{pattern}/")
        else:
            problems += [f"the message lacks /{fact}/, of /{pattern}/" for fact in facts if not re.search(as_nvcc_prints(fact), text)]
    errors = [line for line in lines if compile_fail.ERROR.search(line)]
    if len(errors) != 1:
        problems.append(f"the message has {len(errors)} errors, not one")
    if errors and not ASSERTED.search(errors[0]):
        problems.append("the error is not a static_assert")
    if len(lines) > compile_fail.MOST_LINES:
        problems.append(f"the message has {len(lines)} lines, more than {compile_fail.MOST_LINES}")
    return problems, f"{len(lines)} lines, {len(message.encode())} bytes"


def check(source, command, right=False):
    """Returns (problems, report)."""
    with open(source, encoding="utf-8") as file:
        program = file.read()
    expected = compile_fail.directives(program)
    if not expected["expect"]:
        return ["no '// expect: REGEX' line: the file does not say how it is refused"], ""
    problems = []
    with tempfile.NamedTemporaryFile(suffix=".ii") as made:
        command = [*command, *FRONT_END, "-o", made.name]
        if right:
            status, message = compile_fail.compile_(command, source)
            if status:
                problems.append("the right program does not compile:\n" + message)
        status, message = compile_fail.compile_(command, source, "-DSHOULD_FAIL")
    if status == 0:
        return problems + ["it compiled with -DSHOULD_FAIL"], message
    found, size = problems_of_message(message, expected, program)
    return problems + found, f"refused in {size}:\n{message}"


def main(arguments):
    right = arguments[:1] == ["--right"]
    arguments = arguments[right:]
    if len(arguments) < 3 or arguments[1] != "--":
        sys.exit(__doc__)
    problems, report = check(arguments[0], arguments[2:], right)
    for problem in problems:
        print("problem:", problem)
    print(report)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
