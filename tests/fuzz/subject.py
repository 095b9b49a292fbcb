"""What is mutated: a program with its model, the bytes around it, and its data files."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from pte_lint.schema.flat_tensor import FlatTensor
from pte_lint.schema.loaded import read_flat_tensor, read_program
from pte_lint.schema.program import Program

from pte_lint.testing.containers import Layout, write_flat_tensor, write_program
from pte_lint.testing.edit import replaced


@dataclass(frozen=True)
class Document:
    """One file as its model and what surrounds it, ready to be edited and written.

    Attributes:
        root: The decoded program, or flat tensor.
        segments: The segment area.
        source: The original file, which the model's spans point into.
        layout: How the file is put together.
    """

    root: Program | FlatTensor
    segments: bytes
    source: bytes
    layout: Layout = field(default_factory=Layout)

    def written(self) -> bytes:
        """The file."""
        if isinstance(self.root, Program):
            return write_program(self.root, self.segments, source=self.source, layout=self.layout)
        return write_flat_tensor(self.root, self.segments, layout=self.layout)

    def with_field(self, path: str, value: Any) -> Document:
        """A copy with one field of the model changed; see `pte_lint.testing.edit.replaced`."""
        return replace(self, root=replaced(self.root, path, value))

    def with_layout(self, **fields: Any) -> Document:
        """A copy with fields of the layout changed."""
        return replace(self, layout=replace(self.layout, **fields))


def program_document(file: bytes) -> Document:
    """Reads a sound .pte into a document.

    Raises:
        ValueError: It is no sound program.
    """
    loaded = read_program(file)
    if loaded.program is None or loaded.violations:
        raise ValueError("a seed must be a sound program")
    base = loaded.container.segment_base_offset
    has_header = loaded.container.header is not None
    area = file[base:] if base else b""
    return Document(loaded.program, area, file, Layout(header=has_header))


def data_document(file: bytes) -> Document:
    """Reads a sound .ptd into a document.

    Raises:
        ValueError: It is no sound data file.
    """
    loaded = read_flat_tensor(file)
    if loaded.flat_tensor is None or loaded.violations:
        raise ValueError("a seed's data file must be sound")
    return Document(loaded.flat_tensor, file[loaded.container.segment_base_offset :], file)


@dataclass(frozen=True)
class Seed:
    """A program that mutants are made from.

    Attributes:
        name: What reports call it.
        file: The .pte.
        data: Its .ptd files, in order.
    """

    name: str
    file: bytes
    data: tuple[bytes, ...] = ()

    @cached_property
    def program(self) -> Document:
        """The program as a document."""
        return program_document(self.file)

    def blobs(self, backends: Collection[str]) -> tuple[bytes, ...]:
        """The blobs, in segments, of delegates of some backends."""
        root, area = self.program.root, self.program.segments
        assert isinstance(root, Program)
        found = []
        for plan in root.execution_plan or ():
            for delegate in plan.delegates or ():
                segments, at = root.segments or (), delegate.processed
                if delegate.id in backends and at is not None and at.location == 1:
                    segment = segments[at.index]
                    found.append(area[segment.offset : segment.offset + segment.size])
        return tuple(found)

    @cached_property
    def data_documents(self) -> tuple[Document, ...]:
        """The data files as documents."""
        return tuple(data_document(each) for each in self.data)


Change = Callable[[Any], Any]
