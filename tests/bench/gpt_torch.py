"""The same model and optimizer as sawtooth-train's, in PyTorch at its best on a processor: one product for queries, keys
and values, scaled_dot_product_attention, fused AdamW. It reads our recipes; embeddings are tied, and biases as given."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def read_recipe(path):
    """A recipe's keys, with sawtooth-train's defaults for those that matter here and are left out."""
    recipe = dict(bias="false", qkv_bias="false", embd_dropout="0", dropout="0", beta1="0.9", grad_clip="1")
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            key, equals, value = line.split("#")[0].partition("=")
            if equals:
                recipe[key.strip()] = value.strip()
    return recipe


class Norm(nn.Module):
    def __init__(self, width, bias):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width)) if bias else None

    def forward(self, x):
        return F.layer_norm(x, self.weight.shape, self.weight, self.bias, 1e-5)


class Block(nn.Module):
    def __init__(self, width, heads, dropout, bias, qkv_bias, activation):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.norm_1, self.norm_2 = Norm(width, bias), Norm(width, bias)
        self.qkv = nn.Linear(width, 3 * width, bias=qkv_bias)
        self.attn_proj = nn.Linear(width, width, bias=bias)
        self.fc = nn.Linear(width, 4 * width, bias=bias)
        self.mlp_proj = nn.Linear(4 * width, width, bias=bias)
        self.drop = nn.Dropout(dropout)
        self.activation = activation

    def attend(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        dropout = self.dropout if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=dropout, is_causal=True)
        return self.drop(self.attn_proj(y.transpose(1, 2).reshape(b, t, c)))

    def forward(self, x):
        x = x + self.attend(self.norm_1(x))
        return x + self.drop(self.mlp_proj(self.activation(self.fc(self.norm_2(x)))))


ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu, "gelu_tanh": lambda x: F.gelu(x, approximate="tanh")}


class GPT(nn.Module):
    def __init__(self, recipe, vocabulary):
        super().__init__()
        layers, width, context = (int(recipe[key]) for key in ("n_layer", "n_embd", "block_size"))
        bias, qkv_bias = recipe["bias"] == "true", recipe["qkv_bias"] == "true"
        self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
        self.drop = nn.Dropout(float(recipe["embd_dropout"]))
        self.blocks = nn.ModuleList(
            Block(width, int(recipe["n_head"]), float(recipe["dropout"]), bias, qkv_bias,
                  ACTIVATIONS[recipe["activation"]])
            for _ in range(layers))
        self.norm = Norm(width, bias)
        for name, weight in self.named_parameters():
            if weight.dim() == 2:
                std = 0.02 / math.sqrt(2 * layers) if "_proj." in name else 0.02
                nn.init.normal_(weight, std=std)

    def forward(self, tokens, targets):
        x = self.drop(self.wte(tokens) + self.wpe.weight[: tokens.shape[1]])
        for block in self.blocks:
            x = block(x)
        logits = F.linear(self.norm(x), self.wte.weight)
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


class Trainer:
    """A model in training: float32 or bfloat16 autocast, eager or compiled."""

    def __init__(self, recipe, vocabulary, compiled, bfloat16):
        torch.manual_seed(1337)
        self.model = GPT(recipe, vocabulary)
        self.clip = float(recipe["grad_clip"])
        matrices = [w for w in self.model.parameters() if w.dim() == 2]
        vectors = [w for w in self.model.parameters() if w.dim() < 2]
        groups = [dict(params=matrices, weight_decay=float(recipe["weight_decay"])),
                  dict(params=vectors, weight_decay=0.0)]
        betas = float(recipe["beta1"]), float(recipe["beta2"])
        rate = float(recipe["learning_rate"])
        try:
            self.optimizer = torch.optim.AdamW(groups, lr=rate, betas=betas, fused=True)
        except RuntimeError:  # an older PyTorch
            self.optimizer = torch.optim.AdamW(groups, lr=rate, betas=betas, foreach=True)
        self.forward = torch.compile(self.model) if compiled else self.model
        self.bfloat16 = bfloat16

    def loss(self, forward, tokens, targets):
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.bfloat16):
            return forward(tokens, targets)

    @torch.no_grad()
    def evaluate(self, tokens):
        """The mean loss over whole windows side by side, as many together as make 1024 rows."""
        context = self.model.wpe.num_embeddings
        count, together = (len(tokens) - 1) // context, max(1, 1024 // context)
        inputs, targets = (tokens[i : count * context + i].view(count, context).split(together) for i in (0, 1))
        self.model.eval()
        losses = [self.loss(self.model, x, y).float() * len(x) for x, y in zip(inputs, targets)]
        self.model.train()
        return float(sum(losses) / count)

    def update(self, tokens, targets):
        self.optimizer.zero_grad(set_to_none=True)
        self.loss(self.forward, tokens, targets).backward()
        if self.clip > 0:
            nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        self.optimizer.step()
