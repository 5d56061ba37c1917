#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes the kernels that a program asks for:  cuda_kernels.py -o KERNELS.cu [--headers FILE]... [--nm NM] OBJECT...

OBJECT are object files or static libraries of the program, compiled by the host's compiler. Each kernel that they want to launch is an undefined symbol there,
espalier::on_cuda::device_function<KERNEL>::address(); KERNELS.cu instantiates them, for nvcc to compile and the linker to join. --headers names a header with
ops of the program's own, as it is to be included (repeated for several). The file is written only when its content changes, so that a build that looks at
times compiles nothing twice.
"""
import argparse
import pathlib
import re
import resource
import subprocess
import sys

WANTED = re.compile(r"\bU (espalier::on_cuda::device_function<.*>)::address\(\)$")
MANGLED = "_ZN8espalier7on_cuda15device_functionI"
KERNELS = "espalier/device/cuda/kernels.cuh"

# Types that only the program's own translation unit can spell, as nm writes them.
HIDDEN = [
    ("lies in an unnamed namespace", re.compile(r"\(anonymous namespace\)")),
    ("is the type of a lambda expression", re.compile(r"\{lambda|'lambda|\$_\d")),
    ("has no name", re.compile(r"\{unnamed|'unnamed")),
    ("is local to a function", re.compile(r"(?<![\w:])main::|\)(?: const| volatile| ?&)*::")),
]
NAME = re.compile(r"(?<![\w$:])[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*")
KNOWN = {"espalier", "std", "float", "double", "int", "unsigned", "signed", "long", "short", "char", "bool", "void", "const", "volatile", "true", "false",
         "decltype", "nullptr", "char8_t", "char16_t", "char32_t", "wchar_t"}


class UserError(Exception):
    """A sentence about the program for which no kernels can be written."""


def undefined(objects, nm="nm"):
    """The lines of nm about undefined symbols, demangled. nm's own limits would leave names of more than a thousand characters as they are, and kernels
    have such names."""
    def deep():
        hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
        wanted = 1 << 30
        resource.setrlimit(resource.RLIMIT_STACK, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))

    for more in (["--no-recurse-limit"], []):  # llvm-nm has neither the option nor the limit
        done = subprocess.run([nm, "-u", "-C", *more, *objects], capture_output=True, text=True, errors="replace", preexec_fn=deep)
        if done.returncode == 0:
            return done.stdout.splitlines()
    raise UserError(f"{nm} cannot read {' '.join(objects)}:\n{done.stderr.strip()}")


def wanted_kernels(lines):
    """The instantiations among nm's lines, sorted, each once."""
    found = set()
    for line in map(str.strip, lines):
        match = WANTED.search(line)
        if match:
            found.add(match[1])
        elif MANGLED in line:
            raise UserError(f"nm cannot demangle the name of a kernel, {line[:100]}... of {len(line)} characters: give another one by --nm (llvm-nm)")
    return sorted(found)


def enclosing(text, at):
    """The template argument of `text` around the position `at`: what to show of a name of thousands of characters."""
    depth, begin = 0, at
    while begin > 0 and not (depth <= 0 and text[begin - 1] in "<,"):
        begin -= 1
        depth += {">": 1, ")": 1, "<": -1, "(": -1}.get(text[begin], 0)
    depth, end = 0, at
    while end < len(text) and not (depth <= 0 and text[end] in ">,"):
        depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(text[end], 0)
        end += 1
    return text[begin:end].strip()


def check_names(kernels, headers):
    """Raises for the first type that nvcc could not name."""
    for kernel in kernels:
        for what, pattern in HIDDEN:
            match = pattern.search(kernel)
            if match:
                raise UserError(f"{enclosing(kernel, match.end())} {what}, and is part of a kernel, which nvcc compiles from its name alone. "
                              "Give it a name in a namespace, in a header of its own, and that header to this tool by --headers.")
        if headers:
            continue
        for match in NAME.finditer(kernel):
            first = match[0].split("::")[0]
            if first not in KNOWN and not first.startswith("_"):
                raise UserError(f"{match[0]} is part of a kernel and no type of the library: put it into a header, and give that to this tool by --headers.")


def text_of(kernels, headers=(), library=KERNELS):
    def include(name):
        if name.startswith("<"):
            return f"#include {name}"
        path = pathlib.Path(name)
        return f'#include "{path.resolve() if path.is_file() else name}"'

    lines = ["// Written by cuda_kernels.py from the undefined symbols of a program.", f"#include <{library}>", *map(include, headers), ""]
    return "\n".join(lines + [f"template struct {kernel};" for kernel in kernels]) + "\n"


def write_if_changed(path, text):
    path = pathlib.Path(path)
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return False
    path.write_text(text, encoding="utf-8")
    return True


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", dest="output", required=True, help="the file to write")
    parser.add_argument("--headers", action="append", default=[], help="a header with ops of the program's own (repeated)")
    parser.add_argument("--nm", default="nm", help="the program that lists symbols")
    parser.add_argument("objects", nargs="+", help="object files or static libraries")
    given = parser.parse_args(arguments)
    try:
        kernels = wanted_kernels(undefined(given.objects, given.nm))
        check_names(kernels, given.headers)
    except (UserError, FileNotFoundError) as sentence:
        return f"cuda_kernels.py: {sentence}"
    write_if_changed(given.output, text_of(kernels, given.headers))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
