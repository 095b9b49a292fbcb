"""PTE518."""

from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import found, only

RULE = "PTE518"


def adapters(second: tuple[str, tuple[int, ...]], entry: int | None = None) -> BuiltProgram:
    """Two methods with an external weight each; the second one's key, sizes and entry."""
    methods = []
    for name, (key, sizes) in (("one", ("w", (2, 2))), ("two", second)):
        b = MethodBuilder(name)
        b.output(b.call("aten::neg.out", b.input((3,)), out=(3,)))
        b.output(b.call("aten::relu.out", b.external(key, sizes), out=sizes))
        methods.append(b)
    program = build_program(*methods)
    if entry is None:
        return program
    (value,) = [
        n
        for n, each in enumerate((program.program.execution_plan or ())[1].values or ())
        if getattr(each.val, "extra_tensor_info", None) is not None
    ]
    path = f"execution_plan[1].values[{value}].val.data_buffer_idx"
    return program.replaced(path, entry)


def test_another_entry() -> None:
    finding = only(adapters(("w", (2, 2)), entry=7), RULE)
    assert finding.severity is Severity.WARNING
    assert finding.message.startswith("w is other data in two than in one, but both get what ")
    assert finding.evidence == {"key": "w", "methods": ["one", "two"]}


def test_other_sizes() -> None:
    assert "is another tensor (float32[4]) in two" in only(adapters(("w", (4,))), RULE).message


def test_one_tensor_of_two_methods() -> None:
    assert found(adapters(("w", (2, 2))), RULE) == ()


def test_keys_of_their_own() -> None:
    assert found(adapters(("v", (4,)), entry=7), RULE) == ()
