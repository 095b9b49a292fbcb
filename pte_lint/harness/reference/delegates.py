"""What PyTorch's process needs to compute delegates: their blobs and named data, as files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pte_lint.data.blobs import Blob, blobs
from pte_lint.data.context import Context
from pte_lint.data.data_files import entries
from pte_lint.data.named_data import NamedData
from pte_lint.harness.recording import Damaged, RecordedDelegate, RecordedTensor
from pte_lint.questions.method import Method, Step
from pte_lint.schema.program import Span
from pte_lint.schema.ranges import Buffer


class Delegates:
    """The delegates of one artifact.

    Args:
        context: The artifact, opened.
        folder: Where files may be written.
    """

    def __init__(self, context: Context, folder: Path) -> None:
        self._context, self._folder = context, folder
        self._named = NamedData(context)
        self._external = entries(context.data)
        self._known: dict[tuple[int, int], Mapping[str, Any] | str] = {}

    def request(self, method: Method, step: Step) -> Mapping[str, Any] | str:
        """What computes a delegate: `file`, `size` of the blob at its start, `named` data.

        Returns:
            The reason where it cannot be computed.
        """
        key = method.index, step.target
        if key not in self._known:
            found = (each for each in blobs(method, self._context) if each.index == step.target)
            self._known[key] = self._made(key, next(found, None))
        return self._known[key]

    def _made(self, key: tuple[int, int], blob: Blob | None) -> Mapping[str, Any] | str:
        if blob is None or blob.facts.graph is None:
            return "a delegate: what is inside is not known"
        named: dict[str, tuple[int, int]] = {}
        path = self._folder / f"{key[0]}.{key[1]}"
        with path.open("wb") as file:
            span = blob.span
            file.write(self._context.artifact.buffer[span.start : span.start + span.size])
            for name in blob.facts.named_keys:
                data = self._data(name)
                if data is not None:
                    named[name] = file.tell(), len(data)
                    file.write(data)
        return {"file": str(path), "size": span.size, "named": named}

    def _data(self, key: str) -> bytes | None:
        """What the backend is given for a key; None where that is nothing."""
        entry = self._external.get(key)
        if entry is not None:
            return _part(entry.file.buffer, entry.span)
        return _part(self._context.artifact.buffer, self._named.look_up(key).span)


def _part(buffer: Buffer | None, span: Span | None) -> bytes | None:
    if buffer is None or span is None:
        return None
    return bytes(buffer[span.start : span.start + span.size])


def overlaps(step: Step, call: RecordedDelegate) -> bool:
    """Whether a result lies over an argument, which is then not there any more to compute with."""
    ranges = [
        (at, _address(each.place), each.nbytes)
        for at, each in enumerate(call.args)
        if isinstance(each, RecordedTensor) and each.nbytes
    ]
    return any(
        start < other_start + other_size and other_start < start + size
        for at, start, size in ranges
        if at >= step.first_output
        for other_at, other_start, other_size in ranges
        if other_at < step.first_output
    )


def _address(place: str) -> int:
    try:
        return int(place, 16)
    except ValueError as error:
        raise Damaged from error
