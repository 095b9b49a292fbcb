"""Finds nothing much: three rules for tests of what surrounds rules.

What it finds:
    Whatever a test needs.

    - Inputs, for one.
    - Methods, for another.

What the runtime does:
    Nothing (1.2 to 1.5).

Why it happens:
    A test wanted it: `select` something.

How to fix it:
    Do this:

        config = ExecutorchBackendConfig()

How it is confirmed:
    It is not.

Seen in:
    executorch#21580, NVIDIA/TensorRT#4329
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pte_lint.claims.finding import Finding, Severity, Unchecked
from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.rulebook.rule import Rule, artifact_rule, method_rule

if TYPE_CHECKING:
    from pte_lint.data.context import Context
    from pte_lint.questions.method import Method


NOT_SUPPORTED = Forecast.always(error(Stage.SET_INPUT, "NotSupported"))


@method_rule("PTE901", "input-seen", Severity.ERROR, "a method input", forecast=NOT_SUPPORTED)
def input_seen(method: Method, context: Context) -> Iterator[Finding]:
    """One finding an input."""
    for position, value in enumerate(method.inputs):
        yield Finding(
            message=f"Input {position} is there.",
            remediation="Take it away:\n\n    inputs = ()\n",
            location=method.location(value=value),
            subject=f"input {position}",
            forecast=NOT_SUPPORTED,
        )


@artifact_rule("PTE902", "file-seen", Severity.INFO, "a file")
def file_seen(context: Context) -> Iterator[Finding | Unchecked]:
    """One finding a file, and one gap."""
    yield Finding(message="The file is there.", remediation="")
    yield Unchecked("the weather", "it is not in the file")


@artifact_rule("PTE903", "rule-that-fails", Severity.WARNING, "its own bug")
def rule_that_fails(context: Context) -> Iterator[Finding]:
    """Fails."""
    raise KeyError("a bug")
    yield  # pragma: no cover - makes it a generator


SAMPLES: tuple[Rule, ...] = (input_seen, file_seen)
FAILING: tuple[Rule, ...] = (*SAMPLES, rule_that_fails)
