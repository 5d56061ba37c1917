#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compile-time errors that pages show, as the compiler prints them:  error_blocks.py ROOT [--write | --compile]

A block of README.md or docs/**/*.md that follows a line

    <!-- error: docs/examples/readme.cpp: nn::Linear<32, 10> -> nn::Linear<16, 10>: g++ 12 -std=c++20 -->

is what this compiler prints for the program in which the first text, which it has once, is replaced by the second. `| WORDS` behind the arguments shows
only the error's line from these words on; the lines that name the files on the way from one include to the next are always left out.
Without an option, the marks are checked, and that each block has one error. --compile also compares with the compiler: status 77 if no compiler of these
versions is installed. --write renews the blocks.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from check_docs import pages  # noqa: E402

SKIPPED = 77
MARK = re.compile(r"^<!-- error: (\S+): (.+?) -> (.+?): (g\+\+|clang\+\+) (\d+) (-std=\S+)(?: \| (.+?))? -->$")
BEGINS = "<!-- error:"
ON_THE_WAY = re.compile(r"^(In file included from |\s+from ).*\n", re.M)
CLOSING = re.compile(r"^\d+ errors? generated\.\n", re.M)


def changed(root, name, before, after):
    """The program with its mistake; raises ValueError with a sentence."""
    path = root / name
    if not path.is_file():
        raise ValueError(f"{name} does not exist")
    text = path.read_text(encoding="utf-8")
    if text.count(before) != 1:
        raise ValueError(f"{name} has '{before}' {text.count(before)} times, not once")
    return text.replace(before, after)


def command_of(kind, version):
    """The compiler of that kind and version, or None."""
    for name in (f"{kind}-{version}", kind):
        if shutil.which(name):
            said = subprocess.run([name, "-dumpversion"], capture_output=True, text=True).stdout
            if said.split(".")[0].strip() == version:
                return name
    return None


def printed(root, mark):
    """What the compiler prints, or None if there is no such compiler."""
    name, before, after, kind, version, standard, words = mark.groups()
    compiler = command_of(kind, version)
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, pathlib.Path(name).name)
        program.write_text(changed(root, name, before, after), encoding="utf-8")
        pathlib.Path(folder, "include").symlink_to((root / "include").resolve())
        done = subprocess.run([compiler, standard, "-fsyntax-only", "-Iinclude", "-fdiagnostics-color=never" if kind == "g++" else "-fno-color-diagnostics",
                               program.name], cwd=folder, capture_output=True, text=True, errors="replace")
    text = CLOSING.sub("", ON_THE_WAY.sub("", done.stderr))
    if not words:
        return text.strip("\n")
    found = re.search(r"error: .*?(" + re.escape(words) + ".*)", text)
    return found[1] if found else text.strip("\n")


def check(root, page, found, write, compiles):
    lines = page.read_text(encoding="utf-8").splitlines()
    missing, at = 0, 0
    while at < len(lines):
        if not lines[at].startswith(BEGINS):
            at += 1
            continue
        place, mark = f"{page.relative_to(root)}:{at + 1}", MARK.match(lines[at])
        begin = at + 1
        end = next((i for i in range(begin + 1, len(lines)) if lines[i] == "```"), None)
        if not mark or end is None or lines[begin] != "```text":
            found.append(f"{place}: is not '{BEGINS} FILE: TEXT -> TEXT: COMPILER VERSION -std=... -->' before a ```text block")
            at += 1
            continue
        try:
            changed(root, *mark.groups()[:3])
            text = printed(root, mark) if compiles or write else None
        except ValueError as sentence:
            found.append(f"{place}: {sentence}")
            at += 1
            continue
        if text is None:
            missing += compiles
        elif write:
            lines[begin + 1:end] = text.splitlines()
        elif text != "\n".join(lines[begin + 1:end]):
            found.append(f"{place}: the compiler prints something else: error_blocks.py ROOT --write\n{text}")
        block = "\n".join(lines[begin + 1:next(i for i in range(begin + 1, len(lines)) if lines[i] == "```")])
        if not mark[7] and block.count(" error: ") != 1:
            found.append(f"{place}: the block has {block.count(' error: ')} errors, not one")
        at = begin + 1
    if write:
        page.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return missing


def main(arguments):
    options = [a for a in arguments if a.startswith("--")]
    rest = [a for a in arguments if not a.startswith("--")]
    if len(rest) != 1 or len(options) > 1 or not set(options) <= {"--write", "--compile"}:
        sys.exit(__doc__)
    root, found = pathlib.Path(rest[0]), []
    missing = sum(check(root, page, found, "--write" in options, "--compile" in options) for page in pages(root))
    print("\n".join(found) or "the errors that pages show are those of the compilers")
    if found:
        return 1
    return SKIPPED if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
