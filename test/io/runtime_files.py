#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes test/io/runtime_files.hpp: nets that PyTorch exported and ONNX Runtime's quantize_static quantized, with an input and ONNX Runtime's output for it:  runtime_files.py

The test reads the stored header, so that it needs neither. Run this again with other versions to renew it.
"""
import base64
import logging
import pathlib
import tempfile

import numpy as np
import onnx
import onnxruntime
import torch
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from torch import nn

logging.disable(logging.WARNING)


class Residual(nn.Module):
    def __init__(self, *modules):
        super().__init__()
        self.inner = nn.Sequential(*modules)

    def forward(self, x):
        return x + self.inner(x)


class Samples(CalibrationDataReader):
    def __init__(self, shape):
        self.all = iter([{"x": np.random.RandomState(i).randn(*shape).astype("f")} for i in range(1, 5)])

    def get_next(self):
        return next(self.all, None)


NETS = {
    "pictures_u8": (nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 4, 3, stride=2, padding=1, groups=4), nn.ReLU(), nn.Flatten(),
                                  nn.Linear(16, 3)), (2, 1, 8, 8), QuantType.QUInt8, True),
    "mlp_s8": (nn.Sequential(nn.Linear(6, 7), nn.ReLU(), nn.Linear(7, 5), nn.Tanh(), nn.Linear(5, 3), nn.Softmax(-1)), (4, 6), QuantType.QInt8, False),
    "sequences_u8": (nn.Sequential(nn.Linear(6, 8), nn.ReLU(), Residual(nn.Linear(8, 8), nn.ReLU()), nn.Linear(8, 5)), (2, 3, 6), QuantType.QUInt8, True),
    "asymmetric": (nn.Sequential(nn.Linear(2, 4)), (8, 2), None, False),
}


def quantized(net, shape, activations, per_channel, folder):
    plain, made = f"{folder}/plain.onnx", f"{folder}/made.onnx"
    torch.onnx.export(net, (torch.randn(*shape),), plain, dynamo=False, input_names=["x"], output_names=["y"], dynamic_axes={"x": {0: "N"}, "y": {0: "N"}})
    weights = QuantType.QUInt8 if activations is None else QuantType.QInt8
    quantize_static(plain, made, Samples(shape), quant_format=QuantFormat.QDQ, per_channel=per_channel, activation_type=activations or QuantType.QUInt8, weight_type=weights)
    model = onnx.load(made)
    model.ClearField("metadata_props")
    for node in model.graph.node:
        node.ClearField("doc_string")
        node.ClearField("name")
    del model.graph.value_info[:]
    return model.SerializeToString()


def main():
    torch.manual_seed(0)
    text = ["// SPDX-License-Identifier: BSL-1.0", "// clang-format off", "#pragma once", "",
            f"/// Nets that PyTorch {torch.__version__.split('+')[0]} exported and ONNX Runtime {onnxruntime.__version__} quantized (quantize_static, QDQ),",
            "/// with an input and ONNX Runtime's output for it. Written by test/io/runtime_files.py.", "namespace test::runtime_files {", ""]
    for name, (net, shape, activations, per_channel) in NETS.items():
        net.eval()
        for m in net.modules():
            if isinstance(m, nn.BatchNorm2d):
                m.running_mean.uniform_(-0.1, 0.1)
                m.running_var.uniform_(0.5, 1.5)
        with tempfile.TemporaryDirectory() as folder:
            file = quantized(net, shape, activations, per_channel, folder)
        x = np.random.RandomState(9).randn(*shape).astype("f").round(2)
        y = onnxruntime.InferenceSession(file).run(None, {"x": x})[0]
        code = base64.b64encode(file).decode()
        text.append(f"inline constexpr char {name}[] =")
        text += [f'    "{code[i:i + 110]}"' for i in range(0, len(code), 110)]
        text[-1] += ";"
        for what, numbers in (("x", x), ("y", y)):
            row = [f"{v:.9g}" for v in numbers.ravel()]
            row = [v + "f" if "." in v or "e" in v else v + ".0f" for v in row]
            text.append(f"inline constexpr float {name}_{what}[] = {{")
            text += ["    " + ", ".join(row[i:i + 8]) + "," for i in range(0, len(row), 8)]
            text.append("};")
        text.append("")
    text += ["}  // namespace test::runtime_files", ""]
    pathlib.Path(__file__).with_suffix(".hpp").write_text("\n".join(text))


if __name__ == "__main__":
    main()
