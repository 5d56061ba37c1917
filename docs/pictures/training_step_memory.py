# SPDX-License-Identifier: BSL-1.0
"""training_step_memory.svg: the memory of one step of training over time, counted for three layers of 256 units and one of 10, batch 1024, Adam."""
import svg

WIDTHS, BATCH, BYTES = [256, 256, 256, 256, 10], 1024, 4
LEFT, TOP, WIDTH, HEIGHT, MOST = 60, 54, 560, 220, 7.0  # MOST: MiB at the top


def phases():
    """(phase, label, MiB of parameters, optimizer state, gradients of parameters, activations, gradient of the activation) of each step of time."""
    mib = 2 ** 20 / BYTES
    weights = [(a * b + b) / mib for a, b in zip(WIDTHS, WIDTHS[1:])]
    activations = [BATCH * b / mib for b in WIDTHS[1:]]
    rows, all_weights, layers = [], sum(weights), len(weights)
    for k in range(layers):
        rows.append(("forward", str(k + 1), all_weights, 2 * all_weights, 0, sum(activations[:k + 1]), 0))
    for k in reversed(range(layers)):
        rows.append(("backward", str(k + 1), all_weights, 2 * all_weights, sum(weights[k:]), sum(activations[:k]), activations[k]))
    return rows + [("update", "", all_weights, 2 * all_weights, all_weights, 0, 0)]


def draw():
    rows = phases()
    names = [("grey", "parameters"), ("violet", "state of Adam: two numbers for each parameter"), ("blue", "gradients of parameters"),
             ("green", "results of layers, kept for the backward pass"), ("red", "gradient of a result")]
    column, parts = WIDTH / len(rows), []
    for value in range(int(MOST) + 1):
        y = TOP + HEIGHT - value / MOST * HEIGHT
        parts += [f'<path class="line" stroke-opacity=".25" d="M{LEFT} {y:g}h{WIDTH}"/>', svg.text(LEFT - 8, y + 4, f"{value} MiB" if value else "0", anchor="end")]
    for k, (phase, label, *sizes) in enumerate(rows):
        y = TOP + HEIGHT
        for (name, _), size in zip(names, sizes):
            height = size / MOST * HEIGHT
            y -= height
            if height > 0:
                parts.append(svg.box(LEFT + k * column, round(y, 2), column, round(height, 2), name, 0))
        parts.append(svg.text(LEFT + (k + 0.5) * column, TOP + HEIGHT + 16, f"layer {label}" if label else "", "muted", size=11))
    for phase in ("forward", "backward", "update"):
        places = [k for k, row in enumerate(rows) if row[0] == phase]
        parts.append(svg.text(LEFT + (places[0] + places[-1] + 1) / 2 * column, TOP + HEIGHT + 34, phase, "bold"))
        if places[0]:
            parts.append(f'<path class="line dash" d="M{LEFT + places[0] * column:g} {TOP - 8}V{TOP + HEIGHT + 38}"/>')
    for k, (name, words) in enumerate(reversed(names)):
        parts += [svg.box(LEFT + WIDTH + 16, TOP + 4 + 24 * k, 14, 14, name, 2), svg.text(LEFT + WIDTH + 36, TOP + 15 + 24 * k, words, anchor="start")]
    parts.append(svg.text(LEFT, 22, "One step of training: three layers of 256 units and one of 10, batch 1024, float32", "bold", "start", 13))
    return svg.picture(960, TOP + HEIGHT + 50, parts, "The memory of one step of training over time")
