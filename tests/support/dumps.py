"""The committed dumps of the test files, and our own decoded tables in the same form.

See tests/data/dump_with_executorch.py for the form.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import math
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, cast

from pte_lint.schema.program import BoolList, EValue, Instruction, Span

DATA = Path(__file__).resolve().parent.parent / "data"

# Names that ExecuTorch gives to tables of which we have two of one name, by their module.
_RENAMED = {"NamedTensorData": "NamedData", "BundledTensor": "Tensor", "BundledValue": "Value"}
# Union codes: in ExecuTorch's classes the content's class stands for them.
_CODES = {"val_type", "instr_args_type"}


def files(*suffixes: str) -> list[Path]:
    """The exported files with one of the suffixes (all of them when none is given), sorted."""
    wanted = suffixes or (".pte", ".ptd", ".bpte")
    return sorted(
        file
        for folder in DATA.iterdir()
        if folder.is_dir() and folder.name != "dumps"
        for file in folder.iterdir()
        if file.suffix in wanted
    )


def load_dump(file: Path) -> dict[str, Any]:
    """The dump of an exported file.

    Raises:
        FileNotFoundError: It has none.
    """
    path = DATA / "dumps" / file.parent.name / f"{file.name}.json"
    packed = path.with_name(f"{path.name}.gz")
    text = gzip.decompress(packed.read_bytes()) if packed.exists() else path.read_bytes()
    return cast(dict[str, Any], json.loads(text))


def plain(item: Any, content: bytes) -> Any:
    """One of our tables in the form of the dumps.

    Args:
        item: A decoded table, or part of one.
        content: The whole file, which spans point into.
    """
    if isinstance(item, Span):
        return _bytes(content[item.start : item.start + item.size])
    if isinstance(item, BoolList):
        items = None if item.items is None else [bool(each) for each in item.items]
        return {"table": "BoolList", "items": items}
    if is_dataclass(item):
        kind = type(item).__name__
        stored = {
            each.name: plain(getattr(item, each.name), content)
            for each in fields(item)
            if each.name != "at" and not (kind in _WITH_CODE and each.name in _CODES)
        }
        return {"table": _RENAMED.get(kind, kind), **stored}
    if isinstance(item, bytes):
        return _bytes(item)
    if isinstance(item, tuple):
        return [plain(each, content) for each in item]
    if isinstance(item, float) and not math.isfinite(item):
        return str(item)
    return item


_WITH_CODE = {EValue.__name__, Instruction.__name__, "BundledValue"}


def _bytes(content: bytes) -> dict[str, Any]:
    if len(content) <= 16:
        return {"bytes": len(content), "hex": content.hex()}
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
