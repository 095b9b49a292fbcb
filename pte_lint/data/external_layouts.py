"""What the runtime compares of external tensors and the entries of data files that they name.

Follows `Method::parse_external_constants` (runtime/executor/method.cpp) and `getTensorDataPtr`
(runtime/executor/tensor_parser_exec_aten.cpp).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pte_lint.data.data_files import Entry, layout_fault, mismatch, segment_fault
from pte_lint.data.externals import External, externals
from pte_lint.questions.method import Method
from pte_lint.schema.flat_tensor import TensorLayout
from pte_lint.schema.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Unlike:
    """An external tensor of a method whose entry is another tensor, and what differs."""

    external: External
    entry: Entry
    layout: TensorLayout
    what: str


def compared(method: Method, known: Mapping[str, Entry]) -> Iterator[Unlike | str]:
    """The tensors that differ from their entries, and the keys of those that do not.

    Of the constants with one key the first is compared. Entries that cannot be used at all are
    left out.
    """
    resolved: set[str] = set()
    for external in externals(method):
        key = external.key
        entry = known.get(key) if key is not None else None
        if entry is None or key is None or segment_fault(entry) is not None:
            continue
        if not external.is_mutable:
            if key in resolved:
                continue
            resolved.add(key)
        layout = entry.named.tensor_layout
        if layout is None or layout_fault(entry) is not None:
            continue
        what = mismatch(external.tensor, layout)
        yield key if what is None else Unlike(external, entry, layout, what)
