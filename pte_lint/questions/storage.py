"""Which values are names for the same bytes, and which keep them from run to run.

The exporter elides a view by giving it the place of its base: a second tensor value that no
instruction writes (`elision` says which can be one). The file does not say which tensor is the
base; it is the one that was written last, before the view is first used, where the view lies. An
*alias set* is a base with its views: writing one of them writes them all.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from pte_lint.claims.ledger import Budget
from pte_lint.interpret.flow import flow_of
from pte_lint.ir.calling import ET_COPY_INDEX, list_items
from pte_lint.ir.siblings import state_places
from pte_lint.ir.steps import StepKind
from pte_lint.questions.access import Access

if TYPE_CHECKING:
    from pte_lint.interpret.flow import Block
    from pte_lint.ir.method import Method

_Place = tuple[int, int, int]

_BUDGET_FLOOR = 1_000_000
_BUDGET_PER_STEP = 16
"""Blocks that are visited and tenants of places that are looked at to find bases of views."""


def returned(method: Method) -> Iterator[int]:
    """The tensors that the method returns, lists spread out, in order; may repeat."""
    for v in method.outputs:
        for each in list_items(method.value(v)) or (v,):
            if method.tensor(each) is not None:
                yield each


class Storage:
    """Alias sets, and what is known about tensors that keep their content."""

    def __init__(self, method: Method, accesses: Sequence[Access]) -> None:
        """Finds the bases of all views of `method`.

        Args:
            method: the method.
            accesses: what each step does to bytes, by step index.
        """
        self._method = method
        self._parent: dict[int, int] = {}
        self._base: dict[int, int] = {}
        self.first_use: dict[int, int] = {}
        """The first step that needs a value's content; the number of steps for mere outputs."""
        self.fresh: set[int] = set()
        """Values that some step fully writes or binds, whatever was in them."""
        self.reused: set[int] = set()
        """Values that an in-place operator writes, from their content or over it."""
        self.bound_unclearly: dict[int, list[int]] = {}
        """Steps that may write a value without being known to; see `access`."""
        self._replaced: set[int] = set()
        """Values that are copied into: the exporter does so with buffers and loop carries only."""
        self._stores: dict[_Place, list[tuple[int, int]]] = {}
        """(step, value) of everything written at a place, in order of steps."""
        self.undecided: set[int] = set()
        """Views whose base was not searched to the end because the search costs too much."""
        work = max(_BUDGET_FLOOR, _BUDGET_PER_STEP * len(accesses))
        why = "it has too many views whose base may be this or that"
        self._budget = Budget(method.ledger, "what its views show", why, work)
        self._scan(accesses)
        for v in sorted(self.first_use):
            self._find_base(v)

    # -- questions --------------------------------------------------------------------------------

    def alias_set(self, v: int) -> int:
        """The representative of the alias set that value `v` belongs to."""
        root = v
        while (above := self._parent.get(root)) is not None:
            root = above
        while (above := self._parent.get(v)) is not None and above != root:
            self._parent[v] = root
            v = above
        return root

    def base(self, v: int) -> int | None:
        """The value whose bytes the view `v` shows; None for a tensor of its own."""
        return self._base.get(v)

    def together(self, v: int) -> tuple[int, ...]:
        """All values of the alias set of `v`, itself included."""
        return self._members.get(v, (v,))

    def is_state(self, v: int) -> bool:
        """True when the tensor keeps its content from run to run.

        That is initial state, a named buffer, a tensor that is only ever updated in place or
        copied into, and one that another method keeps as state at the same place
        (`share_mutable_buffers`). A view of a state is one too.
        """
        method = self._method
        if method.is_input[v] or not method.is_planned(v):
            return False
        if method.has_initial_state(v) or method.is_named(v):
            return True
        if v in self.fresh or v in self._views_of_fresh:
            return False
        return v in self.reused or method.place(v) in state_places(method.program)

    # -- building ---------------------------------------------------------------------------------

    def _scan(self, accesses: Sequence[Access]) -> None:
        method, first = self._method, self.first_use
        for i, what in enumerate(accesses):
            for v in what.reads:
                first.setdefault(v, i)
            for v in what.updates:
                if method.steps[i].operator == ET_COPY_INDEX:
                    self.fresh.add(v)  # row after row, from the first one on
                else:
                    self.reused.add(v)
                    first.setdefault(v, i)
            if what.binds:
                step = method.steps[i]
                named = step.reads if step.kind is StepKind.KERNEL else ()
                for v in what.binds:
                    if v in named and v in step.writes:
                        self.reused.add(v)
                        self._replaced.add(v)
                    else:
                        self.fresh.add(v)
                        if v not in step.writes:
                            self.bound_unclearly.setdefault(v, []).append(i)
            for v in what.stores:
                place = method.place(v)
                if place is not None and place[2] > 0:
                    self._stores.setdefault(place, []).append((i, v))
        for v in returned(method):
            first.setdefault(v, len(accesses))

    def _find_base(self, v: int) -> None:
        method = self._method
        place = method.place(v)
        if place is None or place[2] <= 0 or v in self.fresh:
            return
        if not method.elision.is_viewlike(v):
            return
        if v in self._replaced or method.has_initial_state(v) or method.is_named(v):
            return
        use = self.first_use[v]
        if flow_of(method).is_straight:
            base = self._latest(v, place, use)
            bases, open_to_entry = ([base], False) if base is not None else ([], True)
        elif place in self._stores:
            bases, open_to_entry = self._walk_back(v, place, use)
        else:
            bases, open_to_entry = [], True
        if open_to_entry:
            base = self._at_entry(v, place)
            if base is not None:
                bases.append(base)
        if bases:
            self._base[v] = bases[0]
        for base in bases:
            a, b = self.alias_set(v), self.alias_set(base)
            if a != b:
                self._parent[a] = b

    def _latest(self, v: int, place: _Place, before: int, since: int = 0) -> int | None:
        """The last value that `v` can show of those written at `place` in steps [since, before)."""
        stores = self._stores.get(place)
        if not stores:
            return None
        at = bisect_left(stores, (before, -1))
        for n in range(at - 1, -1, -1):
            step, value = stores[n]
            if step < since:
                return None
            if not self._budget.spend():
                self.undecided.add(v)
                return None
            if self._method.elision.may_show(v, value):
                return value
        return None

    def _walk_back(self, v: int, place: _Place, use: int) -> tuple[list[int], bool]:
        """Values written last at `place` before `use`, on each path.

        Returns:
            The values, and whether some path from the method's start writes none of them.
        """
        flow = flow_of(self._method)
        bases: list[int] = []
        open_to_entry = False
        seen: set[int] = set()
        work: list[tuple[Block, int]]
        if use < flow.exit:
            work = [(flow.blocks[flow.block_of(use)], use)]
        else:
            work = [(flow.blocks[b], flow.blocks[b].last + 1) for b in flow.exits]
        while work:
            block, before = work.pop()
            if not self._budget.spend():
                self.undecided.add(v)
                return bases, False
            found = self._latest(v, place, before, block.first)
            if found is not None:
                bases.append(found)
                continue
            if block.first == 0:
                open_to_entry = True
            for b in block.predecessors:
                if b not in seen:
                    seen.add(b)
                    work.append((flow.blocks[b], flow.blocks[b].last + 1))
        return bases, open_to_entry

    def _at_entry(self, v: int, place: _Place) -> int | None:
        """A tensor that `v` can show and that holds something before the first step."""
        for base in self._entry_places.get(place, ()):
            if not self._budget.spend():
                self.undecided.add(v)
                return None
            if self._method.elision.may_show(v, base):
                return base
        return None

    @cached_property
    def _entry_places(self) -> dict[_Place, list[int]]:
        method = self._method
        found: dict[_Place, list[int]] = {}
        for v in method.tensors:
            place = method.place(v)
            if place is not None and place[2] > 0:
                kept = method.has_initial_state(v) or (v in self.reused and v not in self.fresh)
                if kept or method.is_input[v]:
                    found.setdefault(place, []).append(v)
        return found

    @cached_property
    def _members(self) -> dict[int, tuple[int, ...]]:
        groups: dict[int, list[int]] = {}
        for v in self._parent:
            groups.setdefault(self.alias_set(v), []).append(v)
        found: dict[int, tuple[int, ...]] = {}
        for root, views in groups.items():
            everyone = (root, *views)
            for v in everyone:
                found[v] = everyone
        return found

    @cached_property
    def _views_of_fresh(self) -> frozenset[int]:
        """Members of alias sets with a method input or a value that some step fully writes."""
        method, found = self._method, set()
        for v, members in self._members.items():
            if any(m in self.fresh or method.is_input[m] for m in members):
                found.add(v)
        return frozenset(found)
