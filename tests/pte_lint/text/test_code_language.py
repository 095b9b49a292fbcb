"""The language of a snippet, over all that findings and rules print."""

from __future__ import annotations

import pytest

from pte_lint.rulebook.registry import load_rules
from pte_lint.rulebook.ruledoc import document
from pte_lint.text.code_language import language
from pte_lint.text.prose import BlockKind


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = x.clone()", "python"),
        ("from mine import Partitioner\n\npartitioner = [Partitioner()]", "python"),
        ('targets = ["one", "two"]', "toml"),
        ('Module module("model.pte", "model.ptd");', "cpp"),
        ('auto module = executorch::extension::Module("model.pte");', "cpp"),
        ("pte-lint check model.pte --data model.ptd", "sh"),
        ("cmake -DEXECUTORCH_BUILD_QNN=ON ...\ntarget_link_libraries(runner PRIVATE x)", "sh"),
        ("target_link_libraries(runner PRIVATE x)", "cmake"),
        ('[[tool.pte-lint.pipeline]]\nfrom = { method = "prefill", output = 0 }', "toml"),
        ("*.pte binary", "text"),
    ],
)
def test_language(code: str, expected: str) -> None:
    assert language(code) == expected


def test_no_snippet_of_a_rule_is_unknown_but_lines_of_git_attributes() -> None:
    unknown = {
        block.text
        for rule in load_rules(isolated=True)
        for section in document(rule).sections
        for block in section.blocks
        if block.kind is BlockKind.CODE and language(block.text) == "text"
    }
    assert all("binary" in text or "-text" in text for text in unknown), unknown
