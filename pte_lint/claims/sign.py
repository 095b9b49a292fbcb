"""What a run shows where a finding's cause is true: the evidence of a rule, as plain data.

The same ending has many causes. A sign is what only this one leaves: the runtime's log line of the
check in question with the numbers that it compared, the memory that a faulting address lies in,
what a stand-in was handed as this argument.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from pte_lint.claims.finding import Json
from pte_lint.schema.frozen import dataclass, field
from pte_lint.schema.str_enum import StrEnum

Facts: TypeAlias = Mapping[str, Json]
"""What a finding names: its evidence, and its place (see `pte_lint.harness.facts`)."""

AT_VALUE: Final = r"(tensor at index|failed for value) {value}\b"
"""Loading tells at which value it failed."""
IN_CALL: Final = r"KernelCall failed at instruction {at} in operator {operator}\.?: "
"""Executing tells in which call a kernel failed."""

IN_KERNEL: Final = r"at instruction {at} in operator (?!et_copy::|executorch_prim::){operator}\.?: "
"""The same, but for boundary copies and prim ops, which rules of their own are about."""

_NAMED: Final = re.compile(r"\{([a-z]\w*(?:[+-][a-z1]\w*)*)(?::u(32|64))?\}")


@dataclass(frozen=True, slots=True)
class Sign:
    """Lines of a run's record, all of which have to be there.

    `line` and `also` are regular expressions that a line is searched with. In them `{name}` stands
    for a fact of the finding, `{one+other}` for the sum of two, `{name-1}` for one less and
    `{name:u64}` or `{name:u32}` for a whole number as an unsigned one of so many bits. A fact that
    the finding does not name is seen nowhere: a finding without its place has no sign. One line
    does not do for both.

    The lines are those of the runtime's log, `LEVEL file:line text`, and the harness's own:
    `fault: null`, `fault: cuda:0`, `fault: value 7` for all tensors planned where the address is,
    `signal: SIGFPE`, `copy at 0:3: source is null`, `argument 0 at 0:6: host pointer ...`,
    `output 0: pointer is null`, `output 0: memory on cuda:0`, `output 0: sizes (2, 4)`,
    `value 2: tag cuda:1, memory on cuda:0` of what a stand-in was handed, `stand-in for 'Name'`,
    `allocation on cuda:7: no such device`, `methods: 0` of a program that loads, `console: ...`,
    and `first: ...` for the first error of the log, in which the innermost of nested checks speaks.
    Of a language model driven as a runner does there are those of `pte_lint.harness.language`.
    """

    line: str
    also: str = ""
    unless: str = ""
    """No line may have this: the same ending with it has another cause."""
    when: Mapping[str, Json] = field(default_factory=dict)
    """Facts that the finding has to name for this sign to be its own."""
    refuted_by: str = ""
    """A line that a run leaves which got to where the cause would have shown."""

    def fits(self, facts: Facts) -> bool:
        """Whether a finding is one that this sign is for."""
        return all(facts.get(name) == wanted for name, wanted in self.when.items())

    def seen(self, lines: Iterable[str], facts: Facts) -> str | None:
        """The line that shows it, None where the record does not."""
        if not self.fits(facts):
            return None
        first, also = _filled(self.line, facts), _filled(self.also, facts)
        if first is None or also is None:
            return None
        record = list(lines)
        if self.unless and any(re.search(self.unless, line) for line in record):
            return None
        if not self.also:
            return next((line for line in record if first.search(line)), None)
        if not any(also.search(line) for line in record):
            return None
        return next((line for line in record if first.search(line) and not also.search(line)), None)


class Trial(StrEnum):
    """How a cause that a run does not show by itself is tried: mostly in an edited copy."""

    COLOUR = "colour"
    """The tensor gets an arena of its own, with what it may be meant to show, as a view does whose
    call is left out, and that arena another content before the run: data follow it only where the
    tensor is read and nothing was written."""
    SEPARATE = "separate"
    """Each of the two tensors gets a place of its own: either way other results come out."""
    COMPARE = "compare"
    """The finding is undone, by an edit or in the very bytes of the file that it says are wrong,
    and the same inputs give other results."""
    UNDO = "undo"
    """The finding is undone, and the run no longer ends there."""
    RESTORE = "restore"
    """What was done to the file as a whole is taken back: every method runs, and did not before."""
    IDLE = "idle"
    """What is said to be of no use is taken out, or written over, and all runs stay the same."""
    FREED = "freed"
    """The file is loaded so that nobody may touch what was freed, and the run dies of a read there.
    That is a run of the file as it is."""


@dataclass(frozen=True, slots=True)
class Unseen:
    """No run of the file shows the cause by itself; the text says why."""

    why: str
    trial: Trial | None = None
    """What shows it all the same."""


Signs: TypeAlias = Sign | Unseen | tuple[Sign | Unseen, ...]
"""Of several signs any one will do: the runtime has more than one check for the matter."""


def which_seen(signs: Signs | None, lines: Iterable[str], facts: Facts) -> str | None:
    """The line of a record that shows a cause, None where it has none."""
    record = list(lines)
    each = [sign for sign in _all(signs) if isinstance(sign, Sign)]
    return next((line for sign in each if (line := sign.seen(record, facts)) is not None), None)


def which_refutes(signs: Signs | None, lines: Iterable[str], facts: Facts) -> str | None:
    """The line of a record that shows that a cause is not there, None where it has none."""
    record = list(lines)
    for sign in _all(signs):
        if isinstance(sign, Sign) and sign.refuted_by and sign.fits(facts):
            contrary = _filled(sign.refuted_by, facts)
            if contrary is not None:
                return next((line for line in record if contrary.search(line)), None)
    return None


def trial_of(signs: Signs | None) -> Trial | None:
    """How a cause is tried where no run shows it by itself."""
    return next((s.trial for s in _all(signs) if isinstance(s, Unseen) and s.trial), None)


def has_sign(signs: Signs | None) -> bool:
    """Whether a run can show a cause by itself."""
    return any(isinstance(sign, Sign) for sign in _all(signs))


def is_refutable(signs: Signs | None) -> bool:
    """Whether a run can also show that a cause is not there."""
    return any(isinstance(sign, Sign) and sign.refuted_by for sign in _all(signs))


def why_unseen(signs: Signs | None) -> str | None:
    """Why no run shows a cause by itself."""
    return next((sign.why for sign in _all(signs) if isinstance(sign, Unseen)), None)


def _all(signs: Signs | None) -> tuple[Sign | Unseen, ...]:
    if signs is None:
        return ()
    return signs if isinstance(signs, tuple) else (signs,)


def _filled(template: str, facts: Facts) -> re.Pattern[str] | None:
    """The expression with the finding's facts in it; None where one of them is not there."""
    missing = False

    def fill(named: re.Match[str]) -> str:
        nonlocal missing
        terms = re.findall(r"[+-]?\w+", named[1])
        values = [1 if term[1:] == "1" else facts.get(term.lstrip("+-")) for term in terms]
        if any(value is None or isinstance(value, dict | list | tuple) for value in values):
            missing = True
            return ""
        if len(values) == 1 and not named[2]:
            return re.escape(str(values[0]))
        numbers = [value for value in values if isinstance(value, int)]
        if len(numbers) < len(values):
            missing = True
            return ""
        signs = (-1 if term.startswith("-") else 1 for term in terms)
        total = sum(sign * number for sign, number in zip(signs, numbers, strict=True))
        return str(total % (1 << int(named[2])) if named[2] else total)

    text = _NAMED.sub(fill, template)
    return None if missing else re.compile(text)
