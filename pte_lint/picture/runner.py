"""What the runner must provide, in words."""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.inspection.model import DeviceNeed, Needs
from pte_lint.report.phrases import human_bytes, plural
from pte_lint.schema.frozen import dataclass

_MOST = 200
"""Kernels, and keys of external data, that are listed."""


@dataclass(frozen=True, slots=True)
class Need:
    """One kind of need and what is needed of it, each with a remark (empty: none)."""

    what: str
    items: tuple[tuple[str, str], ...]
    unlisted: int = 0


def runner_needs(needs: Needs) -> tuple[Need, ...]:
    """What all methods together need, kind by kind."""
    return tuple(_needs(needs))


def _needs(needs: Needs) -> Iterator[Need]:
    if needs.runtimes:
        runs = "may run it" if needs.given else "runs it"
        yield Need("Runtime", (("ExecuTorch " + ", ".join(needs.runtimes), runs),))
    elif needs.refusals:
        yield Need("Runtime", (("none of the known ones runs it", ""),))
    yield Need("Device memory", tuple((_where(d), _device(d)) for d in needs.devices))
    if needs.backends:
        told = tuple((b.backend, plural(b.calls, "call")) for b in needs.backends)
        yield Need("Backends", told)
    kernels = tuple((k.operator, plural(k.calls, "call")) for k in needs.kernels[:_MOST])
    if kernels:
        yield Need("Kernels", kernels, max(len(needs.kernels) - _MOST, 0))
    keys = tuple((k.key, f"{k.type or ''} for a {k.by}".strip()) for k in needs.external[:_MOST])
    if keys:
        yield Need("External data (.ptd)", keys, max(len(needs.external) - _MOST, 0))


def _where(need: DeviceNeed) -> str:
    return "host" if need.device == "cpu" else need.device


def _device(need: DeviceNeed) -> str:
    parts = [f"{human_bytes(need.planned_bytes)} planned"] if need.planned_bytes else []
    if need.copies:
        parts.append(f"{need.copies} boundary cop{'y' if need.copies == 1 else 'ies'}")
    if need.callers:
        parts.append(f"{need.callers} of the caller's inputs and outputs")
    return ", ".join(parts)
