#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks the navigation of the site (docs/site/mkdocs.yml):  check_site.py ROOT

Each page of the documentation is in it once, except those of the tests' folders, and each of its pages exists. The numbered pages are in their order.
"""
import importlib.util
import pathlib
import re
import sys

ENTRY = re.compile(r"^ +- (?:[\w ]+: )?([\w/.]+\.md)$", re.M)


def pages_of(root):
    spec = importlib.util.spec_from_file_location("build_site", pathlib.Path(__file__).resolve().parents[2] / "docs/site/build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [page.relative_to(root).as_posix() for page in module.pages_of(root)]


def faults_of(root):
    listed = ENTRY.findall((root / "docs/site/mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2])
    pages = [page for page in pages_of(root) if not re.match(r"test/.+/README.md", page) and (root / page).exists()]
    found = [f"{page} is not in the navigation: docs/site/mkdocs.yml lists the pages in the order of reading" for page in pages if page not in listed]
    found += [f"docs/site/mkdocs.yml: there is no {page}" for page in listed if not (root / page).exists()]
    found += [f"docs/site/mkdocs.yml has {page} twice" for page in sorted({page for page in listed if listed.count(page) > 1})]
    for folder in ("docs/", "docs/course/"):
        numbered = [page for page in listed if re.fullmatch(folder + r"\d\d_\w+\.md", page)]
        if numbered != sorted(numbered):
            found.append(f"docs/site/mkdocs.yml: the numbered pages of {folder} are not in their order")
    return found


def main():
    found = faults_of(pathlib.Path(sys.argv[1]).resolve())
    print("\n".join(found) if found else "every page is in the navigation of the site")
    return 1 if found else 0


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main())
