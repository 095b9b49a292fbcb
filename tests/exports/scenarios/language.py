"""Exports of a small language model whose metadata or inputs need advice."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import torch
from executorch.exir import EdgeProgramManager, to_edge
from torch import Tensor, nn

from tests.exports.script import Script

CONTEXT, VOCABULARY, WIDTH = 16, 32, 4


class Decoder(nn.Module):
    """Tokens [1, n] and positions to logits, with a cache [1, c, 4].

    Args:
        rows: Rows of the cache.
        vocabulary: Logits a token.
        outputs: How many tensors are returned.
    """

    def __init__(self, rows: int = CONTEXT, vocabulary: int = VOCABULARY, outputs: int = 1) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.head = nn.Linear(WIDTH, vocabulary)
        self.outputs = outputs
        self.register_buffer("cache", torch.zeros(1, rows, WIDTH))

    def forward(self, tokens: Tensor, position: Tensor) -> Any:
        x = self.embedding(tokens.to(torch.int64))
        self.cache[:, position.to(torch.int64)] = x[:, -1:]
        logits = self.head(x + self.cache.mean(1, keepdim=True))
        return logits if self.outputs == 1 else (logits, x)


class Language(Script):
    """Everything as runners want it, but for what a subclass changes."""

    also = frozenset({"PTE508"})
    max_seq_len = CONTEXT
    cache_length = CONTEXT
    changes: ClassVar[dict[str, Any]] = {}
    outputs = 1

    @cached_property
    def metadata(self) -> dict[str, Any]:
        told = {
            "get_bos_id": 1,
            "get_eos_ids": [2],
            "get_max_seq_len": CONTEXT,
            "get_max_context_len": CONTEXT,
            "get_vocab_size": VOCABULARY,
            "use_kv_cache": True,
            "use_sdpa_with_kv_cache": False,
            "enable_dynamic_shape": False,
            **self.changes,
        }
        return {name: value for name, value in told.items() if value is not None}

    @cached_property
    def tokenizer(self) -> Any:
        return type("Tokenizer", (), {"eos_token_id": 2, "bos_token_id": 1})

    @cached_property
    def logits(self) -> Tensor:
        return torch.zeros(1, 1, VOCABULARY)

    @cached_property
    def tokens(self) -> Tensor:
        return torch.zeros(1, 1, dtype=torch.int64)

    @cached_property
    def position(self) -> Tensor:
        return torch.zeros(1, dtype=torch.int64)

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return self.tokens, self.position

    @cached_property
    def model(self) -> Any:
        return Decoder(self.cache_length, outputs=self.outputs).requires_grad_(False)

    def to_edge(self, exported: Any, constant_methods: dict[str, Any] | None = None) -> Any:
        """The reader's lowering, with the metadata that the advice gives among the rest."""
        return to_edge(exported, constant_methods={**self.metadata, **(constant_methods or {})})

    @cached_property
    def edge(self) -> EdgeProgramManager:
        made: EdgeProgramManager = self.to_edge(self.exported)
        return made


class NoLength(Language):
    rule = "PTE611"
    changes: ClassVar[dict[str, Any]] = {"get_max_seq_len": None}


class NegativeLength(Language):
    rule = "PTE611"
    changes: ClassVar[dict[str, Any]] = {"get_max_context_len": -1}


class ShorterContext(Language):
    rule = "PTE611"
    changes: ClassVar[dict[str, Any]] = {"get_max_context_len": 8}


class FloatFlag(Language):
    rule = "PTE611"
    changes: ClassVar[dict[str, Any]] = {"use_kv_cache": 1.0}


class FloatEnds(Language):
    rule = "PTE611"
    changes: ClassVar[dict[str, Any]] = {"get_eos_ids": [2.0]}


class OtherTokens(Language):
    rule = "PTE612"

    @cached_property
    def tokens(self) -> Tensor:
        return torch.zeros(1, 1, dtype=torch.int32)


class StaticTokens(Language):
    rule = "PTE613"
    changes: ClassVar[dict[str, Any]] = {"enable_dynamic_shape": True}

    @cached_property
    def tokens(self) -> Tensor:
        return torch.zeros(1, 3, dtype=torch.int64)


class OtherPositions(Language):
    rule = "PTE614"

    @cached_property
    def position(self) -> Tensor:
        return torch.zeros(1, dtype=torch.int32)

    @classmethod
    def fits(cls, code: str) -> bool:
        return "position" in code


class NoCacheTold(Language):
    rule = "PTE614"
    changes: ClassVar[dict[str, Any]] = {"use_kv_cache": False}

    @classmethod
    def fits(cls, code: str) -> bool:
        return "use_kv_cache" in code


class OtherVocabulary(Language):
    rule = "PTE615"
    changes: ClassVar[dict[str, Any]] = {"get_vocab_size": 31}


class NoEnd(Language):
    rule = "PTE615"
    changes: ClassVar[dict[str, Any]] = {"get_eos_ids": [99]}


class ShortCache(Language):
    rule = "PTE616"
    cache_length = 8
    also = frozenset({"PTE508", "PTE611"})


class TwoModels(Language):
    """Methods of models with other logits; `prefill` and `decode` are exports of one."""

    rule = "PTE617"
    also = frozenset({"PTE508", "PTE637"})

    def of(self, model: Any) -> Any:
        return torch.export.export(model, self.inputs)

    @cached_property
    def prefill(self) -> Any:
        return self.of(self.model)

    @cached_property
    def decode(self) -> Any:
        return self.of(self.model)

    @cached_property
    def exported(self) -> Any:
        other = Decoder(vocabulary=31).requires_grad_(False)
        return {"prefill": self.of(other), "decode": self.decode}


class UnknownEnd(Language):
    rule = "PTE638"
    changes: ClassVar[dict[str, Any]] = {"get_eos_ids": [2, 99]}
