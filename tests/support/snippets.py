"""The code blocks that rules print, taken from their own text."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator

from pte_lint.ops import ways_out
from pte_lint.rulebook.registry import load_rules
from pte_lint.rulebook.rule import Rule
from pte_lint.rulebook.ruledoc import document
from pte_lint.text.prose import BlockKind, blocks

RULES = {rule.id: rule for rule in load_rules(isolated=True)}
"""The built-in rules by id."""

_OTHERS = (
    *("pte-lint ", "pip ", "cmake ", "sha256sum ", "base64 ", "truncate ", "git ", "tail "),
    *("uname ", "gen_selected_ops(", "target_link_libraries(", "from = {"),
    *("::", ";", "nvidia-smi ", "docker ", "nm -D "),
)
"""What is no Python: C++, lines for a shell, CMake, and TOML."""


def code_of(text: str) -> list[str]:
    """The code blocks of a remediation, or of a section of a docstring."""
    return [block.text for block in blocks(text) if block.kind is BlockKind.CODE]


def documented(rule: Rule) -> list[str]:
    """The code blocks under "How to fix it"."""
    section = document(rule).section("How to fix it")
    return code_of(section.text) if section is not None else []


def in_module(rule: Rule) -> Iterator[str]:
    """The code blocks in the texts that a rule's module keeps by name."""
    for node in ast.parse(inspect.getsource(sys.modules[rule.module])).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Constant):
            text = node.value.value
            if isinstance(text, str):
                yield from code_of(text)


_TEXTS = {"PTE141": ways_out}
"""Modules that hold texts of a rule beside its own."""


def printed(rule: Rule) -> list[str]:
    """The code blocks in all texts of a rule, docstrings left out; `{}` for what is filled in."""
    found: list[str] = []
    for module in (sys.modules[rule.module], *filter(None, (_TEXTS.get(rule.id),))):
        tree = ast.parse(inspect.getsource(module))
        skipped = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                skipped.update(map(id, node.values))
                parts = (v.value if isinstance(v, ast.Constant) else "{}" for v in node.values)
                found += code_of("".join(map(str, parts)))
            elif isinstance(node, ast.Constant) and id(node) not in skipped:
                found += code_of(node.value) if isinstance(node.value, str) else []
    return list(dict.fromkeys((*documented(rule), *found)))


def is_python(code: str) -> bool:
    """Whether a code block is Python, and not for a shell, a build or C++."""
    unquoted = re.sub(r'"[^"]*"', '""', code)
    return not any(mark in unquoted for mark in _OTHERS)
