"""What is wrong with a rule that a plugin brings, and what its author should change.

Built-in rules are held to the same by a test, so that nothing is paid for it when they are loaded.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any, Final

from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Forecast, Outcome
from pte_lint.rulebook.rule import HEADINGS, Rule, Scope
from pte_lint.rulebook.ruledoc import parse
from pte_lint.rulebook.selection import ALL

_ID: Final = re.compile(r"([A-Z]{2,10})(\d{3})")
_NAME: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)+")
_PLUGIN: Final = "pte_lint.plugin"


def faults(rule: Any) -> Iterator[str]:
    """Each fault in a sentence without a full stop; none for a rule that can be used.

    Nothing is taken for granted: fields of a rule may be of any type.
    """
    if isinstance(rule, Rule):
        yield from _faults(rule)
    else:
        yield _no_rule(rule)


def _faults(rule: Any) -> Iterator[str]:
    yield from _identity(rule)
    if not isinstance(rule.severity, Severity):
        yield f"the severity is {rule.severity!r}: write Severity.ERROR, .WARNING or .INFO"
    if not isinstance(rule.summary, str) or not rule.summary.strip() or "\n" in rule.summary:
        yield 'the summary must be one line of text that completes "finds ..."'
    if rule.scope not in (Scope.METHOD, Scope.ARTIFACT):
        yield f"the scope is {rule.scope!r}: declare the rule with method_rule or artifact_rule"
    yield from _documentation(rule)
    yield from _forecast(rule)
    takes = 2 if rule.scope == Scope.METHOD else 1
    if rule.options is not None:
        from pte_lint.rulebook.options import faults_of_model

        takes += 1
        yield from faults_of_model(rule.options)
    yield from _function(rule, takes)


def _no_rule(rule: Any) -> str:
    if isinstance(rule, ModuleType):
        return f"{rule.__name__} is a module: list the rule in it"
    if inspect.isroutine(rule):
        name = getattr(rule, "__name__", repr(rule))
        return f"{name} is a plain function: decorate it with method_rule or artifact_rule"
    return f"{rule!r} is no rule: list what {_PLUGIN}.method_rule or artifact_rule made"


def _identity(rule: Any) -> Iterator[str]:
    told = _ID.fullmatch(rule.id) if isinstance(rule.id, str) else None
    if told is None or told[1] == ALL:
        yield (
            f"the id {rule.id!r} must be 2 to 10 capital letters and three digits: letters of "
            "your own, such as ACME001, or PTE900 to PTE999"
        )
    elif told[1] == "PTE" and told[2][0] != "9":
        yield (
            f"the id {rule.id} is kept for pte-lint: take one of PTE900 to PTE999, or letters of "
            "your own, such as ACME001"
        )
    if not isinstance(rule.name, str) or not _NAME.fullmatch(rule.name):
        yield (
            f"the name {rule.name!r} must be two words or more in small letters with hyphens "
            "between them, such as no-double-inputs"
        )


def _documentation(rule: Any) -> Iterator[str]:
    module = sys.modules.get(rule.module)
    missing = parse(getattr(module, "__doc__", None) or "").missing
    if missing:
        told = ", ".join(f'"{heading}:"' for heading in missing)
        every = "" if missing == HEADINGS else f" (of {len(HEADINGS)})"
        yield f"the docstring of its module {rule.module} lacks the headings{every} {told}"


def _forecast(rule: Any) -> Iterator[str]:
    given = rule.forecast
    if given is None:
        if rule.severity is Severity.ERROR:
            yield (
                "it reports errors and says not what the runtime does: give forecast=..., such as "
                'Forecast.always(error(Stage.EXECUTE, "InvalidArgument")), or make it a warning'
            )
        return
    if not isinstance(given, Forecast):
        yield f"the forecast is {given!r}: make it with Forecast.always(...)"
    elif not any(p and p.outcome is not Outcome.OK for p in (*given.full, *given.minimal)):
        yield "its forecast troubles no runtime: name what goes wrong, or leave it out"


def _function(rule: Any, takes: int) -> Iterator[str]:
    function = rule.function
    if not callable(function):
        yield f"its function is {function!r}, which cannot be called"
        return
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        yield "its function is async: make it a plain generator"
    try:
        signature = inspect.signature(function)
        signature.bind(*range(takes))
    except (TypeError, ValueError):
        given = "method, context" if rule.scope == Scope.METHOD else "context"
        given += ", options" if rule.options is not None else ""
        yield f"its function must take ({given})"
