"""The content of constants by value, for questions that hang on elements being equal."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from pte_lint.data.constant_bytes import constant_bytes

if TYPE_CHECKING:
    from pte_lint.data.context import Context
    from pte_lint.questions.method import Method


def constant_content(method: Method, context: Context) -> Callable[[int], bytes | None]:
    """Reads short constants of a method that stand in the program; None for all others."""
    if context.loaded is None:
        return partial(_none)
    read = constant_bytes(context.loaded, context.artifact.buffer)

    def content(v: int) -> bytes | None:
        tensor, nbytes = method.tensor(v), method.nbytes(v)
        if tensor is None or nbytes is None or not method.is_constant(v):
            return None
        return read(tensor.data_buffer_idx, nbytes)

    return content


def _none(_: int) -> None:
    return None
