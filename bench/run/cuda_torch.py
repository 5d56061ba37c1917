#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""The families of bench/run/cuda.cpp in PyTorch: eager, compiled, and compiled with CUDA graphs.

    cuda_torch.py [--csv FILE] [--rows TEXT] [--rounds N] [--modes eager compiled graphs]

Needs PyTorch with a graphics processor; without one it says so and ends with 77. Times are those of cuda.cpp: medians over rounds, of replays between two
events, beside a copy of the least bytes on the device (half of them read, half of them written). Products of floats are exact (no TF32), as espalier's are.
A training step ends with the loss on the host.
"""
import argparse
import csv
import os
import statistics
import sys
import time

try:
    import torch
    import torch.nn.functional as F
    from torch import nn
except ImportError:
    torch = None

SKIPPED = 77
ELEMENTS = 1 << 26
SIZE = 4
EPS = 1e-5


class Family:
    """prepare() gives a function that queues one run; minimal: the least bytes that it can move."""
    def __init__(self, name, shape, minimal, prepare, step=False):
        self.name, self.shape, self.minimal, self.prepare, self.step = name, shape, minimal, prepare, step


def numbers(*shape, gradient=False):
    return (torch.rand(*shape, device="cuda") * 2 - 1).requires_grad_(gradient)


def without_gradients(f):
    """f, compiled or not, where no gradients are wanted."""
    def made(wrap):
        run, arguments = wrap(f[0]), f[1]()

        def queue():
            with torch.no_grad():
                return run(*arguments)
        return queue
    return made


def chain():
    return without_gradients((lambda a, b: torch.relu(torch.tanh(a) * b + a), lambda: (numbers(ELEMENTS), numbers(ELEMENTS))))


def norm_forward(rows, columns, kind):
    if kind == "layer":
        return without_gradients((lambda x, w, b: F.layer_norm(x, (columns,), w, b, EPS), lambda: (numbers(rows, columns), numbers(columns), numbers(columns))))

    def rms_norm(x, w):
        if hasattr(F, "rms_norm"):
            return F.rms_norm(x, (columns,), w, EPS)
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + EPS) * w
    return without_gradients((rms_norm, lambda: (numbers(rows, columns), numbers(columns))))


def batch_norm_forward(shape):
    channels = shape[1]
    return without_gradients((lambda x, w, b: F.batch_norm(x, None, None, w, b, True, 0.1, EPS), lambda: (numbers(*shape), numbers(channels), numbers(channels))))


def gradients_of(f, arguments):
    """The backward pass alone: the graph is kept, so that only it is repeated."""
    def made(wrap):
        given = arguments()
        y = wrap(f)(*given)
        dy = torch.randn_like(y)
        wanted = [x for x in given if x.requires_grad]
        return lambda: torch.autograd.grad(y, wanted, dy, retain_graph=True)
    return made


def layer_norm_backward(rows, columns):
    return gradients_of(lambda x, w, b: F.layer_norm(x, (columns,), w, b, EPS),
                        lambda: (numbers(rows, columns, gradient=True), numbers(columns, gradient=True), numbers(columns, gradient=True)))


def batch_norm_backward(shape):
    channels = shape[1]
    return gradients_of(lambda x, w, b: F.batch_norm(x, None, None, w, b, True, 0.1, EPS),
                        lambda: (numbers(*shape, gradient=True), numbers(channels, gradient=True), numbers(channels, gradient=True)))


def residual(rows, columns):
    def f(x, r, w, b):
        stream = r + F.dropout(x, 0.1, True)
        return stream, torch.relu(F.layer_norm(stream, (columns,), w, b, EPS))
    return without_gradients((f, lambda: (numbers(rows, columns), numbers(rows, columns), numbers(columns), numbers(columns))))


def cross_entropy(rows, classes):
    def made(wrap):
        scores, labels = numbers(rows, classes, gradient=True), torch.randint(classes, (rows,), device="cuda")
        loss_of = wrap(F.cross_entropy)

        def queue():
            loss = loss_of(scores, labels)
            return loss, torch.autograd.grad(loss, scores)[0]
        return queue
    return made


def adam():
    def made(wrap):
        parameter = nn.Parameter(numbers(ELEMENTS))
        parameter.grad = numbers(ELEMENTS)
        optimizer = torch.optim.Adam([parameter], lr=1e-3, fused=True, capturable=True)
        return wrap(optimizer.step)
    return made


def residual_block(features, hidden, probability):
    class Residual(nn.Module):
        def __init__(self):
            super().__init__()
            self.fn = nn.Sequential(nn.Linear(features, hidden), nn.BatchNorm1d(hidden), nn.ReLU(), nn.Dropout(probability),
                                    nn.Linear(hidden, features), nn.BatchNorm1d(features))

        def forward(self, x):
            return torch.relu(self.fn(x) + x)
    return Residual()


def training_step(inputs, hidden, blocks, batch):
    def made(wrap):
        net = nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), *(residual_block(hidden, hidden // 2, 0.1) for _ in range(blocks)), nn.Linear(hidden, 10)).cuda()
        optimizer = torch.optim.Adam(net.parameters(), lr=1e-3, weight_decay=1e-3, fused=True, capturable=True)
        images, labels = numbers(batch, inputs), torch.arange(batch, device="cuda") * 7 % 10
        run = wrap(lambda: F.cross_entropy(net(images), labels))

        def step():
            optimizer.zero_grad(set_to_none=False)
            loss = run()
            loss.backward()
            optimizer.step()
            return loss.detach()
        return step
    return made


def families():
    mn = ELEMENTS * SIZE
    found = [Family("elementwise_chain", "2^26", 3 * mn, chain())]
    for columns in (1024, 4096):
        rows = ELEMENTS // columns
        found.append(Family("residual_dropout_layer_norm_relu", f"{rows}x{columns}", 4 * mn + 2 * columns * SIZE, residual(rows, columns)))
    for classes in (1024, 4096, 32768, 131072):
        rows = ELEMENTS // classes
        found.append(Family("softmax_cross_entropy_gradient", f"{rows}x{classes}", 2 * mn + 4 * rows, cross_entropy(rows, classes)))
    found.append(Family("adam", "2^26", 7 * mn, adam()))
    for columns in (64, 256, 1023, 1024, 4095, 4096, 16383, 16384, 32768, 65536, 262144):
        rows = ELEMENTS // columns
        for kind in ("layer", "rms"):
            found.append(Family(f"{kind}_norm_forward", f"{rows}x{columns}", 2 * rows * columns * SIZE + (2 if kind == "layer" else 1) * columns * SIZE,
                                norm_forward(rows, columns, kind)))
    for columns in (256, 1024, 4096, 8192, 16384):
        rows = ELEMENTS // columns
        found.append(Family("layer_norm_backward", f"{rows}x{columns}", 3 * mn + 3 * columns * SIZE, layer_norm_backward(rows, columns)))
    for name, shape in (("batch_norm1d", (65536, 256)), ("batch_norm2d", (64, 64, 56, 56))):
        size = SIZE
        for extent in shape:
            size *= extent
        text = "x".join(map(str, shape))
        found.append(Family(f"{name}_forward", text, 2 * size + 2 * shape[1] * SIZE, batch_norm_forward(shape)))
        found.append(Family(f"{name}_backward", text, 3 * size + 3 * shape[1] * SIZE, batch_norm_backward(shape)))
    for inputs, hidden, blocks, batch in ((64, 64, 3, 32), (1024, 1024, 8, 1024)):
        found.append(Family("train_mlp_resnet", f"{inputs}-{hidden}x{blocks}, batch {batch}", 0, training_step(inputs, hidden, blocks, batch), step=True))
    return found


def captured(prepare):
    """A run as a graph. Everything lives on one stream: a backward pass runs on the stream of its forward pass."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        queue = prepare()
        for _ in range(3):
            queue()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        result = queue()

    def replay():
        graph.replay()
        return result
    return replay


def microseconds(queue, runs):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(runs):
        queue()
    end.record()
    torch.cuda.synchronize()
    return 1e3 * begin.elapsed_time(end) / runs


def time_kernels(queue, minimal, rounds):
    count = minimal // 2
    source, target = torch.empty(count, dtype=torch.uint8, device="cuda"), torch.empty(count, dtype=torch.uint8, device="cuda")

    def copy():
        target.copy_(source)
    microseconds(queue, 3)
    runs = int(min(200, max(1, 4000 / max(microseconds(queue, 3), 1))))
    mine, copies = [], []
    for round_ in range(-2, rounds):
        a, b = microseconds(queue, runs), microseconds(copy, runs)
        if round_ >= 0:
            mine.append(a)
            copies.append(b)
    return statistics.median(mine), min(mine), statistics.median(copies)


def time_steps(step, rounds):
    def some(runs):
        begin = time.perf_counter()
        for _ in range(runs):
            step().item()
        return (time.perf_counter() - begin) * 1e6 / runs
    some(10)
    runs = int(min(1000, max(1, 20000 / some(10))))
    every = [some(runs) for _ in range(rounds)]
    return statistics.median(every), min(every), None


def timed(family, mode, rounds):
    wrap = (lambda f: f) if mode == "eager" else torch.compile
    queue = captured(lambda: family.prepare(wrap)) if mode == "graphs" else family.prepare(wrap)
    return time_steps(queue, rounds) if family.step else time_kernels(queue, family.minimal, rounds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--csv", help="the table as a file")
    parser.add_argument("--rows", default="", help="only families whose name or shape has this in it")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--modes", nargs="+", choices=("eager", "compiled", "graphs"), default=("eager", "compiled", "graphs"))
    options = parser.parse_args()
    if torch is None or not torch.cuda.is_available():
        print("no PyTorch with a CUDA device: nothing was timed")
        return SKIPPED
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    torch.manual_seed(0)
    print(f"PyTorch {torch.__version__}, {torch.cuda.get_device_name()}")
    with open(options.csv or os.devnull, "w", newline="", encoding="ascii") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["family", "shape", "mode", "median_us", "least_us", "copy_us", "of_a_copy"])
        for family in families():
            if options.rows not in f"{family.name}/{family.shape}":
                continue
            for mode in options.modes:
                try:
                    median, least, copy = timed(family, mode, options.rounds)
                except Exception as error:  # a mode that fails in PyTorch is a row without a time
                    print(f"{family.name:32} {family.shape:24} {mode:9} failed: {str(error).splitlines()[0][:120] if str(error) else type(error).__name__}", flush=True)
                    continue
                finally:
                    torch.cuda.empty_cache()
                share = copy / median if copy else None
                print(f"{family.name:32} {family.shape:24} {mode:9} {median:10.1f} us" + (f" {copy:10.1f} {share:9.3f}" if copy else ""), flush=True)
                writer.writerow([family.name, family.shape, mode, f"{median:.3f}", f"{least:.3f}", f"{copy:.3f}" if copy else "", f"{share:.4f}" if share else ""])
                file.flush()  # a run that is stopped keeps what it has
    return 0


if __name__ == "__main__":
    sys.exit(main())
