# SPDX-License-Identifier: BSL-1.0
"""Shapes of SVG pictures that are readable on a light and on a dark page: their colours are classes of one style."""
import html

# class: (fill, stroke) on a light page, the same on a dark one
FILLS = {"grey": ("#eef1f4", "#8b949e", "#262c34", "#8b949e"), "blue": ("#dce6f8", "#6480b4", "#1c3358", "#6ca4f8"),
         "green": ("#d8efd8", "#5f9460", "#1d4428", "#57ab5a"), "yellow": ("#fff2c8", "#a8872f", "#4a3a10", "#d4a72c"),
         "red": ("#fbdcd5", "#c4604a", "#4d1f18", "#f0705a"), "violet": ("#e8defa", "#8460b4", "#36234f", "#b58af0"),
         "teal": ("#d0efec", "#3f8f88", "#123f3c", "#4fc0b6"), "faster": ("#4a78c0", "#4a78c0", "#6ca4f8", "#6ca4f8"), "slower": ("#c4502f", "#c4502f", "#f0705a", "#f0705a"),
         "plain": ("#ffffff", "#8b949e", "#0d1117", "#8b949e")}
PAGE, INK, MUTED = ("#ffffff", "#0d1117"), ("#1f2328", "#e6edf3"), ("#57606a", "#9198a1")


def style():
    light = "".join(f".{name}{{fill:{a};stroke:{b}}}" for name, (a, b, _, _) in FILLS.items())
    dark = "".join(f".{name}{{fill:{a};stroke:{b}}}" for name, (_, _, a, b) in FILLS.items())

    def rest(k):
        return (f".page{{fill:{PAGE[k]}}}text,.ink{{fill:{INK[k]}}}.muted{{fill:{MUTED[k]}}}.line{{fill:none;stroke:{MUTED[k]};stroke-width:1.3}}"
                f".head{{fill:{MUTED[k]}}}")
    return f"<style>{rest(0)}.bold{{font-weight:bold}}.code{{font-family:monospace}}.dash{{stroke-dasharray:5 3}}{light}@media(prefers-color-scheme:dark){{{rest(1)}{dark}}}</style>"


def picture(width, height, parts, title):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="sans-serif" font-size="12" '
            f'text-anchor="middle">\n<title>{html.escape(title)}</title>\n{style()}\n'
            '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="head" d="M0 0L8 4L0 8z"/></marker></defs>\n'
            f'<rect class="page" width="{width}" height="{height}"/>\n' + "\n".join(parts) + "\n</svg>\n")


def text(x, y, words, name="", anchor="", size=0):
    return (f'<text x="{x:g}" y="{y:g}"' + (f' class="{name}"' if name else "") + (f' text-anchor="{anchor}"' if anchor else "")
            + (f' font-size="{size}"' if size else "") + f">{html.escape(words, quote=False)}</text>")


def box(x, y, width, height, name="plain", round_by=4):
    return f'<rect class="{name}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{round_by}"/>'


def labelled(x, y, width, height, name, *lines):
    """A box with lines of text in its middle."""
    first = y + height / 2 + 4 - 8 * (len(lines) - 1)
    return [box(x, y, width, height, name)] + [text(x + width / 2, first + 16 * k, line) for k, line in enumerate(lines)]


def arrow(*points, name=""):
    path = "M" + "L".join(f"{x:g} {y:g}" for x, y in points)
    return f'<path class="line{" " + name if name else ""}" d="{path}" marker-end="url(#head)"/>'


def circle(x, y, radius, name):
    return f'<circle class="{name}" cx="{x:g}" cy="{y:g}" r="{radius:g}"/>'
