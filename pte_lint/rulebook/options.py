"""Options of rules: a pydantic model each, whose fields have types and defaults.

Only rules that have options import this module.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict


class Options(BaseModel):
    """The base of a rule's options. Keys that are not known are refused.

    A string below a field describes it in `pte-lint explain`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


def faults_of_model(model: object) -> Iterator[str]:
    """What is wrong with a rule's `options`, and what to change."""
    if not (isinstance(model, type) and issubclass(model, Options)):
        yield f"options is {model!r}: give a class derived from pte_lint.plugin.Options"
        return
    for name, field in model.model_fields.items():
        if field.is_required():
            yield f"the option {name!r} has no default: give it one"
    if model.model_config.get("extra") != "forbid":
        yield "its options allow keys that are not known: keep extra='forbid'"


def described(model: type[Options]) -> Iterator[tuple[str, str, str, str]]:
    """Name, type, default and description of each option."""
    for name, field in model.model_fields.items():
        told = field.annotation
        kind = told.__name__ if isinstance(told, type) else str(told).replace("typing.", "")
        yield (
            name,
            kind,
            repr(field.get_default(call_default_factory=True)),
            (" ".join((field.description or "").split())),
        )
