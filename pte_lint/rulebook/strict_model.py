"""What the models of files that people write have in common: unknown keys are errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from typing_extensions import Self


def dashed(name: str) -> str:
    """The key of a field in the file: `fail_on` is written `fail-on`."""
    return name.rstrip("_").replace("_", "-")


class Strict(BaseModel):
    """A table of a file: no other keys, no other types, not changed once read."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        alias_generator=dashed,
        use_attribute_docstrings=True,
    )

    @classmethod
    def of(cls, **fields: Any) -> Self:
        """One made by the names of fields, which a file may not use for keys."""
        return cls.model_validate({dashed(name): value for name, value in fields.items()})
