#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Draws the pictures of this folder anew:  render.py DRAW DOT FOLDER

DRAW is the program docs/examples/draw.cpp, DOT that of graphviz; FOLDER is where the .svg files go. What graphviz has drawn holds a line with the digest of
its .dot file, so that a test (test/examples/draw.py) sees without graphviz whether the net is still drawn so. norm_axes.svg is drawn of the letters that
docs/examples/course_statistics.cpp finds.
"""
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile

LETTERS = pathlib.Path(__file__).resolve().parent.parent / "examples/course_statistics.txt"
COLOURS = dict(zip("abcdefgh", ("#9ecae1", "#fdd0a2", "#a1d99b", "#fcbba1", "#dadaeb", "#fee391", "#ccece6", "#d9d9d9")))
CELL, GAP = 22, 34


def digest(dot):
    """The line by which a picture names what it was drawn of."""
    return f"<!-- {hashlib.sha256(dot.encode()).hexdigest()} -->"


def smaller(svg):
    """Without comments, and without titles, which repeat the names of nodes."""
    svg = re.sub(r"<!--.*?-->\n?", "", svg, flags=re.S)
    return re.sub(r"<title>n?[a-z]*\d*(&#45;&gt;[a-z]+\d*)?</title>\n?", "", svg)


def norm_axes(text):
    """A column for each layer, one example above the other: channels downwards, positions to the right; a letter and a colour for each statistic."""
    layers = re.findall(r"^(\w+) +([a-h |]+?) *$", text, re.M)
    shapes, x = [], 110
    for name, letters in layers:
        examples = [channels.split() for channels in letters.split("|")]
        shapes.append(f'<text x="{x + 1.5 * CELL}" y="20" font-weight="bold">{name}</text>')
        for n, channels in enumerate(examples):
            for c, positions in enumerate(channels):
                top = 34 + n * (len(channels) * CELL + 16) + c * CELL
                if x == 110:
                    shapes.append(f'<text x="100" y="{top + 15}" text-anchor="end">{f"example {n + 1}, " if c == 0 else ""}channel {c + 1}</text>')
                for p, letter in enumerate(positions):
                    shapes.append(f'<rect x="{x + p * CELL}" y="{top}" width="{CELL}" height="{CELL}" fill="{COLOURS[letter]}" stroke="black"/>')
                    shapes.append(f'<text x="{x + p * CELL + CELL / 2}" y="{top + 15}">{letter}</text>')
        x += 3 * CELL + GAP
    height = 34 + 2 * 4 * CELL + 16 + 12
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-60 0 {x + 60} {height}" width="{x + 60}" font-family="sans-serif" font-size="12" '
            f'text-anchor="middle">\n<rect x="-60" width="{x + 60}" height="{height}" fill="white"/>\n' + "\n".join(shapes) + "\n</svg>\n")


def main():
    draw, dot, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    with tempfile.TemporaryDirectory() as drawn:
        subprocess.run([str(pathlib.Path(draw).resolve()), drawn], check=True)
        pictures = {"norm_axes": norm_axes(LETTERS.read_text(encoding="utf-8"))}
        for path in sorted(pathlib.Path(drawn).iterdir()):
            text = path.read_text(encoding="utf-8")
            if path.suffix == ".dot":
                source = digest(text)
                text = smaller(subprocess.run([dot, "-Tsvg", str(path)], capture_output=True, text=True, check=True).stdout)
                text = text.replace("<svg", f"{source}\n<svg", 1)
            pictures[path.stem] = text
    for name, text in pictures.items():
        (folder / f"{name}.svg").write_text(text, encoding="utf-8")
        print(f"{name}.svg: {len(text) // 1000} kB")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main()
