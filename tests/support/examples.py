"""Small programs that are right, for tests to damage."""

from __future__ import annotations

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program


def adder(name: str = "forward") -> MethodBuilder:
    """x + y, without any constant."""
    b = MethodBuilder(name)
    b.output(b.add(b.input((2, 2)), b.input((2, 2))))
    return b


def scaler(name: str = "forward") -> MethodBuilder:
    """(x + c) * d, with two constants of 16 bytes each."""
    b = MethodBuilder(name)
    x = b.input((2, 2))
    c = b.constant([1, 2, 3, 4], (2, 2))
    d = b.constant([5, 6, 7, 8], (2, 2))
    b.output(b.call("aten::mul.out", b.add(x, c), d, out=(2, 2)))
    return b


def counter(name: str = "forward") -> MethodBuilder:
    """A state with initial data, updated by every run."""
    b = MethodBuilder(name)
    x = b.input((3,))
    state = b.state((3,), initial=[1, 2, 3])
    total = b.add(state, x)
    b.kernel("aten::copy_", state, total, b.bool_value(False), state)
    b.output(total)
    return b


def delegated(backend: str = "XnnpackBackend", blob: bytes = b"blob") -> MethodBuilder:
    """One call of one delegate."""
    b = MethodBuilder()
    b.output(*b.delegate(backend, [b.input((2, 2))], outputs=[(2, 2)], blob=blob))
    return b


def externally(key: str = "w", *, mutable: bool = False) -> MethodBuilder:
    """x + w, with w in a data file."""
    b = MethodBuilder()
    x = b.input((2, 2))
    b.output(b.add(x, b.external(key, (2, 2), mutable=mutable)))
    return b


def plain() -> BuiltProgram:
    """The scaler as a program: a header, and constants in a segment."""
    return build_program(scaler())
