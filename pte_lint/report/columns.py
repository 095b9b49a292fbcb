"""Plain text in columns, and numbers of bytes as people read them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

_UNITS = ("KiB", "MiB", "GiB", "TiB")
_FEW = 10_000
"""Bytes from which a second figure helps."""


def count(number: int, one: str, many: str | None = None) -> str:
    """Renders `1 copy`, `2 copies`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def size(nbytes: int) -> str:
    """Renders `82 bytes`, `1,572,864 bytes (1.5 MiB)`."""
    exact = count(nbytes, "byte")
    value, unit = float(nbytes), ""
    if abs(nbytes) < _FEW:
        return exact
    for name in _UNITS:
        if abs(value) < 1024:
            break
        value, unit = value / 1024, name
    return f"{exact} ({value:.1f} {unit})"


def columns(
    rows: Iterable[Sequence[str]], indent: int = 2, right: frozenset[int] = frozenset()
) -> list[str]:
    """Aligns cells; the last column is as wide as it likes.

    Args:
        rows: cells, already safe to print.
        indent: spaces before each line.
        right: columns whose cells are flush right.
    """
    table = list(rows)
    return list(aligned(lambda: table, indent, right))


def aligned(
    rows: Callable[[], Iterable[Sequence[str]]],
    indent: int = 2,
    right: frozenset[int] = frozenset(),
) -> Iterator[str]:
    """Yields what `columns` has. The rows are made twice, so that long tables are never held."""
    widths: list[int] = []
    for row in rows():
        for i, cell in enumerate(row[:-1]):
            if i == len(widths):
                widths.append(0)
            widths[i] = max(widths[i], len(cell))
    for row in rows():
        cells = [
            cell.rjust(widths[i]) if i in right else cell.ljust(widths[i])
            for i, cell in enumerate(row[:-1])
        ]
        yield (" " * indent + "  ".join([*cells, *row[-1:]])).rstrip()
