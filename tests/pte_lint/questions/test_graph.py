"""Nodes and edges of the networkx graph on small programs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from pte_lint.schema.enums import KernelTypes
from pte_lint.schema.program import (
    EValue,
    ExtraTensorInfo,
    NonConstBufferDevice,
    Tensor,
    TensorList,
)

from pte_lint.ir.calling import ET_VIEW
from pte_lint.ir.device import Device
from pte_lint.questions.method import Method
from tests.pte_lint.small import (
    boolean,
    delegate,
    flag,
    jump_false,
    kernel,
    method,
    move,
    tensor,
)

CONSTANT = EValue(KernelTypes.TENSOR, Tensor(6, 0, (4,), (0,), data_buffer_idx=3))
EXTERNAL = EValue(
    KernelTypes.TENSOR,
    Tensor(6, 0, (4,), (0,), extra_tensor_info=ExtraTensorInfo(0, "w", location=1)),
)


def edges(m: Method, kind: str) -> list[tuple[Any, Any, int | None]]:
    return sorted(
        (a, b, data.get("argument"))
        for a, b, data in m.graph.edges(data=True)
        if data["kind"] == kind
    )


def test_inputs_outputs_values_constants_and_arenas() -> None:
    m = method(
        [tensor((1, 0)), CONSTANT, EXTERNAL, tensor((2, 0))],
        [kernel(0, 0, 1, 2, 3, 3)],
        inputs=[0],
        outputs=[3],
        devices=[NonConstBufferDevice(2, 1, 0)],
    )
    kinds = {node: data["kind"] for node, data in m.graph.nodes(data=True)}
    assert kinds == {
        ("input", 0): "input",
        ("output", 0): "output",
        **{("value", v): "value" for v in range(4)},
        ("instruction", 0): "instruction",
        ("arena", 1): "arena",
        ("arena", 2): "arena",
        ("constant", 3): "constant",
        ("external", "w"): "constant",
        ("delegate", 0): "delegate",
    }
    assert m.graph.nodes["arena", 2] == {"kind": "arena", "size": 4096, "device": Device(1, 0)}
    assert m.graph.nodes["instruction", 0]["operator"] == "aten::relu.out"
    assert edges(m, "lives_in") == [
        (("value", 0), ("arena", 1), None),
        (("value", 1), ("constant", 3), None),
        (("value", 2), ("external", "w"), None),
        (("value", 3), ("arena", 2), None),
    ]
    assert edges(m, "reads") == [
        (("value", 0), ("instruction", 0), 0),
        (("value", 1), ("instruction", 0), 1),
        (("value", 2), ("instruction", 0), 2),
        (("value", 3), ("output", 0), 0),
    ]
    assert edges(m, "writes") == [
        (("input", 0), ("value", 0), 0),
        (("instruction", 0), ("value", 3), 3),
    ]


def test_a_value_used_twice_has_two_edges() -> None:
    m = method([tensor((1, 0)), tensor((1, 16))], [kernel(0, 0, 0, 1, 1)], inputs=[0])
    assert edges(m, "reads") == [
        (("value", 0), ("instruction", 0), 0),
        (("value", 0), ("instruction", 0), 1),
    ]


def test_in_place_operators_write_their_first_argument() -> None:
    m = method(
        [tensor((1, 0)), tensor((1, 16)), boolean()],
        [kernel(0, 0, 1, 2, 0)],
        inputs=[0, 1],
        operators=["aten::copy_.x"],
    )
    assert edges(m, "writes")[-1] == (("instruction", 0), ("value", 0), 0)


def test_delegates_lists_and_moves() -> None:
    m = method(
        [
            tensor((1, 0)),
            tensor((1, 16)),
            EValue(KernelTypes.TENSOR_LIST, TensorList((0, 1))),
            tensor((1, 32)),
            tensor((1, 48)),
        ],
        [kernel(0, 2, 3, 3), delegate(0, 3, 4), move(4, 0)],
        inputs=[0, 1],
    )
    assert edges(m, "calls") == [(("instruction", 1), ("delegate", 0), None)]
    assert edges(m, "aliases") == [
        (("value", 0), ("value", 4), None),
        (("value", 2), ("value", 0), 0),
        (("value", 2), ("value", 1), 1),
    ]
    assert (("value", 0), ("instruction", 0), 0) in edges(m, "reads")
    assert (("value", 1), ("instruction", 0), 0) in edges(m, "reads")


def test_views_alias_their_base() -> None:
    m = method(
        [tensor((1, 0)), tensor((1, 16)), tensor((1, 16)), tensor((1, 32)), tensor((1, 48))],
        [kernel(0, 0, 1, 1), kernel(1, 2, 0, 3), kernel(0, 3, 4, 4)],
        inputs=[0],
        outputs=[4],
        operators=["aten::relu.out", ET_VIEW],
    )
    assert edges(m, "aliases") == [
        (("value", 2), ("value", 1), None),
        (("value", 3), ("value", 2), None),
    ]


def test_next_and_jumps_follow_control_flow() -> None:
    m = method(
        [tensor((1, 0)), tensor((1, 16)), flag(), boolean()],
        [jump_false(2, 3), kernel(0, 0, 1, 1), jump_false(3, 4), kernel(0, 0, 1, 1)],
        inputs=[0, 2],
    )
    steps = [("instruction", i) for i in range(4)]
    assert edges(m, "next") == [(steps[0], steps[1], None), (steps[1], steps[2], None)]
    assert edges(m, "jumps") == [(steps[0], steps[3], None)]


def test_indices_outside_the_tables_have_no_edge() -> None:
    m = method(
        [tensor((1, 0)), tensor((9, 0))],
        [kernel(0, 99, 0, 0), delegate(7, -1, 1)],
        inputs=[50],
        outputs=[-1],
    )
    assert edges(m, "calls") == []
    assert edges(m, "reads") == []
    assert {b for _, b, _ in edges(m, "lives_in")} == {("arena", 1)}
    assert ("value", 50) not in m.graph


def test_methods_are_built_without_networkx(tmp_path: Path) -> None:
    code = (
        "import sys, pte_lint.ir.method, pte_lint.questions.liveness; "
        "assert 'networkx' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)
