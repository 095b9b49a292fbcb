from __future__ import annotations

import pytest

from pte_lint.claims.finding import Severity
from tests.fuzz.xnnpack_seeds import GraphBuilder, graph_program
from tests.rules.checks import found, only, verdict
from tests.support.cuda_libraries import cuda_target

RULE = "PTE433"


def chain(*nodes: tuple[str, int, int]) -> bytes:
    """Nodes of one input over values 0 (input), 1 (output), 2 and 3 (internal)."""
    g = GraphBuilder()
    g.external(1, (2, 3))
    g.external(2, (2, 3))
    g.value((2, 3))
    g.value((2, 3))
    for name, source, made in nodes:
        g.node(name, input_id=source, output_id=made)
    return graph_program(g)


def test_an_output_that_no_node_writes() -> None:
    program = chain(("Abs", 0, 2), ("Abs", 2, 3))
    finding = only(program, RULE)
    assert finding.message == (
        "The graph of delegate 0 (XnnpackBackend) never writes its output 1, argument 1 of the "
        "call."
    )
    assert finding.severity is Severity.ERROR
    assert finding.evidence == {"value": 1, "node": None}
    assert finding.subject == "delegates[0] flow"
    assert finding.location.instruction == 0
    assert finding.location.argument == 1
    assert verdict(program, RULE) == "execute: undefined"


@pytest.mark.parametrize(
    ("nodes", "what", "stage"),
    [
        (
            (("Abs", 0, 2), ("Abs", 3, 1)),
            "has a node 1, XNNAbs, that reads value 3, which nobody wrote",
            "load_method",
        ),
        (
            (("Abs", 0, 2), ("Negate", 0, 2), ("Abs", 2, 1)),
            "has a node 1, XNNNegate, that writes over value 2, which was there already",
            "load_method",
        ),
        (
            (("Abs", 1, 2), ("Abs", 2, 1)),
            "has a node 0, XNNAbs, that reads value 1, argument 1 of the call, which nobody wrote",
            "load_method",
        ),
        (
            (("Abs", 1, 2), ("Abs", 3, 3)),
            "has a node 1, XNNAbs, that reads value 3, which nobody wrote",
            "load_method",
        ),
        (
            (("Abs", 1, 2), ("Abs", 2, 3)),
            "has a node 0, XNNAbs, that reads value 1, argument 1 of the call, which nobody wrote",
            "execute",
        ),
    ],
)
def test_nodes_out_of_order(nodes: tuple[tuple[str, int, int], ...], what: str, stage: str) -> None:
    program = chain(*nodes)
    assert only(program, RULE).message == f"The graph of delegate 0 (XnnpackBackend) {what}."
    assert verdict(program, RULE) == f"{stage}: undefined"


def test_nodes_in_order() -> None:
    assert found(chain(("Abs", 0, 2), ("Abs", 2, 3), ("Abs", 3, 1)), RULE) == ()


def test_concatenations_use_a_part_of_their_fields() -> None:
    g = GraphBuilder()
    made = g.external(2, (2, 6))
    left, right = g.external(1, (2, 3)), g.external(1, (2, 3))
    g.node("Concatenate2", axis=1, input1_id=left, input2_id=right, output_id=made)
    # The fields that are left name value 0, which is the output.
    assert found(graph_program(g), RULE) == ()


def test_a_backend_that_the_target_lacks_is_a_warning() -> None:
    program = chain(("Abs", 0, 2))
    assert only(program, RULE, target=cuda_target()).severity is Severity.WARNING
