#!/usr/bin/python3
# SPDX-License-Identifier: BSL-1.0
"""The digits example in PyTorch: the same net, optimiser, data and batches, on one thread.

Prints one line per seed: `seed S seconds T accuracy A`. The time is that of the training steps alone (shuffling and
batch gathering included, evaluation not), as docs/examples/digits.cpp reports it.
"""
import argparse
import math
import pathlib
import struct
import time

import torch
from torch import nn

DATA = pathlib.Path(__file__).resolve().parents[2] / "docs" / "examples" / "data"


def read_idx(path):
    content = path.read_bytes()
    rank = content[3]
    extents = struct.unpack_from(f">{rank}I", content, 4)
    return torch.frombuffer(bytearray(content[4 + 4 * rank:]), dtype=torch.uint8).reshape(extents)


def residual_block(features, hidden, norm, probability):
    class Residual(nn.Module):
        def __init__(self):
            super().__init__()
            self.fn = nn.Sequential(nn.Linear(features, hidden), norm(hidden), nn.ReLU(), nn.Dropout(probability),
                                    nn.Linear(hidden, features), norm(features))

        def forward(self, x):
            return torch.relu(self.fn(x) + x)
    return Residual()


def mlp_resnet(norm, inputs=64, hidden=64, blocks=3, classes=10, probability=0.1):
    return nn.Sequential(nn.Flatten(), nn.Linear(inputs, hidden), nn.ReLU(),
                         *(residual_block(hidden, hidden // 2, norm, probability) for _ in range(blocks)),
                         nn.Linear(hidden, classes))


def needle_initial_values(net):
    """Weight Kaiming-uniform(in, out), bias Kaiming-uniform(out, 1), as espalier's Linear."""
    for module in net.modules():
        if isinstance(module, nn.Linear):
            for values, fan_in in ((module.weight, module.in_features), (module.bias, module.out_features)):
                nn.init.uniform_(values, -math.sqrt(6 / fan_in), math.sqrt(6 / fan_in))


def train(options, seed):
    torch.manual_seed(seed)
    images = read_idx(options.data / "optdigits-images-idx3-ubyte").float() / 8 - 1
    labels = read_idx(options.data / "optdigits-labels-idx1-ubyte").long()
    train_images, test_images = images[:1437], images[1437:]
    train_labels, test_labels = labels[:1437], labels[1437:]
    net = mlp_resnet(nn.BatchNorm1d if options.norm == "batch" else nn.LayerNorm)
    if options.initial == "needle":
        needle_initial_values(net)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3, weight_decay=1e-3, foreach=options.foreach)
    loss_of = nn.CrossEntropyLoss()
    seconds = 0.0
    for _ in range(options.epochs):
        net.train()
        begin = time.perf_counter()
        order = torch.randperm(len(train_images))
        for chosen in order.split(32):
            if len(chosen) < 32:
                break
            optimizer.zero_grad(set_to_none=True)
            loss = loss_of(net(train_images[chosen]), train_labels[chosen])
            loss.backward()
            optimizer.step()
        seconds += time.perf_counter() - begin
    net.eval()
    with torch.no_grad():
        accuracy = (net(test_images).argmax(1) == test_labels).float().mean().item()
    return seconds, accuracy


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, default=DATA)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--norm", choices=("batch", "layer"), default="batch")
    parser.add_argument("--initial", choices=("needle", "torch"), default="needle")
    parser.add_argument("--foreach", action=argparse.BooleanOptionalAction, default=True,
                        help="Adam over all parameters at once (on is the faster of the two here)")
    options = parser.parse_args()
    torch.set_num_threads(1)
    for seed in options.seeds:
        seconds, accuracy = train(options, seed)
        print(f"seed {seed} seconds {seconds:.4f} accuracy {accuracy:.4f}", flush=True)


if __name__ == "__main__":
    main()
