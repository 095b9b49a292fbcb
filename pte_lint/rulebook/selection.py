"""Which rules run: selectors by id, id prefix, name, or ALL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pte_lint.rulebook.rule import Rule, Scope

ALL = "ALL"


class SelectorError(ValueError):
    """A selector matches no rule; the message says what it may have meant."""


def select_rules(
    rules: Sequence[Rule],
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    severity: Iterable[str] = (),
) -> tuple[Rule, ...]:
    """Returns the rules to run, in the order given.

    A selector is `ALL`, an id (`PTE301`), an id prefix (`PTE3`, `ACME`), or a name
    (`device-input-planned`). Where a rule is both selected and ignored, the more specific
    selector wins, and ignoring wins a tie.

    Args:
        rules: every rule there is.
        select: what to run; empty means all but the optional rules.
        ignore: what not to run.
        severity: rules that were given a severity, by id or name: of the optional ones those run
            too when nothing is selected.

    Raises:
        SelectorError: a selector matches nothing, or no rule is left.
    """
    chosen, dropped, wanted_too = (
        tuple(dict.fromkeys(each)) for each in (select, ignore, severity)
    )
    by_default = not chosen
    chosen = chosen or (ALL,)
    for selector in (*chosen, *dropped):
        known = selector.upper() == ALL or any(_specificity(selector, r) for r in rules)
        if not known:
            raise SelectorError(_unknown(selector, rules))
    kept = []
    for rule in rules:
        if by_default and rule.is_optional and not any(_specificity(s, rule) for s in wanted_too):
            continue
        wanted = max(_specificity(s, rule) for s in chosen)
        unwanted = max((_specificity(s, rule) for s in dropped), default=0)
        if wanted > unwanted:
            kept.append(rule)
    if rules and not kept:
        raise SelectorError("these selectors leave no rule: nothing would be checked")
    return tuple(kept)


def rules_to_run(
    rules: Sequence[Rule],
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    severity: Iterable[str] = (),
) -> tuple[Rule, ...]:
    """Returns what `select_rules` does, and behind it the rules that no selector leaves out.

    Raises:
        SelectorError: a selector matches nothing, or no rule is left.
    """
    chosen = select_rules(rules, select, ignore, severity)
    always = tuple(rule for rule in rules if rule.scope is Scope.LEDGER)
    return (*(rule for rule in chosen if rule not in always), *always)


def find_rule(rules: Sequence[Rule], text: str) -> Rule:
    """Returns the rule with this id or name.

    Raises:
        SelectorError: there is none.
    """
    for rule in rules:
        if text.upper() == rule.id or text.lower() == rule.name:
            return rule
    raise SelectorError(_unknown(text, rules))


def _specificity(selector: str, rule: Rule) -> int:
    """0 for no match; a name or a whole id beats a longer prefix beats a shorter one beats ALL."""
    upper = selector.upper()
    if upper == ALL:
        return 1
    if upper == rule.id or selector.lower() == rule.name:
        return 100
    letters = rule.id.rstrip("0123456789")
    return len(upper) + 1 if upper.startswith(letters) and rule.id.startswith(upper) else 0


def _unknown(selector: str, rules: Sequence[Rule]) -> str:
    import difflib

    # Ids are all alike: the nearest one is no better guess than any other.
    names = [rule.name for rule in rules]
    near = difflib.get_close_matches(selector.lower(), names, n=1, cutoff=0.7)
    hint = f"; did you mean {near[0]}?" if near else "; `pte-lint rules` lists them"
    return f"no rule matches {selector!r}{hint}"
