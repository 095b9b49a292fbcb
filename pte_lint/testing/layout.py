"""Field types of the three formats, table by table, for the writer.

Written down a second time on purpose, apart from the reader's schema files: a wrong slot or width
in one of them shows as a difference between what is written and what is read.

A table's slots are its dataclass's fields in order (``at`` is not stored). Type words:

* ``u8 i8 bool i32 u32 i64 u64 f64``: scalars, default 0;
* ``[i32]`` ...: vectors of scalars;
* ``str``, ``table``, ``[table]``: string, subtable, vector of subtables;
* ``union``: a table whose code is the field before it;
* ``bytes``: a vector of bytes held in the dataclass; ``span16``, ``span32``: a vector of bytes
  elsewhere (`Span`), aligned to 16 or 32.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from pte_lint.schema import bundled_program as bpte
from pte_lint.schema import flat_tensor as ptd
from pte_lint.schema import program as pte

LAYOUT: dict[type[Any], tuple[str, ...]] = {
    pte.AllocationDetails: ("u32", "u32", "u32"),
    pte.ExtraTensorInfo: ("u64", "str", "i8", "i8", "i8"),
    pte.Tensor: (
        "i8", "i32", "[i32]", "[u8]", "bool", "u32", "table", "i8", "i8", "table",
    ),
    pte.Null: (),
    pte.Int: ("i64",),
    pte.Bool: ("bool",),
    pte.Double: ("f64",),
    pte.String: ("str",),
    pte.IntList: ("[i64]",),
    pte.DoubleList: ("[f64]",),
    pte.BoolList: ("[u8]",),
    pte.TensorList: ("[i32]",),
    pte.OptionalTensorList: ("[i32]",),
    pte.EValue: ("u8", "union"),
    pte.Operator: ("str", "str"),
    pte.KernelCall: ("i32", "[i32]"),
    pte.DelegateCall: ("i32", "[i32]"),
    pte.MoveCall: ("i32", "i32"),
    pte.JumpFalseCall: ("i32", "i32"),
    pte.FreeCall: ("i32",),
    pte.Instruction: ("u8", "union"),
    pte.Frame: ("str", "i32", "str", "str"),
    pte.FrameList: ("[table]",),
    pte.BackendDelegateDataReference: ("i8", "u32"),
    pte.CompileSpec: ("str", "bytes"),
    pte.BackendDelegate: ("str", "table", "[table]"),
    pte.Chain: ("[i32]", "[i32]", "[table]", "[table]"),
    pte.ContainerMetadata: ("str", "str"),
    pte.NonConstBufferDevice: ("i32", "i8", "i8"),
    pte.ExecutionPlan: (
        "str", "table", "[table]", "[i32]", "[i32]", "[table]", "[table]", "[table]", "[i64]",
        "[table]",
    ),
    pte.Buffer: ("span16",),
    pte.BackendDelegateInlineData: ("span16",),
    pte.DataSegment: ("u64", "u64"),
    pte.SubsegmentOffsets: ("u32", "[u64]"),
    pte.NamedData: ("str", "u32"),
    pte.Program: (
        "u32", "[table]", "[table]", "[table]", "[table]", "table", "[table]", "[table]",
    ),
    ptd.TensorLayout: ("i8", "[i32]", "[u8]"),
    ptd.NamedTensorData: ("str", "u32", "table"),
    ptd.FlatTensor: ("u32", "[table]", "[table]"),
    bpte.BundledTensor: ("i8", "[i32]", "span16", "[u8]"),
    bpte.BundledValue: ("u8", "union"),
    bpte.BundledMethodTestCase: ("[table]", "[table]"),
    bpte.BundledMethodTestSuite: ("str", "[table]"),
    bpte.BundledProgram: ("u32", "[table]", "span32"),
}  # fmt: skip


# The stored fields of each table's dataclass as (name, type word), in slot order.
SLOTS: dict[type[Any], tuple[tuple[str, str], ...]] = {
    kind: tuple(zip([each.name for each in fields(kind) if each.name != "at"], words, strict=True))
    for kind, words in LAYOUT.items()
}
