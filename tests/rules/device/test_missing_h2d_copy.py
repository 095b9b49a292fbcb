from __future__ import annotations

from pathlib import Path

import pytest

import pte_lint
from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import Label, MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.device_programs import (
    BACKEND,
    CUDA,
    SIZES,
    add_method,
    findings,
    island,
    only,
    place,
    report,
    rules,
    verdict,
    verdicts,
)

DATA = Path(__file__).parents[2] / "data" / "device"


def host_fed(backend: str = BACKEND, **options: object) -> MethodBuilder:
    """One argument copied, the other given as it is."""
    b = MethodBuilder()
    x, y = b.input(SIZES), b.input(SIZES)
    (z,) = b.delegate(backend, [x, b.h2d(y)], [SIZES], device="cuda:0")
    b.output(b.d2h(z))
    return b


def test_a_host_input_at_a_device_delegate() -> None:
    said = report(host_fed())
    found = only(said, "PTE304")
    assert found.severity is Severity.ERROR
    assert place(found) == (1, 0, 0)
    assert found.subject == "input 0"
    assert found.evidence["target_device"] == "cuda:0"
    assert found.evidence["argument_is_output"] is False
    assert verdict(said) == "execute undefined"


def test_the_cuda_backend_refuses_the_argument() -> None:
    assert verdict(report(host_fed(CUDA))) == "execute error InvalidArgument"


def test_with_copies_it_is_fine() -> None:
    assert rules(report(add_method())) == []


def test_a_host_result_and_a_constant_count_too() -> None:
    b = MethodBuilder()
    x = b.input(SIZES)
    lit = b.call("aten::sigmoid.out", x, out=SIZES)
    weight = b.constant([1.0] * 64, SIZES)
    (z,) = b.delegate(BACKEND, [lit, weight, b.h2d(x)], [SIZES], device="cuda:0")
    b.output(b.d2h(z))
    found = findings(report(b), "PTE304")
    assert [place(f)[1] for f in found] == [0, 1]
    assert found[1].subject.startswith("constant")


def test_a_result_on_the_host_that_the_delegate_is_to_write() -> None:
    """The caller obeys the tag and gives host memory."""
    b = MethodBuilder()
    x = b.input(SIZES, device="cuda:0", planned=False)
    out = b.tensor(SIZES, planned=False)
    b.delegate(BACKEND, [x], [out], device="cuda:0")
    b.output(out)
    found = only(report(b), "PTE304")
    assert found.evidence["argument_is_output"] is True
    assert "must write output 0" in found.message


def test_a_list_argument_is_looked_into() -> None:
    b = MethodBuilder()
    x, y = b.input(SIZES), b.input(SIZES)
    items = b.tensor_list([b.h2d(x), y])
    (z,) = b.delegate(BACKEND, [items, b.h2d(y)], [SIZES], device="cuda:0")
    b.output(b.d2h(z))
    assert place(only(report(b), "PTE304"))[1:] == (0, 1)


def test_a_delegate_in_a_branch_gets_its_own_advice() -> None:
    """The exporter inserts no copies inside torch.cond."""
    b = MethodBuilder()
    p, x = b.input((), "bool"), b.input(SIZES)
    out, end = b.tensor(SIZES), Label()
    b.jump_false(p, end)
    b.delegate(BACKEND, [x], [out], device="cuda:0")
    b.mark(end)
    b.output(out)
    found = findings(report(b), "PTE304")
    assert found
    assert all("torch.where" in f.remediation for f in found)


def test_a_program_of_1_2_has_neither_tags_nor_copies() -> None:
    """3.4: the CUDA backend copied by itself in 1.2, and refuses host tags since 1.3."""
    b = MethodBuilder()
    x = b.input(SIZES)
    out = b.tensor(SIZES)
    b.delegate(CUDA, [x], [out], specs={})
    b.output(out)
    program = build_program(b)
    assert verdict(report(program, target="1.2")) == "execute ok"
    assert set(verdicts(program).values()) == {"execute error InvalidArgument"}
    assert "exported by 1.2" in findings(report(program), "PTE304")[0].remediation


def test_the_cuda_backend_of_1_3_copies_from_host_memory_itself() -> None:
    b = MethodBuilder()
    x = b.input(SIZES, device="cuda:0", planned=False)
    out = b.tensor(SIZES, device="cuda:0", home="cpu")
    b.delegate(CUDA, [x], [out], device="cuda:0")
    b.output(out)
    assert verdicts(b) == {
        "1.3": "execute ok",
        "1.4": "execute error InvalidArgument",
        "1.5": "execute error InvalidArgument",
    }


def test_an_empty_tensor_has_no_pointer_to_be_wrong() -> None:
    b = MethodBuilder()
    x, y = b.input((0, 8)), b.input(SIZES)
    (z,) = b.delegate(BACKEND, [x, b.h2d(y)], [SIZES], device="cuda:0")
    b.output(b.d2h(z))
    assert rules(report(b)) == []


def test_a_delegate_without_target_takes_host_memory() -> None:
    b = MethodBuilder()
    x = b.input(SIZES)
    (z,) = b.delegate(BACKEND, [x], [SIZES])
    b.output(z)
    assert rules(report(b)) == []


def test_an_unreadable_target_judges_no_argument() -> None:
    b = MethodBuilder()
    x = b.input(SIZES)
    (z,) = b.delegate(BACKEND, [x], [SIZES], specs={"target_device": b"gpu:0"})
    b.output(z)
    assert findings(report(b), "PTE304") == []


def test_unreachable_calls_are_not_judged() -> None:
    b = host_fed()
    assert findings(report(b), "PTE304")
    skipped = MethodBuilder()
    x, y = skipped.input(SIZES), skipped.input(SIZES)
    end = Label()
    skipped.jump(end)
    skipped.delegate(BACKEND, [x, y], [SIZES], device="cuda:0")
    skipped.mark(end)
    skipped.output(x)
    assert findings(report(skipped), "PTE304") == []


def test_the_second_delegate_of_an_island() -> None:
    built = build_program(island())
    path = "execution_plan[0].chains[0].instructions[7].instr_args.args[0]"
    said = report(built.replaced(path, 6))
    assert place(only(said, "PTE304")) == (7, 0, 6)


@pytest.mark.parametrize("name", ["cond_delegate_in_branch"])
def test_the_exporter_forgets_branches(name: str) -> None:
    said = pte_lint.check(DATA / f"{name}.pte", isolated=True).artifacts[0]
    assert findings(said, "PTE304")
    after = pte_lint.check(DATA / "cond_between_delegates.pte", isolated=True).artifacts[0]
    assert findings(after, "PTE304") == []
