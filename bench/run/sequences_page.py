# SPDX-License-Identifier: BSL-1.0
"""The page docs/benchmarks/sequences.md, which run.py --page sequences writes from sequences.csv."""
NAMES = {"rtneural_xsimd": "RTNeural, xsimd", "rtneural_eigen": "RTNeural, Eigen", "neuralaudio": "NeuralAudio", "torch": "PyTorch", "jax": "JAX",
         "onnxruntime": "ONNX Runtime", "llama2.c": "llama2.c"}
SAMPLES = 256  # of a run of a stream
PEDAL_SAMPLES = 4096  # of a run of a pedal
WORDS = 256  # of a run of a decoder
DECODERS = {"260k": "260,000 parameters", "15m": "15 million parameters, random weights",
            "15m_bfloat16": "the same, in espalier with weights of `bfloat16`"}
KINDS = {"lstm": "LSTM", "gru": "GRU", "causal_stack": "causal stack"}


def table(head, lines):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(line) + " |" for line in lines), ""]


def best_peer(row, build):
    line = row.peer(build)
    return (float(line["min_ns"]), NAMES[line["implementation"]]) if line else (None, "")


def lines_of(rows, builds, compilers, geometric_mean, words):
    """A line for each row and compiler, and one with the geometric means."""
    lines, ratios = [], {build: [] for build in builds}
    for row in rows:
        for build in builds:
            own, (peer, name) = row.own(build), best_peer(row, build)
            if not own:
                continue
            time = float(own["min_ns"])
            ratio = peer / time if peer else None
            ratios[build].append(ratio)
            lines.append([*words(row), compilers[build], time, (peer, name), f"**{ratio:.2f}**" if ratio else ""])
    means = ", ".join(f"{geometric_mean(found):.2f} with {compilers[build]}" for build, found in ratios.items() if geometric_mean(found))
    return lines, f"Geometric means of the ratios: {means}." if means else ""


def what_is_timed(row):
    return "forward and backward" if "_fwd_bwd/" in row.name else "forward"


def streams(rows, builds, compilers, geometric_mean):
    def words(row):
        kind, width = row.name.split("/")[1].rsplit("_", 1)
        return [f"{KINDS[kind]} {width}"]

    lines, means = lines_of([row for row in rows if row.name.startswith("stream/")], builds, compilers, geometric_mean, words)
    if not lines:
        return []
    text = [[name, compiler, f"{time / SAMPLES:.1f}", f"{peer / SAMPLES:.1f} ({of})" if peer else "", ratio] for name, compiler, time, (peer, of), ratio in lines]
    return ["## One sample at a time", "",
            "Nanoseconds a sample. LSTM and GRU: 1 feature, the layer, `Linear` to 1; the causal stack: six convolutions of three taps with dilations 1 to 32 and",
            "`tanh`, then `Linear` to 1. `esp::stream` with blocks of one step, beside RTNeural with both of its vector backends: the faster one is shown.", "",
            *table(["net", "compiler", "espalier", "RTNeural", "ratio"], text), means, ""]


def pedals(rows, builds, compilers, geometric_mean):
    lines, _ = lines_of([row for row in rows if row.name.startswith("pedal/")], builds, compilers, geometric_mean, lambda row: ["standard"])
    if not lines:
        return []
    text = [[name, compiler, f"{time / PEDAL_SAMPLES:.0f}", f"{peer / PEDAL_SAMPLES:.0f}" if peer else "", ratio]
            for name, compiler, time, (peer, _), ratio in lines]
    return ["## Blocks of samples", "",
            "Nanoseconds a sample of the WaveNet of Neural Amp Modeler, in blocks of 64 samples, beside NeuralAudio, which approximates `tanh`.", "",
            *table(["net", "compiler", "espalier", "NeuralAudio", "ratio"], text)]


def decoders(rows, builds, compilers, geometric_mean):
    lines, means = lines_of([row for row in rows if row.name.startswith("decode/")], builds, compilers, geometric_mean,
                            lambda row: [DECODERS[row.name.split("/")[1]]])
    if not lines:
        return []
    text = [[name, compiler, f"{time / WORDS / 1000:.1f}", f"{peer / WORDS / 1000:.1f}" if peer else "", ratio] for name, compiler, time, (peer, _), ratio in lines]
    return ["## One word at a time", "",
            "Microseconds a word of a Llama, for a text of 256 words. `esp::stream` of the net over whole texts, with the keys and values of 256 words, beside llama2.c",
            "(`-Ofast -march=native`).", "", *table(["net", "compiler", "espalier", "llama2.c", "ratio"], text), means, ""]


def section(title, text, words, rows, builds, compilers, readable, geometric_mean):
    """A section of rows beside the fastest peer of each. words(row): what the row computes."""
    lines, means = lines_of(rows, builds, compilers, geometric_mean, lambda row: [words(row), what_is_timed(row)])
    if not lines:
        return []
    cells = [[what, way, compiler, readable(time), f"{readable(peer)} ({of})" if peer else "", ratio] for what, way, compiler, time, (peer, of), ratio in lines]
    return [f"## {title}", "", *text, "", *table(["", "", "compiler", "espalier", "fastest peer", "ratio"], cells), means, ""]


def layer(row):
    kind, extents = row.name.split("/")
    steps, batch, features, hidden = extents.split("x")
    return f"{KINDS[kind.split('_')[0]]}, {steps} steps, batch {batch}, {features} to {hidden}"


def attention(row):
    kind, extents = row.name.split("/")
    batch, heads, length, features = extents.split("x")
    return f"batch {batch}, {heads} heads, {length} positions, {features} features" + (", causal" if "_causal" in kind else "")


def encoder(row):
    batch, length, features, heads, hidden = row.name.split("/")[1].split("x")
    return f"batch {batch}, {length} positions, {features} features, {heads} heads, {hidden} hidden"


# Title, text, the beginning of the rows' names, and what a row computes.
SECTIONS = [
    ("Recurrent layers",
     ["Whole sequences, beside `at::lstm` and `at::gru` of PyTorch, `lax.scan` in JAX (compiled) and, forward, the operators of ONNX Runtime. Backward: the gradients of",
      "the input and of all parameters. JAX and ONNX Runtime are timed in processes of their own, and include a call from Python (10 us)."],
     ("lstm_", "gru_"), layer),
    ("Attention", ["`scaled_dot_product_attention`, beside PyTorch's of the same name, which computes it in blocks, too."], ("attention_",), attention),
    ("Layers of a Transformer",
     ["`nn::TransformerEncoderLayer`: pre-norm, GELU, causal, no dropout, beside the same layer of PyTorch's functions."], ("encoder_",), encoder),
]


def page(rows, builds, compilers, notes, facts, readable, geometric_mean):
    out = ["# Sequences: measurements", "",
           "`float`, one thread. The implementations of a row take turns in one process on the same operands, after their results were compared; times are minima.",
           "**Ratio** is the time of the other library by that of espalier, in one run: above 1 espalier is faster. Made by `bench/run/run.py --page sequences`, from",
           "[sequences.csv](sequences.csv).", "", *(f"- {fact}" for fact in facts), ""]
    out += streams(rows, builds, compilers, geometric_mean)
    out += pedals(rows, builds, compilers, geometric_mean)
    out += decoders(rows, builds, compilers, geometric_mean)
    for title, text, names, words in SECTIONS:
        out += section(title, text, words, [row for row in rows if row.name.startswith(names)], builds, compilers, readable, geometric_mean)
    return "\n".join(out + [*notes["sequences"]["limits"], ""])
