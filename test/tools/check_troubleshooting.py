#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks that docs/troubleshooting.md quotes errors as they are printed:  check_troubleshooting.py ROOT

A quote is a line that begins with "> ". It must occur in docs/errors.md, in what the examples print (docs/examples/*.txt) or in the texts of include/.
Three dots as one character (…) mean left-out text.
A text of include/ may be a printf format: its conversions (%s, %d) match anything. Exempt are the quotes after a line

    <!-- printed by: g++ 12 -->

which come from a compiler, a linker or the program. Each entry (### heading) has a quote.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from errors_page import unescaped  # noqa: E402

PAGE = "docs/troubleshooting.md"
OTHERS = re.compile(r"^<!-- printed by: (\S.*) -->$")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
CONVERSION = re.compile(r"%[-+ #0-9.*]*(?:hh|h|ll|l|z|j|t)?[diuxXeEfgGsc]")
LEAST = 12  # characters of a format beside its conversions: a shorter one would match almost anything


def texts_of(root):
    """All string literals of the headers; neighbors are one text."""
    for path in sorted((root / "include").rglob("*.hpp")):
        source = re.sub(r'(?<!\\)"[ \t]*\\?\n?[ \t]*"', "", path.read_text(encoding="utf-8"))
        for match in LITERAL.finditer(source):
            yield match[1].replace('\\"', '"').replace("%%", "%")


def plain(text):
    """Without line breaks, and without the backslashes by which Markdown shows <S> and [](auto x) as they are."""
    return unescaped(" ".join(text.split()))


def format_of(text):
    """The texts that a printf format prints, or nothing if it has too few characters of its own."""
    parts = CONVERSION.split(text)
    return re.compile(".+".join(map(re.escape, parts))) if len(parts) > 1 and len("".join(parts)) >= LEAST else None


def quotes_of(page):
    """Yields (line number, quote, whether the library prints it) and, for a heading without a quote, (line number, None, True)."""
    heading, others = None, False
    for number, line in enumerate(page.splitlines(), 1):
        if line.startswith("#"):
            if heading:
                yield heading, None, True
            heading = number if line.startswith("### ") else None
        elif line.startswith("> "):
            heading = None
            yield number, line[2:].strip(), not others
        if line.strip() and not line.startswith("> "):
            others = bool(OTHERS.match(line))
    if heading:
        yield heading, None, True


def violations(root):
    root, found = pathlib.Path(root), []
    texts = [plain(text) for text in texts_of(root)]
    pages = [root / "docs/errors.md", *sorted((root / "docs/examples").glob("*.txt"))]
    whole = "\n".join([plain(page.read_text(encoding="utf-8")) for page in pages] + texts)
    formats = [f for f in map(format_of, texts) if f]
    for number, quote, ours in quotes_of((root / PAGE).read_text(encoding="utf-8")):
        if quote is None:
            found.append(f"{PAGE}:{number}: the entry quotes no error")
        elif ours and not any(f.fullmatch(quote) for f in formats):
            found += [f"{PAGE}:{number}: no error has the text: {part.strip()}" for part in quote.split("…") if plain(part) not in whole]
    return found


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    all_found = violations(sys.argv[1])
    print("\n".join(all_found) or "every error that troubleshooting.md quotes is printed by the library, or is marked as another program's")
    sys.exit(1 if all_found else 0)
