"""The exported files are what the manifest says, and each reads as ExecuTorch itself reads it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from pte_lint.schema.container import Container
from pte_lint.schema.loaded import read_bundled_program, read_flat_tensor, read_program
from pte_lint.schema.sniff import Kind

from tests.data.record_truth import truth_of
from tests.support.dumps import DATA, files, load_dump, plain
from tests.support.runtime import need_runtime

MANIFEST = json.loads((DATA / "manifest.json").read_text(encoding="utf-8"))


def name_of(file: Path) -> str:
    return f"{file.parent.name}/{file.name}"


def test_manifest_lists_every_file() -> None:
    assert [entry["file"] for entry in MANIFEST] == sorted(name_of(file) for file in files())


def test_manifest_has_the_right_bytes() -> None:
    for entry in MANIFEST:
        content = (DATA / entry["file"]).read_bytes()
        assert entry["bytes"] == len(content)
        assert entry["sha256"] == hashlib.sha256(content).hexdigest(), entry["file"]


def test_clean_and_refused_files_were_run() -> None:
    for entry in MANIFEST:
        if entry["file"].startswith("clean/") and entry["file"].endswith(".pte"):
            assert (entry["intent"], entry["runs"]) == ("clean", "as PyTorch")
        if entry["file"].startswith("refused/"):
            assert entry["intent"] != "clean"
            assert "error: 0x" in entry["runs"]


def read(file: Path, content: bytes) -> tuple[Any, Any, tuple[Any, ...]]:
    """Container, root table and violations, by the file's suffix."""
    if file.suffix == ".ptd":
        data = read_flat_tensor(content)
        return data.container, data.flat_tensor, data.violations
    if file.suffix == ".bpte":
        bundle = read_bundled_program(content)
        return bundle.container, bundle.bundle, bundle.violations
    program = read_program(content)
    return program.container, program.program, program.violations


def header_of(container: Container) -> dict[str, Any] | None:
    """The container's header in the form of the dumps."""
    header = container.header
    if header is None:
        return None
    pte = container.kind is Kind.PROGRAM
    own = {"table": "_ExtendedHeader", "program_size": header.program_size}
    if not pte:
        own = {
            "table": "FlatTensorHeader",
            "flatbuffer_offset": header.program_offset,
            "flatbuffer_size": header.program_size,
        }
    return {
        **own,
        "segment_base_offset": header.segment_base_offset,
        "segment_data_size": header.segment_data_size,
        "magic": {"bytes": 4, "hex": (b"eh00" if pte else b"FH01").hex()},
        "length": header.length,
    }


@pytest.mark.parametrize("file", files(), ids=name_of)
def test_every_field_is_what_executorch_reads(file: Path) -> None:
    content = file.read_bytes()
    container, root, violations = read(file, content)
    dump = load_dump(file)
    assert violations == ()
    assert plain(root, content) == dump["root"]
    assert header_of(container) == dump["header"]


@pytest.mark.parametrize("file", files(".bpte"), ids=name_of)
def test_the_program_inside_a_bundle_is_what_executorch_reads(file: Path) -> None:
    content = file.read_bytes()
    inner = read_bundled_program(content).inner
    assert inner is not None
    assert inner.violations == ()
    assert plain(inner.program, content) == load_dump(file)["inner"]["root"]


@pytest.mark.runtime
@pytest.mark.parametrize("folder", sorted(path.parent.name for path in DATA.glob("*/truth.json")))
def test_recorded_outcomes_are_those_of_the_runtime(folder: str) -> None:
    need_runtime()
    recorded = (DATA / folder / "truth.json").read_text(encoding="utf-8")
    assert truth_of(folder).splitlines() == recorded.splitlines()
