from __future__ import annotations

from pte_lint.testing.builder import Label, MethodBuilder
from tests.support.device_programs import (
    SIZES,
    findings,
    only,
    place,
    report,
    rules,
    verdicts,
)


def branching(*, copy_back: bool, dtype: str = "bool") -> MethodBuilder:
    """A delegate decides a branch."""
    b = MethodBuilder()
    x = b.input(SIZES)
    p = b.tensor((), dtype, device="cuda:0")
    b.delegate("Any", [b.h2d(x)], [p], device="cuda:0")
    condition = b.d2h(p) if copy_back else p
    out, end = b.tensor(SIZES), Label()
    b.call("aten::relu.out", x, out=out)
    b.jump_false(condition, end)
    b.call("aten::sigmoid.out", x, out=out)
    b.mark(end)
    b.output(out)
    return b


def test_a_condition_on_the_device() -> None:
    """K28."""
    b = branching(copy_back=False)
    assert place(only(report(b), "PTE313")) == (3, 0, 1)
    assert verdicts(b)["1.4"] == verdicts(b)["1.5"] == "execute crash SIGSEGV"


def test_copied_back_it_is_fine() -> None:
    assert rules(report(branching(copy_back=True))) == []


def test_another_type_is_refused_before_it_is_read() -> None:
    assert findings(report(branching(copy_back=False, dtype="float32")), "PTE313") == []


def test_an_unplanned_device_input_as_condition() -> None:
    b = MethodBuilder()
    p = b.input((), "bool", device="cuda:0", planned=False)
    x = b.input(SIZES)
    end = Label()
    b.jump_false(p, end)
    b.mark(end)
    b.output(x)
    assert "the caller's memory on cuda:0" in only(report(b), "PTE313").message
    assert set(verdicts(b).values()) == {"execute crash SIGSEGV"}


def test_a_planned_device_input_fails_earlier() -> None:
    """K29."""
    b = MethodBuilder()
    p = b.input((), "bool", device="cuda:0")
    end = Label()
    b.jump_false(p, end)
    b.mark(end)
    b.output(b.input(SIZES))
    assert verdicts(b) == {
        "1.3": "execute ok",
        "1.4": "set_input crash SIGSEGV",
        "1.5": "set_input error NotSupported",
    }
