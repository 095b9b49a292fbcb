"""Describes the blobs of backends for one vendor's processors: heads, and what they are made for.

Facts, each from the backend's own loader and exporter:
backends/qualcomm/runtime/backends/QnnCustomProtocol.h and serialization/qc_compiler_spec.fbs,
backends/nxp/runtime/NeutronBackend.cpp (init, execute) and nxp_backend.py,
backends/mediatek/runtime/include/NeuronPayloadHeader.h and preprocess.py,
backends/samsung/runtime/enn_executor.cpp and serialization/compile_options_def.fbs. What lies
behind the heads is the vendors' own and not documented.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import cast

from pte_lint.schema.binding import Binding, Unkept, bind
from pte_lint.schema.blob.facts import (
    BlobArgument,
    BlobFacts,
    BlobPart,
    BlobProblem,
    Requirement,
)
from pte_lint.schema.blob.window import Window
from pte_lint.schema.fbs import layout
from pte_lint.schema.flatbuffer import decode
from pte_lint.schema.record import record

_COMPILED = "compiled for the backend's own device"
_INVALID = "InvalidProgram"
_FEW = 4096
"""More arguments than this are a damaged head."""
_SPEC_BYTES = 1 << 16

_QNN_HEAD = 256
_CHIPSETS = {
    39: "SA8295", 72: "SA8797", 60: "SC8380XP", 30: "SM8350", 36: "SM8450", 42: "SM8475",
    43: "SM8550", 57: "SM8650", 69: "SM8750", 87: "SM8850", 46: "SSG2115P", 58: "SSG2125P",
    45: "SXR1230P", 53: "SXR2230P", 75: "SXR2330P", 77: "QCS9100", 95: "SAR2230P", 52: "SA8255",
    96: "SW6100", 93: "QCM6490", 97: "SM8845",
}  # fmt: skip
_QNN_BACKENDS = {1: "GPU", 2: "HTP", 3: "DSP", 4: "LPAI"}


@record
class HtpInfo:
    """Of the Hexagon processor."""

    htp_arch: int = 0
    vtcm_size_in_mb: int = 0
    at: int = 0


@record
class SocInfo:
    """Of the system on a chip."""

    soc_model: int = 0
    htp_info: HtpInfo | None = None
    lpai_info: Unkept | None = None
    at: int = 0


@record
class QnnExecuTorchBackendOptions:
    """Which of QNN's backends runs it."""

    backend_type: int = 0
    htp_options: Unkept | None = None
    gpu_options: Unkept | None = None
    lpai_options: Unkept | None = None
    at: int = 0


@record
class QnnExecuTorchOptions:
    """The root table."""

    soc_info: SocInfo | None = None
    backend_options: QnnExecuTorchBackendOptions | None = None
    library_path: str | None = None
    log_level: int = 0
    online_prepare: bool = False
    dump_intermediate_outputs: bool = False
    profile_level: int = 0
    shared_buffer: bool = False
    is_from_context_binary: bool = False
    saver: bool = False
    saver_output_dir: str | None = None
    op_package_options: Unkept | None = None
    use_mha2sha: bool = False
    at: int = 0


@cache
def _qnn_binding() -> Binding:
    kept: tuple[type, ...] = (HtpInfo, SocInfo, QnnExecuTorchBackendOptions, QnnExecuTorchOptions)
    return bind(layout("qnn"), {cls.__name__: cls for cls in kept})


def qnn(blob: Window, specs: Mapping[str, bytes]) -> BlobFacts:
    """A context binary under a head, or a model that is prepared on the device."""
    requires = tuple(_qnn_needs(specs))
    if not blob.starts_with(b"\xcd\xab\x78\x56"):
        return BlobFacts("QNN DLC", blob.span, opaque=_COMPILED, requires=requires)
    (size,) = blob.unpack("<Q", 12, "the header")
    problems: tuple[BlobProblem, ...] = ()
    if _QNN_HEAD + size > len(blob):
        message = f"a context binary of {size} bytes does not fit into {len(blob) - _QNN_HEAD}"
        problems = (BlobProblem(blob.start + 12, message),)
    return BlobFacts(
        "QNN context binary",
        blob.span,
        problems,
        opaque=_COMPILED,
        requires=requires,
        parts=(BlobPart("context binary", size),),
    )


def _qnn_needs(specs: Mapping[str, bytes]) -> Iterator[Requirement]:
    told = specs.get("qnn_compile_spec", b"")
    if not 8 <= len(told) <= _SPEC_BYTES:
        return
    options = cast("QnnExecuTorchOptions | None", decode(memoryview(told), _qnn_binding()).root)
    if options is None:
        return
    if soc := options.soc_info:
        yield Requirement("SoC", _CHIPSETS.get(soc.soc_model, f"model {soc.soc_model}"))
        if soc.htp_info and soc.htp_info.htp_arch:
            yield Requirement("Hexagon architecture", f"V{soc.htp_info.htp_arch}")
    if options.backend_options:
        number = options.backend_options.backend_type
        yield Requirement("QNN backend", _QNN_BACKENDS.get(number, f"type {number}"))


def neutron(blob: Window, specs: Mapping[str, bytes]) -> BlobFacts:
    """Microcode, weights and kernels under a head that maps them to the call's arguments."""
    inputs, outputs, _ = blob.unpack("<BBB", 0, "the header")
    flags = 3 + 2 * (inputs + outputs)
    (version,) = blob.unpack("<B", flags, "the header")
    at = (flags + 1 + 15) // 16 * 16
    if blob.take(at, 4, "the microcode") != b"nMCd":
        problem = BlobProblem(blob.start + at, "the microcode has no nMCd magic", _INVALID)
        return BlobFacts("", blob.span, (problem,))
    requires = list(_told(specs, {"target": "target"}))
    requires.insert(0, Requirement("payload version", str(version)))
    problems: list[BlobProblem] = []
    scratch = None
    if version not in (0, 1):
        message = f"payload version {version} is unknown"
        problems.append(BlobProblem(blob.start + flags, message, _INVALID))
    else:
        counts = blob.unpack("<II", at + 4 * (11 + 2 * version), "the microcode")
        (scratch,) = blob.unpack("<I", at + 4 * 9, "the microcode")
        if counts != (inputs, outputs):
            message = (
                f"counts of inputs and outputs: header {inputs} and {outputs}, microcode "
                f"{counts[0]} and {counts[1]}"
            )
            problems.append(BlobProblem(blob.start, message, _INVALID))
    microcode, weights = blob.unpack("<II", at + 4 * 6, "the microcode")
    # Counts are of the compiled model; a map relates them to the delegate's arguments.
    return BlobFacts(
        "Neutron microcode",
        blob.span,
        tuple(problems),
        opaque=_COMPILED,
        requires=tuple(requires),
        scratch=scratch,
        parts=(BlobPart("microcode", microcode), BlobPart("weights", weights)),
    )


def neuropilot(blob: Window, specs: Mapping[str, bytes]) -> BlobFacts:
    """A network under a head with the numbers of inputs and outputs."""
    version, inputs, outputs, size = blob.unpack("<BIII", 0, "the header")
    problems: tuple[BlobProblem, ...] = ()
    if 13 + size > len(blob):
        message = f"a network of {size} bytes does not fit into {len(blob) - 13}"
        problems = (BlobProblem(blob.start + 9, message),)
    few = inputs <= _FEW and outputs <= _FEW
    return BlobFacts(
        "NeuroPilot payload",
        blob.span,
        problems,
        _unnamed(inputs) if few else None,
        _unnamed(outputs, inputs) if few else None,
        opaque=_COMPILED,
        requires=(
            Requirement("payload version", str(version)),
            *_told(specs, {"platform-config": "SoC"}),
        ),
        parts=(BlobPart("network", size),),
    )


def enn(blob: Window, specs: Mapping[str, bytes]) -> BlobFacts:
    """What the vendor's compiler made: its first bytes mean nothing that is documented."""
    problems: tuple[BlobProblem, ...] = ()
    if not len(blob):
        problems = (BlobProblem(blob.start, "has no bytes", "Internal"),)
    return BlobFacts("ENN model", blob.span, problems, opaque=_COMPILED)


def _unnamed(count: int, first: int = 0) -> tuple[BlobArgument, ...]:
    return tuple(BlobArgument(first + index) for index in range(count))


def _told(specs: Mapping[str, bytes], names: Mapping[str, str]) -> Iterator[Requirement]:
    """What compile specs that are text say."""
    for key, what in names.items():
        value = specs.get(key, b"").rstrip(b"\0").decode("utf-8", "replace")
        if value and re.fullmatch(r"[\w.:,() +-]{1,100}", value):
            yield Requirement(what, value)


DESCRIBERS = {
    "QnnBackend": qnn,
    "NeutronBackend": neutron,
    "NeuropilotBackend": neuropilot,
    "EnnBackend": enn,
}
