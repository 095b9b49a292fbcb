"""What a runner must provide, as text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from pte_lint.claims.need import NeedKind
from pte_lint.inspection.model import DeviceNeed, Needs, Refusal
from pte_lint.report.columns import count, size
from pte_lint.report.layout import wrap
from pte_lint.text.sanitise import name, prose

_CALLERS = frozenset({NeedKind.INPUT, NeedKind.OUTPUT})
_LINKED = frozenset({NeedKind.BACKEND, NeedKind.KERNELS})


def lines(needs: Needs, limit: int | None) -> Iterator[str]:
    """Yields the lines, indented by two.

    Args:
        needs: what is needed.
        limit: kernels and keys to show of each; None for all.
    """
    yield f"  runtime   {_runtime(needs)}"
    for text in _refusals(needs.refusals):
        yield f"            {text}"
    backends = ", ".join(
        f"{name(b.backend)} ({count(b.delegates, 'delegate')}, {count(b.calls, 'call')})"
        for b in needs.backends
    )
    yield f"  backends  {backends or 'none'}"
    yield f"  devices   {', '.join(_device(d) for d in needs.devices)}"
    yield from _kernels(needs, limit)
    yield from _caller(needs, limit)
    yield from _links(needs)
    if needs.external:
        yield f"  data      {count(len(needs.external), 'key')} from .ptd files"
    keys = needs.external[:limit]
    for key in keys:
        kind = f" {key.type}" if key.type else ""
        mutable = ", mutable" if key.mutable else ""
        yield f"            {name(key.key)}{kind} (for a {name(key.by)}{mutable})"
    if len(keys) < len(needs.external):
        yield f"            ... and {len(needs.external) - len(keys):,} more (--all shows them)"


def _caller(needs: Needs, limit: int | None) -> Iterator[str]:
    """What whoever calls a method must give, besides tensors of the host for its inputs."""
    told = [f"{n.method}: {n.what}" for n in needs.given if n.kind in _CALLERS]
    for position, text in enumerate(told[:limit]):
        yield f"  {'' if position else 'caller':10}{prose(text)}"
    if limit is not None and len(told) > limit:
        yield f"            ... and {len(told) - limit:,} more (--all shows them)"


def _links(needs: Needs) -> Iterator[str]:
    """How a runner comes to have the backends and kernels that the target lacks."""
    lacking = (n for n in needs.given if n.kind in _LINKED)
    for number, (what, how) in enumerate({n.what: n.how for n in lacking}.items()):
        text = f"{what}: {' '.join(how.split()) or 'no release of ExecuTorch has it'}"
        yield from wrap(text, indent=" " * 12, first=f"  {'' if number else 'to link':10}")


def _kernels(needs: Needs, limit: int | None) -> Iterator[str]:
    shown = [name(kernel.operator) for kernel in needs.kernels[:limit]]
    if len(shown) < len(needs.kernels):
        shown.append(f"... and {len(needs.kernels) - len(shown):,} more (--all shows them)")
    yield from textwrap.wrap(
        ", ".join(shown) or "none",
        width=80,
        initial_indent="  kernels   ",
        subsequent_indent=" " * 12,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _runtime(needs: Needs) -> str:
    if needs.minimum_runtime is None:
        return "unknown" if not needs.refusals else "none of the known ones runs it"
    known = ", ".join(needs.runtimes)
    runs = "may run" if needs.given else "runs"
    return f"{needs.minimum_runtime} at least; {runs} on {known}"


def _refusals(refusals: tuple[Refusal, ...]) -> Iterator[str]:
    """One line per way in which versions are refused, with all versions that it holds for."""
    versions: dict[str, list[str]] = {}
    for refusal in refusals:
        where = "" if refusal.method is None else f" of {name(refusal.method)}"
        why = refusal.error or refusal.outcome
        rule = f" ({name(refusal.rule)})" if refusal.rule else ""
        text = f"{refusal.stage}{where}: {name(why)}{rule}"
        known = versions.setdefault(text, [])
        if refusal.runtime not in known:
            known.append(refusal.runtime)
    for text, where_refused in versions.items():
        yield f"not on {', '.join(where_refused)}: {text}"


def _device(need: DeviceNeed) -> str:
    parts = [f"{size(need.planned_bytes)} planned"] if need.planned_bytes else []
    if need.copies:
        parts.append(count(need.copies, "boundary copy", "boundary copies"))
    if need.callers:
        parts.append(f"{count(need.callers, 'input or output', 'inputs or outputs')} of the caller")
    return f"{name(need.device)} ({', '.join(parts)})" if parts else name(need.device)
