from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pte_lint.schema.loaded import read_program
from pte_lint.schema.program import Program, Tensor

from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome, Stage
from pte_lint.claims.target import Target
from pte_lint.harness.driver import run_probe
from pte_lint.testing.containers import write_program
from pte_lint.testing.edit import replaced
from tests.fuzz.comparison import compare
from tests.fuzz.oracle import observe
from tests.fuzz.verdicts import judgement
from tests.support.judging import judge, only, verdict
from tests.support.look import DATA
from tests.support.runtime import need_runtime

REAL = (DATA / "clean" / "mlp_xnnpack.pte").read_bytes()
LOADED = read_program(REAL)
AREA = REAL[LOADED.container.segment_base_offset :]
VALUES = "execution_plan[0].values"


def edited(*edits: tuple[str, object]) -> bytes:
    program = LOADED.program or Program()
    for path, value in edits:
        program = replaced(program, path, value)
    return write_program(program, AREA)


# Smaller than planned, so that nothing else is wrong.
WRONG = [
    pytest.param((2, 4), "Internal", "a fully connected layer that takes 8 features gets 4"),
    pytest.param((4, 4), "Internal", "a fully connected layer that takes 8 features gets 4"),
    pytest.param(
        *((1, 8), "NotSupported"),
        "the result has the sizes [1, 4], and argument 1 takes [2, 4]",
    ),
]


@pytest.mark.parametrize("dynamism", [0, 1])
@pytest.mark.parametrize(("sizes", "error", "why"), WRONG)
def test_inputs_that_cannot_fit(
    sizes: tuple[int, ...], error: str, why: str, dynamism: int
) -> None:
    content = edited(
        (VALUES + "[0].val.sizes", sizes), (VALUES + "[0].val.shape_dynamism", dynamism)
    )
    report = judge(content, "PTE421")
    assert only(report).message == f"The delegate's graph does not take these sizes: {why}."
    assert only(report).severity is Severity.ERROR
    assert (verdict(report).stage, verdict(report).error) == (Stage.EXECUTE, error)


@pytest.mark.runtime
@pytest.mark.parametrize(("sizes", "error", "why"), WRONG)
def test_the_runtime_agrees(sizes: tuple[int, ...], error: str, why: str, tmp_path: Path) -> None:
    need_runtime()
    path = tmp_path / "model.pte"
    path.write_bytes(edited((VALUES + "[0].val.sizes", sizes)))
    run = run_probe(path).methods[0].runs[0]
    assert (run.stage, run.outcome, run.error) == ("execute", "error", error), why


def test_runtimes_before_1_5_do_not_compare_inner_sizes() -> None:
    content = edited((VALUES + "[0].val.sizes", (2, 4)))
    older = judge(content, "PTE421", target=Target.parse("executorch==1.4"))
    assert verdict(older).outcome is Outcome.UNDEFINED


def test_outputs_that_cannot_take_the_result() -> None:
    content = edited((VALUES + "[1].val.sizes", (2, 3)))
    assert only(judge(content, "PTE421")).message.endswith(
        "the result has the sizes [2, 4], and argument 1 takes [2, 3]."
    )
    rank = edited((VALUES + "[1].val.sizes", (8,)), (VALUES + "[1].val.dim_order", (0,)))
    assert verdict(judge(rank, "PTE421")).error == "Internal"


def test_another_batch_with_outputs_to_match() -> None:
    content = edited((VALUES + "[0].val.sizes", (1, 8)), (VALUES + "[1].val.sizes", (1, 4)))
    assert judge(content, "PTE421").findings == ()


def test_another_rank_that_the_graph_passes_on() -> None:
    content = edited(
        *((VALUES + f"[{v}].val.sizes", sizes) for v, sizes in ((0, (1, 1, 8)), (1, (1, 1, 4)))),
        *((VALUES + f"[{v}].val.dim_order", (0, 1, 2)) for v in (0, 1)),
    )
    assert judge(content, "PTE421").findings == ()


def test_the_sizes_of_the_export() -> None:
    assert judge(REAL, "PTE421").findings == ()
    for name in ("convnet_xnnpack", "dynamic_batch_xnnpack", "mixed_xnnpack", "inline_delegate"):
        assert judge((DATA / "clean" / f"{name}.pte").read_bytes(), "PTE421").findings == ()


def test_output_sizes_stored_in_the_graph_count_for_nothing() -> None:
    """The graph's output [2, 4] becomes [2, 99]: XNNPACK computes [2, 4] all the same."""
    at = REAL.index(b"XH00") - 4
    wanted = (2).to_bytes(4, "little") + (4).to_bytes(4, "little")
    places = [i for i in range(at, len(REAL) - 8, 4) if REAL[i : i + 8] == wanted]
    changed = [REAL[: i + 4] + (99).to_bytes(4, "little") + REAL[i + 8 :] for i in places]
    stored = [blob for blob in changed if judge(blob, "PTE421").findings == ()]
    assert changed
    assert stored


@pytest.mark.runtime
@pytest.mark.parametrize("name", ["mlp_xnnpack", "convnet_xnnpack", "dynamic_batch_xnnpack"])
def test_other_sizes_on_the_runtime(name: str, tmp_path: Path) -> None:
    """Every size of every argument halved, and one less, with sizes fixed and dynamic."""
    need_runtime()
    cases = [*_resized((DATA / "clean" / f"{name}.pte").read_bytes())]
    differences, endings = [], set()
    seen = observe(((content, ()) for _, content in cases), tmp_path)
    for (label, content), observation in zip(cases, seen, strict=True):
        compared = compare(observation, judgement(content, ()))
        endings.add(str(compared.kind))
        if compared.kind.is_difference or compared.category:
            differences.append(f"{label}: said {compared.said}, seen {compared.seen}")
    assert differences == []
    assert endings == {"agree: bad", "agree: runs"}


def _resized(file: bytes) -> Iterator[tuple[str, bytes]]:
    loaded = read_program(file)
    program = loaded.program
    assert program is not None
    area = file[loaded.container.segment_base_offset :]
    (plan,) = program.execution_plan or ()
    tensors = [
        v
        for v, value in enumerate(plan.values or ())
        if isinstance(value.val, Tensor) and not value.val.data_buffer_idx
    ]
    for dynamism in (0, 1):
        whole = program
        for v in tensors:
            whole = replaced(whole, f"{VALUES}[{v}].val.shape_dynamism", dynamism)
        yield f"dynamism {dynamism}", write_program(whole, area)
        for v in tensors:
            sizes = (plan.values or ())[v].val.sizes  # type: ignore[union-attr]
            for d, size in enumerate(sizes):
                for less in {size - 1, size // 2} - {0, size}:
                    other = (*sizes[:d], less, *sizes[d + 1 :])
                    changed = replaced(whole, f"{VALUES}[{v}].val.sizes", other)
                    label = f"dynamism {dynamism}, value {v} of sizes {other}"
                    yield label, write_program(changed, area)
