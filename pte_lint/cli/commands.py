"""The table of commands: what each is called, where it lives, what the overview says of it.

A command is a module of `pte_lint.cli` with a click command in the attribute named here. The
summaries stand here too so that `pte-lint --help` imports no command; a test compares them with
the commands' own.
"""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """One command, not loaded yet."""

    module: str
    attribute: str
    summary: str


COMMANDS: dict[str, Entry] = {
    "check": Entry(
        "pte_lint.cli.check", "check", "Say what the runtime will do with each artifact, and why."
    ),
    "confirm": Entry(
        "pte_lint.cli.confirm", "confirm", "Run programs on the real runtime and mark each finding."
    ),
    "fix": Entry(
        "pte_lint.cli.fix",
        "fix",
        "Write the repaired program from the broken one, without PyTorch.",
    ),
    "explain": Entry(
        "pte_lint.cli.explain", "explain", "Explain rules: what, why, and how to fix it."
    ),
    "rules": Entry("pte_lint.cli.rules", "rules", "List the rules by family."),
    "new-rule": Entry("pte_lint.cli.new_rule", "new_rule", "Write a rule, its test and its page."),
    "baseline": Entry(
        "pte_lint.cli.baseline", "baseline", "Record known findings, and fail on new ones only."
    ),
    "inspect": Entry("pte_lint.cli.inspect", "inspect", "Show what is in an artifact."),
    "report": Entry(
        "pte_lint.cli.report",
        "report",
        "Write one HTML page: findings, placement, memory plan, bytes.",
    ),
    "summary": Entry(
        "pte_lint.cli.summary",
        "summary",
        "Sum up the tables of a run: by runtime, rule, backend, and the worst artifacts.",
    ),
    "memory": Entry(
        "pte_lint.cli.memory", "memory", "Draw the memory plan: arenas, tensors, live ranges."
    ),
    "graph": Entry(
        "pte_lint.cli.graph", "graph", "Draw what a method does, in order, and on which device."
    ),
    "diff": Entry("pte_lint.cli.diff", "diff", "Say what changed between two artifacts."),
    "contract": Entry(
        "pte_lint.cli.contract", "contract", "Write what a program promises, from a good one."
    ),
    "cache": Entry("pte_lint.cli.cache", "cache", "Show or empty the folder of kept results."),
    "target": Entry(
        "pte_lint.cli.target", "target", "Describe the runtime that programs are judged for."
    ),
}
"""In the order of the overview."""
