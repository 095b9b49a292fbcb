"""The verdict: the first thing that goes wrong, derived from findings and nothing else.

Undefined behaviour does not stop a run: where an error or a crash is sure to follow, that is what
is seen, and what the verdict names. Wrong results come after everything that may fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Final

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Outcome, Prediction, Stage, Verification
from pte_lint.claims.order import LoadProgramStep, Order
from pte_lint.claims.result import Verdict

_Key = tuple[int, Order, str]
_Entry = tuple[_Key, Prediction, Finding]

_DAMAGE = (-1,)
_DAMAGED_PROGRAM = (LoadProgramStep.DATA_FILES + 1,)
"""Before anything of the program, and after its data files, which are loaded first."""


def derive(
    findings: Iterable[Finding],
    methods: Sequence[str],
    version: str,
    verification: Verification,
    plans: Sequence[int] = (),
) -> tuple[Verdict, ...]:
    """Derives the verdict of one artifact for one runtime.

    A failure in `load_program` is the whole program's, whichever method it was found in. A later
    failure that belongs to no method is every method's.

    Args:
        findings: all findings, those that trouble only other runtimes too.
        methods: the names of the methods, in order; a method that cannot be reached by name
            because an earlier one has the same name still gets its own verdict.
        version: the runtime version.
        verification: the level of verification.
        plans: the methods' indices, if findings name these.

    Returns:
        One verdict with `method=None` when the artifact does not load, or has no methods; else
        one per method.
    """
    whole: list[_Entry] = []
    of_method: dict[str | int, list[_Entry]] = {}
    for finding in findings:
        if finding.severity is not Severity.ERROR or finding.forecast is None:
            continue
        prediction = finding.forecast.at(version, verification)
        if prediction is None or prediction.outcome is Outcome.OK:
            continue
        order = _order(finding, prediction, version)
        entry = ((prediction.rank, order, finding.rule), prediction, finding)
        if finding.method is None or prediction.stage is Stage.LOAD_PROGRAM:
            whole.append(entry)
        else:
            key = finding.method if finding.plan is None else finding.plan
            of_method.setdefault(key, []).append(entry)
    whole.sort(key=lambda e: (e[1].outcome is Outcome.UNJUDGED, e[0]))
    if whole and (whole[0][1].stage is Stage.LOAD_PROGRAM or not methods):
        return (_verdict(None, whole[0]),)
    if not methods:
        return (Verdict(None, Stage.LOAD_PROGRAM, Outcome.OK),)
    verdicts = []
    for name, plan in zip_longest(methods, plans):
        mine = whole + of_method.get(name, []) + of_method.get(plan, [])
        if mine:
            verdicts.append(_verdict(name, min(mine, key=_first_seen)))
        else:
            verdicts.append(Verdict(name, Stage.EXECUTE, Outcome.OK))
    return tuple(verdicts)


def _order(finding: Finding, prediction: Prediction, version: str) -> Order:
    """The position inside the stage.

    Damage to the program as a whole makes all that follows unpredictable: it leads. Damage to a
    data file does so to what is loaded after it.
    What full verification refuses in the plans is found by validation, one step of loading the
    program; under minimal verification it is met later, in the order that the finding gives.
    """
    order = finding.orders.get(version, finding.order)
    is_step = bool(order) and isinstance(order[0], LoadProgramStep)
    if prediction.stage is not Stage.LOAD_PROGRAM:
        return _DAMAGE if _is_damage(finding, prediction) else order
    if _is_damage(finding, prediction) and not (is_step and order[0] == LoadProgramStep.DATA_FILES):
        return _DAMAGED_PROGRAM
    return order if is_step else (LoadProgramStep.VALIDATION, *order)


def _is_damage(finding: Finding, prediction: Prediction) -> bool:
    return finding.method is None and prediction.outcome is Outcome.UNDEFINED


_SILENCE: Final = {Outcome.UNDEFINED: 1, Outcome.WRONG: 2, Outcome.UNJUDGED: 3}


def _first_seen(entry: _Entry) -> tuple[int, _Key]:
    """Sorts what shows itself before what stays silent; damage is neither, it goes by its stage.

    What was not judged comes last: whatever it hides, the method does not run.
    """
    outcome = entry[1].outcome
    return 0 if _is_damage(entry[2], entry[1]) else _SILENCE.get(outcome, 0), entry[0]


def _verdict(method: str | None, entry: _Entry) -> Verdict:
    _, prediction, finding = entry
    return Verdict(
        method,
        prediction.stage,
        prediction.outcome,
        prediction.error,
        finding.rule,
        prediction.signal,
    )
