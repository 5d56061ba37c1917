#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""The training step of bench/distributed/step.cpp in PyTorch, with DistributedDataParallel over gloo:  step_torch.py NET BATCH STEPS

NET is mlp (784-512-512-10) or resnet (MLPResNet of needle, 784-100). Started once for each process, with the variables RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT.
Prints a line of JSON: the least and the median microseconds of a step, and the loss.
"""
import json
import os
import statistics
import sys
import time

import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body = body

    def forward(self, x):
        return x + self.body(x)


def block(width, hidden):
    return [Residual(nn.Sequential(nn.Linear(width, hidden), nn.BatchNorm1d(hidden), nn.ReLU(), nn.Dropout(0.1), nn.Linear(hidden, width), nn.BatchNorm1d(width))), nn.ReLU()]


NETS = {
    "mlp": lambda: nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)),
    "resnet": lambda: nn.Sequential(nn.Linear(784, 100), nn.ReLU(), *block(100, 50), *block(100, 50), *block(100, 50), nn.Linear(100, 10)),
}


def main(net, batch, steps):
    torch.set_num_threads(1)
    torch.manual_seed(1)
    rank, size = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    model = NETS[net]()
    if size > 1:
        torch.distributed.init_process_group("gloo")
        model = nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    loss_of = nn.CrossEntropyLoss()
    x = ((torch.arange(batch * 784) * 7919 + rank * 31) % 1000).reshape(batch, 784) / 1000 - 0.5
    y = (torch.arange(batch) * 3 + rank) % 10
    times = []
    for _ in range(steps):
        begun = time.perf_counter()
        optimizer.zero_grad()
        loss = loss_of(model(x), y)
        loss.backward()
        optimizer.step()
        times.append((time.perf_counter() - begun) * 1e6)
    if rank == 0:
        print(json.dumps({"least": min(times), "median": statistics.median(times), "loss": loss.item()}))
    if size > 1:
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
