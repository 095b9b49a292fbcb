"""Repairs of the boundary between host and devices: who gives memory, which copies there are."""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.rules.fixes.finding import method_of, step_of, value_of
from pte_lint.rules.fixes.wishes import put, wishes

from pte_lint.claims.finding import Finding
from pte_lint.data.context import Context
from pte_lint.edits.calls import CopyAfter, CopyBefore, DropInstruction, Rewire
from pte_lint.edits.draft import Edit
from pte_lint.edits.fixer import fixer
from pte_lint.edits.memory import Plan, Unplan
from pte_lint.edits.plan_draft import EditError
from pte_lint.ir.device import HOST, Device
from pte_lint.ir.steps import Step
from pte_lint.questions.method import Method


@fixer(
    "PTE301",
    "take the input out of its arena; the caller gives it on the device",
    safe=False,
    replans="smaller",
)
def unplan_input(finding: Finding, context: Context) -> Iterator[Edit]:
    """The caller owns the tensor: a place of its own in the plan is what set_input stumbles on.

    Where all who use it want it on the host, its tag is what is wrong.
    """
    method, v = method_of(finding, context), value_of(finding)
    if wishes(method, v) <= {HOST}:
        yield from put(method, v, HOST)
    else:
        yield Unplan(method.index, (v,))


@fixer(
    "PTE302",
    "take the output out of its arena; the caller gives memory for it on the device",
    safe=False,
    replans="smaller",
)
def unplan_output(finding: Finding, context: Context) -> Iterator[Edit]:
    """As for inputs. What the method goes on reading after a run stays planned."""
    method, v = method_of(finding, context), value_of(finding)
    if len(method.liveness.storage.together(v)) > 1:
        raise EditError("views share its memory")
    yield Unplan(method.index, (v,))


@fixer("PTE304", "put a copy to the device before or behind the delegate", safe=True)
def copy_to_device(finding: Finding, context: Context) -> Iterator[Edit]:
    """An input is copied before the call; a result is written on the device and copied back."""
    method = method_of(finding, context)
    step, v = step_of(finding, method), value_of(finding)
    target = method.placement.target(step)
    if target is None or target.device is None or not target.is_device:
        raise EditError("the delegate's device is not known")
    yield from _copied(method, step, v, target.device)


@fixer("PTE305", "put a copy to the host before or behind the kernel", safe=True)
def copy_to_host(finding: Finding, context: Context) -> Iterator[Edit]:
    """A kernel reads a copy on the host, or writes there what is then copied to the device."""
    method = method_of(finding, context)
    step, v = step_of(finding, method), value_of(finding)
    if v not in step.args:
        raise EditError("the tensor is given in a list")
    yield from _copied(method, step, v, HOST)


def _copied(method: Method, step: Step, v: int, where: Device) -> Iterator[Edit]:
    if v in step.reads and v in step.writes:
        raise EditError("the call reads and writes the tensor")
    if v in step.writes:
        own = method.home(v)
        yield CopyAfter(method.index, step.index, v, where, own.device)
    else:
        yield CopyBefore(method.index, step.index, v, where)


@fixer("PTE318", "give the device tensor to the second delegate directly", safe=True, last=True)
def skip_round_trip(finding: Finding, context: Context) -> Iterator[Edit]:
    """The copy back goes; the copy to the host stays where others read it."""
    method = method_of(finding, context)
    back = step_of(finding, method)
    first = finding.evidence.get("d2h_instruction")
    if not isinstance(first, int):
        raise EditError("the first copy is not known")
    yield from _read_instead(method, back, method.steps[first].args[0])


@fixer(
    "PTE319",
    "read the earlier copy, and leave out the one that moves nothing new",
    safe=True,
    last=True,
)
def skip_copy(finding: Finding, context: Context) -> Iterator[Edit]:
    """A copy that nobody reads goes; a repeated one is replaced by the first."""
    method = method_of(finding, context)
    copy, earlier = step_of(finding, method), finding.evidence.get("earlier_instruction")
    waste = finding.evidence.get("waste")
    if waste == "dead" or (isinstance(earlier, int) and method.steps[earlier].args == copy.args):
        yield DropInstruction(method.index, copy.index)
    elif isinstance(earlier, int):
        yield from _read_instead(method, copy, method.steps[earlier].args[1])
    else:
        raise EditError("the copy of a constant is made anew in every call, as exporters do")


def _read_instead(method: Method, copy: Step, source: int) -> Iterator[Edit]:
    """Lets all that reads a copy's target read `source`, and leaves the copy out."""
    target = copy.args[1]
    if method.is_output[target] or list(method.writers(target)) != [copy.index]:
        raise EditError("the copy's target is an output, or written by others too")
    if not method.flow.is_straight:
        raise EditError("the method has branches: what the readers meet depends on them")
    for reader in method.readers(target):
        yield Rewire(method.index, reader, target, source)
    yield DropInstruction(method.index, copy.index)


@fixer("PTE138", "plan the output", safe=False)
def plan_output(finding: Finding, context: Context) -> Iterator[Edit]:
    """An output that nobody gives memory gets its own; callers that gave some need not."""
    method = method_of(finding, context)
    if not method.tag(value_of(finding)).is_host:
        raise EditError("it is on a device: its memory has to come from the caller")
    yield _planned(finding, context)


@fixer("PTE316", "plan the tensor on its device", safe=True)
def plan_tensor(finding: Finding, context: Context) -> Iterator[Edit]:
    """Without memory it could not be used at all."""
    yield _planned(finding, context)


def _planned(finding: Finding, context: Context) -> Edit:
    method, v = method_of(finding, context), value_of(finding)
    if method.is_planned(v) or method.is_constant(v) or method.is_external(v):
        raise EditError("the tensor has memory")
    return Plan(method.index, (v,))
