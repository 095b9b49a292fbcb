"""Compares the delegates of one method."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from pte_lint.difference import changes as kinds
from pte_lint.difference.changes import Change
from pte_lint.difference.sides import MethodSide
from pte_lint.inspection.build import blob_key
from pte_lint.inspection.code import DelegateFacts, MethodFacts
from pte_lint.schema.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Moves:
    """Whether operators may have moved between the host and the delegates of a method."""

    out_of_delegate: bool = False
    into_delegate: bool = False

    @classmethod
    def between(cls, old: MethodFacts, new: MethodFacts) -> Moves:
        """Judges by what is inside of the delegates where every blob tells; else both may be."""
        out, into = bool(old.delegates), bool(new.delegates)
        if all(d.operators for d in (*old.delegates, *new.delegates)):
            before, after = _inner(old.delegates), _inner(new.delegates)
            out, into = bool(before - after), bool(after - before)
        return cls(out, into)


def delegation(old: MethodFacts, new: MethodFacts) -> Iterator[Change]:
    """Yields backends with other numbers of delegates or calls, and what is inside of them."""
    before, after = _by_backend(old.delegates), _by_backend(new.delegates)
    for backend in sorted(before.keys() | after.keys()):
        was, now = before.get(backend, []), after.get(backend, [])
        calls = sum(d.calls for d in was), sum(d.calls for d in now)
        if len(was) != len(now) or calls[0] != calls[1]:
            yield kinds.DelegationChanged(
                backend=backend,
                old_delegates=len(was),
                new_delegates=len(now),
                old=calls[0],
                new=calls[1],
            )

    old_inner, new_inner = _inner(old.delegates), _inner(new.delegates)
    for key in sorted(old_inner.keys() | new_inner.keys()):
        if old_inner[key] != new_inner[key]:
            yield kinds.InnerOperatorsChanged(
                backend=key[0], operator=key[1], old=old_inner[key], new=new_inner[key]
            )


def _inner(delegates: Iterable[DelegateFacts]) -> Counter[tuple[str, str]]:
    """How often each operator is inside of a backend's delegates, as far as blobs tell."""
    found: Counter[tuple[str, str]] = Counter()
    for delegate in delegates:
        for inner in delegate.operators:
            found[delegate.backend, inner.operator] += inner.count
    return found


def _by_backend(delegates: Iterable[DelegateFacts]) -> dict[str, list[DelegateFacts]]:
    found: dict[str, list[DelegateFacts]] = {}
    for delegate in delegates:
        found.setdefault(delegate.backend, []).append(delegate)
    return found


def blobs(old: MethodSide, new: MethodSide) -> Iterator[Change]:
    """Compares delegates of one backend in their order; one that is missing has no bytes."""
    before, after = _by_backend(old.facts.delegates), _by_backend(new.facts.delegates)
    for backend in sorted(before.keys() | after.keys()):
        was, now = before.get(backend, []), after.get(backend, [])
        for n in range(max(len(was), len(now))):
            a = was[n] if n < len(was) else None
            b = now[n] if n < len(now) else None
            label = f"{backend}#{n}"
            sizes = a.blob_size if a else 0, b.blob_size if b else 0
            differs = False
            if a is not None and b is not None and sizes[0] == sizes[1]:
                hashes = _hash(old, a), _hash(new, b)
                differs = None not in hashes and hashes[0] != hashes[1]
            if sizes[0] != sizes[1] or differs:
                yield kinds.BlobChanged(
                    delegate=label, old=sizes[0], new=sizes[1], content_differs=differs
                )
            if a is not None and b is not None:
                yield from _specs(label, a, b)
                yield from _needs(label, a, b)


def _hash(side: MethodSide, delegate: DelegateFacts) -> str | None:
    return side.content.get(blob_key(side.position, delegate.index))


def _needs(label: str, old: DelegateFacts, new: DelegateFacts) -> Iterator[Change]:
    before, after = _told(old), _told(new)
    for what in dict.fromkeys((*after, *before)):
        if before.get(what) != after.get(what):
            yield kinds.DelegateNeedChanged(
                delegate=label, what=what, old=before.get(what), new=after.get(what)
            )


def _told(delegate: DelegateFacts) -> dict[str, str]:
    told = {need.what: need.value for need in delegate.requires}
    if delegate.scratch is not None:
        told["working memory"] = str(delegate.scratch)
    for library in delegate.libraries:
        if library.gpus:
            told["code for GPUs"] = ", ".join(library.gpus)
        told["library"] = ", ".join((library.machine or "?", *library.versions))
    return told


def _specs(label: str, old: DelegateFacts, new: DelegateFacts) -> Iterator[Change]:
    before = {spec.key: spec for spec in old.specs}
    after = {spec.key: spec for spec in new.specs}
    for key in dict.fromkeys((*after, *before)):
        was, now = before.get(key), after.get(key)
        if was is None or now is None or was.sha256 != now.sha256:
            yield kinds.CompileSpecChanged(
                delegate=label,
                key=key,
                old=was.value if was else None,
                new=now.value if now else None,
            )
