"""What a run is given and what it should give, wherever it comes from."""

from __future__ import annotations

from pte_lint.schema.frozen import dataclass


@dataclass(frozen=True, slots=True)
class GivenTensor:
    """A tensor of a case.

    Attributes:
        dtype: Name of its element type.
        sizes: Its sizes.
        data: Its bytes, row-major.
    """

    dtype: str
    sizes: tuple[int, ...]
    data: bytes

    def __str__(self) -> str:
        """Renders as `float32[2, 3]`."""
        return f"{self.dtype}{list(self.sizes)}"


@dataclass(frozen=True, slots=True)
class Case:
    """One run of one method.

    Attributes:
        name: What to call it.
        method: The method; None for the first one.
        inputs: By position; of those that are missing the harness makes some.
        outputs: By position, those that are to be compared.
    """

    name: str
    method: str | None
    inputs: dict[int, GivenTensor]
    outputs: dict[int, GivenTensor]
    path: str = ""
    """Where a bundle has it, as findings name it."""


class NotUnderstood(ValueError):  # noqa: N818 - about the file, and no fault of this program
    """A file of cases is none; the text says why, in one sentence."""
