"""Describes CoreAIBackend blobs: a manifest that says where the model is.

Facts: backends/apple/coreai/compiler/preprocess.py (_deliver, _embed_dir_inline). The exporter came
with 1.5; no release has a runtime for it. The model is in the named data, or, as a sidecar, in a
file that is no part of the program.
"""

from __future__ import annotations

import json
from typing import Any

from pte_lint.schema.blob.facts import BlobFacts, BlobProblem, Requirement, WantedData
from pte_lint.schema.blob.window import Window

BACKEND = "CoreAIBackend"
_NAME = "Core AI manifest"
_MOST_BYTES = 1 << 20
_TOLD = {
    "packaging": "packaging",
    "path": "file beside the program",
    "min_deployment_version": "deployment target",
}


def describe(blob: Window) -> BlobFacts:
    """Describes a blob that CoreAIBackend makes."""
    if len(blob) > _MOST_BYTES:
        return BlobFacts(_NAME, blob.span, opaque=f"a manifest of {len(blob)} bytes is not read")
    try:
        told: Any = json.loads(blob.look(0, len(blob)))
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict) or not isinstance(told.get("packaging"), str):
        problem = BlobProblem(blob.start, "is no JSON manifest that says how it is packaged")
        return BlobFacts("", blob.span, (problem,))
    files, digest = told.get("files"), told.get("hash")
    wants = tuple(
        WantedData(f"coreai/{digest}/{each}", "model", required=False)
        for each in (files if isinstance(files, list) else ())
        if isinstance(each, str)
    )
    # The path is that of a file only where none is inside.
    requires = tuple(
        Requirement(what, told[key])
        for key, what in _TOLD.items()
        if isinstance(told.get(key), str) and told[key] and not (key == "path" and wants)
    )
    return BlobFacts(
        _NAME, blob.span, wants=wants, requires=requires, opaque="no release has a runtime for it"
    )
