"""What rules and report formats of others import: this module is stable, all others are private.

A plugin is a distribution with entry points of these groups:

- `pte_lint.rules`: a list of rules, each made by `method_rule` or `artifact_rule`.
- `pte_lint.formats`: a `ReportFormat`, under the name that `--format` and `--output` take.
- `pte_lint.target_keys`: a class derived from `Options`, under the name of a key of its own in
  target profiles (`*.json`); rules get it with `target_key(context, name)`.

They are looked over as they are loaded. `docs/writing_rules.md` is the guide, `pte_lint.testing`
has what a plugin's tests need.

`INTERFACE_VERSION` rises when something here is taken away or changes its meaning, not when
something is added. A plugin's module that defines `PTE_LINT_INTERFACE` is refused by every other
version.

What takes long to import (`Context`, `Method`, `Options` and the like) is imported when it is first
used; rules that need it for annotations only do so under `TYPE_CHECKING`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from pte_lint.claims.finding import Finding, Json, Location, NotEvaluated, Severity, Unchecked
from pte_lint.claims.forecast import (
    RUNTIME_VERSIONS,
    Forecast,
    Outcome,
    Prediction,
    Stage,
    Verification,
    crash,
    error,
    undefined,
    wrong,
)
from pte_lint.rulebook.interface import INTERFACE_VERSION
from pte_lint.rulebook.rule import HEADINGS, Rule, Yields, artifact_rule, method_rule

if TYPE_CHECKING:
    from pte_lint.claims.result import ArtifactReport, Report, Verdict
    from pte_lint.claims.target import Target
    from pte_lint.data.context import Context
    from pte_lint.data.delegate_blobs import Blob
    from pte_lint.ir.steps import Step, StepKind
    from pte_lint.ops.schemas import OperatorSchema, Parameter, operator_schema
    from pte_lint.plugin.gathering import rules_in
    from pte_lint.questions.method import Method
    from pte_lint.rulebook.formats_of_others import ReportFormat
    from pte_lint.rulebook.options import Options
    from pte_lint.rulebook.target_keys import target_key
    from pte_lint.schema.enums import KernelTypes
    from pte_lint.schema.program import Program, Tensor

_LATER: Final = {
    "ArtifactReport": "pte_lint.claims.result",
    "Blob": "pte_lint.data.delegate_blobs",
    "Context": "pte_lint.data.context",
    "KernelTypes": "pte_lint.schema.enums",
    "Method": "pte_lint.questions.method",
    "OperatorSchema": "pte_lint.ops.schemas",
    "Options": "pte_lint.rulebook.options",
    "Parameter": "pte_lint.ops.schemas",
    "Program": "pte_lint.schema.program",
    "Report": "pte_lint.claims.result",
    "ReportFormat": "pte_lint.rulebook.formats_of_others",
    "Step": "pte_lint.ir.steps",
    "StepKind": "pte_lint.ir.steps",
    "Target": "pte_lint.claims.target",
    "Tensor": "pte_lint.schema.program",
    "Verdict": "pte_lint.claims.result",
    "operator_schema": "pte_lint.ops.schemas",
    "rules_in": "pte_lint.plugin.gathering",
    "target_key": "pte_lint.rulebook.target_keys",
}
"""Where names are that are imported when they are first used."""


def __getattr__(name: str) -> Any:
    home = _LATER.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(home), name)
    return value


__all__ = [
    "HEADINGS",
    "INTERFACE_VERSION",
    "RUNTIME_VERSIONS",
    "ArtifactReport",
    "Blob",
    "Context",
    "Finding",
    "Forecast",
    "Json",
    "KernelTypes",
    "Location",
    "Method",
    "NotEvaluated",
    "OperatorSchema",
    "Options",
    "Outcome",
    "Parameter",
    "Prediction",
    "Program",
    "Report",
    "ReportFormat",
    "Rule",
    "Severity",
    "Stage",
    "Step",
    "StepKind",
    "Target",
    "Tensor",
    "Unchecked",
    "Verdict",
    "Verification",
    "Yields",
    "artifact_rule",
    "crash",
    "error",
    "method_rule",
    "operator_schema",
    "rules_in",
    "target_key",
    "undefined",
    "wrong",
]
