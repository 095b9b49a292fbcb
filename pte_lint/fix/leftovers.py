"""Frees programs that are done with, between one that was tried and the next."""

from __future__ import annotations

import gc
from typing import Final

_SMALL: Final = 256 << 10
"""Bytes of a program up to which looking for what is left takes longer than it is worth."""


def free_leftovers(nbytes: int) -> None:
    """Frees what is left of programs of about so many bytes.

    A method and what is found out about it refer to each other, so that Python frees them only when
    it looks for such circles, which it does too rarely for things that take thirty times a file.
    """
    if is_large(nbytes):
        gc.collect()


def is_large(nbytes: int) -> bool:
    """Whether what is left of a program of about so many bytes is worth looking for."""
    return nbytes > _SMALL
