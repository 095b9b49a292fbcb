from __future__ import annotations

from dataclasses import replace

import pytest
from pte_lint.schema.flat_tensor import FlatTensor
from pte_lint.schema.loaded import read_flat_tensor

from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome
from pte_lint.testing.data_builder import BuiltData, DataTensor, build_data
from pte_lint.testing.program_builder import build_program
from tests.fuzz.atlas import atlas
from tests.support.examples import externally
from tests.support.judging import judge, only, verdict

GOOD = build_data({"w": DataTensor([1, 2, 3, 4], (2, 2))})
LAYOUT = "named_data[0].tensor_layout"


def segment(**fields: int) -> BuiltData:
    (only_one,) = GOOD.flat_tensor.segments or ()
    return GOOD.replaced("segments", (replace(only_one, **fields),))


BROKEN = [
    (GOOD.replaced("named_data[0].segment_index", 9), "InvalidExternalData"),
    (segment(offset=2**64 - 4), "InvalidExternalData"),
    (segment(offset=1 << 40), "InvalidExternalData"),
    (GOOD.replaced(LAYOUT + ".sizes", (-2, 2)), "InvalidArgument"),
    (GOOD.replaced(LAYOUT + ".sizes", (2**31 - 1,) * 3), "InvalidArgument"),
    (GOOD.replaced(LAYOUT + ".dim_order", (0, 2)), "InvalidArgument"),
    (GOOD.replaced(LAYOUT + ".sizes", None), "SIGSEGV"),
    (GOOD.replaced(LAYOUT + ".dim_order", None), "SIGSEGV"),
]


@pytest.mark.parametrize("mutable", [False, True])
@pytest.mark.parametrize(("built", "detail"), [*BROKEN, (GOOD.replaced(LAYOUT, None), "SIGSEGV")])
def test_a_key_that_the_program_wants(built: BuiltData, detail: str, mutable: bool) -> None:
    program = build_program(externally(mutable=mutable)).bytes()
    report = judge(program, "PTE515", data={"w.ptd": built.bytes()})
    assert only(report).message.startswith("The entry w of w.ptd ")
    assert (verdict(report).error or verdict(report).signal) == detail


@pytest.mark.parametrize(("built", "detail"), BROKEN)
def test_a_data_file_by_itself(built: BuiltData, detail: str) -> None:
    report = judge(built.bytes(), "PTE515", name="w.ptd")
    assert (verdict(report).error or verdict(report).signal) == detail


def test_bytes_outside_the_file() -> None:
    # The runtime's own bound is too lax by the base: the loader notices.
    far = segment(offset=64)
    for mutable, error in ((False, "InvalidExternalData"), (True, "InvalidArgument")):
        program = build_program(externally(mutable=mutable)).bytes()
        report = judge(program, "PTE515", data={"w.ptd": far.bytes()})
        assert verdict(report).error == error


def test_a_blob_is_no_fault_by_itself() -> None:
    report = judge(build_data({"w": b"1234"}).bytes(), "PTE515", name="w.ptd")
    assert verdict(report).outcome is Outcome.OK


def test_keys_that_nobody_wants() -> None:
    program = build_program(externally("other")).bytes()
    data = {"w.ptd": GOOD.replaced(LAYOUT + ".sizes", None).bytes()}
    assert judge(program, "PTE515", data=data).findings == ()


def test_a_good_entry() -> None:
    program = build_program(externally()).bytes()
    assert judge(program, "PTE515", data={"w.ptd": GOOD.bytes()}).findings == ()
    assert judge(GOOD.bytes(), "PTE515", name="w.ptd").findings == ()


def damaged(content: bytes, sought: bytes, value: int, after: int = 0) -> bytes:
    """The file with 4 bytes replaced, `after` bytes behind the only place of `sought`."""
    assert content.count(sought) == 1
    at = content.index(sought) + after
    return content[:at] + value.to_bytes(4, "little") + content[at + 4 :]


def test_sizes_that_leave_the_file() -> None:
    sizes = b"".join(n.to_bytes(4, "little") for n in (2, 2, 2))
    content = damaged(GOOD.bytes(), sizes, 1 << 28)
    program = build_program(externally()).bytes()
    report = judge(content, "PTE515", name="w.ptd")
    assert only(report).message == "The entry w of w.ptd has a layout that leaves the file."
    report = judge(program, "PTE515", data={"w.ptd": content})
    assert verdict(report).outcome is Outcome.UNDEFINED


def test_a_length_of_dim_order_that_nothing_reads() -> None:
    order = (2).to_bytes(4, "little") + b"\0\1\0\0"
    content = damaged(GOOD.bytes(), order, 1 << 28)
    program = build_program(externally()).bytes()
    assert only(judge(content, "PTE522", name="w.ptd")).severity is Severity.WARNING
    for rule in ("PTE514", "PTE515", "PTE516"):
        assert judge(program, rule, data={"w.ptd": content}).findings == ()


def test_a_short_dim_order_is_doubtful() -> None:
    report = judge(GOOD.replaced(LAYOUT + ".dim_order", (0,)).bytes(), "PTE515", name="w.ptd")
    assert only(report).severity is Severity.WARNING
    assert "fewer values of dim_order than sizes" in only(report).message


def test_an_unknown_element_type() -> None:
    broken = GOOD.replaced(LAYOUT + ".scalar_type", 77).bytes()
    program = build_program(externally()).bytes()
    report = judge(program, "PTE515", data={"w.ptd": broken})
    assert verdict(report).signal == "SIGABRT"


def long_table(content: bytes, path: str) -> bytes:
    """The file with a table of tables so long that it leaves the file."""
    for at in atlas(content, FlatTensor).lengths:
        changed = content[:at] + (1 << 28).to_bytes(4, "little") + content[at + 4 :]
        if any(each.path == path for each in read_flat_tensor(changed).violations):
            return changed
    raise AssertionError(path)


def test_a_length_of_the_segment_table_that_nothing_reads() -> None:
    content = long_table(GOOD.bytes(), "segments")
    program = build_program(externally()).bytes()
    assert judge(program, "PTE515", data={"w.ptd": content}).findings == ()
    other = build_program(externally("v")).bytes()
    report = judge(other, "PTE513", data={"w.ptd": content})
    assert verdict(report).error == "NotFound"


def test_a_segment_beyond_a_table_that_leaves_the_file() -> None:
    content = long_table(GOOD.replaced("named_data[0].segment_index", 999).bytes(), "segments")
    program = build_program(externally()).bytes()
    report = judge(program, "PTE515", data={"w.ptd": content})
    assert verdict(report).outcome is Outcome.UNDEFINED


def test_an_impossible_dim_order_of_impossible_length() -> None:
    broken = GOOD.replaced(LAYOUT + ".dim_order", (0, 5)).bytes()
    content = damaged(broken, (2).to_bytes(4, "little") + b"\0\5\0\0", 1 << 28)
    program = build_program(externally()).bytes()
    report = judge(program, "PTE515", data={"w.ptd": content})
    assert verdict(report).error == "InvalidArgument"
