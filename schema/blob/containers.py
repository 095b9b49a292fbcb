"""Recognises the blobs of the other backends by their magic, and reads what their heads say.

Facts, each from the backend's own loader: backends/apple/mps/runtime/MPSDelegateHeader.h,
backends/mlx/serialization/MLXLoader.cpp.tmpl (parse_header) and runtime/MLXBackend.cpp. For the
demonstration backend of ExecuTorch's tests: exir/backend/test/backend_with_compiler_demo.py.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from pte_lint.schema.blob.facts import BlobArgument, BlobFacts, BlobProblem
from pte_lint.schema.blob.window import Window
from pte_lint.schema.shown_bytes import shown

MPS_MAGIC = (b"MP00", 4)
MLX_MAGIC = (b"MLX0", 4)
"""What blobs of these backends have, and where."""

_DEMO_OPERATOR = re.compile(rb"#op:demo::([\w.]+), ")
_DEMO_BYTES = 65_536
"""How much of a demonstration blob is read for its operators."""


def _unknown(blob: Window, message: str, error: str | None = None, at: int = 0) -> BlobFacts:
    place = blob.start + min(at, len(blob))
    return BlobFacts("", blob.span, (BlobProblem(place, message, error),))


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
    "MPSBackend": _mps,
    "MLXBackend": _mlx,
}
