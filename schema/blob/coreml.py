"""Describes CoreMLBackend blobs: a folder laid flat, or a reference to one in the named data.

Facts: backends/apple/coreml/runtime (inmemoryfs, delegate/coreml_backend_delegate.mm),
backends/apple/coreml/compiler/coreml_preprocess.py, and coremltools (specification versions). The
list of files is JSON, written backwards at the end of the blob.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeGuard

from pte_lint.schema.blob.facts import (
    BlobArgument,
    BlobFacts,
    BlobPart,
    BlobProblem,
    Requirement,
    WantedData,
)
from pte_lint.schema.blob.window import Window

BACKEND = "CoreMLBackend"
MAGIC = (b"CMJR", 0)
"""What references have, and where."""

_OPAQUE = "compiled for the backend's own device"
_FOLDER = "Core ML in-memory file system"
_REFERENCE = "Core ML reference CMJR"
_LIST_BYTES = (1 << 16, 1 << 20)
"""How much of the end is read for the list of files: more where that was not enough."""
_TEXT_BYTES = 1 << 16
_DEPTH = 16
_MOST = 1 << 63
_SYSTEMS = {4: "13", 5: "14", 6: "15", 7: "16", 8: "17", 9: "18", 10: "26"}
"""The first iOS that takes a specification version."""
_SPECS = {"compute_units": "compute units", "min_deployment_target": "deployment target"}


def describe(blob: Window, specs: Mapping[str, bytes]) -> BlobFacts:
    """Describes a blob that CoreMLBackend is given."""
    if blob.starts_with(*MAGIC):
        return _reference(blob, specs)
    if not len(blob) or blob.look(len(blob) - 1, 1) != b"{":
        problem = BlobProblem(blob.start, "neither a CMJR reference nor an in-memory file system")
        return BlobFacts("", blob.span, (problem,))
    nodes = _nodes(blob)
    if nodes is None:
        return BlobFacts(_FOLDER, blob.span, opaque="its list of files was not read")
    files = list(_files(nodes))
    problems = tuple(
        BlobProblem(blob.start, f"file {each.name!r} ends at byte {each.end} of {len(blob)}")
        for each in files
        if each.end > len(blob)
    )[:1]
    told = _metadata(blob, files)
    inputs, outputs = _names(told)
    return BlobFacts(
        _FOLDER,
        blob.span,
        problems,
        inputs,
        outputs,
        requires=(*_specification(blob, files), *_functions(told), *_of_specs(specs)),
        parts=tuple(BlobPart(each.name, each.size) for each in files),
        opaque=_OPAQUE,
    )


def _reference(blob: Window, specs: Mapping[str, bytes]) -> BlobFacts:
    text = blob.take(4, min(len(blob) - 4, _TEXT_BYTES))
    told = _json(text)
    key = told.get("key")
    if not isinstance(key, str):
        message = "the JSON reference does not parse, or has no key"
        problem = BlobProblem(blob.start + 4, message, "InvalidProgram")
        return BlobFacts(_REFERENCE, blob.span, (problem,))
    function = told.get("functionName")
    requires = list(_of_specs(specs))
    if isinstance(function, str) and function:
        requires.insert(0, Requirement("function", function))
    return BlobFacts(
        _REFERENCE,
        blob.span,
        wants=(WantedData(key, "model"),),
        requires=tuple(requires),
        opaque=_OPAQUE,
    )


class _File(NamedTuple):
    name: str
    start: int
    size: int

    @property
    def end(self) -> int:
        return self.start + self.size


def _json(text: bytes) -> dict[str, Any]:
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _nodes(blob: Window) -> list[dict[str, Any]] | None:
    """The list of files and folders; None where it is too long or no such list."""
    for limit in _LIST_BYTES:
        size = min(limit, len(blob))
        backwards = blob.look(len(blob) - size, size)[::-1].decode("utf-8", "replace")
        try:
            told, _ = json.JSONDecoder().raw_decode(backwards)
        except (ValueError, RecursionError):
            continue
        nodes = told.get("nodes") if isinstance(told, dict) else None
        if isinstance(nodes, list) and all(isinstance(node, dict) for node in nodes):
            return nodes
        return None
    return None


def _files(nodes: list[dict[str, Any]]) -> Iterator[_File]:
    """Files with their paths; folders list their children by index."""
    above: dict[int, tuple[int, str]] = {}
    for number, node in enumerate(nodes):
        children = node.get("children")
        for name, index in children.items() if isinstance(children, dict) else ():
            if type(index) is int and index not in above:
                above[index] = number, name
    for number, node in enumerate(nodes):
        region = node.get("dataRegion")
        # Folders are of kind 1.
        if node.get("kind") != 0 or not isinstance(region, dict):
            continue
        start, size = region.get("offset", 0), region.get("size", 0)
        if all(type(each) is int and 0 <= each < _MOST for each in (start, size)):
            yield _File(_path(number, above) or str(node.get("name", "")), start, size)


def _path(number: int, above: Mapping[int, tuple[int, str]]) -> str:
    names: list[str] = []
    while number in above and len(names) < _DEPTH:
        number, name = above[number]
        names.insert(0, name)
    return "/".join(names)


def _metadata(blob: Window, files: list[_File]) -> dict[str, Any]:
    for each in files:
        if each.name == "metadata.json":
            return _json(blob.look(each.start, min(each.size, _TEXT_BYTES)))
    return {}


def _names(
    told: dict[str, Any],
) -> tuple[tuple[BlobArgument, ...] | None, tuple[BlobArgument, ...] | None]:
    """Inputs and outputs by name; models of several functions have them by method."""
    inputs, outputs = told.get("inputNames"), told.get("outputNames")
    if not _are_names(inputs) or not _are_names(outputs):
        return None, None
    # Where they stand among the arguments of the call is asked of the model by name.
    return (
        tuple(BlobArgument(None, name=name) for name in inputs),
        tuple(BlobArgument(None, name=name) for name in outputs),
    )


def _are_names(value: Any) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _functions(told: dict[str, Any]) -> Iterator[Requirement]:
    methods = told.get("methods")
    if isinstance(methods, dict) and methods:
        yield Requirement("functions", ", ".join(map(str, methods)))


def _specification(blob: Window, files: list[_File]) -> Iterator[Requirement]:
    """The version that a model file begins with: field 1 of a protocol buffer, a number."""
    for each in files:
        if each.name.endswith(".mlmodel"):
            head = blob.look(each.start, min(each.size, 2))
            if len(head) == 2 and head[0] == 0x08 and head[1] < 0x80:
                version = head[1]
                system = f", iOS {_SYSTEMS[version]} or later" if version in _SYSTEMS else ""
                yield Requirement("Core ML specification", f"{version}{system}")
            return


def _of_specs(specs: Mapping[str, bytes]) -> Iterator[Requirement]:
    for key, what in _SPECS.items():
        value = specs.get(key, b"").decode("utf-8", "replace")
        if value:
            yield Requirement(what, value)
