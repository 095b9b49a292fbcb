"""What the runtime will do: stage, outcome and error, by runtime version and verification level."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pte_lint.schema.frozen import dataclass
from pte_lint.schema.str_enum import StrEnum

RUNTIME_VERSIONS: Final = ("1.2", "1.3", "1.4", "1.5")
"""Runtimes whose behaviour is known, oldest first; point releases of one do not differ."""

NEWEST: Final = RUNTIME_VERSIONS[-1]


class Stage(StrEnum):
    """The steps of running a program, in order."""

    LOAD_PROGRAM = "load_program"
    LOAD_METHOD = "load_method"
    SET_INPUT = "set_input"
    EXECUTE = "execute"
    GET_OUTPUT = "get_output"

    @property
    def rank(self) -> int:
        """The position in the order of stages."""
        return _STAGES.index(self)


_STAGES = tuple(Stage)


class Outcome(StrEnum):
    """How a stage ends."""

    OK = "ok"
    ERROR = "error"
    CRASH = "crash"
    UNDEFINED = "undefined"
    WRONG = "wrong"
    """Everything succeeds, memory is left alone, and the results are not PyTorch's."""
    UNJUDGED = "unjudged"
    """This tool gave up: it may end in any way."""


class Verification(StrEnum):
    """How the runtime loads the program (`Program::Verification`).

    `BOTH` judges for both and reports the stricter one; the default.
    """

    BOTH = "both"
    FULL = "full"
    MINIMAL = "minimal"


@dataclass(frozen=True, slots=True)
class Prediction:
    """One stage and how it ends.

    `error` is the runtime's own name (`InvalidProgram`) when the outcome is an error; `signal`
    (`SIGSEGV`) is set for a crash where it is certain.
    """

    stage: Stage
    outcome: Outcome
    error: str | None = None
    signal: str | None = None
    run: int = 1
    """2 when it takes what an earlier run left behind."""

    @property
    def rank(self) -> int:
        """Where it stands among the stages of a first run, and then of later ones."""
        return self.stage.rank + (self.run - 1) * len(_STAGES)

    def __str__(self) -> str:
        """Renders as `set_input: error NotSupported`."""
        detail = self.error or self.signal
        return f"{self.stage}: {self.outcome}" + (f" {detail}" if detail else "")


def error(stage: Stage, name: str) -> Prediction:
    """The stage returns the runtime error `name`."""
    return Prediction(stage, Outcome.ERROR, name)


def crash(stage: Stage, signal: str | None = None) -> Prediction:
    """The process dies in this stage; `signal` (SIGSEGV, SIGABRT, SIGFPE) where it is certain."""
    return Prediction(stage, Outcome.CRASH, signal=signal)


def unjudged(stage: Stage) -> Prediction:
    """How the stage ends was not judged."""
    return Prediction(stage, Outcome.UNJUDGED)


def undefined(stage: Stage) -> Prediction:
    """The stage reports success, or whatever it likes: data is wrong or memory is misused."""
    return Prediction(stage, Outcome.UNDEFINED)


def wrong() -> Prediction:
    """Executing succeeds with results that PyTorch's operators do not give."""
    return Prediction(Stage.EXECUTE, Outcome.WRONG)


@dataclass(frozen=True, slots=True)
class Forecast:
    """A prediction per runtime version, under full and under minimal verification.

    None means that this version is not troubled by the matter. Immutable; the methods return
    changed copies, so that a rule can write
    `Forecast.always(crash(Stage.EXECUTE)).until("1.3", None)`.
    """

    full: tuple[Prediction | None, ...]
    minimal: tuple[Prediction | None, ...]

    @classmethod
    def always(cls, prediction: Prediction | None) -> Forecast:
        """The same in every version and at both levels."""
        same = (prediction,) * len(RUNTIME_VERSIONS)
        return cls(same, same)

    def until(self, version: str, prediction: Prediction | None) -> Forecast:
        """Versions up to and including `version` do this instead, at both levels."""
        last = RUNTIME_VERSIONS.index(version) + 1
        return Forecast(
            (prediction,) * last + self.full[last:], (prediction,) * last + self.minimal[last:]
        )

    def since(self, version: str, prediction: Prediction | None) -> Forecast:
        """Versions from `version` on do this instead, at both levels."""
        first = RUNTIME_VERSIONS.index(version)
        rest = (prediction,) * (len(RUNTIME_VERSIONS) - first)
        return Forecast(self.full[:first] + rest, self.minimal[:first] + rest)

    def when_minimal(self, prediction: Prediction | None) -> Forecast:
        """Every version does this instead under minimal verification."""
        return replace(self, minimal=(prediction,) * len(RUNTIME_VERSIONS))

    def with_minimal(self, other: Forecast) -> Forecast:
        """Takes the minimal-verification side of `other`."""
        return replace(self, minimal=other.minimal)

    def in_second_run(self) -> Forecast:
        """The same outcomes, in a run that takes what an earlier one left behind."""
        return Forecast(
            tuple(p and replace(p, run=2) for p in self.full),
            tuple(p and replace(p, run=2) for p in self.minimal),
        )

    def at(self, version: str, verification: Verification) -> Prediction | None:
        """The prediction for one target; for `BOTH` the earlier and worse of the two levels."""
        index = RUNTIME_VERSIONS.index(version)
        full, minimal = self.full[index], self.minimal[index]
        if verification is Verification.FULL:
            return full
        if verification is Verification.MINIMAL:
            return minimal
        return full if full is not None else minimal
