#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compiles one program, test/modes/program.cpp, in the modes that users build in, and runs it where it can be run.

    build_modes.py --list [--quick]      the names of the modes, one a line
    build_modes.py ROOT MODE...          tries these; exits with 77 where a mode's compiler is not installed

A mode of kind
  run      compiles, links and runs: the program compares its own numbers and prints "right"; asked for a file that does not exist, it says so: the sentence
           is caught, or, where there are no exceptions, is the last thing that the program says before it aborts
  syntax   is about what the compiler's front end says: nothing is generated, which takes a fourth of the time
  invalid  cannot work: the compiler must say the sentence in one error; of another language, whichever header comes first (the others follow the same way)

The full product (compilers, levels of optimisation, instruction sets, and the rest) would be hundreds of builds of ten seconds each. What is needed of it:
- each compiler with each level, each compiler with both instruction sets. Warnings of g++ that come from its optimiser depend on both, so of -O2 and -O3
  g++ has both; clang warns from its front end alone, so one instruction set for each level is enough
- every other mode once with each compiler, at one level; all of these modes are independent of each other
- warnings are errors in all of them, with the headers as a user's own (-I, not -isystem); a user's global variables that are named as parameters of the
  headers are, are in the modes `names`: g++ looks for these when it instantiates templates, and needs to generate nothing for that
"""
import argparse
import dataclasses
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

SKIPPED = 77
COMPILERS = {"gcc": ["g++"], "clang": ["clang++-19", "clang++"]}
STRICT = "-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror"
NO_FILE = "there_is_none.safetensors: expected a file, got: No such file or directory"
MOST_LINES = 8
INCLUDE_STACK = re.compile(r"^(In file included from .*|\s+from \S+?:\d+(:\d+)?)[:,]$|^In file included from <[\w-]+>:|^\s+from <[\w-]+>:$")


@dataclasses.dataclass
class Mode:
    name: str
    compiler: str
    kind: str                # run, syntax, invalid
    flags: str
    sentence: str = ""       # of what is invalid
    quick: bool = False      # one of those that are tried wherever the tests are
    standard: str = "c++20"


def modes():
    made = []
    # Optimisation and instruction set.
    for compiler, pairs in {"gcc": ["0 native", "1 none", "2 none", "2 native", "3 none", "3 native", "s none"], "clang": ["0 none", "1 native", "2 none", "3 native", "s none"]}.items():
        for pair in pairs:
            level, arch = pair.split()
            made.append(Mode(f"{compiler}_o{level}_{arch}", compiler, "run", f"-O{level} {STRICT}" + (" -march=native" if arch == "native" else "") + (" -DESPALIER_DRAFT=0" if level == "0" else "")))
    for compiler in COMPILERS:
        made += [
            Mode(f"{compiler}_no_exceptions", compiler, "run", f"-O1 {STRICT} -fno-exceptions -fno-rtti", quick=compiler == "gcc"),
            Mode(f"{compiler}_fast_math", compiler, "run", f"-O2 {STRICT} -ffast-math -march=native"),
            Mode(f"{compiler}_compiler_vectors", compiler, "run", f"-O1 {STRICT} -march=native -DESPALIER_COMPILER_VECTORS -DESPALIER_CACHE_BYTES=262144,1048576"),
            Mode(f"{compiler}_separate_rounding", compiler, "run", f"-O1 {STRICT} -march=native -DESPALIER_SEPARATE_ROUNDING -ffp-contract=off"),
            Mode(f"{compiler}_small", compiler, "run", f"-O1 {STRICT} -march=native -DESPALIER_SMALL"),
            Mode(f"{compiler}_separate_rounding_fast", compiler, "invalid", "-DESPALIER_SEPARATE_ROUNDING -ffast-math", "espalier cannot fix the bits of numbers with -ffast-math", quick=compiler == "gcc"),
            Mode(f"{compiler}_draft", compiler, "run", f"-O0 {STRICT} -march=native"),
            Mode(f"{compiler}_draft_optimized", compiler, "run", f"-O2 {STRICT} -DESPALIER_DRAFT"),
            Mode(f"{compiler}_lto", compiler, "run", f"-O2 {STRICT} -flto=auto"),
            Mode(f"{compiler}_sanitizers", compiler, "run", f"-O1 {STRICT} -fsanitize=address,undefined -fno-sanitize-recover=all -DWITH_A_STREAM"),
            Mode(f"{compiler}_names", compiler, "syntax", f"{STRICT} -DGLOBAL_NAMES", quick=compiler == "gcc"),
            Mode(f"{compiler}_cpp23", compiler, "syntax", STRICT, standard="c++23"),
            Mode(f"{compiler}_cpp17", compiler, "invalid", "", "espalier requires C++20: compile with -std=c++20", quick=compiler == "gcc", standard="c++17"),
        ]
        made += [Mode(f"{compiler}_cache_bytes_{name}", compiler, "invalid", f"-DESPALIER_CACHE_BYTES={sizes}", "ESPALIER_CACHE_BYTES must be the bytes of the last-level cache", quick=compiler == "gcc")
                 for name, sizes in {"empty": "", "zero": "0", "decreasing": "33554432,1048576", "of_three": "1,2,3"}.items()]
        made.append(Mode(f"{compiler}_convolution_error_negative", compiler, "invalid", "-DESPALIER_CONVOLUTION_ERROR=-1", "ESPALIER_CONVOLUTION_ERROR must be at least 0", quick=compiler == "gcc"))
    # An older compiler is played by its number; what it is asked for is asked before anything else. g++ 12 does not know C++26.
    made += [
        Mode("clang_cpp26", "clang", "syntax", STRICT, standard="c++26"),
        Mode("gcc_11", "gcc", "invalid", "-w -U__GNUC__ -D__GNUC__=11", "espalier requires g++ 12 or later", quick=True),
        Mode("clang_13", "clang", "invalid", "-w -U__clang_major__ -D__clang_major__=13", "espalier requires clang 14 or later", quick=True),
        Mode("gcc_mve", "gcc", "invalid", "-D__ARM_FEATURE_MVE=3", "espalier does not support MVE with g++", quick=True),
        Mode("gcc_x87", "gcc", "invalid", "-mfpmath=387", "espalier requires float arithmetic without excess precision", quick=True),
    ]
    return made


def compiler_of(mode):
    return next((path for name in COMPILERS[mode.compiler] if (path := shutil.which(name))), None)


def run(command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", check=False, **options)


def problems_of_program(program, folder, exceptions):
    """What is wrong with what the program says, as sentences."""
    found = []
    done = run([program], cwd=folder)
    if done.returncode != 0 or done.stdout != "right\n":
        found.append(f"the program ended with {done.returncode} and said:\n{done.stdout}{done.stderr}")
    done = run([program, "refuse"], cwd=folder)
    status = 0 if exceptions else -signal.SIGABRT
    if done.returncode != status or not done.stderr.startswith(NO_FILE + "\n"):
        found.append(f"without its file the program ended with {done.returncode}, not {status}, and said:\n{done.stderr}")
    return found


def problems_of_error(text, status, sentence):
    """What is wrong with what the compiler says where it must refuse."""
    lines = [line for line in text.splitlines() if not INCLUDE_STACK.match(line)]
    errors = [line for line in lines if re.search(r"\berror: ", line)]
    if status == 0 or len(errors) != 1 or sentence not in errors[0] or len(lines) > MOST_LINES:
        return [f"expected one error, '{sentence}', in at most {MOST_LINES} lines; the compiler ended with {status} and said:\n{text[:2000]}"]
    return []


def first_headers(root):
    """Every header that can be the first one of a file, but for those that need the CUDA toolkit, and those that end or begin what another begins or ends."""
    include = root / "include"
    names = sorted(str(path.relative_to(include)) for path in include.rglob("*.hpp"))
    return [name for name in names if not re.search(r"/(?:cuda|cublas|cudnn|diagnostics)_[^/]*$|/(?:hide|restore)_macros\.hpp$|/cuda\.hpp$", name)]


def problems(mode, root, compiler):
    command = [compiler, f"-std={mode.standard}", *mode.flags.split(), "-I", root / "include"]
    program = root / "test/modes/program.cpp"
    if mode.kind == "syntax":
        done = run([*command, "-fsyntax-only", program])
        return [f"does not compile:\n{done.stderr[:4000]}"] if done.returncode else []
    if mode.kind == "invalid":
        found = []
        for header in first_headers(root) if mode.standard != "c++20" else []:
            # clang first parses the standard headers before ours, which takes it ten times as long: it only reads them here.
            how = "-E" if mode.compiler == "clang" else "-fsyntax-only"
            done = run([*command, how, "-include", header, "-x", "c++", "/dev/null", "-o", "/dev/null"])
            found += [f"<{header}> first: {problem}" for problem in problems_of_error(done.stderr, done.returncode, mode.sentence)]
        done = run([*command, "-fsyntax-only", program])
        return found[:3] + problems_of_error(done.stderr, done.returncode, mode.sentence)
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder) / "program"
        done = run([*command, program, "-o", made])
        if done.returncode:
            return [f"does not compile:\n{done.stderr[:4000]}"]
        return problems_of_program(made, folder, "-fno-exceptions" not in mode.flags)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="print the names of the modes")
    parser.add_argument("--quick", action="store_true", help="with --list: only those that take a few seconds")
    parser.add_argument("root", nargs="?", default=".", help="the root of the repository")
    parser.add_argument("modes", nargs="*")
    given = parser.parse_args(arguments)
    every = {mode.name: mode for mode in modes()}
    if given.list:
        print("\n".join(name for name, mode in every.items() if mode.quick or not given.quick))
        return 0
    failed = skipped = 0
    for name in given.modes or every:
        mode = every.get(name)
        if mode is None:
            sys.exit(f"there is no mode {name}")
        compiler = compiler_of(mode)
        if compiler is None:
            print(f"{name}: skipped, there is no {COMPILERS[mode.compiler][0]}")
            skipped += 1
            continue
        found = problems(mode, pathlib.Path(given.root).resolve(), compiler)
        failed += bool(found)
        print(f"{name}: {compiler} -std={mode.standard} {mode.flags}: " + ("\n".join(found) if found else "right"))
    return 1 if failed else SKIPPED if skipped else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
