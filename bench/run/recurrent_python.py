#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""The layers of recurrent.cpp in JAX (lax.scan, compiled) and in ONNX Runtime (its LSTM and GRU operators).

    recurrent_python.py ROW IMPLEMENTATION FILE

ROW is lstm_fwd/TxBxIxH, lstm_fwd_bwd/..., gru_fwd/... or gru_fwd_bwd/.... FILE has the operands of recurrent.hpp as float32. The results are the
outputs, or the gradients of the input and the four parameters. One thread. IMPLEMENTATION is jax or onnxruntime.
"""
import os
import sys

import numpy

import python_turns

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")


def operands(path, gates, t, b, i, h):
    numbers, at, found = numpy.fromfile(path, dtype=numpy.float32), 0, []
    for shape in ((t, b, i), (i, gates * h), (h, gates * h), (gates * h,), (gates * h,), (t, b, h)):
        count = int(numpy.prod(shape))
        found.append(numbers[at:at + count].reshape(shape).copy())
        at += count
    assert at == len(numbers)
    return found


def jax_layer(gates, backward, x, w_ih, w_hh, b_ih, b_hh, dy):
    import jax
    import jax.numpy as jnp
    from jax import lax, nn

    def lstm(x, w_ih, w_hh, b_ih, b_hh):
        def step(state, input_part):
            hidden, cell = state
            i, f, g, o = jnp.split(input_part + hidden @ w_hh, 4, axis=-1)
            cell = nn.sigmoid(f) * cell + nn.sigmoid(i) * jnp.tanh(g)
            hidden = nn.sigmoid(o) * jnp.tanh(cell)
            return (hidden, cell), hidden

        zeros = jnp.zeros((x.shape[1], w_hh.shape[0]), x.dtype)
        return lax.scan(step, (zeros, zeros), x @ w_ih + (b_ih + b_hh))[1]

    def gru(x, w_ih, w_hh, b_ih, b_hh):
        def step(hidden, input_part):
            (r, z, n), (own_r, own_z, own_n) = jnp.split(input_part, 3, axis=-1), jnp.split(hidden @ w_hh + b_hh, 3, axis=-1)
            z = nn.sigmoid(z + own_z)
            n = jnp.tanh(n + nn.sigmoid(r + own_r) * own_n)
            hidden = (1 - z) * n + z * hidden
            return hidden, hidden

        return lax.scan(step, jnp.zeros((x.shape[1], w_hh.shape[0]), x.dtype), x @ w_ih + b_ih)[1]

    layer = lstm if gates == 4 else gru
    last = None
    if backward:
        compiled = jax.jit(lambda *p: jax.vjp(layer, *p[:-1])[1](p[-1]))
        given = [jnp.asarray(p) for p in (x, w_ih, w_hh, b_ih, b_hh, dy)]
    else:
        compiled = jax.jit(layer)
        given = [jnp.asarray(p) for p in (x, w_ih, w_hh, b_ih, b_hh)]

    def step():
        nonlocal last
        last = compiled(*given)

    def finish():
        jax.block_until_ready(last)

    def results():
        step()
        return last if backward else [last]

    return step, finish, results


def onnx_layer(gates, x, w_ih, w_hh, b_ih, b_hh):
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

    hidden = w_hh.shape[0]
    order = [0, 3, 1, 2] if gates == 4 else [1, 0, 2]  # of PyTorch's gates: ONNX has i, o, f, c and z, r, h

    def ordered(rows):
        return numpy.concatenate([numpy.split(rows, gates)[g] for g in order])

    weights = {"W": ordered(w_ih.T.copy())[None], "R": ordered(w_hh.T.copy())[None], "B": numpy.concatenate([ordered(b_ih), ordered(b_hh)])[None]}
    kind = {"op_type": "LSTM"} if gates == 4 else {"op_type": "GRU", "linear_before_reset": 1}
    node = helper.make_node(inputs=["x", "W", "R", "B"], outputs=["y"], hidden_size=hidden, **kind)
    graph = helper.make_graph([node], "layer", [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, (x.shape[0], 1, x.shape[1], hidden))],
                              [numpy_helper.from_array(value, name) for name, value in weights.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(onnx.ModelProto.SerializeToString(model), options, providers=["CPUExecutionProvider"])
    given = {"x": x}
    last = None

    def step():
        nonlocal last
        last = session.run(None, given)

    return step, lambda: None, lambda: last


def main():
    row, implementation, path = sys.argv[1:]
    kind, extents = row.split("/")
    gates, backward = (4 if kind.startswith("lstm") else 3), kind.endswith("bwd")
    x, w_ih, w_hh, b_ih, b_hh, dy = operands(path, gates, *(int(each) for each in extents.split("x")))
    if implementation == "jax":
        layer = jax_layer(gates, backward, x, w_ih, w_hh, b_ih, b_hh, dy)
    else:
        layer = onnx_layer(gates, x, w_ih, w_hh, b_ih, b_hh)
    python_turns.take(*layer, path)


if __name__ == "__main__":
    main()
