from __future__ import annotations

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.claims.target import Target
from tests.fuzz.xnnpack_seeds import NO_ID, GraphBuilder, graph_program
from tests.rules.checks import found, only, verdict
from tests.support.cuda_libraries import cuda_target

RULE = "PTE439"


def graph(*, key: str | None, is_packed: bool = False, is_read: bool = True) -> GraphBuilder:
    """A constant that a PReLU reads, or nobody, and that a layer packs, or none."""
    g = GraphBuilder()
    given, made = g.external(1, (3, 3)), g.external(2, (3, 3))
    other, inner, unused = g.constant((3, 3)), g.value((3, 3)), g.value((3, 3))
    shared = g.constant((3, 3))
    if key is not None:
        g.places[-1]["named_key"] = key
    weights = shared if is_packed else other
    layer = {"filter_id": weights, "bias_id": NO_ID}
    g.node("FullyConnected", input1_id=given, output_id=inner, **layer)
    g.node("PReLU", input1_id=inner, input2_id=shared, output_id=made if is_read else unused)
    if not is_read:
        g.node("Abs", input_id=inner, output_id=made)
    return g


def program(**how: object) -> bytes:
    return graph_program(graph(**how))  # type: ignore[arg-type]


def test_a_constant_in_the_blob() -> None:
    finding = only(program(key=None), RULE)
    assert finding.message == (
        "Node 1, XNNPReLU, of the graph of delegate 0 (XnnpackBackend) reads constant 5, which is "
        "in the blob and is freed before the first run."
    )
    assert finding.severity is Severity.ERROR
    assert finding.evidence == {"value": 5, "node": 1, "key": None}
    assert finding.subject == "delegates[0] constants"
    assert finding.location.instruction == 0
    assert verdict(program(key=None), RULE) == "execute: undefined"


@pytest.mark.parametrize(
    ("version", "is_packed", "is_freed"),
    [
        ("1.2", False, True),
        ("1.3", False, True),
        ("1.4", False, False),
        ("1.5", False, False),
        ("1.3", True, True),
        ("1.5", True, True),
    ],
)
def test_a_constant_in_the_named_data(version: str, is_packed: bool, is_freed: bool) -> None:
    findings = found(
        program(key="slopes", is_packed=is_packed), RULE, target=Target(runtime=version)
    )
    assert [each.rule for each in findings] == [RULE] * is_freed
    assert all("in the named data" in each.message for each in findings)


def test_what_layers_pack_is_copied() -> None:
    g = GraphBuilder()
    given, made = g.external(1, (3, 3)), g.external(2, (3, 3))
    weights, bias = g.constant((3, 3)), g.constant((3,))
    g.node("FullyConnected", input1_id=given, filter_id=weights, bias_id=bias, output_id=made)
    assert found(graph_program(g), RULE) == ()


def test_a_node_that_no_output_depends_on_reads_nothing() -> None:
    assert found(program(key=None, is_read=False), RULE) == ()


def test_a_backend_that_the_target_lacks_is_a_warning() -> None:
    assert only(program(key=None), RULE, target=cuda_target()).severity is Severity.WARNING
