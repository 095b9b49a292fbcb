"""Turns placement faults into findings, the same way for every rule of the device family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pte_lint.claims.finding import Finding, Json, Severity
from pte_lint.claims.forecast import Forecast, Stage, undefined
from pte_lint.claims.order import ExecuteStep
from pte_lint.interpret.flow import flow_of
from pte_lint.questions.placement.faults import CheckSite, Fault, Outlook, combined
from pte_lint.schema.enums import dtype_name

if TYPE_CHECKING:
    from pte_lint.ir.method import Method
    from pte_lint.questions.missing_writer import MissingWriter


def fault_finding(
    method: Method,
    faults: Sequence[Fault],
    message: str,
    remediation: str,
    evidence: Mapping[str, Json] | None = None,
) -> Finding:
    """One finding for faults of one cause about one tensor or argument.

    It is an error where some runtime is sure to fail, with the forecast and the place of the
    first failure; else a warning without a forecast.
    """
    outlook = combined(faults)
    fault = outlook.first
    proven = is_proven(outlook)
    return Finding(
        message=message,
        remediation=remediation,
        location=method.location(step=fault.step, value=fault.value, argument=fault.argument),
        forecast=outlook.forecast if proven else None,
        order=outlook.order,
        orders=outlook.orders,
        evidence={**residency_evidence(method, fault), **(evidence or {})},
        subject=method.describe(fault.value),
        severity=None if proven else Severity.WARNING,
    )


def missing_writer_finding(method: Method, missing: MissingWriter, remediation: str) -> Finding:
    """The finding for a value that passes for a view although its writer is likely missing.

    It is an error where that is certain, else a warning.
    """
    step, v, result = missing.reader, missing.value, missing.result
    lost = f"nobody reads {method.describe(result)}, which {missing.made_by.operator} gives"
    if method.readers(result):
        lost = f"no copy takes {method.describe(result)} from {missing.made_by.operator}"
    certain = missing.is_certain and not flow_of(method).is_conditional(step.index)
    follows = "the copy between them is missing"
    if not certain:
        follows = "it is a view of what lies there, or the instruction between them is missing"
    return Finding(
        message=f"{step.operator} reads {method.describe(v)}, which no instruction writes, while "
        f"{lost}: {follows}.",
        remediation=remediation,
        location=method.location(step=step, value=v),
        forecast=Forecast.always(undefined(Stage.EXECUTE)) if certain else None,
        order=(step.index, ExecuteStep.SILENT),
        evidence={"result": result, "made_by": missing.made_by.index},
        subject=f"value {v} read",
        severity=None if certain else Severity.WARNING,
    )


def is_proven(outlook: Outlook) -> bool:
    """True when some runtime version is sure to be troubled."""
    return outlook.certain and any(p is not None for p in outlook.forecast.full)


def residency_evidence(method: Method, fault: Fault) -> dict[str, Json]:
    """Tag, home, size and type of the tensor that a fault is about."""
    return tensor_evidence(method, fault.place.value) | {
        "tag": str(fault.place.tag),
        "home": str(fault.place.home),
    }


def tensor_evidence(method: Method, v: int) -> dict[str, Json]:
    """Element type, sizes and bytes of a tensor."""
    tensor = method.tensor(v)
    return {
        "dtype": dtype_name(tensor.scalar_type) if tensor else None,
        "sizes": list(tensor.sizes or ()) if tensor else [],
        "bytes": method.nbytes(v),
    }


def who(fault: Fault) -> str:
    """Who meets the tensor, for messages: `the delegate CudaBackend`, `kernel aten::add.out`."""
    operator = fault.step.operator if fault.step is not None else ""
    match fault.check_site:
        case CheckSite.DELEGATE:
            return f"the delegate {operator}"
        case CheckSite.KERNEL:
            return f"the host kernel {operator}"
        case CheckSite.COPY_SOURCE | CheckSite.COPY_TARGET:
            return f"the boundary copy {operator}"
        case CheckSite.JUMP:
            return "a jump"
        case CheckSite.SET_INPUT:
            return "set_input"
        case CheckSite.LOAD:
            return "the loader"
        case CheckSite.CALLER:
            return "the caller"


def capital(text: str) -> str:
    """The text with its first letter in upper case."""
    return text[:1].upper() + text[1:]
