"""Folders laid flat as Core ML delegates have them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def folder_blob(files: Mapping[str, bytes], nodes: list[dict[str, Any]] | None = None) -> bytes:
    """The files of one folder one after another, then the list of them, backwards."""
    body, listed = b"", []
    for name, content in files.items():
        region = {"offset": len(body), "size": len(content)}
        listed.append({"name": name, "kind": 0, "dataRegion": region, "children": {}})
        body += content + bytes(-len(content) % 64)
    children = {name: index for index, name in enumerate(files)}
    listed.append({"name": "root", "kind": 1, "dataRegion": {}, "children": children})
    text = json.dumps({"nodes": listed if nodes is None else nodes}, separators=(",", ":"))
    return body + text.encode()[::-1]


def coreml_blob(**metadata: Any) -> bytes:
    """A folder with a model of specification version 7 and its metadata."""
    told = {"inputNames": ["x"], "outputNames": ["y"], "identifier": "i", **metadata}
    model = b"\x08\x07" + b"a model"
    return folder_blob({"model.mlmodel": model, "metadata.json": json.dumps(told).encode()})
