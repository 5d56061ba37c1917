# SPDX-License-Identifier: BSL-1.0
"""The series of run.py as a picture: seconds and memory over depth and over width, a line for each compiler. All axes begin at 0 and have equal steps."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs/pictures"))
import svg  # noqa: E402

WIDTH, HEIGHT, LEFT, TOP, GAP = 330, 180, 64, 96, 90
COLOURS = ["faster", "slower", "green"]
PANELS = [("depth", "residual blocks", "seconds", "seconds"), ("depth", "residual blocks", "megabytes", "MB"),
          ("width", "units of a layer", "seconds", "seconds"), ("width", "units of a layer", "megabytes", "MB")]


def series(rows, beginning, what):
    """compiler -> [(x, y)], without -g."""
    lines = {}
    for row in rows:
        name = row["case"].split()
        if len(name) == 2 and name[0] == beginning and not row["debug"] and row["seconds"] is not None:
            lines.setdefault(row["compiler"], []).append((int(name[1]), row[what]))
    return lines


def rounded_up(value):
    """The next of 1, 1.2, 1.6, 2, 4, 5, 8 times a power of ten."""
    power = 1.0
    while power * 10 <= value:
        power *= 10
    while power > value:
        power /= 10
    return next(step * power for step in (1, 1.2, 1.6, 2, 4, 5, 8, 10) if step * power >= value)


def panel(lines, left, top, unit_of_x, unit_of_y, compilers):
    most_x = max(x for points in lines.values() for x, _ in points)
    most_y = rounded_up(max(y for points in lines.values() for _, y in points))

    def at(x, y):
        return left + x / most_x * WIDTH, top + HEIGHT - y / most_y * HEIGHT
    parts = [svg.text(left - 50, top - 12, unit_of_y, "bold", "start"), svg.text(left + WIDTH / 2, top + HEIGHT + 36, unit_of_x)]
    for k in range(5):
        y, x = top + HEIGHT - k * HEIGHT / 4, left + k * WIDTH / 4
        parts += [f'<path class="line" stroke-opacity="{0.3 if k else 1}" d="M{left} {y:g}h{WIDTH}"/>', svg.text(left - 7, y + 4, f"{most_y * k / 4:g}", anchor="end"),
                  f'<path class="line" d="M{x:g} {top + HEIGHT}v4"/>', svg.text(x, top + HEIGHT + 18, f"{most_x * k / 4:g}")]
    for name, points in lines.items():
        colour = COLOURS[compilers.index(name) % len(COLOURS)]
        corners = " ".join("{:.1f},{:.1f}".format(*at(*point)) for point in sorted(points))
        parts.append(f'<polyline class="{colour}" style="fill:none" stroke-width="2" points="{corners}"/>')
        parts += [svg.circle(*(round(c, 1) for c in at(*point)), 3, colour) for point in points]
    return parts


def drawn(rows):
    compilers, parts = sorted({row["compiler"] for row in rows}), []
    for number, (beginning, unit_of_x, what, unit_of_y) in enumerate(PANELS):
        if lines := series(rows, beginning, what):
            parts += panel(lines, LEFT + number % 2 * (WIDTH + GAP), TOP + number // 2 * (HEIGHT + GAP), unit_of_x, unit_of_y, compilers)
    parts.append(svg.text(14, 24, "Compiling one training program: time and memory of the compiler", "bold", "start", 14))
    for k, name in enumerate(compilers):
        parts += [svg.box(LEFT + 110 * k, 44, 12, 12, COLOURS[k % len(COLOURS)], 2), svg.text(LEFT + 110 * k + 18, 54, name, anchor="start")]
    return svg.picture(LEFT + 2 * WIDTH + GAP + 36, TOP + 2 * HEIGHT + GAP + 50, parts, "Seconds and megabytes of the compiler over depth and width")
