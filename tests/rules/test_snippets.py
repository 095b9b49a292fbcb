"""Code that a rule gives its reader can be pasted: what it names from the exporter is imported."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pte_lint.prose import BlockKind, blocks
from pte_lint.registry import load_rules
from pte_lint.rule import Rule
from pte_lint.ruledoc import document

RULES = load_rules(isolated=True)


def texts(rule: Rule) -> Iterator[str]:
    """How to fix it, and every text of the module that may be a remedy."""
    section = document(rule).section("How to fix it")
    assert section is not None
    yield section.text
    source = Path(sys.modules[rule.module].__file__ or "").read_text("utf-8")
    tree = ast.parse(source)
    held = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    docstring = ast.get_docstring(tree, clean=False)
    yield from (value for value in held if isinstance(value, str) and value != docstring)


def unknown_names(text: str) -> set[str]:
    """Classes that the code in a text uses and that nothing before in the text imports or makes."""
    known: set[str] = set()
    unknown: set[str] = set()
    for block in blocks(text):
        if block.kind is not BlockKind.CODE:
            continue
        try:
            tree = ast.parse(block.text)
        except SyntaxError:
            continue  # a shell command, C++, or a part with something to fill in
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                known.update(each.asname or each.name for each in node.names)
            elif isinstance(node, ast.ClassDef | ast.FunctionDef):
                known.add(node.name)
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        unknown |= {name for name in used - known if name[0].isupper()}
    return unknown


@pytest.mark.parametrize("rule", RULES, ids=[rule.id for rule in RULES])
def test_snippets_import_what_they_name(rule: Rule) -> None:
    assert {text: unknown_names(text) for text in texts(rule) if unknown_names(text)} == {}
