#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Reads an ONNX file and computes what it says, with numpy alone:  evaluate.py FILE prints its graph

A reader of Protocol Buffers (only what onnx.proto needs) and the operations that the exporter writes, each from ONNX's operator specification for operator
sets 17 and 23. Neither knows anything of the library, nor of the onnx package. An operation that is not here is an error.
"""
import math
import struct
import sys

try:
    import numpy as np
except ImportError:
    np = None

# ---- Protocol Buffers


def fields(data):
    """(number, wire type, value) of each field of a message; varints as unsigned integers, the rest as bytes."""
    at, end = 0, len(data)

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            if at >= end or shift > 63:
                raise ValueError("a varint is cut short")
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < end:
        tag = varint()
        wire = tag & 7
        if wire == 0:
            yield tag >> 3, wire, varint()
            continue
        size = varint() if wire == 2 else {1: 8, 5: 4}.get(wire)
        if size is None:
            raise ValueError(f"wire type {wire}")
        if at + size > end:
            raise ValueError("a field is cut short")
        yield tag >> 3, wire, data[at:at + size]
        at += size


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def message(data, one=(), many=()):
    """A message as a dictionary: number -> value for fields that stand once, number -> list for repeated ones. Others are refused."""
    result = {number: [] for number in many}
    for number, _, value in fields(data):
        if number in many:
            result[number].append(value)
        elif number in one and number not in result:
            result[number] = value
        else:
            raise ValueError(f"field {number} stands twice, or is not known here")
    return result


def text(data):
    return bytes(data).decode("utf-8")


FLOAT, INT32, INT64, BOOL, DOUBLE = 1, 6, 7, 9, 11
NAMES = {FLOAT: "float32", INT32: "int32", INT64: "int64", BOOL: "bool", DOUBLE: "float64"}


def tensor(data):
    m = message(data, one=(2, 8, 9), many=(1,))
    dims = [signed(d) for d in m[1]]
    values = np.frombuffer(bytes(m[9]), dtype="<" + np.dtype(NAMES[m[2]]).str[1:])
    return text(m[8]), values.reshape(dims).astype(NAMES[m[2]])


def attribute(data):
    m = message(data, one=(1, 2, 3, 4, 6, 20), many=(8, 9))
    value = {1: lambda: struct.unpack("<f", m[2])[0], 2: lambda: signed(m[3]), 3: lambda: text(m[4]), 5: lambda: graph(m[6]), 7: lambda: [signed(i) for i in m[8]], 8: lambda: [text(t) for t in m[9]]}[m[20]]()
    return text(m[1]), value


def node(data):
    m = message(data, one=(3, 4), many=(1, 2, 5))
    return {"type": text(m[4]), "name": text(m[3]), "inputs": [text(i) for i in m[1]], "outputs": [text(o) for o in m[2]],
            "attributes": dict(attribute(a) for a in m[5])}


def value_info(data):
    m = message(data, one=(1, 2))
    t = message(message(m[2], one=(1,))[1], one=(1, 2))
    dims = []
    for dim in message(t[2], many=(1,))[1]:
        d = message(dim, one=(1, 2))
        dims.append(d[1] if 1 in d else text(d[2]) if 2 in d else None)
    return text(m[1]), NAMES[t[1]], dims


def graph(data):
    g = message(data, one=(2,), many=(1, 5, 11, 12))
    return {"name": text(g[2]), "nodes": [node(n) for n in g[1]], "initializers": dict(tensor(t) for t in g[5]),
            "inputs": [value_info(v) for v in g[11]], "outputs": [value_info(v) for v in g[12]]}


def read(path):
    with open(path, "rb") as file:
        m = message(memoryview(file.read()), one=(1, 2, 3, 5, 6, 7), many=(8, 14))
    sets = [message(s, one=(1, 2)) for s in m[8]]
    return {"ir_version": m[1], "producer": text(m[2]), "producer_version": text(m[3]), "sets": {text(s[1]): s[2] for s in sets},
            "metadata": {text(e[1]): text(e[2]) for e in (message(e, one=(1, 2)) for e in m[14])}, **graph(m[7])}


# ---- operations


def windows(x, kernel, strides, pads, dilations, fill):
    """x (N, C, spatial...) -> (N, C, places..., taps...)"""
    rank = len(kernel)
    x = np.pad(x, [(0, 0), (0, 0)] + [(pads[i], pads[i + rank]) for i in range(rank)], constant_values=fill)
    for i in range(rank):
        count = (x.shape[2 + 2 * i] - dilations[i] * (kernel[i] - 1) - 1) // strides[i] + 1
        places = np.arange(count)[:, None] * strides[i] + np.arange(kernel[i])[None, :] * dilations[i]
        x = np.take(x, places, axis=2 + 2 * i)
    order = [0, 1] + [2 + 2 * i for i in range(rank)] + [3 + 2 * i for i in range(rank)]
    return x.transpose(order)


def walk(a, rank):
    return a.get("strides", [1] * rank), a.get("pads", [0] * 2 * rank), a.get("dilations", [1] * rank)


def conv(a, x, w, bias=None):
    rank, groups = w.ndim - 2, a.get("group", 1)
    assert a.get("kernel_shape", list(w.shape[2:])) == list(w.shape[2:]) and x.shape[1] == groups * w.shape[1]
    strides, pads, dilations = walk(a, rank)
    parts = []
    for part, kernels in zip(np.split(x, groups, 1), np.split(w, groups, 0)):
        seen = windows(part, w.shape[2:], strides, pads, dilations, 0)
        taps = list(range(2 + rank, 2 + 2 * rank))
        parts.append(np.moveaxis(np.tensordot(seen, kernels, ([1] + taps, [1] + list(range(2, 2 + rank)))), -1, 1))
    y = np.concatenate(parts, 1)
    return y if bias is None else y + bias.reshape([1, -1] + [1] * rank)


def conv_transpose(a, x, w, bias=None):
    rank, groups = w.ndim - 2, a.get("group", 1)
    strides, pads, dilations = walk(a, rank)
    extra = a.get("output_padding", [0] * rank)
    full = [strides[i] * (x.shape[2 + i] - 1) + dilations[i] * (w.shape[2 + i] - 1) + 1 + extra[i] for i in range(rank)]
    parts = []
    for part, kernels in zip(np.split(x, groups, 1), np.split(w, groups, 0)):
        y = np.zeros([x.shape[0], w.shape[1]] + full, x.dtype)
        for tap in np.ndindex(*w.shape[2:]):
            at = tuple(slice(t * d, t * d + s * (n - 1) + 1, s) for t, d, s, n in zip(tap, dilations, strides, x.shape[2:]))
            y[(slice(None), slice(None)) + at] += np.moveaxis(np.tensordot(part, kernels[(slice(None), slice(None)) + tap], ([1], [0])), -1, 1)
        parts.append(y)
    y = np.concatenate(parts, 1)
    y = y[(slice(None), slice(None)) + tuple(slice(pads[i], full[i] - pads[i + rank]) for i in range(rank))]
    return y if bias is None else y + bias.reshape([1, -1] + [1] * rank)


def max_pool(a, x):
    rank = len(a["kernel_shape"])
    strides, pads, dilations = walk(a, rank)
    assert all(p < k for p, k in zip(pads, a["kernel_shape"] * 2))
    return windows(x, a["kernel_shape"], strides, pads, dilations, -np.inf).max(tuple(range(2 + rank, 2 + 2 * rank)))


def average_pool(a, x):
    rank = len(a["kernel_shape"])
    strides, pads, dilations = walk(a, rank)
    assert "dilations" not in a and all(p < k for p, k in zip(pads, a["kernel_shape"] * 2))
    assert a.get("count_include_pad", 0) == 1 or not any(pads)
    return windows(x, a["kernel_shape"], strides, pads, dilations, 0).mean(tuple(range(2 + rank, 2 + 2 * rank)), dtype=x.dtype)


def reshape(a, x, shape):
    return x.reshape([x.shape[i] if d == 0 else d for i, d in enumerate(shape)])


def slice_(a, x, starts, ends, axes, steps):
    index = [slice(None)] * x.ndim
    for start, end, axis, step in zip(starts.tolist(), ends.tolist(), axes.tolist(), steps.tolist()):
        n = x.shape[axis]
        start, end = (v + n if v < 0 else v for v in (start, end))
        start = min(max(start, 0), n if step > 0 else n - 1)
        end = min(max(end, 0 if step > 0 else -1), n)
        index[axis] = slice(start, end if end >= 0 else None, step)
    return x[tuple(index)]


def pad(a, x, pads, value):
    return np.pad(x, [(pads[i], pads[i + x.ndim]) for i in range(x.ndim)], constant_values=value)


def reduce(function):
    def apply(a, x, axes=None):
        axes = a["axes"] if axes is None else axes.tolist()
        return function(x, axis=tuple(axes), keepdims=bool(a.get("keepdims", 1))).astype(x.dtype)
    return apply


def softmax(a, x):
    e = np.exp(x - x.max(a.get("axis", -1), keepdims=True))
    return e / e.sum(a.get("axis", -1), keepdims=True)


def log_softmax(a, x):
    below = x - x.max(a.get("axis", -1), keepdims=True)
    return below - np.log(np.exp(below).sum(a.get("axis", -1), keepdims=True))


def plain(function):
    return lambda a, *x: function(*x)


def same_type(function):
    def apply(a, *x):
        assert len({v.dtype for v in x}) == 1, "operands have different types"
        return function(*x)
    return apply


def erf(x):
    return np.vectorize(math.erf, otypes=[x.dtype])(x)


def scatter_elements(a, x, places, updates):
    y, at = x.copy(), list(np.indices(places.shape))
    at[a.get("axis", 0)] = places
    if a.get("reduction", "none") == "add":
        np.add.at(y, tuple(at), updates)
    else:
        y[tuple(at)] = updates
    return y


def attention(a, q, k, v, mask=None):
    """Operator set 23: a row whose keys are all hidden is 0."""
    assert set(a) <= {"is_causal", "scale"} and q.ndim == k.ndim == v.ndim == 4 and q.shape[1] % k.shape[1] == 0
    group, (queries, keys) = q.shape[1] // k.shape[1], (q.shape[2], k.shape[2])
    k, v = np.repeat(k, group, 1), np.repeat(v, group, 1)
    scores = q @ k.swapaxes(2, 3) * q.dtype.type(a.get("scale", 1 / math.sqrt(q.shape[3])))
    if mask is not None:
        assert mask.shape[-2:] == (queries, keys) and mask.dtype in (np.bool_, q.dtype), "onnxruntime does not repeat these axes"
        scores = np.where(mask, scores, -np.inf) if mask.dtype == np.bool_ else scores + mask
    if a.get("is_causal", 0):
        scores = np.where(np.arange(keys) <= np.arange(queries)[:, None], scores, -np.inf)
    largest = scores.max(-1, keepdims=True)
    e = np.exp(scores - np.where(np.isneginf(largest), 0, largest))
    total = e.sum(-1, keepdims=True)
    return ((e / np.where(total == 0, 1, total)) @ v).astype(q.dtype)


def operations():
    one_of = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Pow": np.power, "Max": np.maximum, "Min": np.minimum,
              "Greater": np.greater, "GreaterOrEqual": np.greater_equal, "Less": np.less, "LessOrEqual": np.less_equal, "Equal": np.equal,
              "MatMul": np.matmul}
    of_one = {"Abs": np.abs, "Cos": np.cos, "Erf": erf, "Exp": np.exp, "Floor": np.floor, "Identity": lambda x: x, "Log": np.log, "Neg": np.negative,
              "Not": np.logical_not, "Sin": np.sin, "Sqrt": np.sqrt, "Tanh": np.tanh, "Relu": lambda x: np.maximum(x, 0),
              "Sigmoid": lambda x: 0.5 * (1 + np.tanh(0.5 * x)), "Softplus": lambda x: np.logaddexp(x, np.zeros_like(x))}
    return {**{k: same_type(f) for k, f in one_of.items()}, **{k: plain(f) for k, f in of_one.items()},
            "Attention": attention,
            "AveragePool": average_pool,
            "Cast": lambda a, x: x.astype(NAMES[a["to"]]),
            "Clip": lambda a, x, low, high: np.minimum(np.maximum(x, low), high),
            "Concat": lambda a, *x: np.concatenate(x, a["axis"]),
            "Conv": conv,
            "ConvTranspose": conv_transpose,
            "Elu": lambda a, x: np.where(x > 0, x, x.dtype.type(a.get("alpha", 1)) * np.expm1(np.minimum(x, 0))),
            "Expand": lambda a, x, shape: np.broadcast_to(x, np.broadcast_shapes(x.shape, tuple(shape.tolist()))),
            "Gather": lambda a, x, places: np.take(x, places, axis=a.get("axis", 0)),
            "GatherElements": lambda a, x, places: np.take_along_axis(x, places.astype(np.int64), a.get("axis", 0)),
            "LeakyRelu": lambda a, x: np.where(x > 0, x, x.dtype.type(a.get("alpha", 0.01)) * x),
            "LogSoftmax": log_softmax,
            "MaxPool": max_pool,
            "Pad": pad,
            "ReduceMax": reduce(np.max),
            "ReduceMean": reduce(np.mean),
            "ReduceMin": reduce(np.min),
            "ReduceSum": reduce(np.sum),
            "Reshape": reshape,
            "ScatterElements": scatter_elements,
            "Shape": lambda a, x: np.asarray(x.shape, np.int64),
            "Slice": slice_,
            "Softmax": softmax,
            "Squeeze": lambda a, x, axes: x.squeeze(tuple(axes.tolist())),
            "Transpose": lambda a, x: x.transpose(a["perm"]),
            "Unsqueeze": lambda a, x, axes: np.expand_dims(x, tuple(axes.tolist())),
            "Where": plain(np.where)}


def sigmoid(x):
    return 0.5 * (1 + np.tanh(0.5 * x))


def lstm_step(a, x, h, c, w, r, wb, rb):
    i, o, f, g = np.split(x @ w.T + h @ r.T + wb + rb, 4, -1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def gru_step(a, x, h, c, w, r, wb, rb):
    (wz, wr, wh), (rz, rr, rh) = np.split(w, 3), np.split(r, 3)
    (bz, br, bh), (cz, cr, ch) = np.split(wb, 3), np.split(rb, 3)
    z, reset = sigmoid(x @ wz.T + h @ rz.T + bz + cz), sigmoid(x @ wr.T + h @ rr.T + br + cr)
    n = reset * (h @ rh.T + ch) if a.get("linear_before_reset", 0) else (reset * h) @ rh.T + ch
    return (1 - z) * np.tanh(x @ wh.T + bh + n) + z * h, c


def rnn_step(a, x, h, c, w, r, wb, rb):
    y = x @ w.T + h @ r.T + wb + rb
    return (np.maximum(y, 0) if a.get("activations", ["Tanh"]) == ["Relu"] else np.tanh(y)), c


RECURRENT = {"LSTM": (lstm_step, 4), "GRU": (gru_step, 3), "RNN": (rnn_step, 1)}


def recurrent(n, x, w, r, b=None, lengths=None, h=None, c=None):
    """One direction of a layer: all outputs (steps, 1, samples, hidden), the last h and c."""
    a, (step, gates) = n["attributes"], RECURRENT[n["type"]]
    assert set(a) <= {"hidden_size", "direction", "linear_before_reset", "activations"} and lengths is None
    hidden, samples = a["hidden_size"], x.shape[1]
    assert w.shape == (1, gates * hidden, x.shape[2]) and r.shape == (1, gates * hidden, hidden), (w.shape, r.shape)
    assert b is None or b.shape == (1, 2 * gates * hidden)
    biases = np.split(np.zeros(2 * gates * hidden, x.dtype) if b is None else b[0], 2)
    zeros = np.zeros((1, samples, hidden), x.dtype)
    h, c = (zeros if s is None else s for s in (h, c))
    assert h.shape == c.shape == zeros.shape, (h.shape, c.shape)
    (h,), (c,), y = h, c, np.empty((len(x), 1, samples, hidden), x.dtype)
    for t in range(len(x)) if a.get("direction", "forward") == "forward" else reversed(range(len(x))):
        h, c = step(a, x[t], h, c, w[0], r[0], *biases)
        y[t, 0] = h
    return [y, h[None], c[None]]


def scan(n, inputs, around, named, known):
    """A loop over the first axis of its last inputs: the last states, then what the body gives in each step."""
    a = n["attributes"]
    assert set(a) <= {"body", "num_scan_inputs", "scan_input_directions", "scan_output_directions"}, set(a)
    count, body = a["num_scan_inputs"], a["body"]
    states, sequences = inputs[:-count], inputs[-count:]
    steps = sequences[0].shape[0]
    assert count > 0 and all(x.shape[0] == steps for x in sequences)
    forwards = [0] * len(body["outputs"])
    into, out = a.get("scan_input_directions", forwards + [0] * count), a.get("scan_output_directions", forwards)
    given = []
    for step in range(steps):
        y = run(body, [*states, *(x[step if d == 0 else steps - 1 - step] for x, d in zip(sequences, into))], around, named, known)
        states = y[:len(states)]
        given.append(y[len(states):])
    stacks = [np.stack(all_steps if d == 0 else all_steps[::-1]) for all_steps, d in zip(zip(*given), out)]
    return [*states, *stacks]


def run(graph, inputs, around, named, known):
    """The outputs of a graph. around: the values of the graphs around it; a name is there once."""
    values = {**around, **graph["initializers"]}
    assert len(inputs) == len(graph["inputs"]), len(inputs)
    for x, (name, dtype, dims) in zip(inputs, graph["inputs"]):
        assert x.dtype == dtype and len(dims) == x.ndim, (dims, x.shape)
        assert all(d is None or (named.setdefault(d, n) if isinstance(d, str) else d) == n for d, n in zip(dims, x.shape)), (dims, x.shape)
        assert name not in values, f"{name} is written twice"
        values[name] = x
    for n in graph["nodes"]:
        inputs = [values[i] if i else None for i in n["inputs"]]
        if n["type"] == "Scan":
            results = scan(n, inputs, values, named, known)
        elif n["type"] in RECURRENT:
            results = recurrent(n, *inputs)[:len(n["outputs"])]
        elif n["type"] in known:
            with np.errstate(all="ignore"):
                results = [np.asarray(known[n["type"]](n["attributes"], *inputs))]
        else:
            raise ValueError(f"operation {n['type']} is not known here")
        floats = [i.dtype for i in inputs if i is not None and i.dtype.kind == "f"]
        assert len(results) == len(n["outputs"]), n["outputs"]
        for result, y in zip(n["outputs"], results):
            assert n["type"] == "Cast" or y.dtype.kind != "f" or y.dtype in floats, f"{n['name']} became {y.dtype}"
            assert result not in values, f"{result} is written twice"
            values[result] = y
    for name, dtype, dims in graph["outputs"]:
        y = values[name]
        assert y.dtype == dtype and len(dims) == y.ndim, (dims, y.shape)
        assert all(d is None or (named[d] if isinstance(d, str) else d) == n for d, n in zip(dims, y.shape)), (dims, y.shape)
    return [values[name] for name, _, _ in graph["outputs"]]


def evaluate(model, inputs):
    """The file's outputs for its inputs; every result keeps the file's types."""
    return run(model, inputs, {}, {}, operations())


def show(model):
    for name, dtype, dims in model["inputs"]:
        print(f"{name}: {dtype}{dims}")
    for name, values in model["initializers"].items():
        print(f"{name}: {values.dtype}{list(values.shape)}" + (f" = {values.tolist()}" if values.size < 9 and values.dtype.kind == "i" else ""))
    for n in model["nodes"]:
        how = "".join(f" {k}={v}" for k, v in n["attributes"].items() if k != "body")
        print(f"{', '.join(n['outputs'])} = {n['type']}({', '.join(n['inputs'])}){how}")
        if "body" in n["attributes"]:
            print("{")
            show(n["attributes"]["body"])
            print("}")
    for name, dtype, dims in model["outputs"]:
        print(f"{name}: {dtype}{dims}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    show(read(sys.argv[1]))
