"""Recognises the blobs of the other backends by their magic, and reads what their heads say.

Facts, each from the backend's own loader: backends/apple/mps/runtime/MPSDelegateHeader.h,
backends/mlx/serialization/MLXLoader.cpp.tmpl (parse_header) and runtime/MLXBackend.cpp,
backends/qualcomm/runtime/backends/QnnCustomProtocol.h,
backends/nxp/runtime/NeutronBackend.cpp (init), backends/mediatek/runtime/include/
NeuronPayloadHeader.h, backends/apple/coreml/runtime/delegate/coreml_backend_delegate.mm. For the
demonstration backend of ExecuTorch's tests: exir/backend/test/backend_with_compiler_demo.py.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable

from pte_lint.schema.blob.facts import BlobArgument, BlobFacts, BlobProblem, WantedData
from pte_lint.schema.blob.window import Window
from pte_lint.schema.shown_bytes import shown

COREML_MAGIC = (b"CMJR", 0)
MPS_MAGIC = (b"MP00", 4)
MLX_MAGIC = (b"MLX0", 4)
"""What blobs of these backends have, and where."""

_COMPILED = "compiled for the backend's own device"


_DEMO_OPERATOR = re.compile(rb"#op:demo::([\w.]+), ")
_DEMO_BYTES = 65_536
"""How much of a demonstration blob is read for its operators."""


def _unnamed(count: int, first: int = 0) -> tuple[BlobArgument, ...]:
    return tuple(BlobArgument(first + index) for index in range(count))


def _unknown(blob: Window, message: str, error: str | None = None, at: int = 0) -> BlobFacts:
    place = blob.start + min(at, len(blob))
    return BlobFacts("", blob.span, (BlobProblem(place, message, error),))


def _coreml(blob: Window) -> BlobFacts:
    if not blob.starts_with(*COREML_MAGIC):
        # An in-memory file system: its JSON metadata is written backwards at the end.
        if len(blob) and blob.look(len(blob) - 1, 1) == b"{":
            return BlobFacts("Core ML in-memory file system", blob.span, opaque=_COMPILED)
        return _unknown(blob, "neither a CMJR reference nor an in-memory file system")
    text = blob.take(4, min(len(blob) - 4, 65_536))
    try:
        reference = json.loads(text)
        key = reference["key"]
    except (ValueError, KeyError, TypeError, RecursionError):
        key = None
    if not isinstance(key, str):
        message = "the JSON reference does not parse, or has no key"
        problem = BlobProblem(blob.start + 4, message, "InvalidProgram")
        return BlobFacts("Core ML reference CMJR", blob.span, (problem,))
    wants = (WantedData(key, "model"),)
    return BlobFacts("Core ML reference CMJR", blob.span, wants=wants, opaque=_COMPILED)


def _mps(blob: Window) -> BlobFacts:
    if not blob.starts_with(*MPS_MAGIC):
        return _unknown(blob, f"magic {shown(blob.look(4, 4))} is not MP00", at=4)
    return BlobFacts("MPS graph MP00", blob.span, opaque="the graph is checked by the backend")


def _mlx(blob: Window) -> BlobFacts:
    if not blob.starts_with(*MLX_MAGIC):
        return _unknown(blob, f"magic {shown(blob.look(4, 4))} is not MLX0", at=4)
    (data_at,) = blob.unpack("<Q", 8, "the header")
    problems: tuple[BlobProblem, ...] = ()
    if not 24 < data_at <= len(blob):
        message = f"the graph ends at byte {data_at} of {len(blob)}"
        problems = (BlobProblem(blob.start + 8, message),)
    return BlobFacts("MLX graph MLX0", blob.span, problems, opaque="checked by the backend")


def _qnn(blob: Window) -> BlobFacts:
    if not blob.starts_with(b"\xcd\xab\x78\x56"):
        return BlobFacts("QNN DLC", blob.span, opaque=_COMPILED)
    (size,) = blob.unpack("<Q", 12, "the header")
    problems: tuple[BlobProblem, ...] = ()
    if 256 + size > len(blob):
        message = f"a context binary of {size} bytes does not fit into {len(blob) - 256}"
        problems = (BlobProblem(blob.start + 12, message),)
    return BlobFacts("QNN context binary", blob.span, problems, opaque=_COMPILED)


def _neutron(blob: Window) -> BlobFacts:
    inputs, outputs, _ = blob.unpack("<BBB", 0, "the header")
    flags = 3 + 2 * (inputs + outputs)
    (version,) = blob.unpack("<B", flags, "the header")
    microcode = (flags + 1 + 15) // 16 * 16
    if blob.take(microcode, 4, "the microcode") != b"nMCd":
        return _unknown(blob, "the microcode has no nMCd magic", "InvalidProgram", microcode)
    problems: list[BlobProblem] = []
    if version not in (0, 1):
        message = f"payload version {version} is unknown"
        problems.append(BlobProblem(blob.start + flags, message, "InvalidProgram"))
    else:
        counts = blob.unpack("<II", microcode + 4 * (11 + 2 * version), "the microcode")
        if counts != (inputs, outputs):
            message = f"header {inputs} and {outputs}, microcode {counts[0]} and {counts[1]}"
            problems.append(
                BlobProblem(
                    blob.start, f"counts of inputs and outputs: {message}", "InvalidProgram"
                )
            )
    # Counts are of the compiled model; a map relates them to the delegate's arguments.
    return BlobFacts("Neutron microcode", blob.span, tuple(problems), opaque=_COMPILED)


def _neuropilot(blob: Window) -> BlobFacts:
    _, inputs, outputs, size = blob.unpack("<BIII", 0, "the header")
    problems: tuple[BlobProblem, ...] = ()
    if 13 + size > len(blob):
        message = f"a network of {size} bytes does not fit into {len(blob) - 13}"
        problems = (BlobProblem(blob.start + 9, message),)
    few = inputs <= 4096 and outputs <= 4096
    return BlobFacts(
        "NeuroPilot payload",
        blob.span,
        problems,
        _unnamed(inputs) if few else None,
        _unnamed(outputs, inputs) if few else None,
        opaque=_COMPILED,
    )


def _demo(blob: Window) -> BlobFacts:
    """Operators in order as text; each has one result, so one operator is one output."""
    text = blob.look(0, _DEMO_BYTES)
    if re.match(rb"\d+version:0#", text) is None:
        return _unknown(blob, "does not begin with a count of operators and version 0")
    names = [name.decode("ascii", "replace") for name in _DEMO_OPERATOR.findall(text)]
    return BlobFacts(
        "operators of the demonstration backend",
        blob.span,
        outputs=(BlobArgument(None),) if len(names) == 1 else None,
        operators=tuple(sorted(Counter(names).items())),
        opaque="what its operators are given is not followed",
    )


DESCRIBERS: dict[str, Callable[[Window], BlobFacts]] = {
    "BackendWithCompilerDemo": _demo,
    "CoreMLBackend": _coreml,
    "MPSBackend": _mps,
    "MLXBackend": _mlx,
    "QnnBackend": _qnn,
    "NeutronBackend": _neutron,
    "NeuropilotBackend": _neuropilot,
}
