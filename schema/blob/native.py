"""Describes NativeBackend blobs: an fx graph in tables, its constants in the named data.

Facts: backends/native (serialization/native_graph.fbs, preprocess.py). The exporter came with 1.5;
no runtime for it is known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import cast

from pte_lint.schema.binding import Binding, Unkept, bind
from pte_lint.schema.blob.facts import (
    BlobArgument,
    BlobConstant,
    BlobFacts,
    Requirement,
    WantedData,
)
from pte_lint.schema.blob.flat_graph import read_graph
from pte_lint.schema.blob.window import Window
from pte_lint.schema.enums import dtype_name
from pte_lint.schema.fbs import layout
from pte_lint.schema.record import record

BACKEND = "NativeBackend"
MAGIC = (b"NPTG", 4)
"""What its blobs have, and where."""

_NAME = "native graph NPTG"


@record
class Dim:
    """The least and the most that a size can be."""

    min: int = 0
    max: int = -1
    at: int = 0


@record
class TensorMeta:
    """A tensor's type; quantised ones are bytes."""

    dtype: int = 0
    sizes: tuple[Dim, ...] | None = None
    dim_order: tuple[int, ...] | None = None
    quant: Unkept | None = None
    at: int = 0


@record
class TensorValue:
    """The type of a named value."""

    name: str | None = None
    meta: TensorMeta | None = None
    at: int = 0


@record
class Node:
    """A node of the fx graph; calls are of kind 0."""

    name: str | None = None
    op_kind: int = 0
    target: str | None = None
    inputs: Unkept | None = None
    outputs: Unkept | None = None
    metadata: Unkept | None = None
    at: int = 0


@record
class NamedTensorRef:
    """A constant, by its key in the named data."""

    name: str | None = None
    data_key: str | None = None
    meta: TensorMeta | None = None
    kind: int = 0
    mutated: bool = False
    at: int = 0


@record
class Graph:
    """Nodes in order, with the names of what it takes and gives."""

    nodes: tuple[Node, ...] | None = None
    inputs: tuple[str, ...] | None = None
    outputs: tuple[str, ...] | None = None
    tensor_values: tuple[TensorValue, ...] | None = None
    at: int = 0


@record
class Method:
    """A graph with its constants."""

    name: str | None = None
    graph: Graph | None = None
    constants: tuple[NamedTensorRef, ...] | None = None
    output_specs: Unkept | None = None
    mutable_buffers: Unkept | None = None
    at: int = 0


@record
class Program:
    """The root table."""

    version: str | None = None
    methods: tuple[Method, ...] | None = None
    at: int = 0


@cache
def _binding() -> Binding:
    kept: tuple[type, ...] = (
        Dim, TensorMeta, TensorValue, Node, NamedTensorRef, Graph, Method, Program,
    )  # fmt: skip
    return bind(layout("native"), {cls.__name__: cls for cls in kept})


def describe(blob: Window) -> BlobFacts:
    """Describes a blob that NativeBackend makes."""
    read = read_graph(blob, MAGIC, _NAME, _binding())
    if isinstance(read, BlobFacts):
        return read
    root, problems = read
    program = cast("Program", root)
    methods = program.methods or ()
    inputs, outputs = _arguments(methods)
    calls = Counter(
        node.target or ""
        for method in methods
        for node in (method.graph.nodes or () if method.graph else ())
        if node.op_kind == 0
    )
    requires = tuple(_requires(program))
    return BlobFacts(
        _NAME,
        blob.span,
        tuple(problems),
        inputs,
        outputs,
        tuple(_wants(methods)),
        operators=tuple(sorted(calls.items())),
        constants=tuple(_constants(methods)),
        requires=requires,
        opaque="no runtime for it is known",
    )


def _requires(program: Program) -> Iterator[Requirement]:
    if program.version:
        yield Requirement("schema version", program.version)


def _arguments(
    methods: tuple[Method, ...],
) -> tuple[tuple[BlobArgument, ...] | None, tuple[BlobArgument, ...] | None]:
    """Inputs and outputs of the only method; a delegate has one."""
    if len(methods) != 1 or methods[0].graph is None:
        return None, None
    graph = methods[0].graph
    known = {each.name: each.meta for each in graph.tensor_values or ()}
    inputs, outputs = graph.inputs or (), graph.outputs or ()
    return (
        tuple(_argument(n, name, known) for n, name in enumerate(inputs)),
        tuple(_argument(len(inputs) + n, name, known) for n, name in enumerate(outputs)),
    )


def _argument(index: int, name: str, known: Mapping[str | None, TensorMeta | None]) -> BlobArgument:
    meta = known.get(name)
    if meta is None:
        return BlobArgument(index, name=name)
    return BlobArgument(index, dtype_name(meta.dtype), _sizes(meta), name=name)


def _sizes(meta: TensorMeta) -> tuple[int, ...] | None:
    """None where a size is not fixed."""
    sizes = meta.sizes or ()
    if any(each.min != each.max for each in sizes):
        return None
    return tuple(each.max for each in sizes)


def _constants(methods: tuple[Method, ...]) -> Iterator[BlobConstant]:
    for method in methods:
        for each in method.constants or ():
            dtype = dtype_name(each.meta.dtype) if each.meta else None
            sizes = _sizes(each.meta) if each.meta else None
            yield BlobConstant(each.name or "", dtype, sizes, key=each.data_key or "")


def _wants(methods: tuple[Method, ...]) -> Iterator[WantedData]:
    for method in methods:
        for each in method.constants or ():
            if each.data_key:
                yield WantedData(each.data_key, "weights", required=False)
