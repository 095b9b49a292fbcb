"""Small language models, right in every way that a runner looks at, for tests to damage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program

CONTEXT = 16
VOCABULARY = 32
WIDTH = 4

METADATA: Mapping[str, Any] = {
    "get_bos_id": 1,
    "get_eos_ids": [2],
    "get_max_seq_len": CONTEXT,
    "get_max_context_len": CONTEXT,
    "get_vocab_size": VOCABULARY,
    "use_kv_cache": True,
    "use_sdpa_with_kv_cache": False,
    "enable_dynamic_shape": False,
}


def metadata(**changes: Any) -> list[MethodBuilder]:
    """The metadata methods; None leaves one out. Lists become one output an item."""
    both = {**METADATA, **changes}
    return [constant(name, value) for name, value in both.items() if value is not None]


def constant(name: str, value: Any) -> MethodBuilder:
    """A method that returns numbers, truths, texts, or a tensor for a bytes object."""
    b = MethodBuilder(name)
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, bool):
            b.output(b.bool_value(item))
        elif isinstance(item, int):
            b.output(b.int_value(item))
        elif isinstance(item, float):
            b.output(b.double_value(item))
        elif isinstance(item, bytes):
            b.output(b.constant(item, (1,), "int64"))
        else:
            b.output(b.string_value(item))
    return b


def decoder(
    name: str = "forward",
    *,
    tokens: Sequence[int] = (1, 1),
    dtype: str = "int64",
    positions: Sequence[int] | None = (1,),
    position_dtype: str = "int64",
    dynamism: int = 0,
    position_dynamism: int = 0,
    cache: int = CONTEXT,
    logits: Sequence[int] = (1, 1, VOCABULARY),
    logits_dtype: str = "float32",
    outputs: int = 1,
) -> MethodBuilder:
    """Tokens [1, n] and positions to logits; each call writes a row of the cache [1, c, 4].

    Args:
        name: The method's name.
        tokens: Sizes of input 0.
        dtype: Its element type.
        positions: Sizes of input 1; None leaves it and the cache out.
        position_dtype: Its element type.
        dynamism: Shape dynamism of the tokens.
        position_dynamism: Shape dynamism of the positions.
        cache: Rows of the cache.
        logits: Sizes of the output.
        logits_dtype: Its element type.
        outputs: How often the logits are returned.
    """
    b = MethodBuilder(name)
    b.input(tokens, dtype, dynamism=dynamism)
    if positions is not None:
        position = b.input(positions, position_dtype, dynamism=position_dynamism)
        update_cache(b, position, cache)
    zero = b.double_value(0.0)
    for _ in range(outputs):
        size = b.ints(logits)
        b.output(b.call("aten::full.out", size, zero, out=logits, dtype=logits_dtype))
    return b


def update_cache(b: MethodBuilder, position: int, rows: int) -> int:
    """Puts a row into a new cache at a position; returns the cache."""
    cache = b.state((1, rows, WIDTH), initial=bytes(4 * rows * WIDTH))
    row = b.constant(bytes(4 * WIDTH), (1, 1, WIDTH))
    indices = b.optional_list([None, position])
    b.kernel("aten::index_put_", cache, indices, row, b.bool_value(False), cache)
    return cache


def embedding(
    name: str = "token_embedding",
    sizes: Sequence[int] = (1, CONTEXT),
    *,
    width: int = WIDTH,
    dtype: str = "float32",
    takes: str = "int64",
    dynamism: int = 1,
) -> MethodBuilder:
    """Something [1, n] to embeddings [1, n, width], for a multimodal runner."""
    b = MethodBuilder(name)
    b.input(sizes, takes, dynamism=dynamism)
    out = b.tensor((*sizes[:2], width), dtype, dynamism=dynamism)
    size = b.ints((*sizes[:2], width))
    b.output(b.call("aten::full.out", size, b.double_value(0.0), out=out))
    return b


def multimodal(*encoders: MethodBuilder, **changes: Any) -> BuiltProgram:
    """A `text_decoder` with these methods before it."""
    options = {"tokens": (1, CONTEXT, WIDTH), "dtype": "float32", "dynamism": 1, **changes}
    decode = decoder("text_decoder", **options)
    return build_program(*encoders, decode, *metadata(enable_dynamic_shape=True))


def program(*methods: MethodBuilder, **changes: Any) -> BuiltProgram:
    """Methods (the decoder when left out) beside the metadata, `changes` applied."""
    return build_program(*(methods or (decoder(),)), *metadata(**changes))
