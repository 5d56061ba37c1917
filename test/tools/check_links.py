#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks where the documentation points to:  check_links.py ROOT

In README.md, CHANGELOG.md and docs/**/*.md each link to a file or folder of the repository leads to one, each link to a heading to a heading of that
page, and each path in back quotes that begins with a folder of the repository (`test/law`, `include/espalier.hpp`) exists. Every page of docs can be
reached from README.md (a folder shows its README.md, or all that is in it), and the numbered pages of docs and docs/course (00_....md, 01, 02 and so on)
each lead to the one before and to the next.
"""
import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`]+)`")
PATH = re.compile(r"(?:include|docs|test|bench|tools)/[\w./*-]+")
HEADING = re.compile(r"^#{1,6} (.+?)\s*$")
FENCE = re.compile(r"^\s*(```|~~~)")


def prose(page):
    """(line number, line) outside of blocks of code."""
    inside = False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if FENCE.match(line):
            inside = not inside
        elif not inside:
            yield number, line


def anchors(page):
    """The names that a page's headings have in links."""
    found = set()
    for _, line in prose(page):
        if heading := HEADING.match(line):
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).replace("`", "").lower()
            name = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            number = 1
            while name in found:
                name, number = f"{name.removesuffix(f'-{number - 1}')}-{number}", number + 1
            found.add(name)
    return found


def exists(root, path):
    return any(root.glob(path)) if "*" in path else (root / path).exists()


def check_page(root, page, found):
    """Adds the faults of a page; the files that it links to."""
    name, targets = page.relative_to(root), []
    for number, line in prose(page):
        for link in LINK.findall(re.sub(r"`[^`]*`", "", line)):
            if re.match(r"[\w+.-]+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            if not target.exists():
                found.append(f"{name}:{number}: the link to {path} leads nowhere")
                continue
            targets.append(target)
            if anchor and target.suffix == ".md" and anchor not in anchors(target):
                found.append(f"{name}:{number}: {path or 'the page'} has no heading {anchor}")
        for word in CODE.findall(line):
            if PATH.fullmatch(word) and not exists(root, word):
                found.append(f"{name}:{number}: there is no {word}")
    return targets


def check_chain(root, links, found):
    """The numbered pages: each leads to its neighbours."""
    for folder in (root / "docs", root / "docs/course"):
        pages = sorted(folder.glob("[0-9][0-9]_*.md"))
        for page, other in [*zip(pages, pages[1:]), *zip(pages[1:], pages)]:
            if other.resolve() not in links[page.resolve()]:
                found.append(f"{page.relative_to(root)}: no link to {other.name}")


def violations(root):
    root, found = pathlib.Path(root).resolve(), []
    pages = [p for p in [root / "README.md", root / "CHANGELOG.md", *sorted((root / "docs").rglob("*.md"))] if p.is_file()]
    links = {page: check_page(root, page, found) for page in pages}
    check_chain(root, links, found)
    reached, ahead = set(), [root / "README.md"]
    while ahead:
        page = ahead.pop()
        if page.is_dir():
            ahead += [page / "README.md"] if (page / "README.md").is_file() else page.glob("*.md")
        elif page not in reached:
            reached.add(page)
            ahead += links.get(page, [])
    found += [f"{page.relative_to(root)}: no link leads here from README.md" for page in pages if page not in reached and page.name != "CHANGELOG.md"]
    return found


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    all_found = violations(sys.argv[1])
    print("\n".join(all_found) or "every link of the documentation leads somewhere")
    sys.exit(1 if all_found else 0)
