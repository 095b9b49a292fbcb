"""Programs that are repaired, beside what the exporter writes with the right setting."""

from __future__ import annotations

from dataclasses import replace

from pte_lint.schema.loaded import read_program
from pte_lint.schema.writer.pieces import joined

from pte_lint.claims.target import Target
from pte_lint.data.reading import open_context
from pte_lint.files.artifact import Artifact
from pte_lint.fix.fixers import load_fixers
from pte_lint.fix.repair import repair
from pte_lint.judging.engine import Settings
from pte_lint.rulebook.registry import load_rules
from tests.support.rewriting import tables

PAIRS = (
    # The first example of the README, which selects the rule too.
    ("add_skip_both_planned", "add_skip_both_output_planned", ("PTE301",)),
    ("add_skip_h2d_planned", "add_skip_h2d_paired", ()),
)
"""Recipes with a wrong setting and with the right one, and the rules that are selected."""


def repaired(content: bytes, select: tuple[str, ...] = ()) -> bytes:
    """The program after `pte-lint fix --unsafe-fixes`."""
    rules = [r for r in load_rules(isolated=True) if not select or r.id in select]
    artifact = Artifact("given", content)
    done = repair(artifact, Settings(rules=rules), load_fixers(isolated=True), unsafe=True)
    return content if done.pieces is None else joined(done.pieces, content)


def without_names(content: bytes) -> object:
    """All that a program and its segments say, its methods without names."""
    loaded = read_program(content)
    assert loaded.program is not None
    plans = tuple(replace(plan, name="") for plan in loaded.program.execution_plan or ())
    return tables(replace(loaded, program=replace(loaded.program, execution_plan=plans)), content)


def arenas_on_devices(content: bytes) -> dict[str, int]:
    """Planned bytes of all methods, by device."""
    found: dict[str, int] = {}
    for method in open_context(Artifact("given", content), Target(), [], {}).methods:
        for arena in method.arenas.values():
            if str(arena.device) != "cpu":
                found[str(arena.device)] = found.get(str(arena.device), 0) + max(arena.size, 0)
    return found
