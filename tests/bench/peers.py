"""Training beside PyTorch, in turns:  peers.py FIGURES.json ROUNDS CONFIG --updates PROGRAM --train PROGRAM --data TEXT
Each round times an update of ours and then of each way to run the same model in PyTorch. Called by peers.sh."""

import argparse
import json
import math
import os
import statistics
import subprocess
import tempfile
import time

import torch
from gpt_torch import Trainer, read_recipe

VOCABULARY = 65  # tiny-shakespeare's; the same in updates.c
SHORTEST = 0.25  # seconds that an update is timed for, at least


class Ours:
    """build/bench/updates, which makes an update when it is asked to."""

    name = "sawtooth-train"

    def __init__(self, program, config):
        self.process = subprocess.Popen([program, config], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.tokens, self.threads = (int(n) for n in self.ask("size").split())

    def ask(self, question):
        self.process.stdin.write(question + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def seconds(self):
        return float(self.ask("update"))


class Torch:
    def __init__(self, recipe, compiled, bfloat16):
        self.name = f"PyTorch {torch.__version__.split('+')[0]}, {'torch.compile' if compiled else 'eager'}, "
        self.name += "bfloat16 autocast" if bfloat16 else "float32"
        self.trainer = Trainer(recipe, VOCABULARY, compiled, bfloat16)
        shape = int(recipe["batch_size"]), int(recipe["block_size"])
        self.batch = [torch.randint(VOCABULARY, shape) for _ in ("tokens", "targets")]

    def seconds(self):
        began, updates = time.perf_counter(), 0
        while updates == 0 or time.perf_counter() - began < SHORTEST:
            self.trainer.update(*self.batch)
            updates += 1
        return (time.perf_counter() - began) / updates


def contenders(program, config, recipe):
    """Those that run here; compiling needs a C++ compiler, for instance."""
    ours = Ours(program, config)
    ours.seconds()
    torch.set_num_threads(ours.threads)
    running = [ours]
    for compiled in (False, True):
        for bfloat16 in (False, True):
            one = Torch(recipe, compiled, bfloat16)
            try:
                one.seconds()
                running.append(one)
            except Exception as failure:  # whatever the compiler raises
                print(f"{one.name}: left out: {str(failure).splitlines()[0]}", flush=True)
    return running


def measure(running, rounds):
    samples = {one.name: [] for one in running}
    for _ in range(rounds):
        for one in running:
            samples[one.name].append(one.seconds())
    return {name: statistics.median(values) for name, values in samples.items()}


class Figures:
    """Markdown on standard output, and the same in the JSON file that evaluation.c has begun."""

    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8") as file:
            self.all = json.load(file)

    def table(self, key, what, columns, rows):
        print(f"\n| {what} | " + " | ".join(title for title, _ in columns.values()) + " |")
        print("| --- |" + " ---: |" * len(columns))
        for row in rows:
            cells = (form.format(row[name]) if name in row else "" for name, (_, form) in columns.items())
            print(f"| {row['what']} | " + " | ".join(cells) + " |", flush=True)
        self.all.setdefault(key, []).extend(rows)
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump(self.all, file, indent=1)


def compare(figures, name, tokens, seconds):
    ours = seconds[Ours.name]
    rows = [dict(what=one, tokens_per_second=tokens / s, ratio=s / ours) for one, s in seconds.items()]
    columns = dict(tokens_per_second=("tokens/s", "{:,.0f}"), ratio=("ours is so many times as fast", "{:.2f}"))
    figures.table(name, f"training {name}", columns, rows)


def encode(path):
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    ids = {character: i for i, character in enumerate(sorted(set(text)))}
    return torch.tensor([ids[character] for character in text]), len(ids)


def fastest(seconds):
    """Ours, and the fastest of PyTorch's ways in each precision: [(name, seconds)]."""
    best = [(Ours.name, seconds[Ours.name])]
    for precision in ("float32", "bfloat16"):
        best += sorted(((name, s) for name, s in seconds.items() if precision in name), key=lambda one: one[1])[:1]
    return best


def evaluation_seconds(figures, recipe, data, name):
    tokens, vocabulary = encode(data)
    validation = tokens[int(0.9 * len(tokens)) :]
    if name == Ours.name:
        return len(validation) / figures.all["evaluation"][0]["tokens_per_second"]
    trainer = Trainer(recipe, vocabulary, False, "bfloat16" in name)
    began = time.perf_counter()
    trainer.evaluate(validation)
    return time.perf_counter() - began


def estimate(figures, recipe, data, seconds):
    """A whole run from its parts: updates and evaluations; starting and saving are left out of both."""
    updates, evaluations = int(recipe["max_iters"]), int(recipe["max_iters"]) // int(recipe["eval_interval"]) + 1
    rows = []
    for name, update in fastest(seconds):
        row = dict(what=name, update=update, evaluation=evaluation_seconds(figures, recipe, data, name))
        row["seconds"] = updates * row["update"] + evaluations * row["evaluation"]
        rows.append(row)
        row["ratio"] = row["seconds"] / rows[0]["seconds"]
    columns = dict(update=("s an update", "{:.4f}"), evaluation=("s an evaluation", "{:.2f}"),
                   seconds=("s", "{:.0f}"), ratio=("ours is so many times as fast", "{:.2f}"))
    figures.table("whole run, estimated", f"{updates} updates, {evaluations} evaluations, estimated", columns, rows)


def learning_rate(recipe, i):
    """nanoGPT's and ours: linear warm-up, then cosine."""
    high, low = float(recipe["learning_rate"]), float(recipe["min_lr"])
    warm, end = int(recipe["warmup_iters"]), int(recipe["lr_decay_iters"])
    if i < warm:
        return high * (i + 1) / (warm + 1)
    return low + 0.5 * (1 + math.cos(math.pi * min(1, (i - warm) / (end - warm)))) * (high - low)


def train_with_torch(recipe, data, compiled, bfloat16):
    """The seconds and the lowest loss. Reading the text and compiling are not counted, and it saves nothing."""
    tokens, vocabulary = encode(data)
    split, context = int(0.9 * len(tokens)), int(recipe["block_size"])
    trainer = Trainer(recipe, vocabulary, compiled, bfloat16)
    steps, best = torch.arange(context), math.inf
    first = tokens[torch.zeros(int(recipe["batch_size"]), 1, dtype=torch.long) + steps]
    trainer.loss(trainer.forward, first, first).backward()  # compiles
    began = time.perf_counter()
    for i in range(int(recipe["max_iters"]) + 1):
        if i % int(recipe["eval_interval"]) == 0:
            best = min(best, trainer.evaluate(tokens[split:]))
        if i == int(recipe["max_iters"]):
            return time.perf_counter() - began, best
        for group in trainer.optimizer.param_groups:
            group["lr"] = learning_rate(recipe, i)
        at = torch.randint(split - context, (int(recipe["batch_size"]), 1)) + steps
        trainer.update(tokens[at], tokens[at + 1])


def train_with_ours(program, config, data):
    """The same of the whole program, with its start and its saving."""
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as directory:
        run = os.path.join(directory, "run")
        done = subprocess.run([program, config, f"--data={data}", f"--out_dir={run}"], check=True, text=True,
                              stderr=subprocess.PIPE)
        seconds = time.perf_counter() - began
    return seconds, float(done.stderr.split("lowest validation loss ")[1].split(":")[0])


def run_in_full(figures, recipe, arguments, seconds):
    """A whole run on the corpus, ours and the fastest of PyTorch's."""
    rows = []
    for name, _ in fastest(seconds):
        if name == Ours.name:
            time_and_loss = train_with_ours(arguments.train, arguments.config, arguments.data)
        else:
            time_and_loss = train_with_torch(recipe, arguments.data, "compile" in name, "bfloat16" in name)
        rows.append(dict(what=name, seconds=time_and_loss[0], loss=time_and_loss[1]))
        rows[-1]["ratio"] = rows[-1]["seconds"] / rows[0]["seconds"]
    columns = dict(seconds=("s", "{:.1f}"), loss=("lowest validation loss", "{:.4f}"),
                   ratio=("ours is so many times as fast", "{:.2f}"))
    figures.table("whole run", "a whole run", columns, rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("figures")
    parser.add_argument("rounds", type=int)
    parser.add_argument("config")
    for program in ("--updates", "--train", "--data"):
        parser.add_argument(program, required=True)
    parser.add_argument("--full", action="store_true")
    arguments = parser.parse_args()
    recipe, figures = read_recipe(arguments.config), Figures(arguments.figures)
    name = os.path.basename(arguments.config).removesuffix(".conf")
    running = contenders(arguments.updates, arguments.config, recipe)
    seconds = measure(running, arguments.rounds)
    compare(figures, name, running[0].tokens, seconds)
    running[0].process.stdin.close()
    if name == "shakespeare-small":
        estimate(figures, recipe, arguments.data, seconds)
        if arguments.full:
            run_in_full(figures, recipe, arguments, seconds)


main()
