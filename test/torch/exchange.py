#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Weights go from PyTorch to C++ and back:  exchange.py PROGRAM TORCH_WEIGHTS  (PROGRAM: exchange.cpp; TORCH_WEIGHTS: tools/torch_weights.py)

Exit status 77 where no python3 has torch.
"""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import torch
except ImportError:
    # Debian's torch belongs to Debian's python3, which need not be the one that runs this.
    debian = "/usr/bin/python3"
    if sys.executable != debian and os.path.exists(debian) and "ESPALIER_TORCH" not in os.environ:
        os.execve(debian, [debian, *sys.argv], {**os.environ, "ESPALIER_TORCH": "searched"})
    print("there is no torch (python3-torch)")
    sys.exit(77)

import torch.nn as nn
import torch.nn.functional as F


def features():
    # [features]
    net = nn.Sequential(nn.Linear(12, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.LayerNorm(16), nn.Linear(16, 5))
    # [/features]
    return net


# [images]
class Images(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3, padding=1)
        self.norm1 = nn.BatchNorm2d(8)
        self.pool = nn.MaxPool2d(2)
        self.conv2 = nn.Conv2d(8, 12, (3, 2), stride=2, padding=1, groups=2)
        self.norm2 = nn.GroupNorm(3, 12)
        self.up = nn.ConvTranspose2d(12, 6, 2, stride=2, groups=3)
        self.head = nn.Linear(6 * 4 * 6, 7)

    def forward(self, x):
        x = self.pool(F.relu(self.norm1(self.conv1(x))))
        return self.head(self.up(F.relu(self.norm2(self.conv2(x)))).flatten(1))
# [/images]


class LastImages(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.norm1, self.head = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.Linear(8, 4, bias=False)

    def forward(self, x):
        return self.head(F.relu(self.norm1(self.conv1(x))).mean((2, 3)))


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.conv = nn.Embedding(11, 6), nn.Conv1d(6, 8, 3, groups=2)
        self.norm, self.head = nn.InstanceNorm1d(8, affine=True), nn.utils.weight_norm(nn.Linear(8 * 9, 3))

    def forward(self, x):
        return self.head(torch.tanh(self.norm(self.conv(self.embedding(x.long()).transpose(1, 2)))).flatten(1))


# [recurrent]
class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 5, num_layers=2, bidirectional=True, batch_first=True)
        self.gru = nn.GRU(10, 4, batch_first=True)
        self.rnn = nn.RNN(10, 4, batch_first=True, nonlinearity="relu")
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        y, _ = self.lstm(x)
        return self.head(torch.cat((self.gru(y)[0][:, -1], self.rnn(y)[0][:, -1]), 1))
# [/recurrent]


class Sequences(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(8, 2, 12, activation="gelu", norm_first=True, batch_first=True)
        self.attention = nn.MultiheadAttention(8, 4, bias=False, batch_first=True)

    def forward(self, x):
        y = self.layer(x)
        return self.attention(y, x, x)[0]


def disturbed(net):
    """With numbers everywhere that no initializer makes, and running statistics that are not those of the beginning."""
    with torch.no_grad():
        for tensor in [*net.parameters(), *(b for b in net.buffers() if b.is_floating_point())]:
            tensor += 0.1 * torch.rand_like(tensor)
    return net.eval()


def must_fail(said, call, *arguments, **words):
    try:
        call(*arguments, **words)
    except ValueError as error:
        return [] if said in str(error) else [f"'{error}' does not say '{said}'"]
    return [f"nothing was refused where '{said}' should be said"]


def main():
    program, script = sys.argv[1], sys.argv[2]
    found = importlib.util.spec_from_file_location("torch_weights", script)
    torch_weights = importlib.util.module_from_spec(found)
    found.loader.exec_module(torch_weights)
    torch.manual_seed(0)
    failures = []
    inputs = {"Features": (features, torch.randn(4, 12)), "Images": (Images, torch.randn(2, 3, 8, 10)), "LastImages": (LastImages, torch.randn(2, 3, 8, 10)),
              "Words": (Words, torch.randint(0, 11, (3, 11)).float()), "Sequences": (Sequences, torch.randn(2, 5, 8)),
              "Recurrent": (Recurrent, torch.randn(2, 4, 3))}
    for name, (make, x) in inputs.items():
        with tempfile.TemporaryDirectory() as folder:
            there = pathlib.Path(folder)
            net = disturbed(make())
            torch_weights.save(net, there / "torch.safetensors")
            torch_weights.write(there / "x.safetensors", {"x": x})
            done = subprocess.run([program, name, folder], capture_output=True, text=True, timeout=120)
            if done.returncode != 0:
                failures.append(f"{name}: exit status {done.returncode}: {done.stderr}")
                continue

            def compare(what, y, expected):
                distance = (y - expected).abs().max().item()
                print(f"{name}, {what}: {distance:.2g} of {expected.abs().max().item():.2g}")
                if not distance <= 1e-5 * max(1, expected.abs().max().item()):
                    failures.append(f"{name}, {what}: {distance:.2g} apart")

            with torch.no_grad():
                compare("torch's weights in C++", torch_weights.read(there / "y.safetensors")["y"], net(x))
                torch_weights.load(net, there / "espalier.safetensors")
                compare("C++'s weights in torch", net(x), torch_weights.read(there / "z.safetensors")["z"])
            # There and back changes no bit.
            torch_weights.save(net, there / "again.safetensors")
            first, second = torch_weights.read(there / "espalier.safetensors"), torch_weights.read(there / "again.safetensors")
            if first.keys() != second.keys() or not all(torch.equal(first[k], second[k]) for k in first):
                failures.append(f"{name}: the file that comes back is another one")

    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "net.safetensors"
        net, other = features(), features()
        # [names]
        torch_weights.save(net.state_dict(), file, like=net, names={"0": "first", "4.weight": "last.matrix"})
        torch_weights.load(other, file, names={"0": "first", "4.weight": "last.matrix"})
        # [/names]
        if not all(torch.equal(a, b) for a, b in zip(net.parameters(), other.parameters())):
            failures.append("names: other numbers")
        if set(torch_weights.read(file)) != {"first.weight", "first.bias", "1.weight", "1.bias", "1.running_mean", "1.running_var", "3.weight", "3.bias", "last.matrix", "4.bias"}:
            failures.append(f"names: {sorted(torch_weights.read(file))}")
        before = [p.clone() for p in other.parameters()]
        failures += must_fail("missing 0.weight", torch_weights.load, other, file)
        failures += must_fail("extra first.bias", torch_weights.load, other, file)
        failures += must_fail("shape of 4.bias: expected (1, 6), found (1, 5)", torch_weights.load, nn.Sequential(*features()[:4], nn.Linear(16, 6)), file)
        failures += must_fail("like=module", torch_weights.save, net.state_dict(), file)
        failures += must_fail("missing 4.bias", torch_weights.save, {k: v for k, v in net.state_dict().items() if k != "4.bias"}, file, like=net)
        failures += must_fail("would both be 1.weight", torch_weights.save, net, file, names={"0": "1"})
        failures += must_fail("weight: expected a layer of Linear", torch_weights.save, nn.Bilinear(2, 2, 2), file)
        if not all(torch.equal(a, b) for a, b in zip(before, other.parameters())):
            failures.append("a file that was refused changed the module")
        if sorted(p.name for p in pathlib.Path(folder).iterdir()) != ["net.safetensors"]:
            failures.append("a file was left over")
    print("\n".join(failures) if failures else "as expected")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
