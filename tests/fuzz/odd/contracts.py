"""Programs that break the contract of the ones before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pte_lint.claims.profile import default_profile
from pte_lint.claims.target import Target
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.fuzz.odd.defect import OddDefect
from tests.support.contracts import options, own_contract
from tests.support.examples import adder


def _broken(what: str, good: BuiltProgram, bad: BuiltProgram) -> OddDefect:
    given = {"options": options(own_contract(good))}
    return OddDefect(what, bad.bytes(), good.bytes(), options=given)


def _methods() -> OddDefect:
    good, bad = build_program(adder(), adder("decode")), build_program(adder())
    return _broken("a promised method that is not there", good, bad)


def _adding(*sizes: int, times: int = 1, dtype: str = "float32") -> BuiltProgram:
    b = MethodBuilder()
    x = b.input(sizes, dtype)
    for _ in range(times):
        x = b.add(x, x)
    b.output(x)
    return build_program(b)


def _signature() -> OddDefect:
    return _broken("an input of a promised type", _adding(2, 2), _adding(2, 2, dtype="int32"))


def _delegation() -> OddDefect:
    b = MethodBuilder()
    x = b.input((2, 2))
    b.output(b.call("aten::mul.out", x, x, out=(2, 2)))
    return _broken("an operator on the host that may not be", _adding(2, 2), build_program(b))


def _size() -> OddDefect:
    return _broken("more planned bytes than promised", _adding(4), _adding(4, times=2))


def _counting(name: str) -> BuiltProgram:
    b = MethodBuilder()
    state = b.state((3,), name=name)
    b.kernel("aten::copy_", state, b.input((3,)), b.bool_value(False), state)
    b.output(state)
    return build_program(b)


def _state() -> OddDefect:
    return _broken("state of another name than promised", _counting("count"), _counting("other"))


def _budget() -> OddDefect:
    profile = replace(default_profile(), memory={"cpu": 2000})
    given = {"target": Target(profile=profile, explicit_profile=True)}
    what = "a method that needs more memory than the target has"
    return OddDefect(what, _adding(64, times=4).bytes(), _adding(4).bytes(), options=given)


def _sharing(name: str, sizes: tuple[int, ...], arena: int = 2) -> MethodBuilder:
    b = MethodBuilder(name)
    state = b.state(sizes, memory_id=arena, offset=0, initial=bytes(16))
    total = b.add(state, b.input(sizes))
    b.kernel("aten::copy_", state, total, b.bool_value(False), state)
    b.output(total)
    return b


def _shared_state() -> OddDefect:
    bad = build_program(_sharing("put", (2, 2)), _sharing("take", (4,)))
    good = build_program(_sharing("put", (2, 2), 1), _sharing("take", (4,), 1))
    return OddDefect("methods that take shared bytes for other tensors", bad.bytes(), good.bytes())


CONTRACTS: dict[str, Callable[[], OddDefect]] = {
    "PTE630": _methods,
    "PTE631": _signature,
    "PTE632": _delegation,
    "PTE633": _size,
    "PTE634": _state,
    "PTE635": _budget,
    "PTE636": _shared_state,
}
