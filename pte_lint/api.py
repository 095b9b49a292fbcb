"""The Python entry: `pte_lint.check`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pte_lint._version import __version__
from pte_lint.claims.finding import Json, Severity
from pte_lint.claims.forecast import Verification
from pte_lint.claims.result import Report
from pte_lint.claims.target import Target
from pte_lint.files.artifact import Source
from pte_lint.files.remote.caps import Caps
from pte_lint.judging.engine import Settings
from pte_lint.judging.session import Session
from pte_lint.rulebook.given_options import by_rule
from pte_lint.rulebook.registry import load_rules
from pte_lint.rulebook.selection import rules_to_run


def check(
    artifact: Source | list[Source],
    *,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    severity: Mapping[str, Severity | str] | None = None,
    target: Target | str | None = None,
    verification: Verification | str = Verification.BOTH,
    data: Iterable[Source] = (),
    isolated: bool = False,
    options: Mapping[str, object] | None = None,
    rule_options: Mapping[str, Mapping[str, Json]] | None = None,
    caps: Caps | None = None,
    allow_unjudged: bool = False,
) -> Report:
    """Checks artifacts and returns what was found. Prints nothing, never exits.

    Args:
        artifact: a path, an address (`https://...`), the bytes of a .pte, .ptd or .bpte, an object
            whose `.buffer` is such bytes (an ExecutorchProgramManager), or a list of these.
        select: rule ids, id prefixes, names or `ALL`; empty means all but the optional ones.
        ignore: rules not to run.
        severity: severity by rule id or name, instead of the rule's own.
        target: the runtime to judge for, as `Target` or text (`executorch==1.4.1`); the newest
            known one by default.
        verification: the level at which the runtime loads the program; `both` judges for the
            stricter one. Ignored when `target` is a `Target`.
        data: .ptd files that the program is loaded with; without any those that an
            ExecutorchProgramManager holds.
        isolated: use the built-in rules only.
        options: options for rules, by name.
        rule_options: options of single rules, by rule id or name.
        caps: how much may be fetched of an address; None: the defaults.
        allow_unjudged: make warnings of what was not judged because it takes too much time or
            memory; they are errors otherwise, whatever `select`, `ignore` and `severity` say.

    Returns:
        A `Report` with one `ArtifactReport` per artifact, in the order given.

    Raises:
        ArtifactError: a path or an address cannot be read.
        SelectorError: a selector matches no rule.
        TargetError: the target is not known.
        RuleLoadError: an installed rule package cannot be loaded.
        OptionError: a rule takes no such options.
    """
    sources: list[Source] = list(artifact) if isinstance(artifact, list) else [artifact]
    every = load_rules(isolated)
    where = target if isinstance(target, Target) else _target(target, Verification(verification))
    settings = Settings(
        rules=rules_to_run(every, select, ignore, severity or ()),
        target=where,
        severity=_severities(severity or {}, every),
        options=dict(options or {}),
        rule_options=by_rule(every, rule_options or {}),
        allow_unjudged=allow_unjudged,
    )
    with Session(settings, caps) as session:
        given = session.data(data)
        reports = tuple(session.check(source, data=given) for source in sources)
    return Report(where, reports, __version__)


def _target(text: str | None, verification: Verification) -> Target:
    if text is None:
        return Target(verification=verification)
    return Target.parse(text, verification)


def _severities(
    given: Mapping[str, Severity | str], rules: Sequence[object]
) -> dict[str, Severity]:
    from pte_lint.rulebook.rule import Rule
    from pte_lint.rulebook.selection import find_rule

    known = [r for r in rules if isinstance(r, Rule)]
    return {find_rule(known, key).id: Severity(level) for key, level in given.items()}
