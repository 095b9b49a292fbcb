"""The contiguous twin: what hangs on the order of tensors shows without PyTorch."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pte_lint.claims.result import Verdict
from pte_lint.claims.target import Target
from pte_lint.data.reading import open_context
from pte_lint.edits.contiguous import DefaultOrder, WithoutOrder, contiguous_twin
from pte_lint.edits.plan_draft import EditError
from pte_lint.files.artifact import open_artifact
from pte_lint.fix.twin import KEY, with_contiguous_twin
from pte_lint.harness.confirm import ConfirmOptions, confirm
from pte_lint.judging.engine import Settings, judge
from pte_lint.rulebook.registry import load_rules
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.support.runtime import need_runtime

LAST = (0, 2, 3, 1)
SIZES = (2, 3, 4, 5)


def program(build: Callable[[MethodBuilder, int], int]) -> BuiltProgram:
    b = MethodBuilder("forward")
    b.output(build(b, b.input(SIZES, dim_order=LAST)))
    return build_program(b)


def image(b: MethodBuilder) -> int:
    return b.tensor(SIZES, dim_order=LAST)


def grown(b: MethodBuilder, x: int) -> int:
    out = image(b)
    b.kernel("aten::exp.out", x, out, out)
    return out


def flipped(b: MethodBuilder, x: int) -> int:
    out = image(b)
    b.kernel("aten::flip.out", x, b.ints([1]), out, out)
    return out


def scaled(b: MethodBuilder, x: int) -> int:
    """By a constant for each channel, which the kernel broadcasts as if it were row-major."""
    out, scale = image(b), b.constant([0.5, 1.0, 2.0], (1, 3, 1, 1), dim_order=LAST)
    b.kernel("aten::mul.out", x, scale, out, out)
    return out


def added(b: MethodBuilder, x: int) -> int:
    out = image(b)
    other = b.constant([i / 8 for i in range(120)], SIZES, dim_order=LAST)
    b.kernel("aten::add.out", x, other, b.int_value(1), out, out)
    return out


def converted(b: MethodBuilder, x: int) -> int:
    out = b.tensor(SIZES)
    order = b.ints([0, 1, 2, 3])
    b.kernel("dim_order_ops::_to_dim_order_copy.out", x, b.bool_value(False), order, out, out)
    return out


def confirmed(built: BuiltProgram, rules: tuple[str, ...] | None = None) -> Verdict:
    need_runtime()
    known = load_rules(isolated=True)
    chosen = tuple(r for r in known if rules is None or r.id in rules)
    settings = Settings(rules=chosen, target=Target())
    options = ConfirmOptions(signs={rule.id: rule.sign for rule in known})
    with open_artifact(built.bytes()) as artifact:
        context = open_context(artifact, settings.target, (), {})
        report = confirm(judge(context, settings), context, (), options)
        (verdict,) = with_contiguous_twin(report, context, (), options.probe).verdict
    return verdict


@pytest.mark.runtime
@pytest.mark.parametrize("build", [flipped, scaled], ids=lambda build: build.__name__)
def test_a_misread_layout_gives_other_results(build: Callable[[MethodBuilder, int], int]) -> None:
    verdict = confirmed(program(build))
    assert verdict.confirmation is not None
    assert (str(verdict.outcome), verdict.confirmation.status) == ("wrong", "confirmed")
    assert verdict.confirmation.evidence[KEY]["status"] == "differs"
    assert verdict.confirmation.evidence["reason"].endswith(
        "which the same program gives with all tensors contiguous"
    )


@pytest.mark.runtime
def test_what_no_finding_tells_refutes_the_verdict() -> None:
    verdict = confirmed(program(flipped), rules=())
    assert verdict.confirmation is not None
    assert (str(verdict.outcome), verdict.confirmation.status) == ("ok", "refuted")


@pytest.mark.runtime
@pytest.mark.parametrize("build", [grown, added, converted], ids=lambda build: build.__name__)
def test_what_goes_by_the_order_gives_the_same(build: Callable[[MethodBuilder, int], int]) -> None:
    verdict = confirmed(program(build))
    assert verdict.confirmation is not None
    assert (str(verdict.outcome), verdict.confirmation.status) == ("ok", "confirmed")
    assert verdict.confirmation.evidence[KEY] == {
        "status": "equal",
        "reason": "1 output is as expected",
    }


def twin(built: BuiltProgram) -> list[object]:
    with open_artifact(built.bytes()) as artifact:
        return list(contiguous_twin(open_context(artifact, Target(), (), {}).methods[0]))


def test_the_order_that_is_told_goes_too() -> None:
    assert [type(edit) for edit in twin(program(converted))] == [DefaultOrder, WithoutOrder]


def plain(b: MethodBuilder) -> int:
    x, out = b.input(SIZES), b.tensor(SIZES)
    b.kernel("aten::exp.out", x, out, out)
    return out


def drawn(b: MethodBuilder) -> int:
    x, out = b.input(SIZES, dim_order=LAST), image(b)
    b.kernel("aten::rand.out", b.ints(SIZES), out, out)
    b.kernel("aten::exp.out", x, out, out)
    return out


def custom(b: MethodBuilder) -> int:
    x, out = b.input(SIZES, dim_order=LAST), image(b)
    b.kernel("mine::nhwc.out", x, out, out)
    return out


def listed(b: MethodBuilder) -> int:
    x = b.constant([1.0] * 120, SIZES, dim_order=LAST)
    out = b.tensor((4, 3, 4, 5), dim_order=LAST)
    b.kernel("aten::cat.out", b.tensor_list([x, x]), b.int_value(0), out, out)
    return out


def kept(b: MethodBuilder) -> int:
    x, state = b.input(SIZES, dim_order=LAST), b.state(SIZES, dim_order=LAST)
    b.kernel("aten::copy_", state, x, b.bool_value(False), state)
    return grown(b, state)


@pytest.mark.parametrize(
    ("build", "why"),
    [
        (plain, "every tensor is in the default order"),
        (drawn, "aten::rand.out does not give the same twice"),
        (custom, "mine::nhwc.out may go by the order in memory"),
        (listed, "a constant of another order stands in a list"),
        (kept, "a state is kept in another order"),
    ],
)
def test_what_has_no_twin(build: Callable[[MethodBuilder], int], why: str) -> None:
    b = MethodBuilder("forward")
    b.output(build(b))
    with pytest.raises(EditError, match=why):
        twin(build_program(b))
