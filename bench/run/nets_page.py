# SPDX-License-Identifier: BSL-1.0
"""The page docs/benchmarks/nets.md, which run.py --page nets writes from nets.csv."""
PEERS = {"torch": "PyTorch, eager", "torch_compiled": "PyTorch, compiled", "onnxruntime": "ONNX Runtime"}
NETS = {"resnet9": ("ResNet9", "`nn::ResNet9`: eight convolutions with batch norms, two `Linear`; 3 x 32 x 32, 10 classes"),
        "digits_cnn": ("CNN on digits", "3x3 of 1 to 16 and 16 to 32 channels, each with ReLU and 2x2 maximum, `Linear` to 10; 28 x 28"),
        "inverted_residual": ("inverted residual", "the block of MobileNetV2: 1x1 of 32 to 192 channels, 3x3 of each channel, 1x1 to 32, batch norms, ReLU; 28 x 28"),
        "tcn": ("TCN", "a temporal convolutional net: six residual blocks of two causal convolutions, 3 taps, 32 channels, dilations 1 to 32; 256 steps"),
        "autoencoder": ("autoencoder", "784-128-32-128-784 with ReLU, mean squared error")}
TINY = 100e3  # nanoseconds: below it the call from Python is a large part of a peer's time


def table(head, lines):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(line) + " |" for line in lines), ""]


def of_net(row):
    _, net, batch = row.name.split("/")
    return NETS[net][0], batch


def times(rows, builds, compilers, words, readable, geometric_mean, peers):
    """A line for each row and compiler with the times of all peers in that run, and the geometric means of the ratios."""
    lines, ratios = [], {build: [] for build in builds}
    for row in rows:
        for build in builds:
            own, ratio = row.own(build), row.ratio(build, row.peer)
            if not own:
                continue
            ratios[build].append(ratio)
            found = [row.best(build, lambda name, peer=peer: name == peer) for peer in peers]
            lines.append([words(row), compilers[build], readable(own["min_ns"]), *(readable(line["min_ns"]) if line else "missing" for line in found),
                          f"**{ratio:.2f}**" if ratio else ""])
    means = ", ".join(f"{geometric_mean(found):.2f} with {compilers[build]}" for build, found in ratios.items() if geometric_mean(found))
    return lines, [f"Geometric means of the ratios: {means}.", ""] if means else []


def section(title, text, rows, builds, compilers, readable, geometric_mean, peers):
    lines, means = times(rows, builds, compilers, lambda row: "{}, batch {}".format(*of_net(row)), readable, geometric_mean, peers)
    if not lines:
        return []
    return [f"## {title}", "", *text, "", *table(["net", "compiler", "espalier", *(PEERS[peer] for peer in peers), "ratio"], lines), *means]


def two_threads(rows, builds, compilers, readable):
    lines = []
    for row in rows:
        what = "step of ResNet9, batch 32" if row.name.startswith("net_step") else "3x3 convolution, 8 x 56 x 56 x 64 to 64 channels"
        for build in builds:
            own, one, ratio = row.own(build), row.best(build, lambda name: name == "espalier_1_thread"), row.ratio(build, row.peer)
            if own and one:
                peers = [row.best(build, lambda name, peer=peer: name == peer) for peer in ("torch", "torch_compiled")]
                lines.append([what, compilers[build], readable(one["min_ns"]), readable(own["min_ns"]),
                              *(readable(line["min_ns"]) if line else "missing" for line in peers), f"**{ratio:.2f}**" if ratio else ""])
    if not lines:
        return []
    return ["## Two threads", "", "`cpu_parallel<2>`, beside one thread and beside PyTorch with `torch.set_num_threads(2)`. The ratio is that of two threads on both sides.", "",
            *table(["", "compiler", "espalier, one thread", "espalier, two", "PyTorch, eager, two", "PyTorch, compiled, two", "ratio"], lines)]


def page(rows, builds, compilers, notes, facts, readable, geometric_mean):
    forward = [row for row in rows if row.name.startswith("net_forward/")]
    out = ["# Whole nets: measurements", "",
           "`float`, one thread except in the last table. The implementations of a row take turns in one run, in blocks of 3 ms that begin with a step that is not timed;",
           "times are minima. **Ratio** is the time of the fastest other library by that of espalier, in one run: above 1 espalier is faster. Made by",
           "`bench/run/run.py --page nets --python PYTHON`, from [nets.csv](nets.csv).", "", *(f"- {fact}" for fact in facts), "",
           "Every implementation starts from the parameters and statistics that espalier wrote into a safetensors file, and its results are compared with espalier's before",
           "anything is timed. Scores may differ by 0.0001 of the largest, the loss of the first step by 0.00001, and each gradient by 0.002 of the largest of its layer",
           "(0.03 in the inverted residual, where rounding decides on the sign of one of 2.4 million sums before a ReLU). If one differs more, the run ends with an error.", "",
           "Each library has its best settings. PyTorch runs with the channels last and second, and the faster one counts; inference is in `inference_mode`, and compiled",
           "with `freezing`. Compiled training steps compile the net and the loss; the optimizer is the fused one. ONNX Runtime runs PyTorch's export and espalier's, and the",
           f"faster one counts. A call from Python is part of the peers' times, as users have it: some 10 us for inference and more for a step. So rows below {readable(TINY)} compare",
           "calls as much as kernels. \"missing\": the library did not compile or run the net.", "",
           *table(["net", "what it is"], [list(words) for words in NETS.values()])]
    out += section("Inference of one sample", ["`esp::frozen`."], [row for row in forward if row.name.endswith("/1")], builds, compilers, readable, geometric_mean, PEERS)
    out += section("Inference of a batch", ["`esp::frozen`."], [row for row in forward if not row.name.endswith("/1")], builds, compilers, readable, geometric_mean, PEERS)
    out += section("Training steps", ["Forward pass, backward pass and stochastic gradient descent with momentum 0.9, by `trainer.step`."],
                   [row for row in rows if row.name.startswith("net_step/")], builds, compilers, readable, geometric_mean, ("torch", "torch_compiled"))
    out += two_threads([row for row in rows if "_2_threads/" in row.name], builds, compilers, readable)
    return "\n".join(out + [*notes["nets"]["limits"], ""])
