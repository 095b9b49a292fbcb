from __future__ import annotations

from collections.abc import Callable

import pytest

from pte_lint.ir.calling import LOCAL_SCALAR
from pte_lint.testing.builder import MethodBuilder
from tests.rules.checks import found, only
from tests.support.language_models import WIDTH, decoder, program, update_cache

RULE = "PTE616"


@pytest.mark.parametrize(("length", "count"), [(16, 0), (17, 0), (18, 1), (64, 1)])
def test_a_cache_as_long_as_the_context(length: int, count: int) -> None:
    """The last position that runners give is two below the context."""
    findings = found(program(get_max_context_len=length), RULE)
    assert [f.evidence.get("positions") for f in findings] == [16] * count


def test_what_it_says() -> None:
    finding = only(program(get_max_context_len=64), RULE)
    assert finding.message == (
        "get_max_context_len is 64, but value 2, which aten::index_put_ indexes by position, has "
        "16 positions: position 16 is refused."
    )
    assert finding.location.instruction == 0
    assert finding.method == "forward"


def test_the_length_of_a_call_stands_in_for_the_context() -> None:
    finding = only(program(get_max_context_len=None, get_max_seq_len=64), RULE)
    assert finding.message.startswith("get_max_seq_len is 64")


def test_the_shortest_decides_but_beside_windows_the_longest() -> None:
    b = decoder(cache=16)
    update_cache(b, b.inputs[1], 8)
    assert only(program(b), RULE).evidence["positions"] == 8
    assert found(program(b, sliding_window=8), RULE) == ()
    assert len(found(program(b, sliding_window=8, get_max_context_len=32), RULE)) == 1


def _number(b: MethodBuilder, position: int) -> int:
    number = b.int_value(0)
    b.kernel(LOCAL_SCALAR, position, number)
    return number


def _slice(b: MethodBuilder, position: int) -> None:
    table = b.constant(bytes(8 * 4), (8, 1))
    end, step, dim = b.int_value(9), b.int_value(1), b.int_value(0)
    start = _number(b, position)
    b.call("aten::slice_copy.Tensor_out", table, dim, start, end, step, out=(1, 1))


def _custom(b: MethodBuilder, position: int) -> None:
    cache = b.state((1, 8, 1, WIDTH), initial=bytes(4 * 8 * WIDTH))
    row = b.constant(bytes(4 * WIDTH), (1, 1, 1, WIDTH))
    b.call("llama::update_cache.out", row, cache, _number(b, position), out=(1,))


def _lookup(b: MethodBuilder, position: int) -> None:
    table = b.constant(bytes(4 * 8 * WIDTH), (8, WIDTH))
    flag, none = b.bool_value(False), b.int_value(-1)
    b.call("aten::embedding.out", table, position, none, flag, flag, out=(1, WIDTH))


def _range(b: MethodBuilder, position: int) -> None:
    steps = b.call("aten::arange.out", b.int_value(1), out=(1,), dtype="int64")
    places = b.add(position, steps)
    table = b.constant(bytes(4 * 8 * WIDTH), (8, WIDTH))
    b.call("aten::index.Tensor_out", table, b.optional_list([places]), out=(1, WIDTH))


def _export_of_a_dynamic_cache(b: MethodBuilder, position: int) -> None:
    """arange(0, n) + scalar_tensor(position.item()), as export_llama writes it."""
    one = b.int_value(1)
    steps = b.call("aten::arange.start_out", b.int_value(0), one, one, out=(1,), dtype="int64")
    start = b.call("aten::scalar_tensor.out", _number(b, position), out=(), dtype="int64")
    places = b.call("aten::add.out", steps, start, one, out=(1,))
    update_cache(b, places, 8)


def _from_the_position(b: MethodBuilder, position: int) -> None:
    number, one = _number(b, position), b.int_value(1)
    places = b.call("aten::arange.start_out", number, one, one, out=(1,), dtype="int64")
    update_cache(b, places, 8)


def _behind(b: MethodBuilder, position: int) -> None:
    """A range that starts below zero."""
    one, start = b.int_value(1), b.int_value(-8)
    steps = b.call("aten::arange.start_out", start, one, one, out=(1,), dtype="int64")
    update_cache(b, b.add(position, steps), 8)


def _kept_in_a_buffer(b: MethodBuilder, position: int) -> None:
    """As transformers exports a static cache: its length is a buffer that is set at first."""
    first = b.call(
        "aten::select_copy.int_out", position, b.int_value(0), b.int_value(0), out=(), dtype="int64"
    )
    length = b.state((), "int64")
    kept = b.call("aten::copy.out", length, first, b.bool_value(False), out=(), dtype="int64")
    one = b.int_value(1)
    steps = b.call("aten::arange.start_out", b.int_value(0), one, one, out=(1,), dtype="int64")
    update_cache(b, b.call("aten::add.out", steps, kept, one, out=(1,)), 8)


def _another_buffer(b: MethodBuilder, position: int) -> None:
    """What positions are copied from, and not to, holds none."""
    source = b.constant(bytes(8), (1,), "int64")
    update_cache(b, b.call("aten::copy.out", position, source, b.bool_value(False), out=(1,)), 8)


def _wrapped(b: MethodBuilder, position: int) -> None:
    eight = b.int_value(8)
    places = b.call("aten::remainder.Scalar_out", position, eight, out=(1,), dtype="int64")
    update_cache(b, places, 8)


def _overwritten(b: MethodBuilder, position: int) -> None:
    copy = b.call("aten::clone.out", position, b.null(), out=(1,), dtype="int64")
    b.call("aten::remainder.Scalar_out", copy, b.int_value(8), out=copy)
    update_cache(b, copy, 8)


def _shifted(b: MethodBuilder, position: int) -> None:
    less = b.constant((-8).to_bytes(8, "little", signed=True), (1,), "int64")
    update_cache(b, b.add(position, less), 8)


@pytest.mark.parametrize(
    "use",
    [
        _slice,
        _custom,
        _lookup,
        _range,
        _export_of_a_dynamic_cache,
        _from_the_position,
        _kept_in_a_buffer,
    ],
)
def test_what_positions_index(use: Callable[[MethodBuilder, int], None]) -> None:
    b = decoder(cache=16)
    use(b, b.inputs[1])
    assert only(program(b), RULE).evidence["positions"] == 8


@pytest.mark.parametrize("use", [_another_buffer, _wrapped, _overwritten, _shifted, _behind])
def test_what_is_no_position_any_more(use: Callable[[MethodBuilder, int], None]) -> None:
    b = decoder(cache=16)
    use(b, b.inputs[1])
    assert found(program(b), RULE) == ()


def test_both_stages() -> None:
    both = program(decoder("prefill"), decoder("decode", cache=8))
    assert only(both, RULE).method == "decode"
