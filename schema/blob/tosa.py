"""Describes TOSABackend blobs: a TOSA graph, which no runtime of ExecuTorch runs.

It is what compilers for Arm's devices are given, and what `TOSABackend` leaves in a program for
tests. Facts: backends/arm/tosa (backend.py, specification.py, schemas/tosa_1.0.fbs and
tosa_1.1.fbs), the TOSA specification (operators, data types). The profile and the extensions are
not in the graph: they are a compile spec, `tosa_spec`.
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
    BlobProblem,
    Requirement,
)
from pte_lint.schema.blob.flat_graph import read_graph
from pte_lint.schema.blob.window import Window
from pte_lint.schema.fbs import layout
from pte_lint.schema.program import Span
from pte_lint.schema.record import record

BACKEND = "TOSABackend"
MAGIC = (b"TOSA", 4)
"""What its blobs have, and where."""

_NAME = "TOSA graph"
_SPEC = "tosa_spec"
_TYPES = {
    "FP32": "float32", "FP16": "float16", "BF16": "bfloat16", "FP8E4M3": "float8_e4m3",
    "FP8E5M2": "float8_e5m2", "FP6E2M3": "float6_e2m3", "FP6E3M2": "float6_e3m2",
    "FP4E2M1": "float4_e2m1", "FP8UE8M0": "float8_ue8m0",
}  # fmt: skip
"""Names of element types that are others elsewhere."""


@record
class Version:
    """Of the specification that the graph follows."""

    _major: int = -1
    _minor: int = -1
    _patch: int = -1
    _draft: bool = True
    at: int = 0


@record
class TosaTensor:
    """A tensor; constants have `data`, or `offset` and `size` in files of more than 2 GiB."""

    name: str | None = None
    shape: tuple[int, ...] | None = None
    type: int = 0
    data: Span | None = None
    variable: bool = False
    is_unranked: bool = False
    variable_name: str | None = None
    offset: int = 0
    size: int = 0
    at: int = 0


@record
class TosaOperator:
    """An operator."""

    op: int = 0
    attribute_type: int = 0
    attribute: Unkept | None = None
    inputs: tuple[str, ...] | None = None
    outputs: tuple[str, ...] | None = None
    location: Unkept | None = None
    at: int = 0


@record
class TosaBasicBlock:
    """Operators in order, with the tensors that they name."""

    name: str | None = None
    operators: tuple[TosaOperator, ...] | None = None
    tensors: tuple[TosaTensor, ...] | None = None
    inputs: tuple[str, ...] | None = None
    outputs: tuple[str, ...] | None = None
    shapes: tuple[Unkept, ...] | None = None
    at: int = 0


@record
class TosaRegion:
    """The graph itself, or a branch or body of it."""

    name: str | None = None
    blocks: tuple[TosaBasicBlock, ...] | None = None
    at: int = 0


@record
class TosaGraph:
    """The root table."""

    version: Version | None = None
    regions: tuple[TosaRegion, ...] | None = None
    software_version: Unkept | None = None
    at: int = 0


@cache
def _binding() -> Binding:
    kept: tuple[type, ...] = (
        Version, TosaTensor, TosaOperator, TosaBasicBlock, TosaRegion, TosaGraph,
    )  # fmt: skip
    return bind(layout("tosa"), {cls.__name__: cls for cls in kept})


def describe(blob: Window, specs: Mapping[str, bytes]) -> BlobFacts:
    """Describes a blob that TOSABackend makes.

    Args:
        blob: The blob.
        specs: The delegate's compile specs; the profile and the extensions are among them.
    """
    read = read_graph(blob, MAGIC, _NAME, _binding())
    if isinstance(read, BlobFacts):
        return read
    root, problems = read
    graph = cast("TosaGraph", root)
    if graph.version is None:
        problems.append(BlobProblem(blob.start, "the graph has no version"))
    main = _main(graph)
    tensors = {each.name or "": each for each in (main.tensors or () if main else ())}
    problems.extend(BlobProblem(blob.start, each) for each in _unwritten(main))
    return BlobFacts(
        _NAME,
        blob.span,
        tuple(problems),
        _arguments(main.inputs or (), tensors, 0) if main else None,
        _arguments(main.outputs or (), tensors, len(main.inputs or ())) if main else None,
        operators=_operators(graph),
        constants=tuple(_constants(graph)),
        requires=tuple(_requires(graph.version, specs)),
        opaque="a TOSA graph is for a compiler: no runtime of ExecuTorch runs it",
    )


def _main(graph: TosaGraph) -> TosaBasicBlock | None:
    """The first block of the first region: what the graph takes and gives."""
    for region in graph.regions or ():
        for each in region.blocks or ():
            return each
    return None


def _blocks(graph: TosaGraph) -> Iterator[TosaBasicBlock]:
    for region in graph.regions or ():
        yield from region.blocks or ()


def _operators(graph: TosaGraph) -> tuple[tuple[str, int], ...]:
    found: Counter[str] = Counter()
    for each in _blocks(graph):
        found.update(_name_of(call.op) for call in each.operators or ())
    return tuple(sorted(found.items()))


@cache
def _names(enum: str) -> dict[int, str]:
    return {code: name for name, code in layout("tosa").enums[enum].items()}


def _name_of(code: int) -> str:
    return _names("Op").get(code, f"operator {code}")


def _dtype(tensor: TosaTensor) -> str:
    name = _names("DType").get(tensor.type, f"type {tensor.type}")
    return _TYPES.get(name, name.lower())


def _arguments(
    names: tuple[str, ...], tensors: Mapping[str, TosaTensor], first: int
) -> tuple[BlobArgument, ...]:
    found = []
    for index, name in enumerate(names):
        tensor = tensors.get(name)
        if tensor is None:
            found.append(BlobArgument(first + index, name=name))
        else:
            sizes = None if tensor.is_unranked else tensor.shape or ()
            found.append(BlobArgument(first + index, _dtype(tensor), sizes, name=name))
    return tuple(found)


def _constants(graph: TosaGraph) -> Iterator[BlobConstant]:
    for each in _blocks(graph):
        for tensor in each.tensors or ():
            size = tensor.data.size if tensor.data is not None else tensor.size
            if size:
                yield BlobConstant(tensor.name or "", _dtype(tensor), tensor.shape or (), size)


def _unwritten(main: TosaBasicBlock | None) -> Iterator[str]:
    """Tensors that are given out, or read, and that nothing before writes."""
    if main is None:
        return
    known = set(main.inputs or ())
    for number, call in enumerate(main.operators or ()):
        for name in call.inputs or ():
            if name not in known:
                what = f"operator {number} ({_name_of(call.op)})"
                yield f"{what} takes {name!r}, which nothing before it writes"
                return
        known.update(call.outputs or ())
    for name in main.outputs or ():
        if name not in known:
            yield f"the graph gives {name!r}, which nothing writes"
            return


def _requires(version: Version | None, specs: Mapping[str, bytes]) -> Iterator[Requirement]:
    if version is not None:
        numbers = (version._major, version._minor, version._patch)
        draft = " draft" if version._draft else ""
        yield Requirement("TOSA version", ".".join(map(str, numbers)) + draft)
    # `TOSA-1.0+INT+int16+u55`: a version, then profiles in capitals and extensions.
    told = specs.get(_SPEC, b"").decode("utf-8", "replace").split("+")[1:]
    profiles = [each for each in told if each.isupper()]
    extensions = [each for each in told if not each.isupper()]
    if profiles:
        yield Requirement("TOSA profile", ", ".join(profiles))
    if extensions:
        yield Requirement("TOSA extensions", ", ".join(extensions))
