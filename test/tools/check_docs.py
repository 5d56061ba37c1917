#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks that the code in the documentation is code that is compiled and tested:  check_docs.py ROOT [--write]

Every block of README.md and docs/**/*.md follows a line

    <!-- file: docs/examples/own_op.cpp -->              the whole file
    <!-- file: docs/examples/own_op.cpp [softplus] -->   the lines between `// [softplus]` and `// [/softplus]`
                                                         (or `# [softplus]` and `# [/softplus]`)
    <!-- file: docs/examples/course_training.txt [2-3] -->   lines 2 to 3 of a text

and must equal that text (common indentation and blank lines at the ends aside). A line without its block, and a region without a line of text, are errors. Free of it are commands (```sh, ```make), formulas (```math), drawings (```text) of docs/design,
what errors_page.py writes into docs/errors.md, and blocks other than of C++ after a line

    <!-- not a file: REASON -->     or     <!-- error: ... -->, which error_blocks.py checks

C++ comes from sources of docs/examples, docs/browser, test, bench or include (check_lists.py sees to it that they are compiled). C++ in the disguise of an indented
block or of a fence of tildes is no way around.
--write puts the text of the files into the documentation.
"""
import pathlib
import re
import sys
import textwrap

MARK = re.compile(r"^<!-- file: (\S+?)(?: \[([\w-]+)\])? -->$")
REASON = re.compile(r"^<!-- (?:not a file|error): (\S.*) -->$")
OPEN = re.compile(r"^```([\w+]*)$")
FENCE = re.compile(r"^\s*(```|~~~)")
LINES = re.compile(r"^(\d+)-(\d+)$")
CODE = {"c", "cc", "cpp", "cxx", "c++", "cu", "cuda", "h", "hpp"}
FREE = {"sh", "make", "math"}
LANGUAGE = {".cu": "cpp", ".cuh": "cpp", ".h": "cpp", ".hpp": "cpp", ".cpp": "cpp", ".py": "python", ".build": "meson"}
WRITTEN_BY_TOOLS = {"docs/errors.md"}


def excerpt(root, name, region):
    """The text that a mark names; raises ValueError with a sentence."""
    path = root / name
    if not path.is_file():
        raise ValueError(f"{name} does not exist")
    lines = path.read_text(encoding="utf-8").splitlines()
    if region and LINES.match(region):
        first, last = map(int, LINES.match(region).groups())
        if not 1 <= first <= last <= len(lines):
            raise ValueError(f"{name} has no lines {region}")
        lines = lines[first - 1:last]
    elif region:
        begin = [i for i, line in enumerate(lines) if line.strip() in (f"// [{region}]", f"# [{region}]")]
        end = [i for i, line in enumerate(lines) if line.strip() in (f"// [/{region}]", f"# [/{region}]")]
        if len(begin) != 1 or len(end) != 1 or end[0] < begin[0]:
            raise ValueError(f"{name} has not exactly one region [{region}]")
        lines = lines[begin[0] + 1:end[0]]
    text = textwrap.dedent("\n".join(lines)).strip("\n")
    if not text.strip():
        raise ValueError(f"{name}" + (f" [{region}]" if region else "") + " is empty")
    return text


def pages(root):
    return [p for p in [root / "README.md", *sorted((root / "docs").rglob("*.md"))] if p.is_file()]


def unmarked(name, language, reason):
    """What is wrong with a block that follows no file, or nothing."""
    if language in CODE:
        return f"a ```{language} block without a line <!-- file: PATH --> before it"
    drawing = language == "text" and str(name).startswith("docs/design/")
    if language in FREE or reason or drawing or str(name) in WRITTEN_BY_TOOLS:
        return None
    return f"a ```{language} block without a line <!-- file: PATH --> or <!-- not a file: REASON --> before it"


def with_missing_blocks(name, lines, found, write):
    """The lines; after each mark that no block follows, a sentence about it, or with `write` an empty block to be filled."""
    result, inside = [], False
    for at, line in enumerate(lines):
        result.append(line)
        if line.startswith("```"):
            inside = not inside
        mark = MARK.match(line)
        if inside or not (mark or REASON.match(line)):
            if not inside and re.match(r"\s*<!-*\s*(?:file\b|not a file\b)", line, re.IGNORECASE):
                found.append(f"{name}:{at + 1}: no mark: write <!-- file: PATH [REGION] --> or <!-- not a file: REASON --> at the first column")
            continue
        following = next((text for text in lines[at + 1:] if text.strip()), "")
        if OPEN.match(following):
            continue
        if mark and write:
            result += ["```" + LANGUAGE.get(pathlib.PurePath(mark[1]).suffix, "text"), "```"]
        else:
            found.append(f"{name}:{at + 1}: no block follows this line" + (", write it with --write" if mark else ""))
    return result


def check(root, page, found, write=False):
    name = page.relative_to(root)
    before = page.read_text(encoding="utf-8").splitlines()
    lines = with_missing_blocks(name, before, found, write)
    mark, reason, at, result = None, None, 0, []
    while at < len(lines):
        line = lines[at]
        opened = OPEN.match(line)
        if not opened:
            if FENCE.match(line):
                found.append(f"{name}:{at + 1}: a block begins with ``` and its language, at the first column")
            if line.startswith("    ") and not lines[at - 1].strip():
                found.append(f"{name}:{at + 1}: an indented block: write it between ``` and ```")
            if line.strip():
                mark, reason = MARK.match(line), REASON.match(line)
            result.append(line)
            at += 1
            continue
        end = next((i for i in range(at + 1, len(lines)) if lines[i] == "```"), None)
        if end is None:
            found.append(f"{name}:{at + 1}: the block has no end")
            return
        block = lines[at + 1:end]
        if mark:
            if opened[1] in CODE and not re.match(r"(?:docs/examples|docs/browser|test|bench|include)/.+\.(?:cpp|hpp|cu|cuh|h)$", mark[1]):
                found.append(f"{name}:{at + 1}: {mark[1]} is no file of C++ that is compiled")
            try:
                wanted = excerpt(root, mark[1], mark[2])
                if "\n".join(block).strip("\n") != wanted and not write:
                    found.append(f"{name}:{at + 1}: the block differs from {mark[1]}" + (f" [{mark[2]}]" if mark[2] else ""))
                if write:
                    block = wanted.splitlines()
            except ValueError as sentence:
                found.append(f"{name}:{at + 1}: {sentence}")
        elif wrong := unmarked(name, opened[1], reason):
            found.append(f"{name}:{at + 1}: {wrong}")
        if not write and not "".join(block).strip():
            found.append(f"{name}:{at + 1}: an empty block")
        result += [line, *block, "```"]
        mark, reason, at = None, None, end + 1
    if write and result != before:
        page.write_text("\n".join(result) + "\n", encoding="utf-8")


def violations(root, write=False):
    root, found = pathlib.Path(root), []
    for page in pages(root):
        check(root, page, found, write)
    return found


if __name__ == "__main__":
    arguments = [a for a in sys.argv[1:] if a != "--write"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    all_found = violations(arguments[0], "--write" in sys.argv)
    print("\n".join(all_found) or "the code in the documentation is the code of its files")
    sys.exit(1 if all_found else 0)
