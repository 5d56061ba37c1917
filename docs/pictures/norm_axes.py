# SPDX-License-Identifier: BSL-1.0
"""norm_axes.svg: a block of numbers for each norm layer; cells with one letter share statistics, as docs/examples/course_statistics.cpp finds them."""
import pathlib
import re

import svg

LETTERS = pathlib.Path(__file__).resolve().parent.parent / "examples/course_statistics.txt"
COLOURS = dict(zip("abcdefgh", ("blue", "yellow", "green", "red", "violet", "teal", "grey", "plain")))
CELL, GAP, LEFT, TOP = 22, 34, 175, 72


def block(name, letters, x):
    """One example above the other: channels downwards, positions to the right."""
    parts = [svg.text(x + 1.5 * CELL, TOP - 14, name, "bold")]
    for n, channels in enumerate(part.split() for part in letters.split("|")):
        for c, positions in enumerate(channels):
            y = TOP + n * (len(channels) * CELL + 16) + c * CELL
            for p, letter in enumerate(positions):
                parts += [svg.box(x + p * CELL, y, CELL, CELL, COLOURS[letter], 0), svg.text(x + (p + 0.5) * CELL, y + 15, letter)]
    return parts


def draw():
    layers = re.findall(r"^(\w+) +([a-h |]+?) *$", LETTERS.read_text(encoding="utf-8"), re.M)
    centred = [layer for layer in layers if layer[0] != "RMSNorm"]
    parts, x = [], LEFT
    for n in range(2):
        for c in range(4):
            y = TOP + n * (4 * CELL + 16) + c * CELL + 15
            parts.append(svg.text(LEFT - 10, y, f"{f'example {n + 1}, ' if c == 0 else ''}channel {c + 1}", anchor="end"))
    for name, letters in centred:
        parts += block(name, letters, x)
        x += 3 * CELL + GAP
    last, x = x - GAP, x + 30
    height = TOP + 2 * 4 * CELL + 16 + 50
    parts.append(f'<path class="line dash" d="M{x - 29} 14V{height - 36}"/>')
    parts += [part for name, letters in layers if name == "RMSNorm" for part in block(name, letters, x)]
    parts += [svg.text((LEFT + last) / 2, 30, "cells with one letter share one mean and one variance", "muted"),
              svg.text(x + 1.5 * CELL, 22, "no mean,", "muted"), svg.text(x + 1.5 * CELL, 37, "one mean square", "muted"),
              svg.text((LEFT + last) / 2, height - 14, "columns of a block: 3 positions of a channel; letters of different blocks are not related", "muted")]
    return svg.picture(x + 3 * CELL + 40, height, parts, "Which numbers share a statistic in five norm layers")
