#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Builds the API reference and fails on any warning of doxygen:  check_api.py ROOT [--output DIR]

The pages go to DIR/html; without a DIR they are only looked at: the doc block of `matmul` must be there with its words in bold, and
nothing of a namespace detail. Ends with 77 (skipped) where there is no doxygen. The headers go through tools/doc_blocks.py here, all in
one process; called alone (doxygen docs/Doxyfile), doxygen starts it for each.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from doc_blocks import filtered  # noqa: E402


def build(root, output, scratch):
    """Runs doxygen on rewritten headers; what it had to say."""
    for header in [*root.glob("include/**/*.hpp"), *root.glob("include/**/*.cuh")]:
        copy = scratch / header.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(filtered(header.read_text(encoding="utf-8")), encoding="utf-8")
    settings = (root / "docs/Doxyfile").read_text(encoding="utf-8")
    for name, value in {"OUTPUT_DIRECTORY": output, "INPUT": f'docs/api.md" "{scratch}/include', "STRIP_FROM_PATH": f"{scratch}/include",
                        "STRIP_FROM_INC_PATH": f"{scratch}/include", "INPUT_FILTER": ""}.items():
        settings += f'\n{name} = "{value}"'
    run = subprocess.run(["doxygen", "-"], cwd=root, input=settings + "\n", capture_output=True, text=True)
    said = [line.replace(f"{scratch}/", "") for line in (run.stdout + run.stderr).splitlines() if line.strip()]
    if run.returncode != 0:
        said.append(f"doxygen ends with {run.returncode}")
    return said


def faults(html, wanted="operation/matmul.hpp", name="matmul"):
    """What is wrong with the pages."""
    pages = list(html.rglob("*.html"))
    found = []
    if not any("<b>shape</b>" in text and name in text for text in (p.read_text(encoding="utf-8") for p in pages)):
        found.append(f"no page has {name} of {wanted} with its words in bold")
    found += [f"{p.name}: a page about a namespace detail" for p in pages if "detail" in p.name.replace("_", " ").split()]
    found += [f"{p.name}: a page about a namespace detail" for p in pages if "_1_1detail" in p.name]
    return found


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("root", type=pathlib.Path)
    arguments.add_argument("--output", type=pathlib.Path)
    options = arguments.parse_args()
    if shutil.which("doxygen") is None:
        print("skipped: there is no doxygen")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        output = options.output.resolve() if options.output else pathlib.Path(folder) / "pages"
        output.mkdir(parents=True, exist_ok=True)
        found = build(options.root.resolve(), output, pathlib.Path(folder).resolve())
        found = found or faults(output / "html")
    print("\n".join(found) or "the API reference builds without warnings" + (f": {output}/html/index.html" if options.output else ""))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
