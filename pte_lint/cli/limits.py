"""What a run over many artifacts may take: for each artifact, and how many there may be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import click

from pte_lint.schema import limits
from pte_lint.schema.frozen import dataclass
from pte_lint.text.byte_size import byte_count


@dataclass(frozen=True, slots=True)
class Limits:
    """The defaults stand in the limits file of the reader."""

    memory: int = limits.TASK_BYTES
    """Bytes of memory that judging one artifact may take."""
    seconds: float = limits.TASK_SECONDS
    """Seconds that one artifact may take, fetching and waiting included."""
    artifacts: int = limits.STORE_ARTIFACTS
    """Artifacts that are judged; the others are counted, and the run does not pass."""
    names: int = limits.STORE_NAMES
    """Names in folders and listings that are looked at, those of other files included."""


def read_limits(values: Sequence[str]) -> Limits:
    """Reads `--limit NAME=VALUE` pairs.

    Raises:
        click.BadParameter: not a pair, or not a limit.
    """
    found = Limits()
    for value in values:
        name, equals, amount = value.partition("=")
        if not equals or name not in ("memory", "seconds", "artifacts", "names"):
            text = f"{value!r} is none of memory=SIZE, seconds=N, artifacts=N, names=N"
            raise click.BadParameter(text, param_hint="--limit")
        try:
            number = byte_count(amount) if name == "memory" else int(amount)
            if number < 1:
                raise ValueError(f"{amount!r} is less than one")
        except ValueError as exc:
            raise click.BadParameter(f"{name}: {exc}", param_hint="--limit") from exc
        found = replace(found, **{name: number})
    return found
