#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Draws the pictures of this folder anew:  render.py DRAW DOT FOLDER

DRAW is the program docs/examples/draw.cpp, DOT that of graphviz; FOLDER is where the .svg files go. What graphviz has drawn holds a line with the digest of
its .dot file, so that a test (test/examples/draw.py) sees without graphviz whether the net is still drawn so. Each other picture is drawn by the script of
its name.
"""
import hashlib
import importlib
import pathlib
import re
import subprocess
import sys
import tempfile

SCRIPTS = ["batch_norm_modes", "dropout_mask", "norm_axes", "pipeline", "residual", "training_step_memory"]
# Colours of graphviz on a page that is dark: rules of a style win over attributes.
DARK = {"white": "#0d1117", "#e8e8e8": "#30363d", "#fff2c8": "#4a3a10", "#d8efd8": "#1d4428", "#dce6f8": "#1c3358"}


def digest(dot):
    """The line by which a picture names what it was drawn of."""
    return f"<!-- {hashlib.sha256(dot.encode()).hexdigest()} -->"


def dark_style():
    fills = "".join(f'[fill="{light}"]{{fill:{dark}}}' for light, dark in DARK.items())
    return ('<style>@media(prefers-color-scheme:dark){text{fill:#e6edf3}[stroke="black"]{stroke:#9198a1}[fill="black"]{fill:#9198a1}'
            f'[fill="#000000"]{{fill:#ffffff}}[stroke="#000000"]{{stroke:#9198a1}}text[fill]{{fill:#e6edf3}}{fills}}}</style>')


def finished(svg, dot):
    """Without comments and titles, which repeat the names of nodes; with the digest and colours for a dark page."""
    svg = re.sub(r"<!--.*?-->\n?", "", svg, flags=re.S)
    svg = re.sub(r"<title>[a-z]*\d*(&#45;&gt;[a-z]+\d*)?</title>\n?", "", svg)
    svg = svg.replace('font-family="Courier,monospace"', 'font-family="\'DejaVu Sans Mono\',Menlo,Consolas,monospace"')
    return re.sub(r"(<svg[^>]*>)", lambda begin: f"{digest(dot)}\n{begin[0]}\n{dark_style()}", svg, count=1)


def scripted():
    """name -> text of the pictures that scripts draw."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
    return {name: importlib.import_module(name).draw() for name in SCRIPTS}


def main():
    draw, dot, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    pictures = scripted()
    with tempfile.TemporaryDirectory() as drawn:
        subprocess.run([str(pathlib.Path(draw).resolve()), drawn], check=True)
        for path in sorted(pathlib.Path(drawn).iterdir()):
            text = path.read_text(encoding="utf-8")
            if path.suffix == ".dot":
                text = finished(subprocess.run([dot, "-Tsvg", str(path)], capture_output=True, text=True, check=True).stdout, text)
            pictures[path.stem] = text
    for name, text in pictures.items():
        (folder / f"{name}.svg").write_text(text, encoding="utf-8")
        print(f"{name}.svg: {len(text) // 1000} kB")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.dont_write_bytecode = True
    main()
