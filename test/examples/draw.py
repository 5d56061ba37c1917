#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compares the pictures of docs/pictures with what is drawn now:  draw.py PROGRAM EXAMPLES/data

PROGRAM is docs/examples/draw.cpp. Its maps of memory and the pictures of scripts are compared letter by letter; of what graphviz renders, the digest
of its source that the picture names (docs/pictures/render.py). No picture is left over.
"""
import pathlib
import subprocess
import sys
import tempfile


def differences(drawn, pictures):
    """The names of pictures that are missing, are left over, or show something else."""
    sys.path.insert(0, str(pictures))
    import render
    shown = {path.name: path.read_text(encoding="utf-8") for path in pictures.glob("*.svg")}
    found = [f"{name}.svg" for name, text in render.scripted().items() if shown.pop(f"{name}.svg", "") != text]
    for path in sorted(drawn.iterdir()):
        text, picture = path.read_text(encoding="utf-8"), shown.pop(f"{path.stem}.svg", "")
        if not (picture == text if path.suffix == ".svg" else render.digest(text) in picture):
            found.append(f"{path.stem}.svg")
    return found + sorted(shown)


def main():
    program, pictures = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve().parents[1] / "pictures"
    sys.dont_write_bytecode = True
    with tempfile.TemporaryDirectory() as drawn:
        subprocess.run([str(program), drawn], check=True)
        if found := differences(pathlib.Path(drawn), pictures):
            sys.exit(f"docs/pictures is out of date (meson compile -C build pictures draws it anew): {', '.join(found)}")


if __name__ == "__main__":
    main()
