"""The code that rules print is whole: it parses, and names nothing that it does not make or import.

What a snippet may take for granted is what everybody has who exports a model: the model, its
inputs, what was exported of it. Whether a setting helps is tested where the exporter is installed
(tests/exports).
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

import pytest

from pte_lint.rulebook.ruledoc import document
from pte_lint.text.prose import BlockKind
from tests.support.snippets import RULES, in_module, is_python

#: What a reader has at hand.
GIVEN = frozenset(
    {"edge", "exported", "exported_program", "inputs", "model", "partitioner", "program", "torch"}
    # Parts of the reader's model, and numbers of the reader's file.
    | {
        "a",
        "b",
        "decode",
        "encode",
        "f",
        "false_fn",
        "g",
        "n",
        "p",
        "self",
        "true_fn",
        "x",
        "your_pass",
    }
    | {
        "base",
        "data",
        "program_size",
        "segment_data_size",
        "outputs",
        "suites",
    }
    | {"c", "groups", "h", "other", "w", "sizes"}
    # A language model and its parts.
    | {"cache_length", "logits", "max_seq_len", "position", "prefill", "to_edge", "tokenizer"}
    | {"example_inputs", "tokens"}
)


def snippets(rule: str) -> Iterator[str]:
    """The code blocks in a rule's documentation, and in the texts of its module."""
    found = RULES[rule]
    texts = [block for s in document(found).sections for block in s.blocks]
    yield from (block.text for block in texts if block.kind is BlockKind.CODE)
    yield from in_module(found)


def unknown_names(code: str) -> set[str]:
    """Names that a snippet reads and neither makes, imports nor is given.

    Raises:
        SyntaxError: It is no Python.
    """
    tree = ast.parse(code)
    made: set[str] = set()
    read: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Import() | ast.ImportFrom():
                made |= {(a.asname or a.name).partition(".")[0] for a in node.names}
            case ast.FunctionDef() | ast.ClassDef():
                made.add(node.name)
            case ast.arg():
                made.add(node.arg)
            case ast.Name():
                (read if isinstance(node.ctx, ast.Load) else made).add(node.id)
            case _:
                pass
    return read - made - GIVEN - set(dir(builtins))


@pytest.mark.parametrize("rule", sorted(RULES))
def test_snippets_name_nothing_unknown(rule: str) -> None:
    before = ""
    for code in snippets(rule):
        if is_python(code):
            # What one snippet imports, the next ones go on with.
            before += f"\n{code}"
            assert (code, unknown_names(before)) == (code, set())


def test_what_a_snippet_lacks_is_seen() -> None:
    assert unknown_names("algorithm(algo_list=[greedy])") == {"algorithm", "greedy"}
    assert unknown_names("from a import f\nx = f(model)\nprint(x)") == set()


def test_there_are_snippets() -> None:
    assert sum(1 for rule in RULES for _ in snippets(rule)) > 50
