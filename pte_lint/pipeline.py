"""Declared pipelines: an output of one method that is handed to an input of another."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pipeline:
    """One hand-over. An artifact is a path glob; None is the one being checked."""

    from_artifact: str | None
    from_method: str
    output: int
    to_artifact: str | None
    to_method: str
    input: int
