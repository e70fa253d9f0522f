#!/usr/bin/env python3
"""Recomputes a checkpoint's logits with numpy alone and compares them.

    logits.py MODEL.npz                      with what build/sawtooth-infer computes, to 1e-4
    logits.py MODEL.npz --infer PROGRAM      with what that sawtooth-infer computes
    logits.py MODEL.npz --expect FILE.npz    with the float64 logits stored beside `tokens` in FILE, to 1e-6

Tolerances are relative to the largest logit where that is above 1. Layers of int8 weights round their inputs, and in a
large model some number is so near the middle of two bytes that it falls to one here and to the other there, which is
worth more than the tolerance: only small int8 models can be compared so.

The forward is the textbook one, in double precision, for every model that a checkpoint can hold. It shows
that a checkpoint is a plain .npz: nothing here comes from Sawtooth but the file. Exit status 1: they differ.
"""
import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

erf = np.vectorize(math.erf, otypes=[np.float64])

ACTIVATIONS = {
    "relu": lambda x: np.maximum(x, 0.0),
    "gelu": lambda x: 0.5 * x * (1.0 + erf(x / math.sqrt(2.0))),
    "gelu_tanh": lambda x: 0.5 * x * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3))),
}


class Checkpoint:
    def __init__(self, path):
        self.path = path
        self.arrays = np.load(path)
        meta = json.loads(self.arrays.zip.read("meta.json"))
        if meta["format"] != "sawtooth-checkpoint" or meta["version"] != 1:
            sys.exit(f"{path}: not a checkpoint of version 1")
        self.model = meta["model"]
        self.weights = {"f32": np.float32, "f16": np.float16, "int8": np.int8}[meta.get("weights", "f32")]

    def tensor(self, name):
        """The parameter in double precision; None for a bias that this model does not have."""
        if name not in self.arrays:
            return None
        numbers = self.arrays[name].astype(np.float32)
        if f"{name}.scale" in self.arrays:
            numbers *= np.repeat(self.arrays[f"{name}.scale"], 128, axis=1)[:, : numbers.shape[1]]
        return numbers.astype(np.float64)

    def check_member(self, name, dtype):
        if name not in self.arrays or self.arrays[name].dtype != dtype:
            sys.exit(f"{self.path}: no member {name}.npy of {np.dtype(dtype)}")

    def check_members(self):
        for name in self.expected_names():
            matrix = name.endswith(".weight") and ".ln_" not in name
            self.check_member(name, self.weights if matrix else np.float32)
            if matrix and self.weights == np.int8:
                self.check_member(f"{name}.scale", np.float32)

    def expected_names(self):
        """Every tensor that a model of these settings has."""
        m = self.model
        names = ["transformer.wte.weight", "transformer.wpe.weight"]

        def add(stem, bias):
            names.extend([f"{stem}.weight"] + ([f"{stem}.bias"] if bias else []))

        for i in range(m["n_layer"]):
            for part in ("ln_1", "attn.c_attn", "attn.c_proj", "ln_2", "mlp.c_fc", "mlp.c_proj"):
                add(f"transformer.h.{i}.{part}", m["qkv_bias" if part == "attn.c_attn" else "bias"])
        add("transformer.ln_f", m["bias"])
        if not m["tie_weights"]:
            names.append("lm_head.weight")
        if m["head_bias"]:
            names.append("lm_head.bias")
        return names


def rounded(c, x):
    """A linear layer's input: for int8 weights each row and 128 inputs is whole multiples of its largest / 127."""
    if c.weights != np.int8:
        return x
    groups = [x[:, i : i + 128] for i in range(0, x.shape[1], 128)]
    scales = [np.abs(g).max(axis=1, keepdims=True) / 127 for g in groups]
    return np.concatenate([np.rint(g / np.where(s == 0, 1, s)) * s for g, s in zip(groups, scales)], axis=1)


def linear(c, stem, x):
    y = rounded(c, x) @ c.tensor(f"{stem}.weight").T
    bias = c.tensor(f"{stem}.bias")
    return y if bias is None else y + bias


def layer_norm(c, stem, x):
    centred = x - x.mean(axis=-1, keepdims=True)
    y = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5) * c.tensor(f"{stem}.weight")
    bias = c.tensor(f"{stem}.bias")
    return y if bias is None else y + bias


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attention(c, stem, x):
    length, width = x.shape
    heads = c.model["n_head"]
    q, k, v = (
        part.reshape(length, heads, width // heads).swapaxes(0, 1)
        for part in np.split(linear(c, f"{stem}.c_attn", x), 3, axis=-1)
    )
    scores = q @ k.swapaxes(1, 2) / math.sqrt(width // heads)
    scores[:, np.triu(np.ones((length, length), dtype=bool), 1)] = -np.inf
    return linear(c, f"{stem}.c_proj", (softmax(scores) @ v).swapaxes(0, 1).reshape(length, width))


def forward(c, tokens):
    """The logits (T, V) of one sequence of at most block_size tokens."""
    x = c.tensor("transformer.wte.weight")[tokens] + c.tensor("transformer.wpe.weight")[: len(tokens)]
    activation = ACTIVATIONS[c.model["activation"]]
    for i in range(c.model["n_layer"]):
        h = f"transformer.h.{i}"
        x = x + attention(c, f"{h}.attn", layer_norm(c, f"{h}.ln_1", x))
        hidden = activation(linear(c, f"{h}.mlp.c_fc", layer_norm(c, f"{h}.ln_2", x)))
        x = x + linear(c, f"{h}.mlp.c_proj", hidden)
    x = layer_norm(c, "transformer.ln_f", x)
    head = c.tensor("transformer.wte.weight" if c.model["tie_weights"] else "lm_head.weight")
    bias = c.tensor("lm_head.bias")
    y = rounded(c, x) @ head.T
    return y if bias is None else y + bias


def infer(program, model, tokens):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "logits.npy")
        listed = ",".join(str(t) for t in tokens)
        subprocess.run([program, "logits", model, "--tokens", listed, "--out", out], check=True)
        logits = np.load(out)
    if logits.dtype != np.float32:
        sys.exit(f"{program}: logits of type {logits.dtype}; expected float32")
    return logits


def some_tokens(c):
    """As many tokens as the model sees at once (at most 256), spread over its vocabulary."""
    count = min(c.model["block_size"], 256)
    return np.random.default_rng(1337).integers(0, c.model["vocab_size"], count)


def report(model, other, found, expected, tolerance):
    what = f"{Path(model).name} against {Path(other).name}"
    if found.shape != expected.shape:
        print(f"{what}: FAILED: logits of shape {found.shape}, numpy's are {expected.shape}")
        return False
    difference = np.abs(found - expected).max()
    limit = tolerance * max(1.0, np.abs(expected).max())
    good = difference <= limit  # False for a NaN
    print(f"{what}: largest difference {difference:.2e} (at most {limit:.1e}): {'ok' if good else 'FAILED'}")
    return bool(good)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--expect")
    parser.add_argument("--infer", default="build/sawtooth-infer")
    options = parser.parse_args()

    c = Checkpoint(options.model)
    c.check_members()
    if options.expect:
        stored = np.load(options.expect)
        logits = np.stack([forward(c, tokens) for tokens in stored["tokens"]])
        good = report(options.model, options.expect, stored["logits"], logits, 1e-6)
    else:
        tokens = some_tokens(c)
        logits = infer(options.infer, options.model, tokens)
        good = report(options.model, options.infer, logits, forward(c, tokens), 1e-4)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
