"""Words and predictions that rules about damaged programs share."""

from __future__ import annotations

from typing import Final

from pte_lint.claims.finding import NotEvaluated
from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.data.context import Context
from pte_lint.questions.method import Method

REEXPORT: Final = """\
No exporter setting makes this: the file was edited or damaged after it was written. Take an intact
copy, or export the program again:

    with open("model.pte", "wb") as file:
        edge.to_executorch().write_to_file(file)"""
"""How to get rid of damage."""


def refused_at_load(name: str = "InvalidProgram") -> Forecast:
    """`Method::load` returns this error in every version, at both levels of verification."""
    return Forecast.always(error(Stage.LOAD_METHOD, name))


def refused_by_validation(minimal: str = "InvalidProgram") -> Forecast:
    """Full verification refuses the whole program; else loading the method returns `minimal`.

    What `validate_program` (runtime/executor/program_validation.cpp) looks at in every plan, used
    or not.
    """
    return Forecast.always(error(Stage.LOAD_PROGRAM, "InvalidProgram")).with_minimal(
        refused_at_load(minimal)
    )


def unreadable(context: Context) -> frozenset[str]:
    """Logical paths of what could not be decoded, and so only looks absent.

    The whole program is refused for it under full verification; what the runtime reads in its
    place otherwise, nobody knows.
    """
    loaded = context.loaded
    return frozenset(v.path for v in loaded.violations if v.hard) if loaded else frozenset()


_NEEDED: Final = ("", ".values", ".inputs", ".outputs", ".chains")


def require_readable(method: Method, context: Context) -> None:
    """Lets a rule about a method's steps run only where all of them could be decoded.

    Raises:
        NotEvaluated: when values, inputs, outputs or instructions are damaged.
    """
    damaged = unreadable(context)
    for path in damaged:
        if path.startswith(method.path) or not path:
            rest = path[len(method.path) :] if path else ""
            if any(rest == n or (n and rest.startswith(n)) for n in _NEEDED):
                raise NotEvaluated("parts of the method cannot be read")
