"""What a defect made by hand consists of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.schema.blob.files import library

ELF = library("model_sm_80.so")
"""A shared library with a kernel for one GPU."""


@dataclass(frozen=True)
class OddDefect:
    """A file that a rule is for, and what it takes for the rule to speak.

    Attributes:
        what: What is wrong, in a few words.
        file: The artifact.
        good: The artifact before it was spoilt: nothing is wrong with it.
        name: The artifact's name, of which the suffix matters.
        data: Data files given beside it.
        options: Keyword arguments of `pte_lint.check`.
        good_name: Where another name is the defect, the right one.
        good_data: Where the data files are the defect, the right ones.
        good_options: Where the target is the defect, the right one.
    """

    what: str
    file: bytes
    good: bytes
    name: str = "defect.pte"
    data: tuple[bytes, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    good_name: str | None = None
    good_data: tuple[bytes, ...] | None = None
    good_options: Mapping[str, Any] | None = None
