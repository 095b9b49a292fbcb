"""Methods whose values, inputs or instructions are wrong."""

from __future__ import annotations

from collections.abc import Callable

from pte_lint.ir.calling import ET_VIEW
from pte_lint.testing.builder import Label, MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.fuzz.odd.defect import OddDefect
from tests.support.examples import adder, delegated

_PLAN = "execution_plan[0]"
_HUGE = 2**31 - 1
_RELU = "aten::relu.out"


def _pair(what: str, bad: MethodBuilder, good: MethodBuilder) -> OddDefect:
    return OddDefect(what, build_program(bad).bytes(), build_program(good).bytes())


def _same_name() -> OddDefect:
    other = MethodBuilder("other")
    other.output(other.call("aten::neg.out", other.input((2, 2)), out=(2, 2)))
    good = build_program(adder("forward"), other)
    bad = good.replaced("execution_plan[1].name", "forward")
    return OddDefect("two methods of one name", bad.bytes(), good.bytes())


def _list_item() -> OddDefect:
    def method(item: int) -> MethodBuilder:
        b = MethodBuilder()
        x, number = b.input((2, 2)), b.int_value(0)
        parts = b.tensor_list([x, (x, number)[item]])
        b.output(b.call("aten::cat.out", parts, number, out=(4, 2), dtype="float32"))
        return b

    return _pair("a number in a list of tensors", method(1), method(0))


def _output() -> OddDefect:
    good = build_program(adder())
    bad = good.replaced(f"{_PLAN}.outputs", (99,))
    return OddDefect("an output that is no value", bad.bytes(), good.bytes())


def _argument_count() -> OddDefect:
    good = build_program(adder())
    call = f"{_PLAN}.chains[0].instructions[0].instr_args.args"
    bad = good.replaced(call, (0, 1, 3, 3))
    return OddDefect("a sum without its alpha", bad.bytes(), good.bytes())


def _unbound_shape() -> OddDefect:
    good = build_program(adder())
    bad = good.replaced(f"{_PLAN}.values[3].val.shape_dynamism", 2)
    return OddDefect("a result without an upper bound", bad.bytes(), good.bytes())


def _overflow() -> OddDefect:
    b = adder()
    extra = b.tensor((1,), planned=False)
    path = f"{_PLAN}.values[{extra}].val"
    good = build_program(b)
    bad = good.replaced(f"{path}.sizes", (_HUGE, _HUGE, 4)).replaced(f"{path}.dim_order", (0, 1, 2))
    return OddDefect("sizes whose product passes 64 bits", bad.bytes(), good.bytes())


def _with_input(what: str, add: Callable[[MethodBuilder], int]) -> OddDefect:
    b = adder()
    b.takes(add(b))
    return _pair(what, b, adder())


def _list_input() -> OddDefect:
    return _with_input("an IntList as a method input", lambda b: b.ints([1, 2]))


def _baked() -> OddDefect:
    return _with_input("a number as a method input", lambda b: b.int_value(7))


def _constant_input() -> OddDefect:
    def method(takes: bool) -> MethodBuilder:
        b = MethodBuilder()
        x, weight = b.input((2, 2)), b.constant([2.0] * 4, (2, 2))
        if takes:
            b.takes(weight)
        b.output(b.add(x, weight))
        return b

    return _pair("a constant as a method input", method(True), method(False))


def _loop(step: int) -> MethodBuilder:
    """A loop over the rows of an input; `step` is what the counter is raised by."""
    b = MethodBuilder()
    x, counter, end, done = b.input((3, 4)), b.int_value(0), b.null(), b.bool_value(False)
    b.kernel("aten::sym_size.int", x, b.int_value(0), end)
    y = b.tensor((3, 4))
    start = b.mark()
    b.call(_RELU, x, out=y)
    b.kernel("executorch_prim::add.Scalar", counter, b.int_value(step), counter)
    b.kernel("executorch_prim::eq.Scalar", counter, end, done)
    b.jump_false(done, start)
    # For the next run.
    b.kernel("executorch_prim::sub.Scalar", counter, end, counter)
    b.output(y)
    return b


def _no_delegate() -> OddDefect:
    good = build_program(delegated("Any"))
    path = f"{_PLAN}.chains[0].instructions[0].instr_args.delegate_index"
    bad = good.replaced(path, 1)
    return OddDefect("a call of the second of one delegate", bad.bytes(), good.bytes())


def _destination() -> OddDefect:
    def method(destination: int) -> MethodBuilder:
        b = adder()
        b.jump_false(b.bool_value(True), destination)
        b.output(b.call(_RELU, 0, out=(2, 2)))
        return b

    return _pair("a jump that leads beyond the end", method(99), method(2))


def _endless() -> OddDefect:
    return _pair("a loop whose counter is raised by nothing", _loop(0), _loop(1))


def _branch(flag: bool) -> MethodBuilder:
    b = MethodBuilder()
    x, over = b.input((4,)), Label()
    out = b.call(_RELU, x, out=(4,))
    b.jump_false(b.bool_value(flag), over)
    b.call("aten::sigmoid.out", x, out=out)
    b.mark(over)
    b.output(out)
    return b


def _unreachable() -> OddDefect:
    return _pair("a call behind a jump that is always taken", _branch(False), _branch(True))


def _null(planned: bool) -> MethodBuilder:
    b = MethodBuilder()
    between = b.tensor((4,), planned=planned)
    b.output(b.call(_RELU, b.call(_RELU, b.input((4,)), out=between), out=(4,)))
    return b


def _null_tensor() -> OddDefect:
    return _pair("a tensor that was not planned", _null(False), _null(True))


def _constant_written() -> OddDefect:
    def method(writes: bool) -> MethodBuilder:
        b = MethodBuilder()
        x, weight, y = b.input((4,)), b.constant([1.0] * 4, (4,)), b.tensor((4,))
        b.call("aten::mul.out", x, weight, out=weight if writes else y)
        b.output(b.call(_RELU, weight if writes else y, out=(4,)))
        return b

    return _pair("a product written over its constant factor", method(True), method(False))


def _prim_argument() -> OddDefect:
    def method(dim: int) -> MethodBuilder:
        b = adder()
        rows = b.null()
        b.kernel("aten::sym_size.int", 0, b.int_value(dim), rows)
        b.output(rows)
        return b

    return _pair("the size of a third dimension of two", method(2), method(1))


def _view() -> OddDefect:
    def method(columns: int) -> MethodBuilder:
        b = MethodBuilder()
        target = b.tensor((2, 6), dynamism=1, planned=False)
        b.kernel(ET_VIEW, b.input((3, 4)), b.ints((2, columns)), target)
        b.output(b.call(_RELU, target, out=(2, 6)))
        return b

    return _pair("a view of ten elements of twelve", method(5), method(6))


def _unbound() -> OddDefect:
    def method(moves: bool) -> MethodBuilder:
        b = MethodBuilder()
        x, out = b.input((4,)), b.tensor((4,), planned=False)
        if moves:
            b.move(b.call(_RELU, x, out=(4,)), out)
        else:
            b.call(_RELU, x, out=out)
        b.output(out)
        return b

    return _pair("an unplanned output that a move replaces", method(True), method(False))


def _overwritten() -> OddDefect:
    def method(counts: bool) -> MethodBuilder:
        b = adder()
        count = b.takes(b.int_value(1))
        total = count if counts else b.int_value(0)
        b.kernel("executorch_prim::add.Scalar", count, b.int_value(1), total)
        b.output(total)
        return b

    return _pair("a number among the inputs that the method raises", method(True), method(False))


def _product(inner: int) -> BuiltProgram:
    b = MethodBuilder()
    b.output(b.call("aten::mm.out", b.input((2, inner)), b.input((3, 4)), out=(2, 4)))
    return build_program(b)


def _refused() -> OddDefect:
    what = "a matrix product of 2 x 5 and 3 x 4"
    return OddDefect(what, _product(5).bytes(), _product(3).bytes())


def _ignored() -> OddDefect:
    b = adder()
    constant = b.constant([1, 2, 3, 4], (2, 2))
    b.output(b.call(_RELU, constant, out=(2, 2)))
    good = build_program(b)
    bad = good.replaced(f"{_PLAN}.values[{constant}].val.shape_dynamism", 7)
    return OddDefect("a shape dynamism that there is not", bad.bytes(), good.bytes())


_LAST = (0, 2, 3, 1)


def _flipped(order: tuple[int, ...]) -> bytes:
    b = MethodBuilder()
    sizes = (1, 3, 2, 4)
    x, out = b.input(sizes, dim_order=order), b.tensor(sizes, dim_order=order)
    b.output(b.call("aten::flip.out", x, b.ints([1]), out=out))
    return build_program(b).bytes()


def _misread() -> OddDefect:
    return OddDefect(
        "channels turned round in channels-last", _flipped(_LAST), _flipped((0, 1, 2, 3))
    )


def _shown(order: tuple[int, ...]) -> bytes:
    b = MethodBuilder()
    sizes = (1, 4, 2, 2)
    x = b.input(sizes, dim_order=order)
    base = b.tensor(sizes, dim_order=order, memory_id=1, offset=256)
    b.call(_RELU, x, out=base)
    view = b.tensor((1, 16), memory_id=1, offset=256)
    b.output(b.call("aten::abs.out", view, out=(1, 16)))
    return build_program(b).bytes()


def _lost_order() -> OddDefect:
    return OddDefect("a view of a channels-last image", _shown(_LAST), _shown((0, 1, 2, 3)))


def _remainder(dtype: str) -> bytes:
    b = MethodBuilder()
    x = b.input((4,), dtype)
    b.output(b.call("aten::remainder.Scalar_out", x, b.int_value(8), out=(4,)))
    return build_program(b).bytes()


def _other_values() -> OddDefect:
    return OddDefect("a remainder of whole numbers", _remainder("int32"), _remainder("float32"))


def _joined(dtype: str) -> bytes:
    b = MethodBuilder()
    parts = b.tensor_list([b.input((2, 3)), b.input((2, 3), dtype)])
    b.output(b.call("aten::cat.out", parts, b.int_value(0), out=(4, 3), dtype="float32"))
    return build_program(b).bytes()


def _taken_bytes() -> OddDefect:
    return OddDefect("whole numbers joined with others", _joined("int32"), _joined("float32"))


def _too_large_to_read() -> OddDefect:
    """A jump on a constant of more elements than are read: which way it goes is not known."""

    def program(elements: int) -> bytes:
        b = adder()
        b.jump_false(b.constant([True] * elements, (elements,), "bool"), 0)
        return build_program(b).bytes()

    return OddDefect("a condition too large to read", program(4097), program(4096))


STRUCTURE: dict[str, Callable[[], OddDefect]] = {
    "PTE022": _too_large_to_read,
    "PTE103": _same_name, "PTE105": _list_item, "PTE109": _unbound_shape, "PTE110": _overflow,
    "PTE111": _ignored,
    "PTE113": _output, "PTE114": _list_input, "PTE115": _baked, "PTE116": _constant_input,
    "PTE122": _no_delegate, "PTE123": _argument_count, "PTE126": _destination, "PTE127": _endless,
    "PTE128": _unreachable, "PTE131": _null_tensor, "PTE133": _constant_written,
    "PTE135": _prim_argument, "PTE137": _view, "PTE138": _unbound, "PTE140": _overwritten,
    "PTE141": _refused, "PTE151": _misread, "PTE152": _lost_order, "PTE153": _other_values,
    "PTE154": _taken_bytes,
}  # fmt: skip
