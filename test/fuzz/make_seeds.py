#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes the seeds of the fuzz targets:  make_seeds.py [FOLDER]  (default: seeds, beside this file)

A few small files of each format, as other programs write them, byte by byte. Findings are added to the folders by hand and stay.
"""
import io
import json
import pathlib
import struct
import sys
import zipfile


def idx(*extents, kind=8, data=b""):
    return bytes([0, 0, kind, len(extents)]) + b"".join(struct.pack(">I", e) for e in extents) + data


def idx_seeds():
    yield "vector", idx(4, data=bytes([0, 1, 2, 9]))
    yield "images", idx(2, 3, 3, data=bytes(range(18)))
    yield "empty", idx(0, 28, 28)
    yield "floats", idx(1, kind=0x0D, data=struct.pack(">f", 1.5))
    yield "truncated", idx(3, 5, data=bytes(11))
    yield "rank", idx(*[1] * 9, data=b"\x05")


def cifar10_seeds():
    record = bytes([3]) + bytes(3072)
    yield "one", record
    yield "two", record + bytes([9]) + bytes([0xFF]) * 3072
    yield "label", bytes([10]) + bytes(3072)
    yield "short", record[:-1]


def llama2c(dim, hidden, layers, heads, key_heads, words, length, missing=0):
    key_dim = dim // heads * key_heads
    count = abs(words) * dim * (1 if words > 0 else 2) + layers * (2 * dim + 2 * dim * dim + 2 * key_dim * dim + 3 * dim * hidden) + dim + length * (dim // heads)
    return struct.pack("<7i", dim, hidden, layers, heads, key_heads, words, length) + struct.pack(f"<{count - missing}f", *range(count - missing))


def llama2c_seeds():
    yield "shared", llama2c(4, 2, 2, 2, 1, 3, 2)
    yield "own", llama2c(4, 2, 2, 2, 1, -3, 2)
    yield "other", llama2c(6, 3, 1, 1, 1, 2, 1)
    yield "short", llama2c(4, 2, 2, 2, 1, 3, 2, missing=1)
    yield "header", struct.pack("<7i", 4, 2, 2**31 - 1, 2, 1, 3, 2**31 - 1)
    yield "version_1", struct.pack("<7i", 0x616B3432, 1, 4, 2, 2, 2, 1)


# What test/fuzz/whole_or_nothing.hpp keeps: name -> (type, extents). The values are numbers that count up.
NET = {"0.weight": ("<f4", (2, 3)), "0.bias": ("<f4", (1, 3)), "1.weight": ("<f4", (3,)), "1.bias": ("<f4", (3,)),
       "1.running_mean": ("<f4", (3,)), "1.running_var": ("<f4", (3,))}
TRAINED = [name for name in NET if "running" not in name]
TRAINING = NET | {f"training/state0/{name}": NET[name] for name in TRAINED} | {"training/steps": ("<i8", ()), "training/seed": ("<u8", ()), "training/draws": ("<u8", ())}

# numpy's types: struct's letter, and the name that safetensors has for it
TYPES = {"b1": ("?", "BOOL"), "u1": ("B", "U8"), "i1": ("b", "I8"), "u2": ("H", "U16"), "i2": ("h", "I16"), "u4": ("I", "U32"), "i4": ("i", "I32"),
         "u8": ("Q", "U64"), "i8": ("q", "I64"), "f2": ("e", "F16"), "f4": ("f", "F32"), "f8": ("d", "F64")}


def elements(kind, extents):
    order = ">" if kind[0] == ">" else "<"
    count = 1
    for extent in extents:
        count *= extent
    return struct.pack(f"{order}{count}{TYPES[kind[1:]][0]}", *(i % 2 if kind[1:] == "b1" else i % 100 for i in range(count)))


def npy(kind, extents, version=1, columns=False, header=None):
    text = header or f"{{'descr': '{kind}', 'fortran_order': {columns}, 'shape': {extents}, }}"
    lead = 10 if version == 1 else 12
    text += " " * (-(lead + len(text) + 1) % 64) + "\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(text)) + text.encode() + elements(kind, extents)


def npy_seeds():
    for kind in TYPES:
        yield f"{kind}", npy(("|" if kind[1] == "1" else "<") + kind, (2, 3))
    yield "one", npy("<f8", ())
    yield "vector", npy("<f4", (5,))
    yield "none", npy("<f4", (0, 3))
    yield "columns", npy("<i2", (2, 3, 2), columns=True)
    yield "big_end_first", npy(">f4", (3,), version=2)
    yield "format_3", npy("<i4", (1, 2), version=3)
    yield "records", npy("<f4", (1,), header="{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }")
    yield "objects", npy("<i8", (1,), header="{'descr': '|O', 'fortran_order': False, 'shape': (1,), }")
    yield "long_integers", npy("<f4", (1, 2), header="{'shape': (1L, 2L), 'fortran_order': False, \"descr\": '<f4'}")


def npz(arrays, method, wide=False, columns=False):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as file:
        for name, (kind, extents) in arrays.items():
            entry = zipfile.ZipInfo(name + ".npy")
            entry.compress_type = method
            with file.open(entry, "w", force_zip64=wide) as to:
                to.write(npy(kind, extents, columns=columns))
    return made.getvalue()


class NotSeekable(io.RawIOBase):
    """What zipfile writes to when it cannot go back: sizes follow the bytes."""
    def __init__(self):
        self.made = b""

    def writable(self):
        return True

    def write(self, some):
        self.made += bytes(some)
        return len(some)


def streamed_npz(arrays):
    to = NotSeekable()
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as file:
        for name, (kind, extents) in arrays.items():
            file.writestr(zipfile.ZipInfo(name + ".npy"), npy(kind, extents), zipfile.ZIP_DEFLATED)
    return to.made


def npz_seeds():
    few = {"0.weight": ("<f4", (2, 3)), "0.bias": ("<f4", (1, 3))}
    yield "model", npz(NET, zipfile.ZIP_STORED, wide=True)
    yield "model_deflated", npz(NET, zipfile.ZIP_DEFLATED, wide=True)
    yield "training", npz(TRAINING, zipfile.ZIP_STORED)
    yield "training_deflated", npz(TRAINING, zipfile.ZIP_DEFLATED)
    yield "columns", npz(few, zipfile.ZIP_DEFLATED, columns=True)
    yield "streamed", streamed_npz(few)
    yield "doubles", npz({name: ("<f8", extents) for name, (_, extents) in few.items()}, zipfile.ZIP_STORED)
    yield "another_method", npz(few, zipfile.ZIP_BZIP2)
    yield "empty", npz({}, zipfile.ZIP_STORED)
    yield "utf8", npz({"größe": ("<i4", (2,))}, zipfile.ZIP_STORED)


def safetensors(arrays, metadata=None, pad=0, header=None):
    told, data = ({"__metadata__": metadata} if metadata else {}), b""
    for name, (kind, extents) in arrays.items():
        some = elements(kind, extents)
        told[name] = {"dtype": TYPES[kind[1:]][1], "shape": list(extents), "data_offsets": [len(data), len(data) + len(some)]}
        data += some
    text = (header or json.dumps(told, separators=(",", ":"))).encode()
    text += b" " * (-len(text) % 8 + pad)
    return struct.pack("<Q", len(text)) + text + data


def safetensors_seeds():
    yield "model", safetensors(NET)
    yield "training", safetensors(TRAINING, {"format": "espalier"})
    yield "kinds", safetensors({kind: ("<" + kind, (2,)) for kind in TYPES}, {"format": "pt"}, pad=16)
    yield "none", safetensors({})
    yield "no_elements", safetensors({"a": ("<f4", (0, 3)), "b": ("<f4", ()), "c": ("<f4", (0,))})
    yield "bfloat16", safetensors({}, header='{"w":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}}') + bytes([0x80, 0x3F, 0, 0])
    yield "overlap", safetensors({}, header='{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}') + bytes(3)
    yield "escapes", safetensors({}, header='{"\\u00e9\\n":{"shape":[1],"dtype":"I8","data_offsets":[0,1]}}') + b"\1"


SEEDS = {"idx": idx_seeds, "cifar10": cifar10_seeds, "llama2c": llama2c_seeds, "npy": npy_seeds, "npz": npz_seeds, "safetensors": safetensors_seeds}


def main(folder):
    for target, seeds in SEEDS.items():
        there = folder / target
        there.mkdir(parents=True, exist_ok=True)
        for name, content in seeds():
            (there / name).write_bytes(content)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent / "seeds")
