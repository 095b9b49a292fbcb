"""Repairs of boundary copies: direction, arguments, form, order."""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.rules.fixes.finding import method_of, step_of, value_of
from pte_lint.rules.fixes.wishes import ANY_DEVICE, copy_side, is_given, other_operator, put, wishes

from pte_lint.claims.finding import Finding
from pte_lint.data.context import Context
from pte_lint.edits.calls import DropInstruction, MoveBehind, Rewire, SetCall
from pte_lint.edits.draft import Edit
from pte_lint.edits.fixer import fixer
from pte_lint.edits.memory import Reshape
from pte_lint.edits.plan_draft import EditError
from pte_lint.ir.device import HOST, Device
from pte_lint.ir.steps import Step, StepKind
from pte_lint.questions.method import Method
from pte_lint.questions.placement.copies import COPY_ARGUMENTS, SOURCE, TARGET, is_copy


@fixer(
    "PTE306", "give the copy the direction and the arguments that it was meant to have", safe=True
)
def mend_copy(finding: Finding, context: Context) -> Iterator[Edit]:
    """All of it fails when it runs; who else uses the two tensors says what was meant."""
    method = method_of(finding, context)
    step = step_of(finding, method)
    args = step.args
    if len(args) == COPY_ARGUMENTS - 1:
        args = *args, args[-1]
        yield SetCall(method.index, step.index, step.operator, args)
        return
    if len(args) != COPY_ARGUMENTS:
        raise EditError("which of its arguments are meant cannot be told from the file")
    source, target = args[SOURCE], args[TARGET]
    here = _wanted(method, source, step), _wanted(method, target, step)
    given = is_given(method, source, (step.index,)), is_given(method, target, (step.index,))
    ways = copy_side(step, SOURCE), copy_side(step, TARGET)
    if here == ways:
        for v, where in ((source, ways[SOURCE]), (target, ways[TARGET])):
            yield from _on(method, v, where, step)
    elif here == (HOST, HOST):
        yield from _do_without(method, step)
    elif here != ways[::-1]:
        raise EditError("what the copy was meant for cannot be told from the file")
    elif given[SOURCE] or not given[TARGET]:
        yield SetCall(method.index, step.index, other_operator(step), args)
    else:
        yield SetCall(method.index, step.index, step.operator, (target, source, source))


def _wanted(method: Method, v: int, copy: Step) -> Device:
    """Host or some device, as the others who use a tensor want it, else as its tag says."""
    wanted = wishes(method, v, copy.index)
    kinds = {HOST if d.is_host else ANY_DEVICE for d in wanted} or {
        HOST if method.tag(v).is_host else ANY_DEVICE
    }
    if len(kinds) != 1:
        raise EditError("some use the tensor on the host and some on a device")
    return kinds.pop()


def _on(method: Method, v: int, where: Device, copy: Step) -> Iterator[Edit]:
    if not where.is_host:
        named = {d for d in wishes(method, v, copy.index) if d not in (HOST, ANY_DEVICE)}
        tag = method.tag(v)
        if len(named) != 1 and tag.is_host:
            raise EditError("which device is meant cannot be told from the file")
        where = named.pop() if len(named) == 1 else tag
    if (method.tag(v), method.home(v).device) != (where, where):
        yield from put(method, v, where)


def _do_without(method: Method, copy: Step) -> Iterator[Edit]:
    """Both sides are wanted on the host: whoever read the copy can read the source."""
    source, target = copy.args[SOURCE], copy.args[TARGET]
    if not method.flow.is_straight:
        raise EditError("the method has branches: what the readers meet depends on them")
    if not method.is_output[target] and list(method.writers(target)) == [copy.index]:
        for reader in method.readers(target):
            yield Rewire(method.index, reader, target, source)
    elif len(method.writers(source)) == 1 and list(method.readers(source)) == [copy.index]:
        (writer,) = method.writers(source)
        yield Rewire(method.index, writer, source, target)
    else:
        raise EditError("source and target of the copy are both used by others")
    yield DropInstruction(method.index, copy.index)


@fixer("PTE307", "give the device side of the copy the form of the host side", safe=False)
def match_sides(finding: Finding, context: Context) -> Iterator[Edit]:
    """Kernels and callers fix what the host side is; a delegate may still expect another form."""
    method = method_of(finding, context)
    step = step_of(finding, method)
    if not is_copy(step.operator) or len(step.args) != COPY_ARGUMENTS:
        raise EditError("it is about no copy")
    sides = step.args[SOURCE], step.args[TARGET]
    host, there = sides if copy_side(step, SOURCE) is HOST else sides[::-1]
    if method.has_initial_state(there) or len(method.liveness.storage.together(there)) > 1:
        raise EditError("others share the device side's memory")
    yield Reshape(method.index, there, host)


@fixer("PTE317", "copy the result once it is there, and free what is used until the end", safe=True)
def mend_order(finding: Finding, context: Context) -> Iterator[Edit]:
    """A copy moves behind the delegate that writes its source; instructions that free go."""
    method = method_of(finding, context)
    step, v = step_of(finding, method), value_of(finding)
    frees = [s.index for s in method.steps if s.kind is StepKind.FREE and v in s.args]
    if frees:
        for index in frees:
            yield DropInstruction(method.index, index)
        return
    later = [w for w in method.writers(v) if w > step.index]
    if not is_copy(step.operator) or not method.flow.is_straight or len(method.writers(v)) != 1:
        raise EditError("where its content should come from cannot be told from the file")
    target = step.args[TARGET]
    uses = {*method.readers(target), *method.writers(target)} - {step.index}
    if not later or any(use <= later[0] for use in uses):
        raise EditError("the copy is needed before its source is written")
    yield MoveBehind(method.index, step.index, later[0])


@fixer("PTE131", "leave out the instruction that frees what is used later", safe=True)
def keep_memory(finding: Finding, context: Context) -> Iterator[Edit]:
    """Freeing only lets go of a pointer: the memory is the arena's, or the caller's."""
    method, v = method_of(finding, context), value_of(finding)
    frees = [s.index for s in method.steps if s.kind is StepKind.FREE and v in s.args]
    if not frees:
        raise EditError("nothing frees it: it never has memory")
    for index in frees:
        yield DropInstruction(method.index, index)
