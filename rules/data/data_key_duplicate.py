"""A key that is in the data files more than once.

What it finds:
    Keys that are twice in one .ptd, or in two of the given ones. As a warning, keys that are both
    in a given .ptd and in the program's own named data, with other bytes; as an info, with the
    same. Of long data the first 64 MiB are compared; where these are the same it stays a warning.

What the runtime does:
    Merging the data files refuses the second of two equal keys with InvalidArgument, while the
    program is loaded, all versions (extension/named_data_map/merged_data_map.cpp:
    MergedDataMap::load). A key that the program has too is not noticed: the data file's wins
    (runtime/executor/merged_data_map.h).

Why it happens:
    Data files of several exports were given together, or one file twice.

How to fix it:
    Give each data file once, and those of one export only:

        Module module("model.pte", std::vector<std::string>{"a.ptd", "b.ptd"});

How it is confirmed:
    Loading the program with these files gives InvalidArgument.

Seen in:
    No public report is known.
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Json, Location, Severity
from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.claims.order import LoadProgramStep
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.data_files import Entry, all_entries, data_files
from pte_lint.data.same_bytes import compare_bytes
from pte_lint.data.segments import extent
from pte_lint.rulebook.rule import Yields, artifact_rule

_REFUSED = Forecast.always(error(Stage.LOAD_PROGRAM, "InvalidArgument"))
_REMEDIATION = (
    "Give each data file once, and those of one export only:\n\n"
    '    Module module("model.pte", std::vector<std::string>{"a.ptd", "b.ptd"});'
)


@artifact_rule(
    "PTE524",
    "data-key-duplicate",
    Severity.ERROR,
    "keys that are there more than once",
    sign=Sign(r"Duplicate key {key} in named data maps"),
)
def check(ctx: Context) -> Yields:
    """One finding a key."""
    first: dict[str, Entry] = {}
    said: set[str] = set()
    for entry in all_entries(data_files(ctx)):
        key = entry.text
        if key is None or key in said:
            continue
        known = first.setdefault(key, entry)
        if known is entry:
            continue
        said.add(key)
        yield Finding(
            message=f"The key {key} is there twice: {known.words} and {entry.words}.",
            remediation=_REMEDIATION,
            location=Location(path=entry.path, byte_offset=entry.named.at),
            forecast=_REFUSED,
            order=(LoadProgramStep.DATA_FILES, len(data_files(ctx)), 1),
            evidence={"key": key, "first": known.path, "second": entry.path},
            subject=f"key {key}",
        )
    program = ctx.program
    for n, named in enumerate((program.named_data or ()) if program is not None else ()):
        if named.key is None or named.key not in first:
            continue
        how, same, facts = _compared(ctx, named.segment_index, first[named.key])
        yield Finding(
            message=f"The key {named.key} is in {first[named.key].file.name} and in the program "
            f"itself{how}; the data file's is used.",
            remediation=_REMEDIATION,
            location=Location(path=f"named_data[{n}]"),
            evidence={"key": named.key, "first": first[named.key].path, **facts},
            subject=f"key {named.key} in the program",
            severity=Severity.INFO if same else Severity.WARNING,
        )


def _compared(ctx: Context, index: int, entry: Entry) -> tuple[str, bool, dict[str, Json]]:
    """What is told of the bytes of a key in both files, and whether they are the same."""
    ours, theirs = extent(ctx, index), entry.span
    if ours is None or theirs is None or entry.file.buffer is None:
        return "", False, {}
    told = compare_bytes(ctx.artifact.buffer, ours, entry.file.buffer, theirs)
    if told.are_same:
        return ", with the same bytes", True, {"bytes": told.compared}
    if told.differs_at is None:
        return f", with the same first {told.compared} bytes", False, {"bytes": told.compared}
    if ours.size != theirs.size:
        facts: dict[str, Json] = {"program_bytes": ours.size, "file_bytes": theirs.size}
        how = f", with {ours.size} bytes there and {theirs.size} in the data file"
        return how, False, facts
    how = f", with other bytes from byte {told.differs_at} of {ours.size} on"
    return how, False, {"differs_at": told.differs_at}
