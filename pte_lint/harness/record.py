"""A run as lines of text, in which signs are looked for, and a finding as facts that fill them.

See `pte_lint.claims.sign`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod
from typing import Final

from pte_lint.claims.finding import Finding, Json
from pte_lint.harness.outcome import MethodRun, ProgramLoad, Step
from pte_lint.ir import method as ir
from pte_lint.ir.calling import D2H_COPY, H2D_COPY
from pte_lint.ir.question import question
from pte_lint.ir.steps import StepKind
from pte_lint.questions.method import Method
from pte_lint.text.printable import printable

_SIDES: Final = ("source", "destination", "destination")
"""Of a boundary copy, by argument: the last one is the return."""
_IN_PATH: Final = re.compile(r"\.(inputs|outputs|chains|values)\[(\d+)\]")
_NO_EVIDENCE: Final = re.compile(r"arg \d+ with type id \d+")
"""The runtime lists a failing kernel's arguments, whatever the failure."""


def lines_of(step: Step, method: Method | None = None) -> tuple[str, ...]:
    """The record of a run: the runtime's log and what the harness saw, a line each."""
    run = step if isinstance(step, MethodRun) else None
    logs = [printable(line) for line in step.logs if not _NO_EVIDENCE.search(line)]
    errors = [line for line in logs if line[:2] in ("E ", "F ")]
    told = [*logs, *(f"first: {line}" for line in errors[:1])]
    if isinstance(step, ProgramLoad) and step.outcome == "ok":
        told.append(f"methods: {step.num_methods}")
    if step.signal is not None:
        told.append(f"signal: {step.signal}")
    if step.console:
        told.append(f"console: {printable(step.console)}")
    if step.fault is not None and step.fault.address_in is not None:
        told.append(f"fault: {step.fault.address_in}")
        if method is not None and step.fault.offset is not None:
            told += _tensors_at(method, step.fault.address_in, step.fault.offset)
    if run is not None:
        told += _problems(run)
        told += _places(run, method)
    return tuple(told)


def _places(run: MethodRun, method: Method | None) -> Iterator[str]:
    """Where memory was: of devices, of outputs, of what stand-ins were handed."""
    for name in dict.fromkeys(run.standins):
        yield f"stand-in for '{printable(name)}'"
    for allocation in run.allocations:
        if allocation.problem is not None and "no such device" in allocation.problem:
            yield f"allocation on cuda:{allocation.index}: no such device"
    for index, output in enumerate(run.outputs):
        if output.kind == "tensor" and output.where != "null":
            yield f"output {index}: memory on {output.where}"
            yield f"output {index}: sizes ({', '.join(map(str, output.sizes))})"
    if method is None:
        return
    steps = {step.position: step for step in method.delegate_calls() if step.chain == 0}
    for call in run.delegate_calls:
        args = steps[call.instruction].args if call.instruction in steps else ()
        for argument in call.args:
            if argument.tag is not None and argument.index < len(args):
                place = f"tag {argument.tag}, memory on {argument.where}"
                yield f"value {args[argument.index]}: {place}"


def _tensors_at(method: Method, device: str, offset: int) -> Iterator[str]:
    """The tensors that are planned where a faulting address is."""
    for v in method.tensors:
        tensor = method.tensor(v)
        info = tensor.allocation_info if tensor is not None else None
        if info is not None and str(method.home(v).device) == device:
            start = (info.memory_offset_high << 32) + info.memory_offset_low
            if start <= offset < start + method.nbytes(v):
                yield f"fault: value {v}"


def _problems(run: MethodRun) -> Iterator[str]:
    chain = 0  # the probe numbers instructions within their chain; programs have one
    for copy in run.copies:
        if copy.problem is not None:
            yield f"copy at {chain}:{copy.instruction}: {printable(copy.problem)}"
    for call in run.delegate_calls:
        for argument in call.args:
            if argument.problem is not None:
                at = f"{chain}:{call.instruction}"
                yield f"argument {argument.index} at {at}: {printable(argument.problem)}"
    for index, output in enumerate(run.outputs):
        if output.kind == "tensor" and output.where == "null" and 0 not in output.sizes:
            yield f"output {index}: pointer is null"


def facts_of(finding: Finding, method: Method | None) -> dict[str, Json]:
    """What a finding names, by name: its evidence, and its place.

    `at` is chain and position of its instruction, `position` the latter alone; `input` and `output`
    are positions among the method's; `step` is the kind of its instruction; `sizes`, `rank` and
    `numel` are those of its argument, or else of its value or output; `home_device` is that of the
    value's arena; `side` is that of a boundary copy,
    `copy_side` the kind of memory that it wants there; `field` is the last part of its path.
    """
    where = finding.location
    facts: dict[str, Json] = dict(finding.evidence)
    if field := where.path.rpartition(".")[2].partition("[")[0]:
        facts["field"] = field
    facts |= {_IN_ONE[name]: int(number) for name, number in _IN_PATH.findall(where.path)}
    last = re.search(r"\[(\d+)\]$", where.path)
    if last is not None:
        facts["arena" if "non_const_buffer_sizes" in where.path else "item"] = int(last[1])
    facts |= {
        name: number
        for name in ("value", "argument", "operator", "instruction")
        if (number := getattr(where, name)) is not None
    }
    if finding.plan is not None:
        facts["plan"] = finding.plan
    if method is None:
        return facts
    if where.value is not None and method.tensor(where.value) is not None:
        facts["home_device"] = str(method.home(where.value).device)
    if where.value in method.inputs:
        facts["input"] = method.inputs.index(where.value)
    if where.value in method.outputs:
        facts["output"] = method.outputs.index(where.value)
        facts |= _form(method, where.value)
    if where.instruction is not None and where.instruction < len(method.steps):
        step = method.steps[where.instruction]
        facts |= {"at": f"{step.chain}:{step.position}", "position": step.position}
        facts |= {"operator": step.operator, "step": str(step.kind)}
        if where.argument is not None and where.argument < len(step.args):
            facts |= _form(method, step.args[where.argument])
        elif where.value is not None:
            facts |= _form(method, where.value)
        if step.operator in (H2D_COPY, D2H_COPY) and where.argument in (0, 1, 2):
            facts["side"] = _SIDES[where.argument]
            is_device = (step.operator == D2H_COPY) == (where.argument == 0)
            facts["copy_side"] = "device" if is_device else "host"
    return facts


def _form(method: Method, v: int) -> dict[str, Json]:
    """Sizes of a tensor as the runtime prints them, their number and their product."""
    tensor = method.tensor(v)
    sizes = tensor.sizes if tensor is not None else None
    if sizes is None:
        return {}
    return {
        "sizes": f"({', '.join(map(str, sizes))})",
        "rank": len(sizes),
        "numel": prod(sizes),
    }


_IN_ONE: Final = {"inputs": "input", "outputs": "output", "chains": "chain", "values": "value"}


def contradicts_file(finding: Finding, method: Method) -> bool:
    """Whether a finding names something that is not there: an argument of another value, say."""
    where = finding.location
    if where.instruction is None:
        return False
    if not 0 <= where.instruction < len(method.steps):
        return True
    step = method.steps[where.instruction]
    args = step.args
    if where.argument is not None and where.argument >= len(args):
        return bool(args)
    value = where.value
    if value is None and where.argument is not None:
        value = finding.evidence.get("value")
        given = args[where.argument] if args else None
        if value is None and finding.evidence.get("index", given) != given:
            return True  # it says which value the argument names
        tensor = method.tensor(given) if given is not None else None
        sizes = finding.evidence.get("program")
        if tensor is not None and isinstance(sizes, list):
            is_result = where.argument >= step.first_output
            return is_result or sizes != list(tensor.sizes or ())  # it says which an input has
    if value is None:
        return False
    named = args if where.argument is None else (args[where.argument],)
    names = _names(method, value)
    return bool(args) and not any(_holds(method, each, name) for each in named for name in names)


def _names(method: Method, value: object) -> set[object]:
    """A value and whatever it is moved to, or comes from: a moved tensor goes by those numbers."""
    moved = _moves(method)
    names, waiting = {value}, [value]
    while waiting:
        for other in moved.get(waiting.pop(), ()):
            if other not in names:
                names.add(other)
                waiting.append(other)
    return names


@question
def _moves(method: ir.Method) -> dict[object, list[int]]:
    """By value, those that it is moved to, or comes from."""
    moved: dict[object, list[int]] = {}
    for step in method.steps:
        if step.kind is StepKind.MOVE:
            for one, other in (step.args, step.args[::-1]):
                moved.setdefault(one, []).append(other)
    return moved


def _holds(method: Method, given: int, value: object) -> bool:
    """Whether an argument is a value, or a list with it."""
    content = method.value(given)
    items = getattr(content.val, "items", None) if content is not None else None
    return given == value or (isinstance(items, tuple) and value in items)
