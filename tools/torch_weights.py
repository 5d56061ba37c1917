#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Weights of a PyTorch module as a safetensors file with espalier's names and layouts, and back:

    import torch_weights
    torch_weights.save(module, "net.safetensors")      # C++: io::load_safetensors("net.safetensors", model)
    torch_weights.load(module, "net.safetensors")      # C++: io::save_safetensors("net.safetensors", model)

Names are those of PyTorch: attributes and positions in a Sequential, with dots between them. names={"features": "0"} says what espalier calls a module (or a
tensor) otherwise; what lies in it follows. A state_dict is saved by save(state, path, like=module): its names do not say what kind a layer is, the module does.
The table of layouts is in docs/how_to_exchange_with_pytorch.md. Needs torch alone.
"""
import ctypes
import json
import os

import torch

# How the axes of a tensor of PyTorch lie in espalier's: the kind of layer, and what its tensors are called there.
UNCHANGED = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "LayerNorm", "GroupNorm", "RMSNorm",
             "Embedding")
MATRIX_NAMES = ("weight", "weight_v", "weight_g",  # weight_norm's two have the axes of the weight
                "in_proj_weight")
MATRICES = {
    "Linear": (1, 0),                    # (outputs, inputs)                       -> (inputs, outputs)
    "MultiheadAttention": (1, 0),        # (3 features, features)                  -> (features, 3 features)
    "Conv1d": (2, 1, 0),                 # (outputs, inputs / groups, taps)        -> (taps, inputs / groups, outputs)
    "Conv2d": (2, 3, 1, 0),              # (outputs, inputs / groups, rows, cols)  -> (rows, cols, inputs / groups, outputs)
    "ConvTranspose2d": (2, 3, 1, 0),     # (inputs, outputs / groups, rows, cols)  -> (rows, cols, outputs / groups, inputs)
}
RECURRENT = ("RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell")  # weights (gates, features) -> (features, gates); biases are vectors
NOT_KEPT = "num_batches_tracked"
KINDS = {torch.float32: "F32", torch.float64: "F64", torch.float16: "F16", torch.bfloat16: "BF16", torch.int64: "I64", torch.int32: "I32", torch.int16: "I16",
         torch.int8: "I8", torch.uint8: "U8", torch.bool: "BOOL"}


def to_espalier(kind, name, tensor):
    """A tensor of a layer, in espalier's layout."""
    if kind in RECURRENT:
        return tensor.t() if tensor.dim() == 2 else tensor
    if kind in MATRICES and name in MATRIX_NAMES:
        return tensor.permute(MATRICES[kind])
    return tensor.reshape(1, -1) if kind == "Linear" and name == "bias" else tensor


def from_espalier(kind, name, tensor):
    """A tensor in espalier's layout, as the layer has it."""
    if kind in RECURRENT:
        return tensor.t() if tensor.dim() == 2 else tensor
    if kind in MATRICES and name in MATRIX_NAMES:
        order = MATRICES[kind]
        return tensor.permute([order.index(axis) for axis in range(len(order))])
    return tensor.reshape(-1) if kind == "Linear" and name == "bias" else tensor


def kind_of(module):
    """The kind of layer that a module is or derives from; None: none that is known."""
    return next((c.__name__ for c in type(module).__mro__ if c.__name__ in MATRICES or c.__name__ in UNCHANGED or c.__name__ in RECURRENT), None)


def renamed(name, names):
    """What espalier calls a tensor: the longest beginning that names has is replaced."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        if (begin := ".".join(parts[:count])) in names:
            return ".".join(filter(None, [names[begin], *parts[count:]]))
    return name


def tensors_of(module, names):
    """(name in PyTorch, name in espalier, kind of layer, name in the layer) of each tensor that is exchanged."""
    found, taken = [], {}
    for path, layer in module.named_modules():
        own = [*layer._parameters.items(), *((n, t) for n, t in layer._buffers.items() if n not in layer._non_persistent_buffers_set)]
        for name, tensor in own:
            if tensor is None or name == NOT_KEPT:
                continue
            full = f"{path}.{name}" if path else name
            if kind_of(layer) is None and tensor.dim() > 1:
                raise ValueError(f"{full}: expected a layer of {', '.join([*MATRICES, *UNCHANGED, *RECURRENT])}, came {type(layer).__name__}: its layout in espalier is not known")
            theirs = renamed(full, names)
            if theirs in taken:
                raise ValueError(f"{full} and {taken[theirs]} would both be {theirs}")
            taken[theirs] = full
            found.append((full, theirs, kind_of(layer), name))
    return found


def write(path, tensors):
    """A safetensors file of tensors by name; another one at the path is replaced as a whole."""
    order = sorted(tensors, key=lambda name: -tensors[name].element_size())
    header, at, pieces = {"__metadata__": {"format": "espalier"}}, 0, []
    for name in order:
        tensor = tensors[name].detach().cpu().contiguous()
        size = tensor.numel() * tensor.element_size()
        header[name] = {"dtype": KINDS[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [at, at + size]}
        pieces.append(ctypes.string_at(tensor.data_ptr(), size) if size else b"")
        at += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    beside = f"{path}.{os.getpid()}.part"
    try:
        with open(beside, "wb") as file:
            file.writelines([len(text).to_bytes(8, "little"), text, *pieces])
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        if os.path.exists(beside):
            os.remove(beside)


def read(path, layout=None):
    """The tensors of a safetensors file by name, which have espalier's layout: the file's metadata or the argument says so."""
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = bytearray(file.read())
    named = layout or header.get("__metadata__", {}).get("format")
    header.pop("__metadata__", None)
    if named not in (None, "espalier"):
        raise ValueError(f"{path}: expected a file in espalier's layout, came the format {named!r}: load_state_dict reads PyTorch's own files; "
                         "a file of this script from before version 0.7 is read with layout=\"espalier\"")
    types = {kind: dtype for dtype, kind in KINDS.items()}
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        flat = torch.frombuffer(data[begin:end], dtype=types[entry["dtype"]]) if end > begin else torch.empty(0, dtype=types[entry["dtype"]])
        tensors[name] = flat.reshape(entry["shape"]).clone()
    return tensors


def save(module_or_state_dict, path, names=None, like=None):
    """Writes all parameters and buffers but num_batches_tracked. like: the module that a state_dict belongs to."""
    is_module = isinstance(module_or_state_dict, torch.nn.Module)
    if not is_module and like is None:
        raise ValueError("save(state_dict, path, like=module): the names of a state_dict do not say what its layers are; expected the module, came none")
    state = module_or_state_dict.state_dict() if is_module else module_or_state_dict
    found = tensors_of(module_or_state_dict if is_module else like, names or {})
    ours = {full for full, *_ in found}
    wrong = [f"missing {n}" for n in sorted(ours - state.keys())] + [f"extra {n}" for n in sorted(state.keys() - ours) if n.split(".")[-1] != NOT_KEPT]
    if wrong:
        raise ValueError("the state_dict is not the module's: " + "; ".join(wrong))
    write(path, {theirs: to_espalier(kind, name, state[full]) for full, theirs, kind, name in found})


def load(module, path, names=None, layout=None):
    """Gives the module every number of the file, or, where the two disagree in anything, none: ValueError says where."""
    given, state, wrong = read(path, layout), module.state_dict(), []
    found = tensors_of(module, names or {})
    new = {}
    for full, theirs, kind, name in found:
        if theirs not in given:
            wrong.append(f"missing {theirs}")
            continue
        expected = tuple(to_espalier(kind, name, state[full]).shape)
        if tuple(given[theirs].shape) != expected:
            wrong.append(f"shape of {theirs}: expected {expected}, found {tuple(given[theirs].shape)}")
            continue
        new[full] = from_espalier(kind, name, given[theirs]).contiguous()
    wrong += [f"extra {n}" for n in sorted(given.keys() - {theirs for _, theirs, *_ in found})]
    if wrong:
        raise ValueError(f"{path} does not fit: " + "; ".join(wrong))
    module.load_state_dict({**state, **new})
    return module
