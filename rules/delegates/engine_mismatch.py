"""A TensorRT engine that was made for another TensorRT or another platform.

What it finds:
    TensorRT delegates whose engine was made with another version than the target profile's
    `tensorrt`, as far as that tells, or for another processor than its `machine`. Nothing without
    such a profile. The blob does not tell the GPU that the engine was made on.

What the runtime does:
    The engine is handed to TensorRT as it is while the method is loaded. TensorRT takes engines of
    its own version and platform only, unless they were built to be version-compatible, which the
    head does not tell; where it refuses one, load_method gives InvalidProgram (pytorch/TensorRT,
    cpp/src/torch_tensorrt/executorch/TensorRTBackend.cpp: init).

Why it happens:
    The program was exported on another machine, or TensorRT was updated on one of the two.

How to fix it:
    Export where the TensorRT of the target is installed:

        pip install tensorrt==10.13.3

How it is confirmed:
    Only with that TensorRT and its GPU.

Seen in:
    No public report is known.
"""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.schema.blob.facts import BlobFacts
from pte_lint.schema.blob.tensorrt import PLATFORM, VERSION

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.profile import Profile
from pte_lint.data.blobs import blobs
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule

_UNKNOWN = "unknown"


@method_rule(
    "PTE436", "engine-mismatch", Severity.WARNING, "engines for another TensorRT or platform"
)
def check(method: Method, ctx: Context) -> Yields:
    """One finding a delegate and reason."""
    for blob in blobs(method, ctx):
        for what, made, target in _reasons(blob.facts, ctx.target.profile):
            yield Finding(
                message=f"The engine of delegate {blob.index} ({blob.backend}) was made for {what} "
                f"{made}, and the target has {target}.",
                remediation="Export where the TensorRT of the target is installed:\n\n"
                "    pip install tensorrt==10.13.3",
                location=blob.location(method),
                evidence={"engine": made, "target": target},
                subject=f"delegates[{blob.index}] {what}",
            )


def _reasons(facts: BlobFacts, profile: Profile) -> Iterator[tuple[str, str, str]]:
    for need in facts.requires:
        if need.what == VERSION and profile.tensorrt:
            wanted = profile.tensorrt.split(".")
            if need.value.split(".")[: len(wanted)] != wanted:
                yield VERSION, need.value, profile.tensorrt
        elif need.what == PLATFORM and profile.machine and need.value != _UNKNOWN:
            _, _, machine = need.value.partition("_")
            if _plain(machine) != _plain(profile.machine):
                yield PLATFORM, need.value, profile.machine


def _plain(machine: str) -> str:
    """A processor by one of its names."""
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(machine.lower(), machine.lower())
