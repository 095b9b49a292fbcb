"""Dumps the test files with ExecuTorch 1.5.1's own deserialisers, field by field.

Development only: run it in the environment of make_files.py, after it.

    python tests/data/dump_with_executorch.py

Every ``.pte``, ``.ptd`` and ``.bpte`` under tests/data gives ``dumps/FOLDER/FILE.json``, gzipped
when it is long. A dump holds the header and the root table. Tables are objects with all their
fields and their ExecuTorch class name under ``"table"``; an absent field is null; enums are
numbers; infinities and NaN are strings; bytes are ``{"bytes": count, "hex": ...}``, or
``"sha256"`` instead of ``"hex"`` when there are more than 16. A bundled program's dump also holds
that of the program inside, under ``"inner"``.
"""

from __future__ import annotations

import dataclasses
import enum
import gzip
import hashlib
import json
import math
import shutil
import sys
import warnings
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
DUMPS = HERE / "dumps"
GZIP_OVER = 12_000


def plain(item: Any) -> Any:
    """The JSON form of a deserialised table, list, number or byte string."""
    if dataclasses.is_dataclass(item):
        fields = {each.name: plain(getattr(item, each.name)) for each in dataclasses.fields(item)}
        return {"table": type(item).__name__, **fields}
    if isinstance(item, enum.IntEnum):
        return int(item)
    if isinstance(item, (bytes, bytearray)):
        if len(item) <= 16:
            return {"bytes": len(item), "hex": bytes(item).hex()}
        return {"bytes": len(item), "sha256": hashlib.sha256(item).hexdigest()}
    if isinstance(item, (list, tuple)):
        return [plain(each) for each in item]
    if isinstance(item, float) and not math.isfinite(item):
        return str(item)
    return item


def dump_program(content: bytes) -> dict[str, Any]:
    """Header and root table of a .pte."""
    from executorch.exir._serialize import _program
    from executorch.exir._serialize._flatbuffer_program import _flatbuffer_to_program

    header = _program._get_extended_header(content)
    size = header.program_size if header else len(content)
    return {"header": plain(header), "root": plain(_flatbuffer_to_program(content[:size]))}


def dump_flat_tensor(content: bytes) -> dict[str, Any]:
    """Header and root table of a .ptd."""
    from executorch.extension.flat_tensor.serialize import serialize

    header = serialize.FlatTensorHeader.from_bytes(content[8:])
    flatbuffer = content[: header.flatbuffer_offset + header.flatbuffer_size]
    root = serialize._deserialize_to_flat_tensor(flatbuffer)
    return {"header": plain(header), "root": plain(root)}


def dump_bundled_program(content: bytes) -> dict[str, Any]:
    """Root table of a .bpte, and the dump of the program inside."""
    from executorch.devtools.bundled_program import serialize

    root = serialize.deserialize_from_flatbuffer_to_bundled_program(content)
    return {"header": None, "root": plain(root), "inner": dump_program(root.program)}


def write(file: Path, dump: dict[str, Any]) -> Path:
    """Writes a dump beside the others; returns its path."""
    text = json.dumps(dump, separators=(",", ":"), allow_nan=False) + "\n"
    target = DUMPS / file.parent.name / f"{file.name}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    if len(text) <= GZIP_OVER:
        target.write_text(text, encoding="utf-8")
        return target
    target = target.with_name(f"{target.name}.gz")
    target.write_bytes(gzip.compress(text.encode(), mtime=0))
    return target


def main() -> int:
    warnings.filterwarnings("ignore")
    kinds = {".pte": dump_program, ".ptd": dump_flat_tensor, ".bpte": dump_bundled_program}
    files = sorted(
        file for folder in HERE.iterdir() if folder != DUMPS for file in folder.glob("*.*p*")
    )
    shutil.rmtree(DUMPS, ignore_errors=True)
    for file in files:
        if file.suffix in kinds:
            print(write(file, kinds[file.suffix](file.read_bytes())).relative_to(HERE))
    return 0


if __name__ == "__main__":
    sys.exit(main())
