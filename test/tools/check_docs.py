#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks that the code in the documentation is code that is compiled and tested:  check_docs.py ROOT [--write]

Every ```cpp block of README.md and docs/**/*.md, and every other block that has such a line, follows a line

    <!-- file: docs/examples/own_op.cpp -->              the whole file
    <!-- file: docs/examples/own_op.cpp [softplus] -->   the lines between `// [softplus]` and `// [/softplus]`
                                                         (or `# [softplus]` and `# [/softplus]`)

and must equal that text (common indentation and blank lines at the ends aside). Links to files of the repository must lead somewhere.
--write puts the text of the files into the documentation.
"""
import pathlib
import re
import sys
import textwrap

MARK = re.compile(r"^<!-- file: (\S+?)(?: \[([\w-]+)\])? -->$")
OPEN = re.compile(r"^```(\w*)$")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def excerpt(root, name, region):
    """The text that a mark names; raises ValueError with a sentence."""
    path = root / name
    if not path.is_file():
        raise ValueError(f"{name} does not exist")
    lines = path.read_text(encoding="utf-8").splitlines()
    if region:
        begin = [i for i, line in enumerate(lines) if line.strip() in (f"// [{region}]", f"# [{region}]")]
        end = [i for i, line in enumerate(lines) if line.strip() in (f"// [/{region}]", f"# [/{region}]")]
        if len(begin) != 1 or len(end) != 1 or end[0] < begin[0]:
            raise ValueError(f"{name} has not exactly one region [{region}]")
        lines = lines[begin[0] + 1:end[0]]
    return textwrap.dedent("\n".join(lines)).strip("\n")


def pages(root):
    return [p for p in [root / "README.md", *sorted((root / "docs").rglob("*.md"))] if p.is_file()]


def check(root, page, found, write=False):
    lines = page.read_text(encoding="utf-8").splitlines()
    name = page.relative_to(root)
    mark, at, result = None, 0, []
    while at < len(lines):
        line = lines[at]
        opened = OPEN.match(line)
        if not opened:
            for target in LINK.findall(line):
                if not re.match(r"\w+:", target) and not (page.parent / target).exists():
                    found.append(f"{name}:{at + 1}: the link to {target} leads nowhere")
            if line.strip():
                mark = MARK.match(line)
            result.append(line)
            at += 1
            continue
        end = next((i for i in range(at + 1, len(lines)) if lines[i] == "```"), None)
        if end is None:
            found.append(f"{name}:{at + 1}: the block has no end")
            return
        block = lines[at + 1:end]
        if mark:
            try:
                wanted = excerpt(root, mark[1], mark[2])
                if "\n".join(block).strip("\n") != wanted and not write:
                    found.append(f"{name}:{at + 1}: the block differs from {mark[1]}" + (f" [{mark[2]}]" if mark[2] else ""))
                if write:
                    block = wanted.splitlines()
            except ValueError as sentence:
                found.append(f"{name}:{at + 1}: {sentence}")
        elif opened[1] == "cpp":
            found.append(f"{name}:{at + 1}: a ```cpp block without a line <!-- file: PATH --> before it")
        result += [line, *block, "```"]
        mark, at = None, end + 1
    if write and result != lines:
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
