"""How causes that no edit mends are taken away, so that a run shows what they did.

`confirm` uses these where no fixer says better; nothing of this is ever written for anybody.
"""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.rules.fixes.finding import method_of, step_of, value_of
from pte_lint.rules.fixes.wishes import copy_side
from pte_lint.schema.enums import DeviceType, KernelTypes
from pte_lint.schema.program import (
    BackendDelegateDataReference,
    Bool,
    Double,
    EValue,
    Int,
    IntList,
    Null,
    Payload,
)

from pte_lint.claims.finding import Finding
from pte_lint.data.context import Context
from pte_lint.edits.calls import ConvertAfter, ConvertBefore, StepOver
from pte_lint.edits.draft import Edit
from pte_lint.edits.fixer import Edits
from pte_lint.edits.memory import OwnArena, Plan, ResizeArena, Unplan
from pte_lint.edits.plan_draft import EditError
from pte_lint.edits.undoing import (
    ConvertBase,
    DropItem,
    DropPort,
    EmptyValue,
    FillTable,
    PlainTensor,
    PlanInstead,
    Rename,
    ReplaceByTwin,
    RewriteTables,
    SetArgument,
    SetDelegate,
    SetProgram,
    WithoutConstants,
)
from pte_lint.ir.device import HOST, Device
from pte_lint.ir.steps import StepKind
from pte_lint.ops.schemas import operator_schema
from pte_lint.questions.placement.copies import SOURCE, TARGET, is_copy


def _tables(finding: Finding, context: Context) -> Iterator[Edit]:
    yield RewriteTables()


def _version(finding: Finding, context: Context) -> Iterator[Edit]:
    yield SetProgram((("version", 0),))


def _constants(finding: Finding, context: Context) -> Iterator[Edit]:
    yield WithoutConstants()


def _missing_table(finding: Finding, context: Context) -> Iterator[Edit]:
    yield FillTable(_plan(finding), finding.location.path.rpartition(".")[2])


def _name(finding: Finding, context: Context) -> Iterator[Edit]:
    """The method of that name that comes first gets out of the way."""
    named = {method.path: method for method in context.methods}
    method = named[finding.location.path.removesuffix(".name")]
    first = next(each for each in context.methods if each.name == method.name)
    if first is method:
        raise EditError("no method before has its name")
    taken = {each.name for each in context.methods}
    free = (f"m{n}" for n in range(len(taken) + 1))
    yield Rename(first.index, next(name for name in free if name not in taken))


def _value(finding: Finding, context: Context) -> Iterator[Edit]:
    yield EmptyValue(_plan(finding), value_of(finding))


def _item(finding: Finding, context: Context) -> Iterator[Edit]:
    yield DropItem(_plan(finding), value_of(finding), int(finding.evidence["item"]))


def _tensor(finding: Finding, context: Context) -> Iterator[Edit]:
    yield PlainTensor(_plan(finding), value_of(finding))


def _data(finding: Finding, context: Context) -> Iterator[Edit]:
    """All tensors that a finding is about, where it is about more than one."""
    for v in finding.evidence.get("values", [value_of(finding)]):
        yield PlanInstead(_plan(finding), v)


def _port(finding: Finding, context: Context) -> Iterator[Edit]:
    field, _, position = finding.location.path.rpartition(".")[2].rstrip("]").partition("[")
    method = method_of(finding, context)
    if not position:
        field, position = "inputs", str(method.inputs.index(value_of(finding)))
    yield DropPort(_plan(finding), field, int(position))


def _over(finding: Finding, context: Context) -> Iterator[Edit]:
    yield StepOver(_plan(finding), step_of(finding, method_of(finding, context)).index)


def _reference(finding: Finding, context: Context) -> Iterator[Edit]:
    """Another argument, where the instruction has any; else the whole instruction goes."""
    method = method_of(finding, context)
    step, argument = step_of(finding, method), finding.location.argument
    if step.kind in (StepKind.KERNEL, StepKind.DELEGATE) and argument is not None:
        yield SetArgument(method.index, step.index, argument, 0)
    else:
        yield StepOver(method.index, step.index)


def _unplanned(finding: Finding, context: Context) -> Iterator[Edit]:
    """Without a place: only what needs one minds."""
    yield Unplan(_plan(finding), (value_of(finding),))


def _alone(finding: Finding, context: Context) -> Iterator[Edit]:
    """In memory where its tag says, by itself: nothing else moves."""
    yield OwnArena(_plan(finding), value_of(finding))


def _side(finding: Finding, context: Context) -> Iterator[Edit]:
    """Another tensor, where the copy wants it."""
    method = method_of(finding, context)
    step, side = step_of(finding, method), finding.location.argument
    if not is_copy(step.operator) or side not in (SOURCE, TARGET):
        raise EditError("it is about no side of a copy")
    where = HOST if copy_side(step, side).is_host else Device(DeviceType.CUDA, 0)
    yield ReplaceByTwin(method.index, step.index, side, where)
    if side == TARGET:
        yield ReplaceByTwin(method.index, step.index, len(step.args) - 1, where)


def _memory(finding: Finding, context: Context) -> Iterator[Edit]:
    method, v = method_of(finding, context), value_of(finding)
    if method.is_planned(v):
        raise EditError("the tensor has memory")
    yield Plan(method.index, (v,))


def _arena(finding: Finding, context: Context) -> Iterator[Edit]:
    memory_id = int(finding.location.path.rpartition("[")[2].rstrip("]"))
    yield ResizeArena(_plan(finding), memory_id, int(finding.evidence["used"]))


def _argument(finding: Finding, context: Context) -> Iterator[Edit]:
    """A new value of the kind that the operator's schema wants there."""
    method = method_of(finding, context)
    step, position = step_of(finding, method), finding.location.argument
    schema = operator_schema(step.operator)
    if schema is None or position is None or position >= len(schema.parameters):
        raise EditError("what the kernel wants there is not known")
    wanted = schema.parameters[position].accepted
    if KernelTypes.TENSOR in wanted:
        tensors = [v for v in step.args if method.tensor(v) is not None]
        if not tensors:
            raise EditError("the call has no tensor")
        yield SetArgument(method.index, step.index, position, tensors[-1])
        return
    kind = next((kind for kind in _PLAIN if kind in wanted), None)
    if kind is None:
        raise EditError("no value of that kind can be made up")
    yield SetArgument(method.index, step.index, position, EValue(kind, _PLAIN[kind]))


_PLAIN: dict[KernelTypes, Payload] = {
    KernelTypes.INT: Int(1),
    KernelTypes.DOUBLE: Double(1.0),
    KernelTypes.BOOL: Bool(False),
    KernelTypes.NULL: Null(),
    KernelTypes.INT_LIST: IntList(()),
}


def _blob(finding: Finding, context: Context) -> Iterator[Edit]:
    yield SetDelegate(
        _plan(finding), _delegate(finding), (("processed", BackendDelegateDataReference()),)
    )


def _specs(finding: Finding, context: Context) -> Iterator[Edit]:
    yield SetDelegate(_plan(finding), _delegate(finding), (("compile_specs", ()),))


def _order(finding: Finding, context: Context) -> Iterator[Edit]:
    """Every tensor of the call in the default order, and the result back in its own."""
    method = method_of(finding, context)
    step = step_of(finding, method)
    for v in dict.fromkeys(step.args):
        tensor = method.tensor(v)
        order = tensor.dim_order if tensor is not None else None
        plain = tuple(range(len(order or ())))
        if order is None or tuple(order) == plain:
            continue
        if v in step.writes:
            yield ConvertAfter(method.index, step.index, v, plain)
        else:
            yield ConvertBefore(method.index, step.index, v, plain)


def _base_order(finding: Finding, context: Context) -> Iterator[Edit]:
    method = method_of(finding, context)
    step = step_of(finding, method)
    yield ConvertBase(method.index, step.index, int(finding.evidence["base"]), value_of(finding))


def _plan(finding: Finding) -> int:
    if finding.plan is None:
        raise EditError("it is about no method")
    return finding.plan


def _delegate(finding: Finding) -> int:
    return int(finding.location.path.partition(".delegates[")[2].partition("]")[0])


UNDOING: dict[str, Edits] = {
    "PTE010": _tables,
    **dict.fromkeys(("PTE011", "PTE012"), _constants),
    "PTE013": _version,
    "PTE102": _missing_table,
    "PTE103": _name,
    "PTE104": _value,
    "PTE105": _item,
    **dict.fromkeys(("PTE106", "PTE107", "PTE108", "PTE109", "PTE110"), _tensor),
    **dict.fromkeys(("PTE112", "PTE113", "PTE114"), _port),
    "PTE120": _over,
    "PTE121": _reference,
    "PTE124": _argument,
    "PTE131": _memory,
    **dict.fromkeys(("PTE141", "PTE151"), _order),
    "PTE152": _base_order,
    **dict.fromkeys(("PTE201", "PTE202", "PTE301"), _unplanned),
    "PTE206": _arena,
    "PTE306": _side,
    **dict.fromkeys(("PTE308", "PTE309"), _alone),
    "PTE412": _blob,
    "PTE414": _specs,
    **dict.fromkeys(
        ("PTE315", "PTE501", "PTE502", "PTE503", "PTE506", "PTE512", "PTE513", "PTE514", "PTE515"),
        _data,
    ),
}
"""What takes the cause of a rule's finding away, and nothing else."""

STEP_OVER: Edits = _over
"""Reaches what lies behind a finding about an instruction; what it did is not shown by this."""
