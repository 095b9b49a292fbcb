"""A file that a listing names."""

from __future__ import annotations

from pte_lint.files.remote.address import Listed
from pte_lint.schema.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Found:
    """A file of a listing."""

    address: str
    """What is fetched: of a revision that cannot change, where there is such a thing."""
    name: str
    """The address as reports call it, without what changes from revision to revision."""
    inside: str
    """The path below what was listed."""
    size: int | None = None
    revision: str | None = None
    """What the storage calls this very content; None: nothing."""
    tag: str | None = None
    """Under which name its file system tells that of one file too; None: not at all."""

    @property
    def source(self) -> str:
        """The address, with what was told of the content where anything was."""
        if self.revision is None:
            return self.address
        told: dict[str, object] = {}
        if self.tag is not None and self.size is not None:
            told = {"size": self.size, self.tag: self.revision, "type": "file"}
        return Listed.of(self.address, self.revision, told)
