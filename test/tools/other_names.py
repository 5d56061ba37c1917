#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks the names of operation/other_names.hpp:  other_names.py COMPILER ARGUMENTS...   in the root of the repository

What a sentence says to write compiles, outside of a function and inside of one. Each name is one error, which says that sentence, and no other: called with
tensors, with values of a function, with braces and with an axis in angle brackets. A function of the user with such a name is called.
"""
import os
import re
import subprocess
import sys
import tempfile

HEADER = "include/espalier/operation/other_names.hpp"
ENTRY = re.compile(r"^ESPALIER_OTHER_NAME\((\w+)\) \{\s*static_assert\(\s*detail::is_other_name<A\.\.\.>,\s*((?:\"[^\"]*\"\s*)+)\);", re.M)
ADVICE = "has another name here: write "
# What the code in a sentence may name. The words behind a comma outside of brackets are no code.
OPERANDS = {"a": "shape<4, 4>", "b": "shape<4, 4>", "c": "shape<4, 4>", "x": "shape<4, 4>", "row": "shape<4>", "images": "shape<2, 4, 4, 3>"}
# Things of users, which may stand at the outermost level behind `using namespace espalier`.
THINGS = ("chunk", "clip", "dot", "eq", "ge", "gt", "le", "lt", "mm", "mv", "ne", "outer", "tile")
START = "#include <cmath>\n#include <numbers>\n#include <tuple>\n#include <espalier.hpp>\nnamespace esp = espalier;\nusing esp::shape, esp::tensor;\n"


def entries(text, with_clang=False):
    """[(name, sentence, code or None)]"""
    if with_clang:
        text = re.sub(r"^#if !defined\(__clang__\)$.*?^#endif$", "", text, flags=re.M | re.S)
    found = []
    for name, literals in ENTRY.findall(text):
        sentence = "".join(re.findall(r'"([^"]*)"', literals))
        found.append((name, sentence, code_of(sentence.split(ADVICE, 1)[1]) if ADVICE in sentence else None))
    return found


def code_of(words):
    depth = 0
    for at, letter in enumerate(words):
        depth += {"(": 1, "<": 1, ")": -1, ">": -1}.get(letter, 0) if not words[at:at + 2] in ("< ", "> ", ">=", "<=") else 0
        if letter == "," and depth == 0:
            return words[:at]
    return words


def right_program(codes):
    """Every code with tensors, and inside of a function that is traced."""
    lines = [START, "using namespace espalier;"]
    for number, code in enumerate(codes):
        used = [name for name in [*OPERANDS, "labels"] if re.search(rf"\b{name}\b", code)]
        types = [f"tensor<{'std::int32_t, shape<4>' if name == 'labels' else 'float, ' + OPERANDS[name]}> const& {name}" for name in used]
        lines.append(f"void outside_{number}({', '.join(types)}) {{ [[maybe_unused]] auto const y = {code}; }}")
        function = f"[]({', '.join('auto ' + name for name in used)}) {{ return {code}; }}"
        lines.append(f"void inside_{number}({', '.join(types)}) {{ [[maybe_unused]] esp::compiled const run{{{function}, {', '.join(used)}}}; }}")
    return "\n".join(lines) + "\n"


def wrong_program(names):
    lines = [START]
    forms = ["esp::{0}(x)", "esp::{0}(x, x)", "esp::{0}({{x, x}}, 0)", "esp::{0}<0>(x, x)"]
    for number, name in enumerate(names):
        form = forms[number % len(forms)].format(name)
        if number % 2:
            lines.append(f"void f_{name}(tensor<float, shape<4, 4>> const& x) {{ [[maybe_unused]] auto const y = {form}; }}")
        else:
            lines.append(f"void f_{name}(tensor<float, shape<4, 4>> const& x) {{ [[maybe_unused]] auto const y = esp::grad<0>([](auto x) {{ return sum({form}); }})(x); }}")
    return "\n".join(lines) + "\n"


def own_program(names):
    """Functions of the user with these names, as templates and for one type, beside a using-directive, and types of theirs."""
    lines = [START, "using namespace espalier;", "struct mine {};"]
    lines += [f"struct {name} {{}};\n{name} const one_{name}{{}};" for name in THINGS]
    for number, name in enumerate(names):
        head = "template <class X> constexpr mine" if number % 2 else "constexpr mine"
        kind = "X const&" if number % 2 else "tensor<float, shape<4, 4>> const&"
        lines.append(f"namespace own_{name} {{ {head} {name}({kind}) {{ return {{}}; }} inline mine call(tensor<float, shape<4, 4>> const& x) {{ return {name}(x); }} }}")
    return "\n".join(lines) + "\n"


def compile_text(command, text, *flags):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "names.cpp")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([*command, *flags, path], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def errors_of(message):
    return [line for line in message.splitlines() if re.search(r"\b(fatal )?error: ", line)]


def is_clang(command):
    return "clang" in os.path.basename(command[0])


def problems_of(found, command):
    problems = []
    status, message = compile_text(command, right_program([code for _, _, code in found if code is not None]))
    if status:
        problems.append("what sentences say to write does not compile:\n" + message[:4000])
    status, message = compile_text(command, own_program([name for name, _, _ in found]))
    if status:
        problems.append("functions of the user do not compile:\n" + message[:4000])
    limit = ["-ferror-limit=0"] if is_clang(command) else []
    status, message = compile_text([*command, *limit], wrong_program([name for name, _, _ in found]))
    errors = errors_of(message)
    for name, sentence, _ in found:
        own = [line for line in errors if f"esp::{name} " in line]
        if len(own) != 1 or sentence not in own[0]:
            problems.append(f"{name}: {len(own)} errors: {own}")
    if len(errors) != len(found) or not status:
        problems.append(f"{len(errors)} errors of {len(found)} names: " + "\n".join(line for line in errors if "esp::" not in line))
    return problems


def main(command):
    if not command:
        sys.exit(__doc__)
    with open(HEADER, encoding="utf-8") as file:
        found = entries(file.read(), is_clang(command))
    problems = problems_of(found, command) if len(found) > 40 else [f"{HEADER} has {len(found)} names that this script finds"]
    for problem in problems:
        print("problem:", problem)
    print(f"{len(found)} names")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
