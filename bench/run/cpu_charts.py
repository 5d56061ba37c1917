# SPDX-License-Identifier: BSL-1.0
"""The rows of run.py as charts: one for each topic, and one of six rows for the README. Rows in which espalier is slower have another colour and a word."""
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs/pictures"))
import svg  # noqa: E402

TOPICS = {  # name of the picture: (title, how the names of its rows begin)
    "cpu_normalization": ("Normalization", ("layer_norm", "batch_norm")),
    "cpu_elementwise": ("Softmax, sums and elementary functions", ("softmax", "sum", "logsumexp", "exp", "log", "tanh", "sigmoid", "erf")),
    "cpu_products": ("Matrix products, small nets and steps of training", ("matmul", "inference", "train")),
    "cpu_convolution": ("Convolution", ("conv2d",)),
}
README = {"layer_norm_forward_backward/1024x1024": "LayerNorm, forward and backward, 1024 x 1024",
          "softmax_cross_entropy_forward_backward/1024x1000": "softmax and cross entropy, 1024 x 1000",
          "inference/16-32-32-4": "one sample through a net 16-32-32-4", "train_mlp/784-128-10": "training step, net 784-128-10",
          "train_mlp_resnet/batch_norm": "training step, MLPResNet", "conv2d_forward/32x28x28x64_3x3x64": "convolution 3 x 3, 32 x 28 x 28 x 64"}
NAMES = {"onednn": "oneDNN", "onednn_winograd": "oneDNN, Winograd", "torch": "PyTorch", "eigen": "Eigen", "openblas": "OpenBLAS", "rtneural": "RTNeural",
         "rl_tools": "RLtools", "fastad": "FastAD"}
LEFT, PLOT, RIGHT, LINE, TOP = 330, 300, 350, 27, 86
SLOWER = 0.995  # what is not 1.00 in two digits


def peer_name(line):
    return NAMES.get(line["implementation"], line["implementation"])


def bar(x1, x2, y, height, ratio, pale):
    a, b = sorted((x1, x2))
    return (f'<rect class="{"slower" if ratio < SLOWER else "faster"}" x="{a:.1f}" y="{y:.1f}" width="{max(b - a, 1):.1f}" height="{height}"'
            + (' fill-opacity=".4"' if pale else "") + "/>")


def topic(title, rows, builds, compilers):
    ratios = [r.ratio(b, r.peer) for r in rows for b in builds]
    low, high = min([0.5, *filter(None, ratios)]), max([2, *filter(None, ratios)])
    low, high = 2.0 ** math.floor(math.log2(low)), 2.0 ** math.ceil(math.log2(high))

    def at(ratio):
        return LEFT + PLOT * math.log(ratio / low) / math.log(high / low)
    bottom = TOP + LINE * len(rows)
    parts = [svg.text(12, 24, title, "bold", "start", 14), svg.text(12, 44, "Time of the fastest other library / time of espalier, in one run. Right of 1 "
             "espalier is faster; left of 1, red, it is slower.", "muted", "start")]
    for k, name in enumerate(builds):
        parts += [bar(LEFT + 130 * k, LEFT + 130 * k + 12, 55, 10, 1, k), svg.text(LEFT + 130 * k + 18, 64, compilers[name], anchor="start")]
    mark = low
    while mark <= high:
        parts += [f'<path class="line"{"" if mark == 1 else " stroke-opacity=" + chr(34) + ".3" + chr(34)} d="M{at(mark):.1f} {TOP - 8}V{bottom}"/>',
                  svg.text(at(mark), bottom + 16, f"{mark:g}")]
        mark *= 2
    for i, row in enumerate(rows):
        y, found = TOP + LINE * i, [(k, row.ratio(b, row.peer), row.peer(b)) for k, b in enumerate(builds) if row.ratio(b, row.peer)]
        parts.append(svg.text(LEFT - 8, y + 15, row.name, anchor="end", size=11))
        parts += [bar(at(1), at(ratio), y + 11 * k, 9, ratio, k) for k, ratio, _ in found]
        peers = list(dict.fromkeys(peer_name(line) for _, _, line in found))
        behind = [compilers[builds[k]] for k, ratio, _ in found if ratio < SLOWER]
        word = f"slower{'' if len(behind) == len(found) else f' with {behind[0]}'}: " if behind else ""
        parts.append(svg.text(LEFT + PLOT + 14, y + 15, f"{word}{' and '.join(f'{ratio:.2f}' for _, ratio, _ in found)}, {' or '.join(peers)}",
                              "bold" if word else "", "start", 11))
    return svg.picture(LEFT + PLOT + RIGHT, bottom + 30, parts, f"{title}: the fastest other library's time by espalier's")


def readme(rows, build, compiler, facts):
    """Six rows, a loss among them, with the time of both."""
    found = {row.name: row for row in rows}
    shown = [(found[name], label) for name, label in README.items() if name in found and found[name].ratio(build, found[name].peer)]
    left, plot, line, top = 340, 250, 30, 66
    most = max([2, *(row.ratio(build, row.peer) for row, _ in shown)])
    most = math.ceil(most * 2) / 2

    def at(ratio):
        return left + plot * ratio / most
    bottom = top + line * len(shown)
    parts = [svg.text(12, 22, "How many times as fast as the fastest other library", "bold", "start", 14),
             svg.text(12, 41, f"One thread, float32, {compiler}, {facts}", "muted", "start", 11)]
    for k in range(int(most * 2) + 1):
        parts.append(f'<path class="line" stroke-opacity="{1 if k == 2 else 0.25}" d="M{at(k / 2):.1f} {top - 8}V{bottom}"/>')
        parts.append(svg.text(at(k / 2), bottom + 16, f"{k / 2:g}"))
    for i, (row, label) in enumerate(shown):
        y, ratio, peer = top + line * i, row.ratio(build, row.peer), row.peer(build)
        parts += [svg.text(left - 10, y + 15, label, anchor="end"), bar(at(0), at(ratio), y + 3, 17, ratio, False)]
        slower = "bold" if ratio < SLOWER else ""
        parts += [svg.text(left + plot + 12, y + 15, f"{ratio:.2f}{' slower' if slower else ''}", slower, "start"),
                  svg.text(left + plot + 190, y + 15, readable(row.own(build)["min_ns"]), slower, "end"),
                  svg.text(left + plot + 204, y + 15, f"{peer_name(peer)} {readable(peer['min_ns'])}", slower, "start")]
    parts.append(svg.text(left + plot + 190, top - 12, "espalier", "muted", "end"))
    return svg.picture(left + plot + 400, bottom + 26, parts, "espalier's speed by that of the fastest other library, in six rows")


def readable(nanoseconds):
    t = float(nanoseconds)
    for unit, size in (("ms", 1e6), ("us", 1e3)):
        if t >= size:
            return f"{t / size:.3g} {unit}"
    return f"{t:.3g} ns"


def charts(rows, builds, compilers, facts):
    """file name -> picture."""
    shown = [r for r in rows if any(r.ratio(b, r.peer) for b in builds)]
    of = {row.name: next(name for name, (_, begin) in TOPICS.items() if row.name.startswith(begin)) for row in shown}
    pictures = {name: topic(title, [r for r in shown if of[r.name] == name], builds, compilers) for name, (title, _) in TOPICS.items() if name in of.values()}
    pictures["readme"] = readme(rows, builds[0], compilers[builds[0]], facts)
    return pictures
