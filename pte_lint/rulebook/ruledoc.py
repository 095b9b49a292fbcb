"""Reads the fixed headings out of a rule's docstring.

`pte-lint explain`, the generated rule pages and the completeness test all see a rule's
documentation through this module.
"""

from __future__ import annotations

import inspect
import textwrap

from pte_lint.rulebook.rule import HEADINGS, Rule
from pte_lint.schema.frozen import dataclass
from pte_lint.text.prose import Block, blocks


@dataclass(frozen=True, slots=True)
class Section:
    """One heading with its text (dedented) and the same text in blocks."""

    heading: str
    text: str

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The text as paragraphs, items and code."""
        return blocks(self.text)


@dataclass(frozen=True, slots=True)
class RuleDoc:
    """A docstring taken apart: what stands before the first heading, and the sections."""

    opening: str
    sections: tuple[Section, ...]

    def section(self, heading: str) -> Section | None:
        """The section under `heading`, if the docstring has it."""
        return next((s for s in self.sections if s.heading == heading), None)

    @property
    def missing(self) -> tuple[str, ...]:
        """Headings of `HEADINGS` that are absent or have nothing under them."""
        present = {s.heading for s in self.sections if s.text}
        return tuple(h for h in HEADINGS if h not in present)


def parse(docstring: str) -> RuleDoc:
    """Takes a docstring apart; never fails, since third parties' rules may have any docstring."""
    marks = {f"{heading}:": heading for heading in HEADINGS}
    opening: list[str] = []
    found: list[tuple[str, list[str]]] = []
    for line in inspect.cleandoc(docstring).split("\n"):
        heading = marks.get(line.rstrip())
        if heading is not None:
            found.append((heading, []))
        elif found:
            found[-1][1].append(line)
        else:
            opening.append(line)
    sections = tuple(
        Section(heading, textwrap.dedent("\n".join(body)).strip("\n").rstrip())
        for heading, body in found
    )
    return RuleDoc("\n".join(opening).strip(), sections)


def document(rule: Rule) -> RuleDoc:
    """The parsed docstring of a rule's module."""
    return parse(rule.doc)
