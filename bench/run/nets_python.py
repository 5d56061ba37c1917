#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""The nets of nets.cpp in PyTorch and ONNX Runtime: a process that python_nets.cpp starts, one for each implementation of a row.

    nets_python.py ROW IMPLEMENTATION FILE

ROW is net_forward/NET/BATCH, net_step/NET/BATCH or a row on two threads (nets.hpp). FILE has the operands as float32; parameters and buffers come from the
safetensors file that espalier wrote. IMPLEMENTATION is torch (eager), torch_compiled or onnxruntime. Each takes the faster one of several settings:
PyTorch images with the channels last or second, ONNX Runtime the file of PyTorch's export (which folds batch norms) or of espalier's.
"""
import copy
import os
import pathlib
import signal
import sys
import warnings

import numpy
import torch
from torch import nn

import python_turns

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import torch_weights  # noqa: E402

RATE, MOMENTUM = 0.01, 0.9
PATIENCE = 400  # seconds until an implementation that does not start is left out
F = nn.functional


class ConvBN(nn.Module):
    def __init__(self, inputs, outputs, kernel, stride=1, groups=1, bias=True):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel, stride, (kernel - 1) // 2, groups=groups, bias=bias)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x)))


class Residual(nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.fn = nn.Sequential(*layers)

    def forward(self, x):
        return self.fn(x) + x


class InvertedResidual(nn.Module):
    def __init__(self):
        super().__init__()
        self.expand = ConvBN(32, 192, 1, bias=False)
        self.filter = ConvBN(192, 192, 3, groups=192, bias=False)
        self.project = nn.Conv2d(192, 32, 1, bias=False)
        self.norm = nn.BatchNorm2d(32)

    def forward(self, x):
        return x + self.norm(self.project(self.filter(self.expand(x))))


class Causal(nn.Conv1d):
    def __init__(self, inputs, outputs, dilation):
        super().__init__(inputs, outputs, 3, dilation=dilation)

    def forward(self, x):
        return super().forward(F.pad(x, (2 * self.dilation[0], 0)))


def resnet9():
    return nn.Sequential(ConvBN(3, 16, 7, 4), ConvBN(16, 32, 3, 2), Residual(ConvBN(32, 32, 3), ConvBN(32, 32, 3)), ConvBN(32, 64, 3, 2), ConvBN(64, 128, 3, 2),
                         Residual(ConvBN(128, 128, 3), ConvBN(128, 128, 3)), nn.Flatten(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10))


def digits_cnn():
    return nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                         nn.Linear(32 * 7 * 7, 10))


def tcn():
    blocks = (Residual(Causal(32, 32, d), nn.ReLU(), Causal(32, 32, d), nn.ReLU()) for d in (1, 2, 4, 8, 16, 32))
    return nn.Sequential(Causal(1, 32, 1), nn.ReLU(), *blocks, nn.Conv1d(32, 1, 1))


def autoencoder():
    return nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 32), nn.ReLU(), nn.Linear(32, 128), nn.ReLU(), nn.Linear(128, 784))


def channels_second(x):
    return x.movedim(-1, 1)


def channels_last(x):
    return x.movedim(1, -1)


def unchanged(x):
    return x


# Each net: its module, the shape of a sample in espalier, from espalier's axes to PyTorch's and back, and the loss.
NETS = {"resnet9": (resnet9, (3, 32, 32), unchanged, unchanged, F.cross_entropy),
        "digits_cnn": (digits_cnn, (1, 28, 28), unchanged, unchanged, F.cross_entropy),
        "inverted_residual": (InvertedResidual, (28, 28, 32), channels_second, channels_last, F.mse_loss),
        "tcn": (tcn, (256, 1), channels_second, channels_last, F.mse_loss),
        "autoencoder": (autoencoder, (784,), unchanged, unchanged, F.mse_loss)}


class Work:
    """What python_turns.take needs: step(), and results() of a fresh start."""

    def step(self):
        self.last = self.run()

    def seconds(self):
        self.step()
        return min(python_turns.block(self.step, lambda: None, python_turns.BLOCK) for _ in range(20))


class Forward(Work):
    def __init__(self, net, x, back, compiled):
        self.net, self.x, self.back = torch.compile(net, fullgraph=True, dynamic=False) if compiled else net, x, back

    def run(self):
        with torch.inference_mode():
            return self.net(self.x)

    def results(self):
        self.step()
        return [self.back(self.last).contiguous()]


class Onnx(Work):
    def __init__(self, path, x, back):
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self.given, self.back = {self.session.get_inputs()[0].name: x}, back

    def run(self):
        return self.session.run(None, self.given)

    def results(self):
        self.step()
        return [self.back(torch.from_numpy(self.last[0])).contiguous()]


class Step(Work):
    def __init__(self, net, loss, x, target, compiled):
        self.net, self.x, self.target, self.start = net, x, target, copy.deepcopy(net.state_dict())
        self.kinds = torch_weights.tensors_of(net, {})
        self.loss = torch.compile(lambda x, t: loss(net(x), t), fullgraph=True, dynamic=False) if compiled else lambda x, t: loss(net(x), t)
        self.begin(RATE)

    def begin(self, rate):
        self.net.load_state_dict(self.start)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=rate, momentum=MOMENTUM, fused=True)

    def run(self):
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.loss(self.x, self.target)
        loss.backward()
        self.optimizer.step()
        return loss

    def results(self):
        self.begin(1)
        self.step()
        now, trained = self.net.state_dict(), dict(self.net.named_parameters())
        changes = [torch_weights.to_espalier(kind, own, self.start[full] - now[full]).contiguous() for full, _, kind, own in self.kinds if full in trained]
        self.begin(RATE)
        return [self.last.detach().reshape(1), *changes]


def layouts(net, x, target=None):
    """The net and its operands with the channels second, and where it has images, with the channels last."""
    def of(form):
        moved = [t.contiguous(memory_format=form) if t is not None and t.dim() == 4 else t for t in (x, target)]
        return copy.deepcopy(net).to(memory_format=form), *moved

    yield of(torch.contiguous_format)
    if x.dim() == 4:
        yield of(torch.channels_last)


def exported(net, x):
    path = os.environ["ESPALIER_BENCH_NET"] + ".torch.onnx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(net, (x,), path, dynamo=False)
    return path


def net_work(kind, name, batch, implementation, path):
    """Every setting of the implementation."""
    make, sample, to_torch, back, loss = NETS[name]
    numbers = numpy.fromfile(path, dtype=numpy.float32)
    count = batch * int(numpy.prod(sample))
    plain = numpy.ascontiguousarray(numbers[:count].reshape(batch, *sample))
    net, x = make(), to_torch(torch.from_numpy(plain)).contiguous()
    torch_weights.load(net, os.environ["ESPALIER_BENCH_NET"] + ".safetensors")
    if kind.startswith("net_step"):
        target = torch.from_numpy(numbers[count:])
        target = target.view(torch.int32).long() if loss is F.cross_entropy else to_torch(target.reshape(batch, *sample)).contiguous()
        return [Step(*of[:1], loss, *of[1:], implementation == "torch_compiled") for of in layouts(net.train(), x, target)]
    if implementation == "onnxruntime":
        return [Onnx(exported(net.eval(), x), x.numpy(), back), Onnx(os.environ["ESPALIER_BENCH_NET"] + ".onnx", plain, unchanged)]
    return [Forward(*of[:2], back, implementation == "torch_compiled") for of in layouts(net.eval(), x)]


def convolution_work(extents, implementation, path):
    """Images (N, H, W, C) with kernels (rows, columns, inputs, outputs)."""
    n, h, w, c = (int(each) for each in extents.split("_")[0].split("x"))
    numbers = torch.from_numpy(numpy.fromfile(path, dtype=numpy.float32))
    net = nn.Conv2d(c, c, 3, padding=1, bias=False)
    with torch.no_grad():
        net.weight.copy_(numbers[n * h * w * c:].reshape(3, 3, c, c).permute(3, 2, 0, 1))
    x = channels_second(numbers[:n * h * w * c].reshape(n, h, w, c)).contiguous()
    return [Forward(*of[:2], channels_last, implementation == "torch_compiled") for of in layouts(net.eval(), x)]


def settings(threads):
    torch.set_num_threads(threads)
    import torch._inductor.config as inductor
    inductor.freezing, inductor.compile_threads = True, 1
    signal.alarm(PATIENCE)  # ends the process, and the row has no such implementation


def main():
    row, implementation, path = sys.argv[1:]
    settings(2 if "_2_threads" in row else 1)
    kind, name, *batch = row.split("/")
    candidates = net_work(kind, name, int(*batch), implementation, path) if batch else convolution_work(name, implementation, path)
    work = min(candidates, key=Work.seconds)
    signal.alarm(0)
    python_turns.take(work.step, lambda: None, work.results, path)


if __name__ == "__main__":
    main()
