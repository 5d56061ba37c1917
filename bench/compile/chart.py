# SPDX-License-Identifier: BSL-1.0
"""The series of run.py as a picture: seconds and memory over depth and over width, a line for each compiler."""

WIDTH, HEIGHT, LEFT, TOP, GAP = 330, 200, 60, 40, 90
COLOURS = ["#1f5fa8", "#c2571a", "#3c7d3c"]
PANELS = [("depth", "blocks", "seconds", "s"), ("depth", "blocks", "megabytes", "MB"), ("width", "units", "seconds", "s"), ("width", "units", "megabytes", "MB")]


def series(rows, beginning, what):
    """compiler -> [(x, y)], without -g."""
    lines = {}
    for row in rows:
        name = row["case"].split()
        if len(name) == 2 and name[0] == beginning and not row["debug"] and row["seconds"] is not None:
            lines.setdefault(row["compiler"], []).append((int(name[1]), row[what]))
    return lines


def rounded_up(value):
    """The next of 1, 2, 2.5, 5 times a power of ten."""
    power = 1.0
    while power * 10 <= value:
        power *= 10
    while power > value:
        power /= 10
    return next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= value)


def panel(lines, left, top, title):
    """Equal steps for each doubling along x; y from 0."""
    places = sorted({x for points in lines.values() for x, _ in points})
    most = rounded_up(max(y for points in lines.values() for _, y in points))

    def at(x, y):
        across = places.index(x) / max(1, len(places) - 1)
        return left + across * WIDTH, top + HEIGHT - y / most * HEIGHT

    out = [f'<text x="{left}" y="{top - 12}" font-weight="bold">{title}</text>']
    for k in range(5):
        y = top + HEIGHT - k * HEIGHT / 4
        out.append(f'<line x1="{left}" x2="{left + WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
                   f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{most * k / 4:g}</text>')
    for x in places:
        out.append(f'<text x="{at(x, 0)[0]:.1f}" y="{top + HEIGHT + 16}" text-anchor="middle">{x}</text>')
    for number, (name, points) in enumerate(sorted(lines.items())):
        corners = [at(x, y) for x, y in sorted(points)]
        colour = COLOURS[number % len(COLOURS)]
        out.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in corners)}"/>')
        out.append(f'<text x="{left + 8}" y="{top + 14 + 15 * number}" fill="{colour}">{name}</text>')
    return out


def drawn(rows):
    parts = []
    for number, (beginning, unit, what, sign) in enumerate(PANELS):
        lines = series(rows, beginning, what)
        if lines:
            parts += panel(lines, LEFT + number % 2 * (WIDTH + GAP), TOP + number // 2 * (HEIGHT + GAP), f"{beginning} ({unit}): {sign}")
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + 2 * WIDTH + GAP + 30}" height="{TOP + 2 * HEIGHT + GAP + 40}" '
            'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>' + "\n".join(parts) + "</svg>\n")
