"""Runs a method on several inputs and compares its calls: each kernel's with PyTorch's operator,
each delegate's with what its graph computes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pte_lint.harness.outcome import MethodRun, Step
from pte_lint.harness.recorded_runs import Recorder, how_it_ended, went_through
from pte_lint.harness.recording import (
    Damaged,
    RecordedCall,
    RecordedDelegate,
    RecordedTensor,
    Scalar,
)
from pte_lint.harness.reference.delegates import Delegates, overlaps
from pte_lint.harness.reference.follow import Follower, Lost
from pte_lint.harness.reference.inputs import CONTENTS, InputSet, Sizes, size_choices
from pte_lint.harness.reference.pytorch import Answer, PyTorch
from pte_lint.ir.steps import StepKind
from pte_lint.questions.method import Method

_MOST_REPEATS: Final = 16
"""Calls of one instruction that are compared for each input: loops make thousands."""
_MOST_DIFFERENCES: Final = 20
_MOST_WINDOWS: Final = 64

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class WrongCall:
    """A call whose result, or what it was given, is not what it should be.

    Attributes:
        instruction: Counted over all chains of the method.
        operator: The kernel's name, or the delegate's backend.
        inputs: Name of the inputs that it shows with.
        output: Which result; None where an argument is not what was written for it.
        reason: One sentence.
        facts: How far it is off: element, got, expected, max_absolute, max_relative,
            elements_different, elements.
    """

    instruction: int
    operator: str
    inputs: str
    output: int | None
    reason: str
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class MethodComparison:
    """What became of a method.

    Attributes:
        inputs: Names of the inputs that it ran on.
        failed: Inputs that it did not run on, and why.
        compared: Calls whose results were compared, over all inputs.
        wrong: Calls that differ, the first one first; each instruction once.
        equal: Instructions whose every compared call was equal, with results that tell elements
            apart and arguments that are what was written for them.
        not_compared: Reasons by operator, or delegate, of what could not be compared.
    """

    inputs: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    compared: int = 0
    wrong: list[WrongCall] = field(default_factory=list)
    equal: set[int] = field(default_factory=set)
    not_compared: dict[str, str] = field(default_factory=dict)


def compare_method(
    method: Method,
    recorder: Recorder,
    torch: PyTorch,
    delegates: Delegates,
    progress: Progress,
    *,
    named: Sequence[Sizes] = (),
) -> MethodComparison:
    """Compares all calls of a method, for every set of inputs.

    Args:
        method: What is run.
        recorder: Runs it.
        torch: Answers what PyTorch makes of a call.
        delegates: Tells what computes those of the program.
        progress: Is told which inputs are at hand.
        named: Sizes of inputs that findings name, by position.

    Raises:
        HarnessUnavailable: The runtime, the compiler or PyTorch is missing.
    """
    comparison = _Comparison(method, recorder, torch, delegates, progress)
    for contents in CONTENTS:
        comparison.add(InputSet(contents, contents, {}))
    for name, choices in size_choices(method, named) if comparison.found.inputs else ():
        sizes = comparison.taken(choices)
        if sizes is not None:
            shown = ", ".join(str(list(each)) for _, each in sorted(sizes.items()))
            for contents in CONTENTS[1::2]:
                comparison.add(InputSet(f"{contents} of {name} sizes {shown}", contents, sizes))
    comparison.found.wrong.sort(key=lambda wrong: wrong.instruction)
    return comparison.found


class _Comparison:
    """A method's comparison under way."""

    def __init__(
        self,
        method: Method,
        recorder: Recorder,
        torch: PyTorch,
        delegates: Delegates,
        progress: Progress,
    ) -> None:
        self._method, self._recorder, self._torch = method, recorder, torch
        self._delegates, self._progress = delegates, progress
        self.found = MethodComparison()

    def taken(self, choices: Iterable[Sizes]) -> Sizes | None:
        """The first sizes that the method runs with."""
        for sizes in choices:
            data = InputSet("", "ramps", sizes).data(self._method)
            if went_through(self._recorder.run(self._method, data, sizes)):
                return sizes
        return None

    def add(self, inputs: InputSet) -> None:
        """Runs the method on inputs and compares its calls, as many at once as find room."""
        data = inputs.data(self._method)
        seen: Counter[int] = Counter()
        follower: Follower | None = Follower(self._method, self._recorder.recording)
        start: int | None = 0
        for _ in range(_MOST_WINDOWS):
            self._progress(inputs.name)
            run = self._recorder.run(self._method, data, inputs.sizes, start or 0)
            try:
                self._compare(inputs.name, seen, follower, run)
                start = self._next(start or 0)
            except Damaged:
                self.found.failed[inputs.name] = "what was recorded of it makes no sense"
                return
            if not went_through(run):
                self.found.failed[inputs.name] = _told(run)
                return
            if start is None:
                break
            follower = None  # what was written before is not known any more
        self.found.inputs.append(inputs.name)

    def _next(self, start: int) -> int | None:
        """The first call that found no room; the one after it where there never is enough."""
        stopped = self._recorder.recording.stopped_at
        if stopped is None or stopped > start:
            return stopped
        size = self._recorder.recording.size
        self.found.not_compared[f"call {stopped}"] = f"its tensors have more than {size} bytes"
        return stopped + 1

    def _compare(
        self, inputs: str, seen: Counter[int], follower: Follower | None, run: Step
    ) -> None:
        found = self.found
        for number, call in enumerate(_calls(self._recorder)):
            if number % 50 == 49:
                self._progress(f"{inputs}, call {call.number + 1}")
            at = _instruction(self._method, call)
            seen[at] += 1
            if isinstance(call, RecordedDelegate):
                if seen[at] <= _MOST_REPEATS and isinstance(run, MethodRun) and went_through(run):
                    self._compare_delegate(call, at, inputs, run)
                continue
            lost = follower.read(call, at) if follower is not None else None
            if lost is not None:
                _note(found, _lost(self._method, at, call.operator, inputs, lost))
            if seen[at] <= _MOST_REPEATS:
                _compare_call(call, at, inputs, self._torch, found)
            if follower is None or follower.unknown:
                found.equal.discard(at)

    def _compare_delegate(
        self, call: RecordedDelegate, at: int, inputs: str, run: MethodRun
    ) -> None:
        step = self._method.steps[at]
        asked = self._delegates.request(self._method, step)
        if step.operator in run.standins:
            asked = "the runtime lacks the backend: a stand-in ran in its place"
        if isinstance(asked, str):
            self.found.not_compared.setdefault(step.operator, asked)
            return
        if overlaps(step, call):
            answer: Answer = {"status": "none", "reason": "it writes over what it is given"}
        else:
            answer = self._torch.compare_delegate(asked, call)
        place, results = f"{step.operator} at instruction {at}", len(step.args) - step.first_output
        _judge(answer, WrongCall(at, step.operator, inputs, None, ""), place, results, self.found)


def _told(run: Step) -> str:
    text = how_it_ended(run)
    if isinstance(run, MethodRun) and run.instruction is not None:
        return f"{text} (instruction {run.instruction.index})"
    return text


def _calls(recorder: Recorder) -> Iterator[RecordedCall | RecordedDelegate]:
    for record in recorder.recording.records():
        if isinstance(record, RecordedCall | RecordedDelegate):
            yield record


def _instruction(method: Method, call: RecordedCall | RecordedDelegate) -> int:
    """The number of the instruction.

    Raises:
        Damaged: the method has no such call.
    """
    starts = method.flow.chain_starts
    if not 0 <= call.chain < len(starts):
        raise Damaged
    at = starts[call.chain] + call.instruction
    step = method.steps[at] if 0 <= at < len(method.steps) else None
    if isinstance(call, RecordedDelegate):
        is_it = step is not None and step.kind is StepKind.DELEGATE
    else:
        is_it = step is not None and step.operator == call.operator
    if not is_it:
        raise Damaged
    return at


def _compare_call(
    call: RecordedCall, at: int, inputs: str, torch: PyTorch, found: MethodComparison
) -> None:
    if call.outs is None or call.error != "Ok":
        return  # it did not come back, or failed: how the run ended tells
    if not any(isinstance(each, RecordedTensor) for each in _results(call)):
        return  # what computes with numbers and shapes, pte-lint follows itself
    wrong = WrongCall(at, call.operator, inputs, None, "")
    _judge(torch.compare(call), wrong, call.operator, len(_results(call)), found)


def _judge(
    answer: Answer, call: WrongCall, place: str, results: int, found: MethodComparison
) -> None:
    """Notes what was answered about a call.

    Args:
        answer: What PyTorch's process says.
        call: What is noted where it is wrong, without what is wrong.
        place: What it is called where it cannot be compared.
        results: How many it has.
        found: Where it is noted.
    """
    if answer["status"] == "none":
        found.not_compared.setdefault(place, str(answer["reason"]))
        return
    found.compared += 1
    at = call.instruction
    if answer["status"] == "equal":
        if answer["tells"] and all(wrong.instruction != at for wrong in found.wrong):
            found.equal.add(at)
        return
    facts: dict[str, Any] = {key: answer[key] for key in _FACTS if key in answer}
    text = answer.get("reason") or _sentence(answer)
    which = f"result {answer['output']}" if results > 1 else "its result"
    of = answer.get("of", "PyTorch's")
    reason = f"{which} is not {of}: {text}"
    _note(found, replace(call, output=answer["output"], reason=reason, facts=facts))


_FACTS: Final = (
    "element", "got", "expected", "max_absolute", "max_relative", "elements_different", "elements"
)  # fmt: skip


def _sentence(facts: Mapping[str, Any]) -> str:
    where = f" at {facts['element']}" if facts["element"] else ""
    relative = facts["max_relative"]
    share = f" ({relative:.2g} of the largest)" if relative != float("inf") else ""
    return (
        f"off by {facts['max_absolute']:.6g}{share} in {facts['elements_different']} of "
        f"{facts['elements']} elements, first{where}: {_short(facts['got'])} for "
        f"{_short(facts['expected'])}"
    )


def _short(number: str) -> str:
    try:
        return f"{float(number):.6g}"
    except ValueError:
        return number


def _results(call: RecordedCall) -> list[RecordedTensor | Scalar]:
    found: list[RecordedTensor | Scalar] = []
    for out in call.outs or ():
        found += out if isinstance(out, tuple) else [out]
    return found


def _lost(method: Method, at: int, operator: str, inputs: str, lost: Lost) -> WrongCall:
    writer = f"instruction {lost.writer} ({method.steps[lost.writer].operator})"
    if lost.is_view:
        told = f"it reads value {lost.value} as a view of what {writer} wrote, in another order"
    else:
        told = f"value {lost.value}, written by {writer}, was overwritten before it is read here"
    facts: dict[str, Any] = {}
    if lost.apart is not None:
        facts = {
            "element": list(lost.apart.element),
            "got": str(lost.apart.got),
            "expected": str(lost.apart.want),
            "max_absolute": lost.apart.absolute,
            "max_relative": lost.apart.relative,
            "elements_different": lost.apart.different,
            "elements": lost.apart.elements,
        }
        told += f": {_sentence(facts)}"
    return WrongCall(at, operator, inputs, None, told, facts)


def _note(found: MethodComparison, wrong: WrongCall) -> None:
    found.equal.discard(wrong.instruction)
    if len(found.wrong) < _MOST_DIFFERENCES and all(
        each.instruction != wrong.instruction for each in found.wrong
    ):
        found.wrong.append(wrong)
