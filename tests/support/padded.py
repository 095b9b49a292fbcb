"""Programs that use up one budget or other: `make(n)` costs more the larger `n` is.

Each may hold a fault that has nothing to do with the padding, behind all of it: a call of an
operator that no runtime has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pte_lint.schema.enums import KernelTypes
from pte_lint.schema.program import DataSegment, EValue, Int

from pte_lint.testing.builder import Label, MethodBuilder
from pte_lint.testing.data_builder import DataTensor, build_bundle, build_data
from pte_lint.testing.program_builder import build_program
from tests.support.sharing_writer import write_shared

Made = tuple[bytes, tuple[bytes, ...]]
"""A program, and the data files that it is loaded with."""
Make = Callable[[int, bool], Made]


def _ended(b: MethodBuilder, x: int, wrong: bool) -> bytes:
    b.output(b.call("mine::missing.out" if wrong else "aten::relu.out", x, out=(2,)))
    return build_program(b).bytes()


def _begun() -> tuple[MethodBuilder, int]:
    b = MethodBuilder("forward")
    return b, b.input((2,))


def values(n: int, wrong: bool) -> Made:
    b, x = _begun()
    for number in range(n):
        b.int_value(number)
    return _ended(b, x, wrong), ()


def shared_values(n: int, wrong: bool) -> Made:
    """One value, referred to again and again."""
    b, x = _begun()
    b.output(b.call("mine::missing.out" if wrong else "aten::relu.out", x, out=(2,)))
    built = build_program(b)
    (plan,) = built.program.execution_plan or ()
    same = (EValue(KernelTypes.INT, Int(1)),) * n
    plan = replace(plan, values=(*(plan.values or ()), *same))
    program = replace(built.program, execution_plan=(plan,))
    return write_shared(program, built.segment_data), ()


def shared_segments(n: int, wrong: bool) -> Made:
    b, x = _begun()
    b.output(b.call("mine::missing.out" if wrong else "aten::relu.out", x, out=(2,)))
    built = build_program(b)
    segments = (*(built.program.segments or ()), *(DataSegment(0, 0),) * n)
    return write_shared(replace(built.program, segments=segments), built.segment_data), ()


def bundled_cases(n: int, wrong: bool) -> Made:
    b, x = _begun()
    inner = _ended(b, x, wrong)
    case = ([DataTensor([1.0, 2.0], (2,))], [DataTensor([1.0, 2.0], (2,))])
    return build_bundle(inner, {"forward": [case] * n}).bytes(), ()


def data_keys(n: int, wrong: bool) -> Made:
    b, x = _begun()
    w = b.external("w0", (2,))
    b.call("aten::add.out", x, w, b.int_value(1), out=(2,))
    file = build_data({f"w{k}": DataTensor([1.0, 2.0], (2,)) for k in range(n)})
    return _ended(b, x, wrong), (file.bytes(),)


def blobs(n: int, wrong: bool) -> Made:
    b, x = _begun()
    for number in range(n):
        (y,) = b.delegate("CudaBackend", [x], [(2,)], blob=bytes([number]) * 64)
        b.output(y)
    return _ended(b, x, wrong), ()


def long_lists(n: int, wrong: bool) -> Made:
    b, x = _begun()
    out = b.tensor((2 * n,))
    b.kernel("aten::cat.out", b.tensor_list([x] * n), b.int_value(0), out, out)
    b.output(out)
    return _ended(b, x, wrong), ()


def constant_condition(n: int, wrong: bool) -> Made:
    b, x = _begun()
    end = Label()
    b.jump_false(b.constant([True] * n, (n,), "bool"), end)
    b.output(b.call("aten::neg.out", x, out=(2,)))
    b.mark(end)
    return _ended(b, x, wrong), ()


def methods(n: int, wrong: bool) -> Made:
    made = []
    for number in range(n):
        b = MethodBuilder(f"m{number}")
        x = b.input((2,))
        last = wrong and number == n - 1
        b.output(b.call("mine::missing.out" if last else "aten::relu.out", x, out=(2,)))
        made.append(b)
    return build_program(*made).bytes(), ()


def moves(n: int, wrong: bool) -> Made:
    """A value that may in the end be any of many."""
    b, x = _begun()
    tensors = [b.call("aten::relu.out", x, out=(2,)) for _ in range(n)]
    shown = b.call("aten::neg.out", x, out=(2,))
    for each in tensors:
        past = Label()
        b.jump_false(b.input((1,), "bool"), past)
        b.move(each, shown)
        b.mark(past)
    b.output(b.call("aten::neg.out", shown, out=(2,)))
    return _ended(b, x, wrong), ()


def moves_of_moves(n: int, wrong: bool) -> Made:
    """What is moved may be any of many, and nobody reads it."""
    b, x = _begun()
    tensors = [b.call("aten::relu.out", x, out=(2,)) for _ in range(n)]
    shown, again = (b.call("aten::neg.out", x, out=(2,)) for _ in range(2))
    for each in tensors:
        past = Label()
        b.jump_false(b.input((1,), "bool"), past)
        b.move(each, shown)
        b.mark(past)
    b.move(shown, again)
    return _ended(b, x, wrong), ()


def branches(n: int, wrong: bool) -> Made:
    """A value that is live across many blocks, each of which writes something of its own."""
    b, x = _begun()
    first = b.call("aten::neg.out", x, out=(2,))
    for _ in range(n):
        past = Label()
        b.jump_false(b.input((1,), "bool"), past)
        b.call("aten::relu.out", x, out=(2,))
        b.mark(past)
    return _ended(b, first, wrong), ()


def sums(n: int, wrong: bool) -> Made:
    b, x = _begun()
    total, one = b.int_value(0), b.int_value(1)
    for _ in range(n):
        b.kernel("executorch_prim::add.Scalar", total, one, total)
    b.kernel("executorch_prim::sub.Scalar", total, total, total)
    return _ended(b, x, wrong), ()


def paths(n: int, wrong: bool) -> Made:
    """Something that is written on one of two ways only is read behind many others."""
    b, x = _begun()
    flag, past, t = b.input((1,), "bool"), Label(), b.tensor((2,))
    b.jump_false(flag, past)
    b.call("aten::neg.out", x, out=(2,))
    b.kernel("aten::relu.out", x, t, t)
    b.mark(past)
    for condition in (*(b.input((1,), "bool") for _ in range(n)), flag):
        past = Label()
        b.jump_false(condition, past)
        b.call("aten::neg.out", x, out=(2,))
        b.mark(past)
    return _ended(b, t, wrong), ()


def tenants(n: int, wrong: bool) -> Made:
    """A view of something in whose place much else was since then."""
    b, x = _begun()
    y = b.input((2,), "int32")
    place = {"memory_id": 2, "offset": 0}
    base = b.tensor((2,), "int32", **place)  # type: ignore[arg-type]
    b.kernel("aten::neg.out", y, base, base)
    for _ in range(n):
        other = b.tensor((2,), **place)  # type: ignore[arg-type]
        b.kernel("aten::neg.out", x, other, other)
    view = b.tensor((1, 2), "int32", **place)  # type: ignore[arg-type]
    b.output(b.call("aten::neg.out", view, out=(1, 2), dtype="int32"))
    return _ended(b, x, wrong), ()


def conflicts(n: int, wrong: bool) -> Made:
    """One call writes over what many later ones read."""
    b, x = _begun()
    kept = []
    for number in range(n):
        each = b.tensor((2,), memory_id=2, offset=16 * number)
        b.kernel("aten::neg.out", x, each, each)
        kept.append(each)
    wide = b.tensor((4 * n,), memory_id=2, offset=0)
    b.kernel("aten::full.out", b.ints([4 * n]), b.double_value(0.0), wide, wide)
    for each in kept:
        b.output(b.call("aten::relu.out", each, out=(2,)))
    return _ended(b, x, wrong), ()


def waiting(n: int, wrong: bool) -> Made:
    """A loop that waits for what every iteration computes anew from the same input."""
    b, x = _begun()
    flag, done = b.input(()), b.tensor((), "bool")
    top, t = b.mark(), flag
    for _ in range(n):
        t = b.call("aten::neg.out", t, out=())
    b.kernel("aten::gt.Scalar_out", t, b.int_value(0), done, done)
    b.jump_false(done, top)
    return _ended(b, x, wrong), ()


def many_conditions(n: int, wrong: bool) -> Made:
    """The last of many conditions is the one that keeps a loop going."""
    b, x = _begun()
    for _ in range(n):
        past = Label()
        b.jump_false(b.input((1,), "bool"), past)
        b.call("aten::neg.out", x, out=(2,))
        b.mark(past)
    top = b.mark()
    b.call("aten::neg.out", x, out=(2,))
    b.jump_false(b.input((1,), "bool"), top)
    return _ended(b, x, wrong), ()


def unwritten(n: int, wrong: bool) -> Made:
    """A result on a device that nobody reads, and many values that nothing writes."""
    b, x = _begun()
    (made,) = b.delegate("CudaBackend", [b.h2d(x)], [(6,)], device="cuda:0")
    base = b.tensor((2, 2), memory_id=3, offset=0)
    b.kernel("aten::full.out", b.ints([2, 2]), b.double_value(0.0), base, base)
    views = [b.tensor((4,), memory_id=3, offset=0) for _ in range(n)]
    b.output(b.call("aten::neg.out", views[-1], out=(4,)))
    assert made < base
    return _ended(b, x, wrong), ()


def findings(n: int, wrong: bool) -> Made:
    b, x = _begun()
    for _ in range(n):
        b.output(99)
    return _ended(b, x, wrong), ()


def over_its_input(n: int, wrong: bool) -> Made:
    """An element-wise call whose result lies a little before its input."""
    b, x = _begun()
    size = 2 * n
    source = b.tensor((size,), memory_id=2, offset=16)
    b.kernel("aten::full.out", b.ints([size]), b.double_value(0.0), source, source)
    out = b.tensor((size,), memory_id=2, offset=0)
    b.kernel("aten::add.out", source, source, b.int_value(1), out, out)
    b.output(b.call("aten::neg.out", out, out=(size,)))
    return _ended(b, x, wrong), ()


def rows_over_their_input(n: int, wrong: bool) -> Made:
    """A concatenation, row by row, whose result lies a little before one of its parts."""
    b, x = _begun()
    rows = n + 1
    part = b.tensor((rows, 1), memory_id=2, offset=16)
    b.kernel("aten::full.out", b.ints([rows, 1]), b.double_value(0.0), part, part)
    out = b.tensor((rows, 1), memory_id=2, offset=0)
    b.kernel("aten::cat.out", b.tensor_list([part]), b.int_value(1), out, out)
    b.output(b.call("aten::neg.out", out, out=(rows, 1)))
    return _ended(b, x, wrong), ()
