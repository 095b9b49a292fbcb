"""Small device programs as the exporter makes them, and what pte-lint says about them.

The backend's id means nothing to the rules, but for `CudaBackend`, which checks its arguments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pte_lint
from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.result import ArtifactReport
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.device import Device
from pte_lint.testing.program_builder import BuiltProgram, build_program

BACKEND = "SomeDeviceBackend"
CUDA = "CudaBackend"
SIZES = (8, 8)
"""256 bytes of float32."""


def add_method(
    name: str = "forward",
    *,
    backend: str = BACKEND,
    device: Device = "cuda:0",
    skip_h2d: bool = False,
    skip_d2h: bool = False,
    plan_inputs: bool = True,
    plan_outputs: bool = True,
    sizes: Sequence[int] = SIZES,
    specs: Mapping[str, bytes] | None = None,
    dynamism: int = 0,
) -> MethodBuilder:
    """a + b in a delegate, as PropagateDeviceConfig and MemoryPlanningPass shape it.

    With the default copies the values are: inputs 0 and 1, their copies 2 and 3, the delegate's
    result 4, the output 5; the instructions are h2d, h2d, the delegate, d2h.
    """
    b = MethodBuilder(name)
    where: Device = device if skip_h2d else "cpu"
    a, c = (b.input(sizes, device=where, planned=plan_inputs, dynamism=dynamism) for _ in range(2))
    fed = [a, c] if skip_h2d else [b.h2d(v, device=device, dynamism=dynamism) for v in (a, c)]
    planned = plan_outputs or not skip_d2h
    result = b.tensor(sizes, device=device, planned=planned, dynamism=dynamism)
    b.delegate(backend, fed, [result], device=device, specs=specs)
    if skip_d2h:
        b.output(result)
    else:
        b.output(b.d2h(result, planned=plan_outputs, dynamism=dynamism))
    return b


def state_on_host(*, returns: bool = True) -> MethodBuilder:
    """A sum that a delegate adds to, whose buffer stays on the host: values 0 to 7, steps 0 to 5.

    Steps: h2d of the state 0 to 2, h2d of the input 1 to 3, delegate to 4 and 5, d2h 4 to 6, d2h 5
    to 7, copy_ of 6 into 0, or of the input where the delegate's result is not kept.
    """
    b = MethodBuilder()
    state, x = b.state(SIZES, initial=[0] * 64), b.input(SIZES)
    fed = [b.h2d(state), b.h2d(x)]
    kept, result = b.delegate(BACKEND, fed, [SIZES, SIZES], device="cuda:0")
    host, out = b.d2h(kept), b.d2h(result)
    b.kernel("aten::copy_", state, host if returns else x, b.bool_value(False), state)
    b.output(out)
    return b


def island() -> MethodBuilder:
    """Two delegates with a host operator between: values 0 to 10, steps 0 to 8.

    Steps: h2d 0 to 2, h2d 1 to 3, delegate to 4, d2h 4 to 5, sigmoid 5 to 6, h2d 6 to 7, h2d 1 to
    8, delegate to 9, d2h 9 to 10.
    """
    b = MethodBuilder()
    x, y = b.input(SIZES), b.input(SIZES)
    (z,) = b.delegate(BACKEND, [b.h2d(x), b.h2d(y)], [SIZES], device="cuda:0")
    host = b.d2h(z)
    lit = b.call("aten::sigmoid.out", host, out=SIZES)
    (w,) = b.delegate(BACKEND, [b.h2d(lit), b.h2d(y)], [SIZES], device="cuda:0")
    b.output(b.d2h(w))
    return b


def report(
    *what: MethodBuilder | BuiltProgram,
    target: str = "1.5",
    select: Sequence[str] = ("PTE3",),
    **options: Any,
) -> ArtifactReport:
    """What pte-lint says about a program, given as its methods or built."""
    first = what[0]
    built = first if isinstance(first, BuiltProgram) else build_program(*what)  # type: ignore[arg-type]
    checked = pte_lint.check(built.bytes(), target=target, select=select, isolated=True, **options)
    said = checked.artifacts[0]
    assert said.internal_errors == ()
    return said


def findings(said: ArtifactReport, rule: str) -> list[Finding]:
    """The findings of one rule."""
    return [f for f in said.findings if f.rule == rule]


def only(said: ArtifactReport, rule: str) -> Finding:
    """The one finding of a rule."""
    (found,) = findings(said, rule)
    return found


def rules(said: ArtifactReport, *severities: Severity) -> list[str]:
    """Rules with findings of these severities (errors and warnings by default), in order."""
    wanted = severities or (Severity.ERROR, Severity.WARNING)
    return [f.rule for f in said.findings if f.severity in wanted]


def verdict(said: ArtifactReport, method: str = "forward") -> str:
    """A method's verdict as text: `set_input error NotSupported`, or `execute ok`."""
    (v,) = [v for v in said.verdict if v.method == method]
    return " ".join(str(part) for part in (v.stage, v.outcome, v.error or v.signal) if part)


def verdicts(*what: MethodBuilder | BuiltProgram, method: str = "forward") -> dict[str, str]:
    """The verdict for each runtime from 1.3, by version."""
    return {v: verdict(report(*what, target=v), method) for v in ("1.3", "1.4", "1.5")}


def place(found: Finding) -> tuple[int | None, int | None, int | None]:
    """Instruction, argument and value of a finding."""
    at = found.location
    return at.instruction, at.argument, at.value
