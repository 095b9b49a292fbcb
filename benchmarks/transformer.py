"""Exports a 12-layer transformer decoder with the real exporter.

Run by a Python that has torch and executorch, with the file to write as its argument; nothing else
in the benchmarks imports them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from executorch.exir import EdgeCompileConfig, to_edge
from torch import Tensor, nn

LAYERS = 12
_WIDTH, _HEADS, _TOKENS, _WORDS = 128, 4, 64, 1000


class Block(nn.Module):
    """Causal self-attention and a feed-forward layer, written out."""

    def __init__(self) -> None:
        super().__init__()
        self.before_attention = nn.LayerNorm(_WIDTH)
        self.before_feed_forward = nn.LayerNorm(_WIDTH)
        self.query_key_value = nn.Linear(_WIDTH, 3 * _WIDTH)
        self.attended = nn.Linear(_WIDTH, _WIDTH)
        self.wide = nn.Linear(_WIDTH, 4 * _WIDTH)
        self.narrow = nn.Linear(4 * _WIDTH, _WIDTH)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x: (1, tokens, width); mask: (tokens, tokens), added to the scores."""
        heads = (1, _TOKENS, _HEADS, _WIDTH // _HEADS)
        projected = self.query_key_value(self.before_attention(x)).split(_WIDTH, dim=2)
        query, key, value = (part.view(heads).transpose(1, 2) for part in projected)
        scores = query @ key.transpose(2, 3) * (_WIDTH // _HEADS) ** -0.5 + mask
        mixed = (torch.softmax(scores, dim=-1) @ value).transpose(1, 2).reshape(x.shape)
        x = x + self.attended(mixed)
        return x + self.narrow(nn.functional.gelu(self.wide(self.before_feed_forward(x))))


class Decoder(nn.Module):
    """Token and position embeddings, the blocks, and scores for the next token."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(_WORDS, _WIDTH)
        self.places = nn.Embedding(_TOKENS, _WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(_WIDTH)
        self.head = nn.Linear(_WIDTH, _WORDS)
        self.register_buffer("mask", torch.full((_TOKENS, _TOKENS), -1e9).triu(1))
        self.register_buffer("positions", torch.arange(_TOKENS))

    def forward(self, tokens: Tensor) -> Tensor:
        """tokens: (1, tokens), int64. Returns (1, tokens, words)."""
        x = self.words(tokens) + self.places(self.positions)
        for block in self.blocks:
            x = block(x, self.mask)
        return self.head(self.norm(x))


def main() -> None:
    """Writes the program."""
    torch.manual_seed(0)
    example = (torch.zeros(1, _TOKENS, dtype=torch.int64),)
    exported = torch.export.export(Decoder().eval(), example)
    edge = to_edge(exported, compile_config=EdgeCompileConfig(_check_ir_validity=False))
    Path(sys.argv[1]).write_bytes(edge.to_executorch().buffer)


if __name__ == "__main__":
    main()
