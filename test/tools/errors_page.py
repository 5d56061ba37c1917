#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""The list of all compile-time errors in docs/errors.md:  errors_page.py ROOT [--write|--renew COMPILER ARGUMENTS...]

Each file of test/compile_fail has an entry: what is wrong and what is right are the two branches of its SHOULD_FAIL, the sentence is the compiler's.
--renew asks only for those that are missing or no longer right. Without either, checks that every file has its entry, with its code, and that the sentence is one that the file's test expects; the tests hold the
compilers to that. --write asks the compiler for all sentences (g++: it prints them whole) and writes the entries anew.
"""
import concurrent.futures
import difflib
import os
import pathlib
import re
import subprocess
import sys

BEGIN, END = "<!-- all errors: written by test/tools/errors_page.py -->", "<!-- /all errors -->"
CONDITIONAL = re.compile(r"^#(ifdef SHOULD_FAIL|if defined\(SHOULD_FAIL\)|ifndef SHOULD_FAIL)\n(.*?)(?:^#else\n(.*?))?^#endif", re.M | re.S)
EXPECT = re.compile(r"^// expect(?:-early)?: (.+?)\s*$", re.M)
CODE = re.compile(r"^// code: ", re.M)
ERROR = re.compile(r"error: (?:static assertion failed(?: due to requirement '.*?')?: |call to .*? declared with attribute error: )?(.*)")
DELETED = re.compile(r'use of deleted function.*? ESPALIER_DELETED\("(.*?)"\);', re.S)  # a member that does not exist, and its reason
ENTRY = re.compile(r"^### (\w+)\n\n```diff\n(.*?)\n```\n\n> (.*?)\n", re.M | re.S)


def branches(text):
    """(wrong, right): the lines that a mistake has, and those that are there without it."""
    wrong, right = [], []
    for kind, first, second in CONDITIONAL.findall(text):
        bad, good = (first, second) if kind != "ifndef SHOULD_FAIL" else (second, first)
        wrong += bad.splitlines()
        right += good.splitlines()
    return wrong, right


def difference(text):
    """Lines of both branches as a diff, without its heads."""
    wrong, right = branches(text)
    lines = difflib.ndiff(wrong, right)
    return "\n".join(line.rstrip() for line in lines if not line.startswith("?")).replace("-->", "-- >")


def sources(root):
    return sorted((root / "test/compile_fail").glob("*.cpp"))


def sentence(command, root, path):
    """What the compiler says first of the mistake."""
    if CODE.search(path.read_text(encoding="utf-8")):
        command = [word for word in command if word != "-fsyntax-only"] + ["-c", "-o", os.devnull]
    done = subprocess.run([*command, "-DSHOULD_FAIL", "-fmax-errors=1", str(path.relative_to(root))], capture_output=True, text=True, errors="replace", cwd=root)
    found = DELETED.search(done.stdout + done.stderr) or ERROR.search(done.stdout + done.stderr)
    return found.group(1).strip() if found else ""


def outside_of_code(change, text):
    """A text whose parts outside of `code` are changed."""
    return "`".join(part if i % 2 else change(part) for i, part in enumerate(text.split("`")))


def escaped(said):
    """A sentence as Markdown shows it: without a backslash, <S> would be a tag, and [](auto x) a link."""
    return outside_of_code(lambda part: re.sub(r"([<\[])", r"\\\1", part), said)


def unescaped(shown):
    return outside_of_code(lambda part: re.sub(r"\\([<\[])", r"\1", part), shown)


def entry(path, said):
    return f"### {path.stem}\n\n```diff\n{difference(path.read_text(encoding='utf-8'))}\n```\n\n> {escaped(said)}\n"


def entries_of(text):
    return {name: (shown, unescaped(said)) for name, shown, said in ENTRY.findall(text)}


def fault_of(path, entries):
    """What is wrong with a file's entry, or nothing."""
    source = path.read_text(encoding="utf-8")
    if path.stem not in entries:
        return f"docs/errors.md has no entry for {path.stem}"
    shown, said = entries[path.stem]
    if shown != difference(source):
        return f"docs/errors.md: the code of {path.stem} is no longer that of its file"
    if not any(re.search(pattern, said) for pattern in EXPECT.findall(source)):
        return f"docs/errors.md: the test of {path.stem} does not expect its sentence: {said}"
    return ""


def write(root, command, every):
    """Writes the list, with the sentences that the compiler says anew: every one, or those whose entries are not right. Returns the silent ones."""
    page = root / "docs/errors.md"
    text = page.read_text(encoding="utf-8")
    entries = entries_of(text)
    asked = [path for path in sources(root) if every or fault_of(path, entries)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        new = dict(zip(asked, pool.map(lambda path: sentence(command, root, path), asked)))
    listed = "\n".join(entry(path, new[path] if path in new else entries[path.stem][1]) for path in sources(root))
    head = text[:text.index(BEGIN)] if BEGIN in text else text.rstrip("\n") + "\n\n"
    page.write_text(f"{head}{BEGIN}\n\n{listed}\n{END}\n", encoding="utf-8")
    return [path.stem for path, words in new.items() if not words]


def faults(root):
    entries = entries_of((root / "docs/errors.md").read_text(encoding="utf-8"))
    known = {path.stem for path in sources(root)}
    found = [fault for fault in (fault_of(path, entries) for path in sources(root)) if fault]
    return found + [f"docs/errors.md: there is no error {name}" for name in entries if name not in known]


def main(words):
    root = pathlib.Path(words[0]).resolve()
    if words[1:2] in (["--write"], ["--renew"]):
        silent = write(root, words[2:], words[1] == "--write")
        print(f"no sentence: {' '.join(silent)}" if silent else "written")
        return 1 if silent else 0
    found = faults(root)
    print("\n".join(found) if found else f"docs/errors.md has all {len(sources(root))} errors")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
