"""Files that are not what they seem, and what surrounds the program in them."""

from __future__ import annotations

import gzip
from collections.abc import Callable

from pte_lint.schema.program import Frame, FrameList

from pte_lint.testing.containers import Layout
from pte_lint.testing.data_builder import DataTensor, build_bundle, build_data
from pte_lint.testing.program_builder import build_program
from tests.fuzz.odd.defect import ELF, OddDefect
from tests.support.examples import adder, counter, plain


def _zeros() -> OddDefect:
    good = plain().bytes()
    return OddDefect("room for the file, but none of its bytes", bytes(len(good)), good)


def _lfs() -> OddDefect:
    text = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 9\n"
    return OddDefect("a Git LFS pointer in place of the file", text, plain().bytes())


def _gzip() -> OddDefect:
    good = plain().bytes()
    return OddDefect("the program, gzipped", gzip.compress(good, mtime=0), good)


def _crlf() -> OddDefect:
    good = build_program(adder(), named_data={"text": b"two\nlines\n"}).bytes()
    return OddDefect("line ends were converted", good.replace(b"\n", b"\r\n"), good)


def _no_base() -> OddDefect:
    bad = plain().bytes(Layout(segment_base_offset=0))
    return OddDefect("a header without the segments' place", bad, plain().bytes())


def _version() -> OddDefect:
    bad = plain().replaced("version", 2).bytes()
    return OddDefect("a program of schema version 2", bad, plain().bytes())


def _no_segments() -> OddDefect:
    good = build_program(adder(), named_data={"a": b"1234"})
    bad = good.replaced("segments", None).bytes()
    return OddDefect("named data without a segment table", bad, good.bytes())


def _trailing() -> OddDefect:
    bad = plain().bytes(Layout(trailing=b"left over" * 4))
    return OddDefect("words behind the end of the file", bad, plain().bytes())


def _suffix() -> OddDefect:
    data = build_data({"w": b"1234"}).bytes()
    return OddDefect("a data file named .pte", data, data, good_name="good.ptd")


def _bundle() -> OddDefect:
    bundle = build_bundle(plain().bytes(), {"forward": []})
    return OddDefect("a bundled program", bundle.bytes(), plain().bytes(), "defect.bpte",
                     good_name="good.pte")  # fmt: skip


def _order() -> OddDefect:
    b = counter()
    b.output(b.add(b.inputs[0], b.constant([1, 2, 3], (3,))))
    good = build_program(b)
    bad = good.replaced("segments", (good.program.segments or ())[::-1])
    bad = bad.replaced("constant_segment.segment_index", 1)
    bad = bad.replaced("mutable_data_segments[0].segment_index", 0)
    return OddDefect("a segment table in another order", bad.bytes(), good.bytes())


def _damaged_bundle() -> OddDefect:
    good = build_bundle(plain().bytes(), {"forward": []})
    bad = good.replaced("program", None).bytes()
    return OddDefect("a bundle without its program", bad, good.bytes(), "defect.bpte")


def _cases() -> OddDefect:
    tensor = DataTensor([1, 2, 3, 4], (2, 2))
    cases = [([tensor], [tensor])]
    bad = build_bundle(plain().bytes(), {"other": cases})
    good = build_bundle(plain().bytes(), {"forward": cases})
    return OddDefect(
        "test cases for a method that is not there", bad.bytes(), good.bytes(), "defect.bpte"
    )


def _paths() -> OddDefect:
    frames = FrameList((Frame("/home/me/model.py", 3, "forward", "x + y"),))
    bad = plain().replaced("execution_plan[0].chains[0].stacktrace", (frames, frames))
    return OddDefect("stack traces of the exporting machine", bad.bytes(), plain().bytes())


def _executable() -> OddDefect:
    good = build_program(adder(), named_data={"code": b"just a few words, no code"})
    bad = build_program(adder(), named_data={"code": ELF})
    return OddDefect("machine code in named data", bad.bytes(), good.bytes())


def _duplicates() -> OddDefect:
    weights = bytes(range(256)) * 2
    good = build_program(adder(), named_data={"a": weights, "b": weights[::-1]})
    bad = build_program(adder(), named_data={"a": weights, "b": weights})
    return OddDefect("equal bytes under two keys", bad.bytes(), good.bytes())


CONTAINER: dict[str, Callable[[], OddDefect]] = {
    "PTE001": _zeros, "PTE002": _lfs, "PTE003": _gzip, "PTE005": _crlf, "PTE008": _no_base,
    "PTE013": _version, "PTE016": _no_segments, "PTE017": _trailing, "PTE018": _suffix,
    "PTE019": _bundle, "PTE020": _order, "PTE531": _damaged_bundle, "PTE532": _cases,
    "PTE703": _paths, "PTE704": _executable, "PTE705": _duplicates,
}  # fmt: skip
