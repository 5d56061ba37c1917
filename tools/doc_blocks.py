#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Doc blocks as doxygen wants them:  doc_blocks.py HEADER   (docs/Doxyfile names it as INPUT_FILTER)

The headers are written for their readers; what doxygen would misread is rewritten here, line by line, so that its warnings name the right lines:

    /// shape   S -> S            a list item, its word in bold; lines below it that are indented continue it
    ///   f<S>()     says         a list item, its left part as code
    ///     auto y = f(x);        code
    /// vector<int> and #if       text is text: neither HTML nor commands nor links
    /// Words above namespace     a block at the head of a file describes the file

What stands in a namespace detail is left out.
"""
import re
import sys

BLOCK = re.compile(r"^(\s*)///(?![/<]) ?(.*)$")
BEHIND = re.compile(r"^(.*\S.*///<)(.*)$")
ITEM = re.compile(r"^([A-Za-z0-9]+(?: [a-z]+)?) {2,}(\S.*)$")
ROW = re.compile(r"^ {1,3}(\S.*?) {2,}(\S.*)$")
DETAIL = re.compile(r"^namespace (\w+::)*detail \{$")
NO_CODE = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)\'|//.*')
FILE_FOLLOWS = re.compile(r"^\s*(#include|#pragma|#if|namespace\b|$)")


def escaped(text):
    """Text that neither Markdown nor doxygen takes for more; what stands between backticks stays."""
    parts = re.split(r"(`[^`]*`)", text)
    for i in range(0, len(parts), 2):
        part = re.sub(r"([\\@#%]|(?<!\w)::)", r"\\\1", parts[i])
        parts[i] = part.replace("<", "&lt;").replace(">", "&gt;").replace("*", "&#42;").replace("~", "&#126;")
    return "".join(parts)


def rewritten(block):
    """The bodies of one block, as many as before."""
    result, state = [], "text"
    for number, body in enumerate(block):
        indent = len(body) - len(body.lstrip(" "))
        item, row = ITEM.match(body), ROW.match(body)
        if item:
            result.append(f"- **{item[1]}** {escaped(item[2])}")
            state = "item"
        elif row and state != "code":
            result.append(f"- `{row[1]}` {escaped(row[2])}")
            state = "item"
        elif indent >= 4 and state == "item":
            result.append("  " + escaped(body.strip()))
        elif indent >= 4:
            goes_on = number + 1 < len(block) and block[number + 1].startswith("    ")
            result.append(("" if state == "code" else "\\code{.cpp} ") + body[4:] + ("" if goes_on else " \\endcode"))
            state = "code" if goes_on else "text"
        else:
            result.append(escaped(body))
            state = "text"
    return result


def without_details(lines):
    """As many lines, empty where they are in a namespace detail."""
    result, depth = [], 0
    for line in lines:
        inside = depth > 0 or DETAIL.match(line) is not None
        if inside:
            code = NO_CODE.sub("", line)
            depth += code.count("{") - code.count("}")
        result.append("" if inside else line)
    return result


def filtered(text):
    lines = without_details(text.split("\n"))
    at = 0
    while at < len(lines):
        if not BLOCK.match(lines[at]):
            behind = BEHIND.match(lines[at])
            if behind:
                lines[at] = behind[1] + escaped(behind[2])
            at += 1
            continue
        end = at
        while end < len(lines) and BLOCK.match(lines[end]):
            end += 1
        bodies = rewritten([BLOCK.match(line)[2] for line in lines[at:end]])
        if FILE_FOLLOWS.match(lines[end] if end < len(lines) else "") and not lines[at].startswith(" "):
            if at > 0 and lines[at - 1].strip() in ("", "#pragma once"):
                lines[at - 1] = "/// \\file"
        for i, body in enumerate(bodies):
            lines[at + i] = (BLOCK.match(lines[at + i])[1] + "/// " + body).rstrip()
        at = end
    return "\n".join(lines)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as header:
        sys.stdout.write(filtered(header.read()))
