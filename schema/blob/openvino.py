"""Describes OpenvinoBackend blobs: models that OpenVINO's plug-in for CPUs compiled and exported.

Facts: backends/openvino/runtime/OpenvinoBackend.cpp (init, execute) and preprocess.py; of OpenVINO
StreamSerialize::DataHeader (src/core/include/openvino/pass/serialize.hpp), and of its CPU plug-in
src/plugins/intel_cpu/src/utils/graph_serializer (serializer.hpp, deserializer.cpp: process_model)
and utils/codec_xor.cpp, compared with what OpenVINO 2025.4.1 and 2026.4.1 export and import. What
plug-ins for other devices export is their own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final
from xml.parsers import expat

from pte_lint.schema.blob.facts import (
    BlobArgument,
    BlobConstant,
    BlobFacts,
    BlobPart,
    BlobProblem,
    Requirement,
)
from pte_lint.schema.blob.window import Window

BACKEND = "OpenvinoBackend"
MAGIC = (b"RR_UPCVO", 0)
"""What exports since OpenVINO 2026 begin with: a number, in the order of bytes of a CPU."""

_FORMAT: Final = "OpenVINO CPU model"
_COMPILED: Final = "compiled for the backend's own device"
_UNTOLD: Final = "the plug-in checks the model's operators"
_SINCE: Final = "1.3"
_HEAD: Final = 48
_NEED_BYTES: Final = 4096
_NEEDS: Final = {"ov": "OpenVINO", "isa": "instruction set"}
_KEY: Final = bytes((0x30, 0x60, 0x70, 0x02, 0x04, 0x08, 0x3F, 0x6F, 0x72, 0x74, 0x78, 0x7F))
_CHUNK: Final = len(_KEY) << 12
_MODEL_BYTES: Final = 1 << 25
"""More of a model is not read: tens of thousands of operators take a third of it."""
_WORD: Final = re.compile(r"[\w.:,()+ -]{1,100}")
_TYPE: Final = re.compile(r"(bf|fp|f|i|u)(\d{1,3})", re.IGNORECASE)
_KINDS: Final = {"bf": "bfloat", "fp": "float", "f": "float", "i": "int", "u": "uint"}


def describe(blob: Window, specs: Mapping[str, bytes]) -> BlobFacts:
    """Describes a blob that OpenvinoBackend is given.

    Args:
        blob: The blob.
        specs: The delegate's compile specs; the device is among them.
    """
    told = specs.get("device", b"").rstrip(b"\0").decode("utf-8", "replace")
    device = told if _WORD.fullmatch(told) else "?" if told else "CPU"
    requires = [Requirement("device", device)]
    if not len(blob):
        return BlobFacts(
            "OpenVINO model", blob.span, (_problem(blob, 0, "has no bytes"),),
            opaque=_COMPILED, requires=tuple(requires),
        )  # fmt: skip
    at, needs = _needs(blob)
    requires += needs
    if device != "CPU" or at is None or blob.look(at, 8) != _HEAD.to_bytes(8, "little"):
        problems: tuple[BlobProblem, ...] = ()
        if device == "CPU" and at:
            problems = (_problem(blob, at, "the header does not begin with its size, 48"),)
        return BlobFacts(
            "OpenVINO model", blob.span, problems, opaque=_COMPILED, requires=tuple(requires)
        )
    return _model(blob.within(at, len(blob) - at), blob, tuple(requires))


def _problem(blob: Window, at: int, message: str) -> BlobProblem:
    return BlobProblem(blob.start + at, message, "Internal", _SINCE)


def _needs(blob: Window) -> tuple[int | None, list[Requirement]]:
    """Where the header is, and what is wanted of the machine; None where that is not known."""
    if not blob.starts_with(*MAGIC):
        return 0, []
    version, size = blob.unpack("<IQ", 8, "the requirements")
    if version != 1 or size > _NEED_BYTES:
        return None, []
    text = blob.take(20, size, "the requirements").decode("utf-8", "replace")
    told = dict(each.partition("=")[::2] for each in text.split(";"))
    return 20 + size, [
        Requirement(what, told[key])
        for key, what in _NEEDS.items()
        if _WORD.fullmatch(told.get(key, ""))
    ]


def _model(rest: Window, blob: Window, requires: tuple[Requirement, ...]) -> BlobFacts:
    """Reads from the header on: three parts, one behind the other, the last to the end."""
    _, more_size, constants_at, constants_size, model_at = rest.unpack("<5Q", 0, "the header")
    at = rest.start - blob.start
    fits = constants_at == _HEAD + more_size and model_at == constants_at + constants_size
    if not fits or model_at >= len(rest):
        why = f"the header's parts do not fit into {len(rest)} bytes, one behind the other"
        problem = _problem(blob, at, why)
        return BlobFacts(_FORMAT, blob.span, (problem,), requires=requires)
    size = len(rest) - model_at
    parts = (BlobPart("constants", constants_size), BlobPart("model", size))
    if size > _MODEL_BYTES:
        opaque = f"a model of {size} bytes"
        return BlobFacts(_FORMAT, blob.span, requires=requires, parts=parts, opaque=opaque)
    graph = _Graph()
    try:
        graph.read(_text(rest, model_at))
    except (expat.ExpatError, ValueError):
        problem = BlobProblem(rest.start + model_at, "the model is no XML that can be read")
        return BlobFacts(
            _FORMAT, blob.span, (problem,), requires=requires, parts=parts, opaque=_COMPILED
        )
    return BlobFacts(
        _FORMAT,
        blob.span,
        inputs=tuple(graph.arguments(graph.inputs, 0)),
        outputs=tuple(graph.arguments(graph.outputs, len(graph.inputs))),
        operators=tuple(sorted(graph.operators.items())),
        constants=tuple(graph.constants),
        requires=requires,
        parts=parts,
        opaque=_UNTOLD,
    )


def _text(rest: Window, at: int) -> Iterator[bytes]:
    """The model piece by piece; the plug-in hides it from casual looks with a short key."""
    key = _KEY * (_CHUNK // len(_KEY))
    for start in range(at, len(rest), _CHUNK):
        piece = rest.look(start, _CHUNK)
        number = int.from_bytes(piece, "little") ^ int.from_bytes(key[: len(piece)], "little")
        yield number.to_bytes(len(piece), "little")


def _dtype(word: str) -> str | None:
    match = _TYPE.fullmatch(word)
    if match is not None:
        return f"{_KINDS[match[1].lower()]}{match[2]}"
    return {"boolean": "bool", "bool": "bool"}.get(word.lower())


_Tensor = tuple[str, str | None, tuple[int, ...] | None]
"""Name, element type, and sizes, of which those that can change are -1."""


class _Graph:
    """The layers of the model itself; those inside of layers are left out."""

    def __init__(self) -> None:
        self.inputs: list[_Tensor] = []
        self.outputs: list[_Tensor] = []
        self.operators: Counter[str] = Counter()
        self.constants: list[BlobConstant] = []
        self._path: list[str] = []
        self._depth = 0
        self._layer: dict[str, str] = {}
        self._data: dict[str, str] = {}
        self._port: dict[str, str] = {}
        self._sizes: list[str] = []

    def read(self, text: Iterator[bytes]) -> None:
        """Reads a model.

        Raises:
            ExpatError: It is no XML.
            ValueError: It declares entities.
        """
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._refuse
        for piece in text:
            parser.Parse(piece, False)
        parser.Parse(b"", True)

    def arguments(self, tensors: list[_Tensor], first: int) -> Iterator[BlobArgument]:
        """The arguments of one direction: inputs come first, all in the order of the model."""
        for index, (name, dtype, sizes) in enumerate(tensors):
            yield BlobArgument(first + index, dtype, sizes, name=name)

    def _refuse(self, *_: object) -> None:
        raise ValueError("a model declares no document type")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > 6:
            return
        self._path.append(name)
        if self._path[:3] != ["net", "layers", "layer"]:
            return
        if self._depth == 3:
            self._layer, self._data, self._port, self._sizes = attributes, {}, {}, []
        elif self._depth == 4 and name == "data":
            self._data = attributes
        elif self._depth == 5 and name == "port":
            self._port, self._sizes = attributes, []
        elif self._depth == 6 and name == "dim":
            self._sizes.append("")

    def _characters(self, text: str) -> None:
        if self._depth == 6 and self._path[-1] == "dim" and self._sizes:
            self._sizes[-1] += text[:20]

    def _end(self, _: str) -> None:
        if self._depth == 3 and self._path == ["net", "layers", "layer"]:
            self._close()
        if self._depth <= 6:
            self._path.pop()
        self._depth -= 1

    def _close(self) -> None:
        kind, name = self._layer.get("type", ""), self._layer.get("name", "")
        if kind == "Parameter":
            self.inputs.append((self._port.get("names") or name, *self._tensor()))
        elif kind == "Result":
            self.outputs.append((self._layer.get("output_names") or name, *self._tensor()))
        elif kind == "Const":
            size = self._data.get("size", "")
            nbytes = int(size) if re.fullmatch(r"[0-9]{1,18}", size) else None
            dtype = _dtype(self._data.get("element_type", ""))
            shape = _sizes(self._data.get("shape", "").replace(" ", "").split(","))
            self.constants.append(BlobConstant(name, dtype, shape, nbytes))
        else:
            self.operators[kind] += 1

    def _tensor(self) -> tuple[str | None, tuple[int, ...] | None]:
        return _dtype(self._port.get("precision", "")), _sizes(self._sizes)


def _sizes(words: list[str]) -> tuple[int, ...] | None:
    if words == [""]:
        return ()
    known = all(re.fullmatch(r"-?[0-9]{1,18}", word) for word in words)
    return tuple(map(int, words)) if known else None
