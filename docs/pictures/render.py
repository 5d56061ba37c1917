#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Draws the pictures of this folder anew:  render.py DRAW DOT FOLDER

DRAW is the program docs/examples/draw.cpp, DOT that of graphviz; FOLDER is where the .svg files go.
"""
import pathlib
import re
import subprocess
import sys
import tempfile


def smaller(svg):
    """Without comments, and without titles, which repeat the names of nodes."""
    svg = re.sub(r"<!--.*?-->\n?", "", svg, flags=re.S)
    return re.sub(r"<title>n?[a-z]*\d*(&#45;&gt;[a-z]+\d*)?</title>\n?", "", svg)


def main():
    draw, dot, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    with tempfile.TemporaryDirectory() as drawn:
        subprocess.run([str(pathlib.Path(draw).resolve()), drawn], check=True)
        for path in sorted(pathlib.Path(drawn).iterdir()):
            text = path.read_text(encoding="utf-8")
            if path.suffix == ".dot":
                text = smaller(subprocess.run([dot, "-Tsvg", str(path)], capture_output=True, text=True, check=True).stdout)
            (folder / f"{path.stem}.svg").write_text(text, encoding="utf-8")
            print(f"{path.stem}.svg: {len(text) // 1000} kB")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main()
