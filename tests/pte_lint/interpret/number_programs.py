"""Random small programs of jumps, moves, frees and prim ops, judged and run twice.

    python -m tests.pte_lint.interpret.number_programs --first 0 --count 3000

shows where the verdict is not what the runtime does: stage, outcome, error, or instruction.
"""

from __future__ import annotations

import argparse
import math
import random
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.fuzz.comparison import Kind, compare
from tests.fuzz.oracle import OPTIONS, Observation, observe
from tests.fuzz.verdicts import Judgement, judgement

WHOLE = (0, 0, 1, 1, -1, 2, 3, 5, 7, 2**31, 2**53, 2**53 + 1, 2**62, 2**63 - 1, -(2**63))
DOUBLES = (0.0, -0.0, 1.0, 0.5, 2.5, -1.0, 2.0**53, 2.0**63, 1e300, math.inf, math.nan)
_OPTIONS = replace(OPTIONS, until_bad=False, variants=("falling", "rising"))


@dataclass
class _Draft:
    """A program that is being made up."""

    rng: random.Random
    b: MethodBuilder = field(default_factory=lambda: MethodBuilder("forward"))

    def __post_init__(self) -> None:
        rng, b = self.rng, self.b
        self.ints = [b.int_value(rng.choice(WHOLE)) for _ in range(rng.randint(2, 4))]
        self.doubles = [b.double_value(rng.choice(DOUBLES)) for _ in range(rng.randint(1, 2))]
        self.flags = [b.bool_value(rng.random() < 0.5) for _ in range(rng.randint(1, 3))]
        x = b.input((2,))
        self.tensors = [x, b.tensor((2,))]
        self.tests = [b.constant([rng.random() < 0.5], (), "bool")]
        if rng.random() < 0.4:
            self.tests.append(b.input((), "bool"))
        self.nothing = [b.null()]
        self.numbers = self.ints + self.doubles
        for v in (*self.numbers, *self.flags):
            if rng.random() < 0.25:
                b.takes(v)
        self.wild = rng.choice([0, 0, 0, 0.05, 0.15])
        """How often an argument is of any kind."""

    def pick(self, pool: Sequence[int]) -> int:
        """One of some values; now and then any value."""
        if self.rng.random() >= self.wild:
            return self.rng.choice(pool)
        number_like = (*self.numbers, *self.flags, *self.flags)
        return self.rng.choice([*number_like, *self.nothing, *self.tensors, *self.tests])

    def some(self) -> int:
        """An Int; now and then a Double."""
        return self.pick(self.numbers if self.rng.random() < 0.4 else self.ints)

    def call(self, name: str, *args: int) -> None:
        """A call of a prim op."""
        self.b.kernel(f"executorch_prim::{name}", *args)

    def step(self) -> None:
        """One more instruction that is no jump."""
        rng, pick, some = self.rng, self.pick, self.some
        kind = rng.choices(
            ("algebra", "compare", "whole", "round", "convert", "not", "choose", "move", "look"),
            (25, 17, 10, 6, 4, 2, 2, 10, 8),
        )[0]
        if kind == "algebra":
            name = rng.choice(["add", "add", "sub", "sub", "mul", "floordiv", "truediv"])
            self.call(f"{name}.Scalar", some(), some(), pick(self.numbers + self.nothing))
        elif kind == "compare":
            name = rng.choice(["eq", "eq", "gt", "lt", "lt", "ge", "le"])
            self.call(f"{name}.Scalar", some(), some(), pick(self.flags))
        elif kind == "whole":
            overloads = [
                "mod.Scalar",
                "sym_max.Scalar",
                "sym_min.Scalar",
                "floordiv.int",
                "mod.int",
            ]
            self.call(rng.choice(overloads), *(pick(self.ints) for _ in range(3)))
        elif kind == "round":
            name = rng.choice(["ceil", "round", "trunc"])
            self.call(f"{name}.Scalar", pick(self.doubles), pick(self.ints))
        elif kind == "convert":
            name = rng.choice(["neg", "sym_float", "sym_int"])
            self.call(f"{name}.Scalar", pick(self.numbers), pick(self.numbers))
        elif kind == "not":
            self.call("sym_not.Scalar", pick(self.flags), pick(self.flags))
        elif kind == "choose":
            self.call("sym_ite.Scalar", pick(self.flags), *(pick(self.numbers) for _ in range(3)))
        elif kind == "move":
            pool = rng.choice([self.ints, self.flags, self.numbers])
            self.b.move(pick(pool), pick(pool))
        else:
            self.look()

    def look(self) -> None:
        """Reads a number out of a tensor, or frees one."""
        rng, pick, b = self.rng, self.pick, self.b
        what = rng.choice(["size", "scalar", "numel", "free" if self.wild else "size"])
        if what == "size":
            b.kernel("aten::sym_size.int", *map(pick, (self.tensors, self.ints, self.ints)))
        elif what == "numel":
            b.kernel("aten::sym_numel", pick(self.tensors), pick(self.ints))
        elif what == "free":
            b.free(pick(self.tensors))
        else:
            b.kernel(
                "aten::_local_scalar_dense",
                pick(self.tensors + self.tests),
                pick(self.nothing + self.ints),
            )


def random_program(seed: int) -> bytes:
    """A program of one method with up to 15 instructions."""
    draft = _Draft(random.Random(seed))
    rng, b = draft.rng, draft.b
    b.kernel("aten::relu.out", *draft.tensors, draft.tensors[1])
    count = 1 + rng.randint(2, 14)
    for at in range(1, count):
        if rng.random() < 0.16:
            back = rng.random() < 0.6
            to = rng.randint(1, count) if back else rng.randint(at + 1, count)
            b.jump_false(draft.pick(draft.flags + draft.tests), to)
        else:
            draft.step()
    b.output(*rng.sample([*draft.numbers, *draft.flags, draft.tensors[1]], 2))
    return build_program(b).bytes()


def comparisons(seeds: Iterable[int], folder: Path) -> Iterator[tuple[int, Kind, str]]:
    """Runs and judges programs; yields seed, how they go together, and what was said and seen."""
    programs = {seed: random_program(seed) for seed in seeds}
    observed = observe(((program, ()) for program in programs.values()), folder, _OPTIONS)
    for (seed, program), seen in zip(programs.items(), observed, strict=True):
        judged = judgement(program, ())
        found = compare(seen, judged)
        kind, text = found.kind, f"said {found.said}, seen {found.seen}"
        if kind is Kind.AGREE_BAD and not _names_the_place(judged, seen):
            kind = Kind.OTHER
        if kind is Kind.MISSED and _is_unplayed(judged):
            kind = Kind.INCONCLUSIVE
        yield seed, kind, text


def _names_the_place(judged: Judgement, seen: Observation) -> bool:
    """Whether the error that the verdict names is at an instruction at which a run ended."""
    verdict = judged.full.verdicts[0]
    told = {
        finding.location.instruction
        for finding in judged.full.errors
        if finding.rule == verdict.rule
        and finding.runtime is not None
        and (finding.runtime.outcome, finding.runtime.error) == (verdict.outcome, verdict.error)
    }
    ended = {ending.instruction for ending in seen.full.methods[0].bad}
    # A loop without end is stopped anywhere in it; what has no instruction is an input's.
    return verdict.rule == "PTE127" or told == {None} or not told.isdisjoint(ended)


def _is_unplayed(judged: Judgement) -> bool:
    return not judged.methods[0].interpretation.complete


def main() -> None:
    """Shows every difference."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    seeds = range(options.first, options.first + options.count)
    with tempfile.TemporaryDirectory() as folder:
        for seed, kind, text in comparisons(seeds, Path(folder)):
            counts[kind] += 1
            if kind.is_difference:
                print(seed, kind, text)
    print(dict(counts))


if __name__ == "__main__":
    main()
