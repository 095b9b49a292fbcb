"""Assertions for tests: `assert_clean` for programs, `assert_finds` for exporters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from typing import ParamSpec, TypeVar, cast

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.result import Report
from pte_lint.config.settings import RunSettings
from pte_lint.files.artifact import Source
from pte_lint.files.fetched import ArtifactError, NoSourceError
from pte_lint.judging.judge import Judge
from pte_lint.report.phrases import counts, plural
from pte_lint.report.text import TextOptions, render_text
from pte_lint.rulebook.registry import load_rules
from pte_lint.rulebook.selection import select_rules


class UsageError(ValueError):
    """An argument names nothing known; the message says what there is."""


_Params = ParamSpec("_Params")
_Result = TypeVar("_Result")


def plainly(function: Callable[_Params, _Result]) -> Callable[_Params, _Result]:
    """A function whose wrong usage is told in a line: where it is called, and what is wrong.

    Where pte-lint noticed it is of no use to who wrote the test.
    """
    from pte_lint.claims.target import TargetError
    from pte_lint.config.baseline import BaselineError
    from pte_lint.rulebook.registry import RuleLoadError
    from pte_lint.rulebook.selection import SelectorError

    usage = (
        ArtifactError,
        BaselineError,
        NoSourceError,
        RuleLoadError,
        SelectorError,
        TargetError,
        UsageError,
    )

    @wraps(function)
    def call(*args: _Params.args, **kwargs: _Params.kwargs) -> _Result:
        __tracebackhide__ = True
        try:
            return function(*args, **kwargs)
        except usage as error:
            raise error.with_traceback(None) from None

    return call


class NotClean(AssertionError):  # noqa: N818 - a failed assertion, named for what failed
    """The program has findings; the message is the report, with the fix of each."""


class NotFound(AssertionError):  # noqa: N818 - a failed assertion, named for what failed
    """The program lacks a finding that a test wants; the message says what was found."""


# In front of its message pytest's summary has an exception's whole name.
NotClean.__module__ = NotFound.__module__ = UsageError.__module__ = "pte_lint"


@plainly
def assert_clean(
    program: Source,
    *,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    fail_on: Severity | str = Severity.ERROR,
    severity: Mapping[str, Severity | str] | None = None,
    target: str | None = None,
    data: Sequence[Source] | Source = (),
    allow_unjudged: bool = False,
) -> Report:
    """Asserts that a program has no finding at or above `fail_on`.

    Reads no configuration file: what a test asserts stands in the test.

    Args:
        program: a path, the bytes of a .pte, .ptd or .bpte, or an ExecutorchProgramManager.
        select: rule ids, id prefixes, names or `ALL`; empty means all rules.
        ignore: rules not to run.
        fail_on: the mildest severity that fails; `unchecked`: errors, and anything that could not
            be checked.
        severity: severity by rule id or name, instead of the rule's own.
        target: the runtime to judge for, such as `executorch==1.4.1`.
        data: one or several .ptd files that the program is loaded with.
        allow_unjudged: make warnings of what was not judged because it takes too much time or
            memory; they fail otherwise.

    Returns:
        The report, with whatever is milder.

    Raises:
        NotClean: an AssertionError whose message is the report.
        ArtifactError: a path cannot be read.
        SelectorError, TargetError, UsageError: an argument names nothing known.
    """
    __tracebackhide__ = True
    settings = replace(_settings(select, ignore, severity, target), allow_unjudged=allow_unjudged)
    settings = settings.failing_on(_level(str(fail_on), "fail_on", "never", "unchecked"))
    report = Judge(settings)(program, data=several(data))
    require_clean(report, settings)
    return report


@plainly
def assert_finds(
    program: Source,
    *rules: str,
    only: bool = False,
    method: str | None = None,
    target: str | None = None,
    data: Sequence[Source] | Source = (),
) -> tuple[Finding, ...]:
    """Asserts that each of some rules has at least one finding in a program.

    Args:
        program: a path, the bytes of a .pte, .ptd or .bpte, or an ExecutorchProgramManager.
        rules: ids, names or id prefixes.
        only: also that no other rule has an error.
        method: count findings of this method only.
        target: the runtime to judge for, such as `executorch==1.4.1`.
        data: one or several .ptd files that the program is loaded with.

    Returns:
        The findings of these rules.

    Raises:
        NotFound: an AssertionError that says what was found instead.
        ArtifactError: a path cannot be read.
        SelectorError, TargetError: an argument names nothing known.
        UsageError: no rule is given.
    """
    __tracebackhide__ = True
    report = Judge(_settings((), (), None, target))(program, data=several(data))
    return require_findings(report, rules, only=only, method=method)


def require_clean(report: Report, settings: RunSettings) -> None:
    """Raises `NotClean` when the report has what fails by the settings, or a rule failed."""
    __tracebackhide__ = True
    fail_on = settings.fail_on
    if fail_on is None and not report.internal_errors:
        return
    if report.is_clean(fail_on or Severity.ERROR, unchecked=settings.fail_on_unchecked):
        return
    raise NotClean(failure_text(report))


def require_findings(
    report: Report, rules: Iterable[str], *, only: bool = False, method: str | None = None
) -> tuple[Finding, ...]:
    """Returns the findings of some rules, or raises `NotFound`; see `assert_finds`."""
    __tracebackhide__ = True
    wanted = tuple(rules)
    if not wanted:
        raise UsageError("assert_finds wants at least one rule, such as 'PTE301'")
    known = load_rules()
    found: dict[int, Finding] = {}
    for selector in wanted:
        ids = {rule.id for rule in select_rules(known, (selector,))}
        mine = [
            f for f in report.findings if f.rule in ids and (method is None or f.method == method)
        ]
        if not mine:
            where = "" if method is None else f" in method {method!r}"
            raise NotFound(f"pte-lint: no finding of {selector}{where}\n\n{_told(report)}")
        found.update((id(f), f) for f in mine)
    others = [f for f in report.findings if f.severity is Severity.ERROR and id(f) not in found]
    if only and others:
        names = ", ".join(sorted({f.rule for f in others}))
        raise NotFound(f"pte-lint: errors of other rules too: {names}\n\n{_told(report)}")
    return tuple(f for f in report.findings if id(f) in found)


def named(report: Report, name: str) -> Report:
    """A copy of a report on one artifact that calls it by another name."""
    (artifact,) = report.artifacts
    return replace(report, artifacts=(replace(artifact, path=name),))


def failure_text(report: Report) -> str:
    """The text of a failed test: the report, findings first, with the fix of each.

    Its first line is all that a summary of pytest has room for: the rules, the worst first.
    """
    found = sorted(report.findings, key=lambda f: (f.severity or Severity.INFO).rank)
    rules = list(dict.fromkeys(f"{f.rule} {f.name}" for f in found if f.cause is None))
    more = f" and {plural(len(rules) - 1, 'other rule')}" if len(rules) > 1 else ""
    first = f"{rules[0]}{more}; " if rules else ""
    return f"{first}{counts(report)}\n\n{_told(report)}"


def _told(report: Report) -> str:
    quiet = render_text(report, TextOptions(quiet=True)).rstrip()
    return quiet or "(there are no findings)"


def _settings(
    select: Iterable[str],
    ignore: Iterable[str],
    severity: Mapping[str, Severity | str] | None,
    target: str | None,
) -> RunSettings:
    return RunSettings(
        select=_words(select),
        ignore=_words(ignore),
        severity={
            rule: Severity(_level(str(level), f"severity of {rule}"))
            for rule, level in (severity or {}).items()
        },
        target=target,
    )


def _level(text: str, what: str, *more: str) -> str:
    known = [*map(str, Severity), *more]
    if text not in known:
        import difflib

        near = difflib.get_close_matches(text, known, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise UsageError(f"{what} is {text!r}, and may be {', '.join(known)}{hint}")
    return text


def _words(values: Iterable[str]) -> tuple[str, ...]:
    """One word is as good as a list of one."""
    return (values,) if isinstance(values, str) else tuple(values)


def several(data: Sequence[Source] | Source) -> tuple[Source, ...]:
    """One file is as good as a list of one."""
    return tuple(data) if isinstance(data, list | tuple) else (cast("Source", data),)
