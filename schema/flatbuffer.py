"""Reads a flatbuffer into dataclasses: bounds-checked, budgeted, driven by a layout.

There is no flatbuffers verifier for Python, and a file is hostile until proven otherwise. Two
readers share the work: `fast_reader` for what is well-formed, `careful_reader` for everything else;
and `sharing_reader` steps in where references are so many that content must be shared.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from pte_lint.schema import limits
from pte_lint.schema.binding import Binding
from pte_lint.schema.careful_reader import CarefulReader
from pte_lint.schema.errors import MalformedError
from pte_lint.schema.fast_reader import FastReader, IrregularError, OverBudgetError
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.sharing_reader import SharingReader
from pte_lint.schema.unshared import UnsharedSize
from pte_lint.schema.violations import Violation, ViolationKind, is_exhausted


@dataclass(frozen=True, slots=True)
class Decoded:
    """What a buffer holds.

    Attributes:
        root: The root table's dataclass; None when the root cannot be reached. A table in a vector
            that cannot be decoded is present with every field absent, so that indices stay right;
            any other part that cannot be decoded is None.
        violations: What flatbuffers::Verifier objects to, in file order of the walk, at most
            `limits.MAX_VIOLATIONS`. Empty exactly when it objects to nothing.
        tables: Tables visited, as the verifier counts them.
        is_shared: Whether content that many references share is there once: going through all
            references may then cost far more than the size of the document.
    """

    root: object | None
    violations: tuple[Violation, ...]
    tables: int
    is_shared: bool = False

    def strict(self) -> object:
        """Returns the root.

        Raises:
            MalformedError: There is any violation.
        """
        for violation in self.violations:
            raise MalformedError(violation.at, violation.path, violation.message)
        assert self.root is not None
        return self.root


def decode(
    window: memoryview,
    binding: Binding,
    *,
    origin: int = 0,
    is_verified: bool = True,
    apart: frozenset[str] = frozenset(),
) -> Decoded:
    """Decodes a document.

    Args:
        window: The whole document as bytes (format "B", contiguous).
        binding: The bound layout of its format.
        origin: Byte offset of the window in the file. Spans and violations count from the start of
            the file, each table's `at` from the start of the window.
        is_verified: Whether a runtime may verify such a document; see `CarefulReader`.
        apart: Fields, of whatever table, that do not count for what a document with shared content
            may take; see `limits.unshared_budget`.

    Returns:
        The document and its violations. Nothing about the buffer's content raises.
    """
    fast = FastReader(window, binding, origin)
    try:
        with _collection_paused():
            root: object | None = fast.read()
    except OverBudgetError:
        return _decode_shared(window, binding, origin, is_verified, apart)
    except IrregularError:
        careful = CarefulReader(window, binding, origin, is_verified)
        root = careful.read()
        if is_exhausted(careful.violations):
            return _decode_shared(window, binding, origin, is_verified, apart)
        return Decoded(root, tuple(careful.violations), careful.tables)
    finally:
        fast.close()
    tables = fast.tables
    return Decoded(root, _too_many(tables), tables)


def _decode_shared(
    window: memoryview, binding: Binding, origin: int, is_verified: bool, apart: frozenset[str]
) -> Decoded:
    reader = SharingReader(window, binding, origin, is_verified)
    root, violations = reader.read(), reader.violations
    size, most = UnsharedSize().of(root, apart), limits.unshared_budget(len(window))
    if size > most:
        message = f"references to the same content make {size} bytes of it, more than {most}"
        violations.append(Violation(ViolationKind.BUDGET, origin, "", message, hard=True))
    return Decoded(root, tuple(violations), reader.tables, is_shared=True)


@contextmanager
def _collection_paused() -> Iterator[None]:
    """Pauses the cyclic garbage collector: a million new objects, none of them garbage.

    Without it half of the time of a large read goes into looking for cycles.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _too_many(tables: int) -> tuple[Violation, ...]:
    if tables <= limits.VERIFIER_MAX_TABLES:
        return ()
    message = f"{tables} tables are more than the {limits.VERIFIER_MAX_TABLES} that are verified"
    return (Violation(ViolationKind.TOO_MANY_TABLES, 0, "", message, hard=False),)
