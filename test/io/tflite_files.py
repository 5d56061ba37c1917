#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes test/io/tflite_files.hpp: nets that Keras trained on the digits of docs/examples/data and TensorFlow's converter quantized to integers of 8 bits
(post-training, with a representative data set), with an input and the interpreter's output for it:  tflite_files.py [FOLDER]

With FOLDER, it runs the interpreter on each FOLDER/NAME.tflite with the floats of FOLDER/NAME.x instead, and prints the largest difference from
FOLDER/NAME.y and the step of the last int8 value.
The tests read the stored header, so that they need no TensorFlow. Run this again with other versions to renew it.
"""
import base64
import os
import pathlib
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from tensorflow import keras  # noqa: E402

layers = keras.layers
HERE = pathlib.Path(__file__).resolve()
DATA = HERE.parents[2] / "docs/examples/data"


def dense(inputs):
    x = layers.Dense(8, activation="relu")(inputs)
    return layers.Dense(10, activation="softmax")(x)


def images(inputs):
    x = layers.Conv2D(4, 3, padding="same", use_bias=False)(inputs)
    x = layers.MaxPooling2D()(layers.ReLU()(layers.BatchNormalization()(x)))
    x = layers.DepthwiseConv2D(3, padding="same", activation="relu")(x)
    x = layers.Conv2D(4, 1, activation="relu")(x)
    return layers.Dense(10)(layers.Flatten()(x))


def residual(inputs):
    first = layers.Conv2D(3, 3, padding="same", activation="relu")(inputs)
    x = layers.ReLU()(layers.Add()([first, layers.Conv2D(3, 3, padding="same")(first)]))
    x = layers.Conv2D(4, 3, strides=2, padding="same", activation="relu")(x)
    return layers.Dense(10, activation="sigmoid")(layers.GlobalAveragePooling2D()(x))


# name: (net, shape of a sample, whether its inputs and outputs are int8)
NETS = {"dense": (dense, (64,), False), "images": (images, (8, 8, 1), True), "residual": (residual, (8, 8, 1), False)}


def digits():
    pictures = np.frombuffer((DATA / "optdigits-images-idx3-ubyte").read_bytes()[16:], np.uint8).astype("f") / 8 - 1
    return pictures.reshape(-1, 64), np.frombuffer((DATA / "optdigits-labels-idx1-ubyte").read_bytes()[8:], np.uint8)


def converted(model, samples, whole):
    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: ([samples[i:i + 1]] for i in range(100))
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    if whole:
        converter.inference_input_type = converter.inference_output_type = tf.int8
    return converter.convert()


def results(file, samples):
    """The interpreter's results, one sample after the other."""
    interpreter = tf.lite.Interpreter(model_content=file)
    interpreter.allocate_tensors()
    into, out = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
    every = []
    for x in samples:
        scale, zero = into["quantization"]
        if into["dtype"] == np.int8:
            x = np.clip(np.rint(x / scale) + zero, -128, 127).astype(np.int8)
        interpreter.set_tensor(into["index"], x[None])
        interpreter.invoke()
        scale, zero = out["quantization"]
        y = interpreter.get_tensor(out["index"])[0]
        every.append((y.astype("f") - zero) * np.float32(scale) if out["dtype"] == np.int8 else y)
    return np.stack(every)


def check(folder):
    for path in sorted(folder.glob("*.tflite")):
        interpreter = tf.lite.Interpreter(model_path=str(path))
        interpreter.allocate_tensors()
        into, out = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
        x, y = (np.fromfile(path.with_suffix(end), np.float32) for end in (".x", ".y"))
        interpreter.set_tensor(into["index"], x.reshape(into["shape"]))
        interpreter.invoke()
        last = [o for o in interpreter._get_ops_details() if o["op_name"] == "DEQUANTIZE"][-1]["inputs"][0]
        step = interpreter._get_tensor_details(last, 0)["quantization"][0]
        worst = np.abs(interpreter.get_tensor(out["index"]).ravel() - y).max()
        print(f"{path.stem}: {worst:.6f} of at most {np.abs(y).max():.3f}; the last step is {step:.6f}")


def main():
    keras.utils.set_random_seed(1)
    pictures, labels = digits()
    text = ["// SPDX-License-Identifier: BSL-1.0", "// clang-format off", "#pragma once", "",
            f"/// Nets that Keras {keras.__version__} trained on docs/examples/data and the converter of TensorFlow {tf.__version__} quantized,",
            "/// with an input and the interpreter's output for it. Written by test/io/tflite_files.py.", "namespace test::tflite_files {", ""]
    for name, (net, shape, whole) in NETS.items():
        inputs = keras.Input(shape=shape, dtype="float32")
        model = keras.Model(inputs, net(inputs))
        model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=name == "images"))
        samples = pictures.reshape(-1, *shape)
        model.fit(samples[:1400], labels[:1400], epochs=12, verbose=0)
        file = converted(model, samples, whole)
        x = samples[1400:1404]
        code = base64.b64encode(file).decode()
        text.append(f"inline constexpr char {name}[] =")
        text += [f'    "{code[i:i + 110]}"' for i in range(0, len(code), 110)]
        text[-1] += ";"
        for what, numbers in (("x", x), ("y", results(file, x))):
            row = [f"{v:.9g}" for v in numbers.ravel()]
            row = [v + "f" if "." in v or "e" in v else v + ".0f" for v in row]
            text.append(f"inline constexpr float {name}_{what}[] = {{")
            text += ["    " + ", ".join(row[i:i + 8]) + "," for i in range(0, len(row), 8)]
            text.append("};")
        text.append("")
    text += ["}  // namespace test::tflite_files", ""]
    HERE.with_suffix(".hpp").write_text("\n".join(text))


if __name__ == "__main__":
    check(pathlib.Path(sys.argv[1])) if len(sys.argv) > 1 else main()
