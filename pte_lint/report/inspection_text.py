"""`pte-lint inspect` as text: plain, 80 columns where names allow, the same in every terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from pte_lint.inspection.code import (
    ArenaFacts,
    ArenaPeak,
    MethodFacts,
    OperatorUse,
    Port,
    StateFacts,
)
from pte_lint.inspection.model import Inspection, KeyUse, NamedBytes, SuiteFacts
from pte_lint.inspection.regions import Region, RegionKind
from pte_lint.inspection.tensors import Memory
from pte_lint.report import needs_text
from pte_lint.report.columns import aligned, count, size
from pte_lint.report.delegate_text import delegate_lines
from pte_lint.report.layout import wrap
from pte_lint.report.phrases import fetched_words
from pte_lint.text.sanitise import name, prose

_Item = TypeVar("_Item")

_FORMAT = {"program": "program", "ptd": "tensor data (.ptd)", "bpte": "bundled program (.bpte)"}
_MAX_ROWS = 12
"""Rows of a table that is ordered by size."""

_MAX_PORTS = 100
"""Inputs, outputs and arenas of a method: what a runner has to know of, and must see whole."""

_HASH = 12
"""Characters of a hash that are shown."""
_AT_PEAK = 4
"""Tensors at an arena's peak that are named."""

_ONE_BY_ONE = frozenset({RegionKind.BLOB, RegionKind.SEGMENT})
"""Kinds of regions that are told one by one; those of every other kind are summed up."""


def render(
    inspection: Inspection,
    listings: Sequence[Sequence[str]] | None = None,
    *,
    every: bool = False,
    delegates: bool = False,
) -> str:
    """What `rendered` yields, as one text."""
    return "".join(rendered(inspection, listings, every=every, delegates=delegates))


def rendered(
    inspection: Inspection,
    listings: Sequence[Sequence[str]] | None = None,
    *,
    every: bool = False,
    delegates: bool = False,
) -> Iterator[str]:
    """Renders an inspection, line by line.

    Args:
        inspection: what to show.
        listings: the instruction lines of each method, where they were asked for.
        every: all rows of all tables, however long.
        delegates: all that is known of the inside of delegates.
    """
    limit = None if every else _MAX_ROWS
    for line in _lines(inspection, listings or (), limit, delegates):
        yield line + "\n"


def _lines(
    inspection: Inspection, listings: Sequence[Sequence[str]], limit: int | None, delegates: bool
) -> Iterator[str]:
    yield from _head(inspection)
    for method in inspection.methods:
        yield ""
        yield from _method(method, limit, delegates)
    if inspection.methods:
        yield from ("", "what the runner must provide")
        yield from needs_text.lines(inspection.needs, limit)
    if inspection.keys:
        yield from ("", f"keys ({count(len(inspection.keys), 'key')})")
        yield from _table(inspection.keys, _key, limit)
    elif inspection.named:
        yield from ("", f"named data ({count(len(inspection.named), 'key')})")
        yield from _table(inspection.named, _named, limit)
    if inspection.suites:
        yield from ("", "bundled test cases")
        yield from _table(inspection.suites, _suite, None)
    yield from ("", "where the bytes go")
    yield from _bytes(inspection, limit)
    for listing in listings:
        yield ""
        yield from map(prose, listing)


def _head(inspection: Inspection) -> Iterator[str]:
    kind = _FORMAT[inspection.format]
    yield f"{name(inspection.path)}: {kind}, {size(inspection.size)}"
    if inspection.schema_version:
        yield f"  format version {inspection.schema_version}"
    if inspection.sha256:
        yield f"  sha256 {inspection.sha256}"
    if inspection.fetched:
        yield f"  fetched {fetched_words(inspection.fetched)}"
    for line in inspection.damage:
        yield f"  damaged: {prose(line)}"


def _method(method: MethodFacts, limit: int | None, delegates: bool) -> Iterator[str]:
    ports_limit = None if limit is None else _MAX_PORTS
    yield f"method {name(method.name)}"
    for title, ports in (("inputs", method.inputs), ("outputs", method.outputs)):
        yield f"  {title}" if ports else f"  {title}  none"
        yield from _table(ports, _port, ports_limit, indent=4)
    if method.arenas:
        yield "  arenas"
        yield from _table(method.arenas, _arena, ports_limit, indent=4)
        shown = method.arenas[:ports_limit]
        for tenant in (tenant for arena in shown for tenant in arena.largest[:1]):
            growth = tenant.growth()
            told = f"the largest tensor is {tenant}" + (f": {growth}" if growth else "")
            yield from wrap(told, indent=" " * 7)
    yield from _memory(method)
    if method.state:
        yield "  memory that keeps its content between runs"
        yield from _table(method.state, _state, limit, indent=4)
    if method.delegates:
        yield "  delegates"
        for delegate in method.delegates:
            yield from delegate_lines(delegate, full=delegates)
    yield from _work(method, limit)


def _port(port: Port) -> Sequence[str]:
    if port.type is None or port.residence is None:
        fixed = ""
        if port.is_fixed:
            fixed = f"always {name(repr(port.literal))}"
        return str(port.position), name(port.kind), "", fixed
    where = port.residence
    text = str(where.memory)
    if where.memory is Memory.PLANNED:
        text = f"planned, arena {where.arena} + {where.offset or 0:,}"
    if where.memory_device != where.device:
        text += f" on {where.memory_device}"
    if port.same_as is not None:
        text += f", is input {port.same_as}"
    return str(port.position), str(port.type), where.device, text


def _arena(arena: ArenaFacts) -> Sequence[str]:
    return str(arena.memory_id), arena.device, size(arena.size)


def _state(state: StateFacts) -> Sequence[str]:
    named = name(state.name) if state.name else f"value {state.value}"
    return named, str(state.type), str(state.residence), _starts(state)


def _starts(state: StateFacts) -> str:
    told = "with initial data" if state.has_initial_data else "without initial data"
    if state.written_by:
        told += f", written by {', '.join(map(name, state.written_by))}"
    if state.shared_with:
        told += f", shared with {', '.join(map(name, state.shared_with))}"
    return told


def _memory(method: MethodFacts) -> Iterator[str]:
    """Of methods that do something: metadata methods need next to nothing."""
    if not method.instructions:
        return
    yield "  memory while it runs"
    for arena in method.memory.arenas:
        if arena.nbytes:
            yield from wrap(_peak(arena), indent=" " * 6, first=" " * 4)
    told = f"method allocator  {size(method.memory.method_allocator)}"
    if method.memory.temporary_to_load:
        told += (
            f", or {size(method.memory.beside_temporary)} beside "
            f"{size(method.memory.temporary_to_load)} of temporary memory"
        )
    yield from wrap(told, indent=" " * 6, first=" " * 4)
    uses = sorted(method.memory.temporary, key=lambda use: -use.nbytes)
    if uses:
        more = f" and {count(len(uses) - 1, 'other call')}" if uses[1:] else ""
        told = f"{size(uses[0].nbytes)} for {name(uses[0].operator)}{more}"
        yield f"    temporary memory  {told}"
    if method.memory.unknown:
        told = f"more that the file does not tell: {', '.join(map(name, method.memory.unknown))}"
        yield from wrap(told, indent=" " * 6, first=" " * 4)


def _peak(arena: ArenaPeak) -> str:
    where = "when inputs are set"
    if arena.instruction is not None:
        where = f"at instruction {arena.instruction}, {name(arena.operator or '')}"
    shown = [f"{name(t.label)} {t.nbytes:,}" for t in arena.tensors[:_AT_PEAK]]
    more = len(arena.tensors) - len(shown) + arena.more
    listed = ", ".join(shown) + (f" and {more:,} more" if more else "")
    return f"arena {arena.memory_id}  at most {size(arena.nbytes)} at once, {where}: {listed}"


def _work(method: MethodFacts, limit: int | None) -> Iterator[str]:
    parts = ", ".join(f"{n:,} {kind}{'' if n == 1 else 's'}" for kind, n in method.by_kind.items())
    yield f"  instructions  {method.instructions:,}" + (f" ({parts})" if parts else "")
    if method.copies:
        told = ", ".join(
            f"{c.direction} {c.copies:,} ({size(c.nbytes)} a run)" for c in method.copies
        )
        yield f"  boundary copies  {told}"
    share = method.share.delegated
    if share is not None:
        total = method.share.delegate_calls + method.share.compute_calls
        yield (
            f"  delegated  {method.share.delegate_calls:,} of {total:,} calls that compute "
            f"({share:.0%})"
        )
    if method.operators:
        yield "  operators"
        yield from _table(method.operators, _operator, limit, indent=4, right=frozenset({0}))


def _operator(use: OperatorUse) -> Sequence[str]:
    return f"{use.calls:,}", name(use.operator)


def _suite(suite: SuiteFacts) -> Sequence[str]:
    told = f"{suite.cases_with_outputs:,} with outputs"
    return name(suite.method), count(suite.cases, "case"), told


def _named(entry: NamedBytes) -> Sequence[str]:
    nbytes = "no such segment" if entry.size is None else size(entry.size)
    return name(entry.key), str(entry.type) if entry.type else "", nbytes


def _key(use: KeyUse) -> Sequence[str]:
    users = f"{', '.join(map(name, use.methods))} ({', '.join(map(name, use.by))})"
    places = [
        f"{name(place.where)} {'?' if place.size is None else f'{place.size:,}'}"
        + (f" {place.sha256[:_HASH]}" if place.sha256 else "")
        for place in use.places
    ]
    told = ", ".join(places) or "nowhere here"
    if use.differs:
        told += ": other bytes, those of the data file are used"
    return name(use.key), users if use.methods else "nobody that tells", told


def _bytes(inspection: Inspection, limit: int | None) -> Iterator[str]:
    rows = sorted(_summed(inspection.regions), key=lambda row: (-row[0], row[1]))
    whole = inspection.size or 1
    yield from _table(
        rows,
        lambda row: (f"{row[0]:,}", f"{row[0] / whole:.1%}", row[1]),
        limit,
        right=frozenset({0, 1}),
    )


def _summed(regions: Iterable[Region]) -> list[tuple[int, str]]:
    totals: dict[str, int] = {}
    for region in regions:
        what = str(region.kind)
        if region.kind in _ONE_BY_ONE:
            what += f" {name(region.name)}"
        totals[what] = totals.get(what, 0) + region.size
    return [(nbytes, what) for what, nbytes in totals.items()]


def _table(
    items: Sequence[_Item],
    cells: Callable[[_Item], Sequence[str]],
    limit: int | None,
    *,
    indent: int = 2,
    right: frozenset[int] = frozenset(),
) -> Iterator[str]:
    """One line an item; of a long table the first ones, and how many there are beyond."""
    shown = items if limit is None or len(items) <= limit + 1 else items[:limit]
    yield from aligned(lambda: map(cells, shown), indent, right)
    if len(shown) < len(items):
        yield f"{' ' * indent}... and {len(items) - len(shown):,} more (--all shows them)"
