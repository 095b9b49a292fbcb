"""Decides, by comparing and never by reading prose, what a run shows about findings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import nsmallest

from pte_lint.claims.finding import Finding
from pte_lint.claims.forecast import Outcome, Stage
from pte_lint.claims.order import LoadProgramStep, Order
from pte_lint.claims.sign import Facts, which_seen, why_unseen
from pte_lint.claims.sign import Signs as SignsOfRule
from pte_lint.harness.expectation import Expectation, Observation
from pte_lint.harness.parse import LACKING
from pte_lint.schema.frozen import dataclass, field

CONFIRMED = "confirmed"
CONFIRMED_BY_REPAIR = "confirmed_by_repair"
CONSISTENT = "consistent"
REFUTED = "refuted"
NOT_REACHED = "not_reached"
UNSUPPORTED = "unsupported"


STATUSES = (
    CONFIRMED,
    CONFIRMED_BY_REPAIR,
    CONSISTENT,
    REFUTED,
    NOT_REACHED,
    UNSUPPORTED,
)
"""In the order in which they are told."""

DAMAGED = "the report of the run was damaged by the program: nothing in it counts"


@dataclass(frozen=True, slots=True)
class Decision:
    """A status and the reason for it, one sentence."""

    status: str
    reason: str
    sign: str | None = None
    """The line of the run's record that only this cause leaves."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A finding, what it expects, and its place in the runtime's own order."""

    finding: Finding
    expected: Expectation
    sign: SignsOfRule | None = None
    """What its rule says a run shows where its cause is true."""
    facts: Facts = field(default_factory=dict)
    """What it names."""
    is_placed: bool = True
    """Whether it says where: which instruction, which input."""

    @property
    def is_damage(self) -> bool:
        """Whether it says that damaged tables are followed: what comes of that, nobody can say."""
        order, foretold = self.finding.order, self.expected.prediction
        is_step = bool(order) and isinstance(order[0], LoadProgramStep)
        is_later = foretold.stage is not Stage.LOAD_PROGRAM
        return foretold.outcome is Outcome.UNDEFINED and is_step and is_later

    @property
    def key(self) -> tuple[int, Order]:
        """Sorts as the runtime meets things."""
        return self.expected.spot.stage.rank, self.finding.order


class Rivals(list[Claim]):
    """All claims about one run."""

    def __init__(self, claims: Iterable[Claim] = ()) -> None:
        """Takes claims, which are not changed any more."""
        super().__init__(claims)
        self._first: dict[Observation, list[Claim]] = {}

    def first(self, seen: Observation) -> list[Claim]:
        """The two that come first of those that say that a run ends so: whichever is asked about,
        another one of them tells."""
        known = self._first.get(seen)
        if known is None:
            may = (
                each
                for each in self
                if each.expected.spot.may_be(seen.spot)
                and (
                    seen.matches(each.expected.prediction)
                    or each.expected.prediction.outcome is Outcome.UNDEFINED
                )
            )
            known = self._first[seen] = nsmallest(2, may, key=lambda each: each.key)
        return known


def decide(
    claim: Claim,
    seen: Observation,
    others: Rivals,
    lines: Sequence[str] = (),
    decided_by_memory: str | None = None,
) -> Decision:
    """Decides about one claim.

    Args:
        claim: the finding in question.
        seen: how the run ended that the claim is about.
        others: all claims about the same run, this one included.
        lines: the record of that run.
        decided_by_memory: what shows in further runs that something is read which nothing wrote.
    """
    decision = _decide(claim, seen, others, lines, decided_by_memory)
    if decision.status != REFUTED:
        return decision
    stage = claim.expected.spot.stage
    for other in others:
        if other.is_damage and other.expected.spot.stage.rank <= stage.rank:
            text = f"{other.finding.rule}: damaged tables are followed, and the run may do anything"
            return Decision(NOT_REACHED, f"{text}; it did this: {seen}")
    return decision


def _decide(
    claim: Claim,
    seen: Observation,
    others: Rivals,
    lines: Sequence[str],
    decided_by_memory: str | None,
) -> Decision:
    expected = claim.expected
    is_past_loading = expected.prediction.stage is not Stage.LOAD_PROGRAM
    if seen.outcome == "ok" and seen.spot.stage is Stage.LOAD_PROGRAM and is_past_loading:
        # Nothing was asked of the program after that: it has no method that could be.
        shown = which_seen(claim.sign, lines, claim.facts)
        status = UNSUPPORTED if shown is None else CONFIRMED
        return Decision(status, "the program loads, and there is no method to ask for", shown)
    if seen.damaged:
        return Decision(UNSUPPORTED, DAMAGED)
    if seen.outcome == "skipped":
        lacking = (line for line in lines if any(words in line for words in LACKING))
        why = next(lacking, "the time for the program was over before this was run")
        return Decision(UNSUPPORTED, why)
    if seen.outcome == "timeout":
        return Decision(UNSUPPORTED, f"the run was stopped at its time limit in {seen.spot}")
    if expected.prediction.outcome is Outcome.UNDEFINED:
        return _decide_undefined(claim, seen, others, lines, decided_by_memory)
    if expected.prediction.outcome is Outcome.WRONG:
        return _decide_wrong(seen)
    if seen.matches(expected.prediction) and seen.spot.may_be(expected.spot):
        return _with_sign(claim, lines, f"the runtime did what was predicted: {seen}")
    if not seen.failed:
        return Decision(REFUTED, f"the run went through ({seen.outcome})")
    if seen.spot.is_before(expected.spot):
        return Decision(NOT_REACHED, f"the run ended before: {seen}")
    if _explained_by_earlier(claim, seen, others):
        return Decision(NOT_REACHED, f"another finding ends the run before: {seen}")
    if seen.error == "OperatorMissing":
        return Decision(UNSUPPORTED, "the installed runtime lacks an operator of this method")
    return Decision(REFUTED, f"predicted {expected.prediction}, but the run ended with {seen}")


def _with_sign(claim: Claim, lines: Sequence[str], ending: str) -> Decision:
    """A run that ended as foretold: the sign of the finding's own cause decides what it shows."""
    shown = which_seen(claim.sign, lines, claim.facts) if claim.is_placed else None
    if shown is not None:
        return Decision(CONFIRMED, f"{ending}, with the sign of this cause", shown)
    why = "the sign of this cause is not in its record"
    if not claim.is_placed:
        why = "the finding does not say where"
    elif claim.sign is None:
        why = "its rule does not say what else its cause would show"
    elif (unseen := why_unseen(claim.sign)) is not None:
        why = unseen
    return Decision(CONSISTENT, f"{ending}; other causes end like this, and {why}")


def _decide_undefined(
    claim: Claim,
    seen: Observation,
    others: Rivals,
    lines: Sequence[str],
    decided_by_memory: str | None,
) -> Decision:
    spot = claim.expected.spot
    if seen.failed:
        if seen.spot.is_before(spot) or _explained_by_earlier(claim, seen, others):
            return Decision(NOT_REACHED, f"the run ended before: {seen}")
        if seen.error == "OperatorMissing":
            return Decision(UNSUPPORTED, "the installed runtime lacks an operator of this method")
        return _with_sign(claim, lines, f"the run did not survive: {seen}")
    if claim.is_placed and which_seen(claim.sign, lines, claim.facts) is not None:
        return _with_sign(claim, lines, "the runtime reports success")
    if decided_by_memory is not None:
        return _with_sign(claim, lines, decided_by_memory)
    return Decision(
        UNSUPPORTED,
        "the runtime reports success and the data show nothing by themselves: only a reference "
        "result would tell",
    )


def _decide_wrong(seen: Observation) -> Decision:
    """Results that PyTorch's operators do not give look like any others."""
    if seen.failed:
        return Decision(NOT_REACHED, f"the run did not get to its results: {seen}")
    return Decision(
        UNSUPPORTED, "the run went through, and only a comparison with PyTorch would tell more"
    )


def _explained_by_earlier(claim: Claim, seen: Observation, others: Rivals) -> bool:
    """True when the run ended as another claim said that comes no later in the runtime's order."""
    return any(
        other.finding is not claim.finding and other.key <= claim.key
        for other in others.first(seen)
    )
