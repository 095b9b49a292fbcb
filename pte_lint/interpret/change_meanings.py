"""What changes of variables can mean, where each may build on changes before it.

A change is a step; a variable is a value or a tensor object. `reaching` says which changes reach a
use; here each stands for a set of what the variable can be after it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, TypeVar

from pte_lint.interpret.reaching import START, ReachingDefs, Variable
from pte_lint.schema.frozen import dataclass, field

T = TypeVar("T")

MAX_PLACES: Final = 64
"""Distinct places tracked per value; more than this means a program made to be confusing."""


@dataclass(slots=True)
class Changes:
    """The steps that change some variables, and what each change can mean."""

    variables: Mapping[int, Variable] = field(default_factory=dict)
    meaning: Mapping[int, frozenset[int]] = field(default_factory=dict)

    @property
    def is_full(self) -> bool:
        """Whether some change can mean more than is kept."""
        return any(len(found) >= MAX_PLACES for found in self.meaning.values())

    def after(
        self,
        reaching: ReachingDefs,
        asked: Mapping[int, Sequence[int]],
        at_load: Callable[[int], frozenset[int]],
    ) -> dict[tuple[int, int], frozenset[int]]:
        """What variables can be just after some steps, by step and variable.

        Args:
            reaching: What to solve with.
            asked: By variable, the steps; variables that never change may be among them.
            at_load: What a variable is when the method is loaded.
        """
        answers: dict[tuple[int, int], frozenset[int]] = {}
        for name, indices in asked.items():
            variable, first = self.variables.get(name), at_load(name)
            if variable is None:
                answers.update(((index, name), first) for index in indices)
                continue
            changing = frozenset(variable.defs)
            fixed = changing - variable.weak
            answers.update(
                ((index, name), self.meaning[index]) for index in indices if index in fixed
            )
            uses = [index for index in indices if index not in fixed]
            before = reaching.solve(Variable(variable.defs, uses, variable.weak, variable.carried))
            for index, found in read(before, first, self.meaning):
                here = (found, self.meaning[index]) if index in changing else (found,)
                answers[index, name] = union(here)
        return answers


def union(sets: Iterable[frozenset[T]]) -> frozenset[T]:
    """The union, up to as many members as are kept; the first full set stands for all others."""
    merged: frozenset[T] = frozenset()
    for each in sets:
        if len(each) >= MAX_PLACES:
            return each
        merged |= each
        if len(merged) >= MAX_PLACES:
            return frozenset(islice(merged, MAX_PLACES))
    return merged


def read(
    by_use: Mapping[int, frozenset[int]],
    at_load: frozenset[int],
    meaning: Mapping[int, frozenset[int]],
) -> Iterator[tuple[int, frozenset[int]]]:
    """What a variable can be before each use, given the changes that reach it."""
    known: dict[frozenset[int], frozenset[int]] = {}
    for use, defs in by_use.items():
        if defs not in known:
            known[defs] = union(at_load if d == START else meaning[d] for d in sorted(defs))
        yield use, known[defs]


def closure(
    initial: Mapping[int, frozenset[T]], feeding: Mapping[int, frozenset[int]]
) -> dict[int, frozenset[T]]:
    """What each change can mean: its own set and those of the changes that feed it."""
    meaning = dict(initial)
    feeds: dict[int, list[int]] = defaultdict(list)
    for d, sources in feeding.items():
        for source in sources:
            feeds[source].append(d)
    work = list(meaning)
    while work:
        source = work.pop()
        for d in feeds.get(source, ()):
            merged = union((meaning[d], meaning[source]))
            if merged != meaning[d]:
                meaning[d] = merged
                work.append(d)
    return meaning
