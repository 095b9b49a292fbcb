"""Runs the fast and the careful reader over one document and holds them to each other."""

from __future__ import annotations

from pte_lint.schema.binding import Binding
from pte_lint.schema.careful_reader import CarefulReader
from pte_lint.schema.fast_reader import FastReader, IrregularError


def read_both(window: bytes | memoryview, binding: Binding) -> bool:
    """Asserts what the two owe each other; returns whether the fast one took the document.

    The fast reader takes nothing that has a violation, and reads the same as the careful one.
    """
    view = memoryview(window)
    careful = CarefulReader(view, binding, 0)
    expected = careful.read()
    fast = FastReader(view, binding, 0)
    try:
        root = fast.read()
    except IrregularError:
        return False
    finally:
        fast.close()
    assert careful.violations == []
    # By text: equality leaves out positions, and NaN is not equal to itself.
    assert repr(root) == repr(expected)
    assert fast.tables == careful.tables
    return True
