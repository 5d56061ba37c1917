# SPDX-License-Identifier: BSL-1.0
"""dropout_mask.svg: one batch under dropout, in two steps of training and in evaluation."""
import svg

VALUES = [[1, 2, 3, 4], [2, 2, 1, 3], [4, 1, 2, 2]]
MASKS = [["1011", "0110", "1101"], ["0101", "1110", "1001"]]  # written down; the library takes them from Philox
CELL, GAP, TOP = 30, 40, 52


def table(x, title, below, values):
    parts = [svg.text(x + 2 * CELL, TOP - 16, title, "bold"), svg.text(x + 2 * CELL, TOP + 3 * CELL + 20, below, "muted")]
    for r, row in enumerate(values):
        for c, value in enumerate(row):
            parts += [svg.box(x + c * CELL, TOP + r * CELL, CELL, CELL, "green" if value else "grey", 0),
                      svg.text(x + (c + 0.5) * CELL, TOP + r * CELL + 20, str(value), "" if value else "muted")]
    return parts


def draw():
    x, parts = 16, []
    masked = [[[2 * v * int(k) for v, k in zip(row, keep)] for row, keep in zip(VALUES, mask)] for mask in MASKS]
    for title, below, values in (("x", "3 examples, 4 features", VALUES), ("training, step 1", "2x where kept, else 0", masked[0]),
                                 ("training, step 2", "a new mask", masked[1]), ("evaluation", "x itself", VALUES)):
        parts += table(x, title, below, values)
        x += 4 * CELL + GAP
    parts.append(svg.text((x - GAP + 16) / 2, TOP + 3 * CELL + 44, "Dropout<0.5>: half of the values survive and are divided by 0.5, so that the expectation of each is x"))
    return svg.picture(x - GAP + 16, TOP + 3 * CELL + 58, parts, "Masks of dropout in training and evaluation")
