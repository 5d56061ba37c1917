# SPDX-License-Identifier: BSL-1.0
"""pipeline.svg: from the function `forward` to machine code, in one row."""
import svg

STEP, TOP = 132, 58


def nodes(x, y, backward):
    """A traced program; with its backward pass in blue."""
    parts, places = [], [(0, 0), (0, 36), (34, 18), (68, 18)]
    places = [(x + a * (0.62 if backward else 1), y + b) for a, b in places]
    for a, b in ((0, 2), (1, 2), (2, 3)):
        parts.append(f'<path class="line" d="M{places[a][0]:g} {places[a][1]:g}L{places[b][0]:g} {places[b][1]:g}"/>')
    if backward:
        mirror = [(x + 84 - (px - x), py) for px, py in places[:3]]
        for a, b in ((places[3], mirror[2]), (mirror[2], mirror[0]), (mirror[2], mirror[1])):
            parts.append(f'<path class="line" d="M{a[0]:g} {a[1]:g}L{b[0]:g} {b[1]:g}"/>')
        parts += [svg.circle(px, py, 7, "blue") for px, py in mirror]
    return parts + [svg.circle(px, py, 7, "green") for px, py in places]


def draw():
    titles = [("forward", "you write it"), ("program", "traced, shapes checked"), ("gradients", "backward pass added"),
              ("kernels", "ops fused into loops"), ("memory", "every address fixed"), ("machine code", "all that runs")]
    parts = []
    for k, (title, below) in enumerate(titles):
        x = 8 + k * STEP
        parts += [svg.box(x, TOP, 118, 92, "plain"), svg.text(x + 59, TOP - 10, title, "bold", size=13), svg.text(x + 59, TOP + 112, below, "muted", size=11)]
        if k:
            parts.append(svg.arrow((x - 13, TOP + 46), (x - 2, TOP + 46)))
    x = 8
    for line, words in enumerate(("auto forward(auto x)", "const {", "  return relu(", "    layer(x));", "}")):
        parts.append(f'<text x="{x + 5}" y="{TOP + 20 + 15 * line}" class="code" text-anchor="start" font-size="9" xml:space="preserve">{words}</text>')
    parts += nodes(8 + STEP + 25, TOP + 28, False) + nodes(8 + 2 * STEP + 17, TOP + 28, True)
    x = 8 + 3 * STEP + 14
    parts += svg.labelled(x, TOP + 9, 90, 22, "green", "product + relu") + svg.labelled(x, TOP + 36, 90, 22, "green", "loss, by rows")
    parts += svg.labelled(x, TOP + 63, 90, 22, "blue", "two products")
    x = 8 + 4 * STEP + 14
    for a, b, width, height, name in ((0, 0, 64, 24, "green"), (16, 26, 40, 20, "green"), (30, 48, 24, 26, "green"), (56, 26, 34, 20, "blue"), (66, 0, 24, 24, "blue"),
                                      (54, 48, 36, 26, "blue")):
        parts.append(svg.box(x + a, TOP + 9 + b, width, height, name, 1))
    x = 8 + 5 * STEP + 8
    for line, words in enumerate(("vbroadcastss", "vfmadd231ps", "vfmadd231ps", "vmaxps", "vmovups")):
        parts.append(svg.text(x, TOP + 20 + 15 * line, words, "code", "start", 10.5))
    y = TOP + 128
    parts.append(f'<path class="line" d="M{8 + STEP} {y - 6}v6H{8 + 5 * STEP - 14}v-6"/>')
    parts += [svg.text(8 + 3 * STEP - 7, y + 17, "inside the compiler: constant evaluation of C++20"),
              svg.text(8 + 5 * STEP + 59, y + 17, "at run time")]
    parts.append(f'<path class="line" d="M{8 + 5 * STEP} {y - 6}v6H{8 + 5 * STEP + 118}v-6"/>')
    parts.append(svg.text(400, 22, "From a function to machine code", size=14))
    return svg.picture(800, 212, parts, "From forward to machine code: traced, differentiated, fused and placed in memory by the compiler")
