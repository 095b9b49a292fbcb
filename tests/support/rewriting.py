"""Files written again without a change, and what the runtime makes of both.

What is compared of runs is all that the probe tells of them, the runtime's log lines included, but
for what no two runs of one file share: the time they take, and addresses.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from pte_lint.schema.container import Kind
from pte_lint.schema.loaded import LoadedProgram, read_bundled_program, read_program
from pte_lint.schema.program import Span

from pte_lint.claims.target import Target
from pte_lint.data.reading import open_context
from pte_lint.files.artifact import Artifact
from pte_lint.fix.pieced import PiecedBytes
from pte_lint.fix.proof import VARIANTS
from pte_lint.fix.rewriting import draft_of, rewritten
from pte_lint.harness.batch import BatchItem, run_batch
from pte_lint.harness.options import ProbeOptions
from pte_lint.harness.outcome import ProbeRun, Step
from tests.support.exact import exact

DATA = Path(__file__).resolve().parent.parent / "data"
OPTIONS = ProbeOptions(variants=VARIANTS, verification="full", total_timeout=120.0)


@dataclass(frozen=True)
class Program:
    """A file of `tests/data` or of the folder that PTE_LINT_CORPUS names."""

    name: str
    path: Path
    data: tuple[Path, ...] = ()

    @property
    def content(self) -> bytes:
        return self.path.read_bytes()


def programs(root: Path) -> Iterator[Program]:
    """Programs and bundles below a folder, with the data files that they are run with."""
    given: dict[Path, tuple[Path, ...]] = {}
    for truth in sorted(root.glob("*/truth.json")):
        for record in json.loads(truth.read_text("utf-8")):
            files = [truth.parent / each["file"] for each in record.get("data_files") or ()]
            given[truth.parent / record["file"]] = tuple(files)
    for path in sorted((*root.rglob("*.pte"), *root.rglob("*.bpte"))):
        beside = tuple(sorted(path.parent.glob(f"{path.stem}*.ptd")))
        yield Program(str(path.relative_to(root)), path, given.get(path, beside))


def roots() -> dict[str, Path]:
    """`tests/data`, and the corpus where one is named."""
    named = os.environ.get("PTE_LINT_CORPUS")
    return {"tests/data": DATA, **({"corpus": Path(named)} if named else {})}


def decoded(content: bytes) -> Any:
    """All that the tables of a file say; None where they cannot be read whole."""
    bundle = read_bundled_program(content)
    if bundle.container.kind is Kind.BUNDLED_PROGRAM:
        span = bundle.bundle.program if bundle.bundle is not None else None
        if bundle.violations or bundle.bundle is None or span is None:
            return None
        inside = decoded(content[span.start : span.start + span.size])
        suites = [exact(each, content) for each in bundle.bundle.method_test_suites or ()]
        return inside and (suites, inside)
    loaded = read_program(content)
    return None if loaded.violations or loaded.program is None else tables(loaded, content)


def tables(loaded: LoadedProgram, content: bytes) -> Any:
    """The tables, with each segment's bytes in the place of where they lie in the file."""
    assert loaded.program is not None
    segments = loaded.program.segments or ()
    base = loaded.container.segment_base_offset
    held = [content[base + s.offset : base + s.offset + s.size] for s in segments]
    kept = [
        exact(getattr(loaded.program, each.name), content)
        for each in fields(loaded.program)
        if each.name not in ("segments", "at")
    ]
    return kept, held


def again(content: bytes) -> bytes:
    """The file, taken apart and written again.

    Raises:
        EditError: It is not written, and why.
    """
    context = open_context(Artifact("given", content), Target(), [], {})
    pieces = PiecedBytes([Span(0, len(content))], content)
    return rewritten(draft_of(context, pieces), context, pieces, content)[:]


def pairs_of_runs(
    files: Sequence[tuple[bytes, bytes, tuple[Path, ...]]],
) -> Iterator[tuple[ProbeRun, ProbeRun]]:
    """Runs old and new programs with their data files; bundles by the program inside."""
    items = (BatchItem(_inner(each), data) for old, new, data in files for each in (old, new))
    runs = run_batch(items, options=OPTIONS)
    yield from zip(runs, runs, strict=True)


def _inner(content: bytes) -> bytes:
    bundle = read_bundled_program(content).bundle
    if bundle is None or bundle.program is None:
        return content
    return content[bundle.program.start : bundle.program.start + bundle.program.size]


def is_steady(content: bytes, data: tuple[Path, ...]) -> bool:
    """Whether a program does the same each time: one that reads wherever a number leads may not."""
    return not any(unlike(*pair) for pair in pairs_of_runs([(content, content, data)] * 6))


def unlike(first: ProbeRun, second: ProbeRun) -> list[str]:
    """In what two runs differ, in order; empty where they are the same."""
    found = _unlike("program", first.program, second.program)
    if len(first.methods) != len(second.methods):
        return [*found, "methods"]
    for one, other in zip(first.methods, second.methods, strict=True):
        if len(one.runs) != len(other.runs) or one.name != other.name:
            found.append(f"{one.name}: runs")
            continue
        for mine, its in zip(one.runs, other.runs, strict=True):
            found += _unlike(f"{one.name}, {mine.variant}", mine, its)
    return found


def _unlike(where: str, one: Step, other: Step) -> list[str]:
    names = [each.name for each in fields(one) if each.name not in ("seconds", "console", "fault")]
    return [
        f"{where}: {name}: {getattr(one, name)} / {getattr(other, name)}"
        for name in names
        if _bare(getattr(one, name)) != _bare(getattr(other, name))
    ]


def _bare(value: object) -> str:
    """Without addresses, places in the file, and the name that the file has while it is run."""
    text = re.sub(r"0x[0-9a-f]{6,}|\S*/program-\d+\.pte", "", repr(value))
    return re.sub(r"bytes at offset \d+", "", text)
