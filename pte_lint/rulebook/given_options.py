"""Options that a user gives to rules, held against the rules' models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pte_lint.claims.finding import Json
from pte_lint.rulebook.rule import Rule
from pte_lint.rulebook.selection import SelectorError, find_rule

Given = Mapping[str, Mapping[str, Json]]
"""By rule id or name, values by option."""


class OptionError(ValueError):
    """Options that no rule takes; the message has a line for each."""

    def __init__(self, lines: Sequence[str]) -> None:
        """Takes the lines."""
        super().__init__("\n".join(lines))
        self.lines = tuple(lines)


def by_rule(rules: Sequence[Rule], given: Given) -> dict[str, Mapping[str, Json]]:
    """Returns the options by rule id, each checked against its model.

    Raises:
        OptionError: a rule is not known or has no options, or a value does not fit.
    """
    found: dict[str, Mapping[str, Json]] = {}
    wrong: list[str] = []
    for word, values in given.items():
        try:
            rule = find_rule(rules, word)
        except SelectorError as exc:
            wrong.append(f"options: {exc}")
            continue
        if rule.id in found:
            wrong.append(f"options: {rule.id} is given twice, by id and by name")
        found[rule.id] = values
        wrong += _faults(rule, values)
    if wrong:
        raise OptionError(wrong)
    return found


def _faults(rule: Rule, values: Mapping[str, Json]) -> Iterator[str]:
    if rule.options is None:
        yield f"options: {rule.id} ({rule.name}) takes no options"
        return
    # Imported here: only rules with options need it, and those have imported it.
    from pydantic import ValidationError

    try:
        rule.options.model_validate(values)
    except ValidationError as exc:
        known = ", ".join(rule.options.model_fields)
        for each in exc.errors(include_url=False):
            name = ".".join(str(part) for part in each["loc"])
            hint = f"; it takes {known}" if each["type"] == "extra_forbidden" else ""
            yield f"options: {rule.id} {name}: {each['msg']}{hint}"
