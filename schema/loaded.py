"""Entry points: bytes in, a container and a decoded document out.

Nothing about a file's content raises; what is wrong is in the result. Only the head and the
flatbuffer are touched, never a segment, so an mmap of a large file costs what its program costs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, cast

from pte_lint.schema import bundled_program, flat_tensor, program
from pte_lint.schema.binding import Binding, bind
from pte_lint.schema.container import Container, Kind, read_container
from pte_lint.schema.fbs import layout
from pte_lint.schema.flatbuffer import Decoded, decode
from pte_lint.schema.frozen import dataclass, field
from pte_lint.schema.ranges import Buffer, window
from pte_lint.schema.violations import Violation, ViolationKind

_KEY: Final = re.compile(r"named_data\[(\d+)\]\.key")
APART: Final = frozenset(("execution_plan", "stacktrace"))
"""Fields of a program that count for methods one by one, or that nobody goes through."""
_LONGEST_KEY: Final = 4096
"""Bytes behind a key that are searched for its end."""


@dataclass(frozen=True, slots=True)
class LoadedProgram:
    """A .pte. `program` is None when the file is none, or its root cannot be reached.

    Attributes:
        container: What surrounds the program.
        program: The decoded program.
        violations: What the runtime's flatbuffers verifier objects to; see `Decoded`.
        tables: Tables visited, as the verifier counts them.
        is_shared: Whether many references may share their targets; see `Decoded`.
    """

    container: Container
    program: program.Program | None
    violations: tuple[Violation, ...] = ()
    tables: int = 0
    is_shared: bool = False


@dataclass(frozen=True, slots=True)
class LoadedFlatTensor:
    """A .ptd; the runtime never verifies one, so the violations say what it would trip over.

    Attributes:
        container: What surrounds the tables.
        flat_tensor: The decoded tables.
        violations: What a verifier would object to.
        tables: Tables visited.
        name: What reports call it.
        endless_keys: By entry, the text up to the next zero byte of a key that does not end in one:
            what a C string function takes it for. None when there is no such byte for long.
        buffer: The file's bytes, as long as it is open.
    """

    container: Container
    flat_tensor: flat_tensor.FlatTensor | None
    violations: tuple[Violation, ...] = ()
    tables: int = 0
    name: str = ""
    endless_keys: Mapping[int, str | None] = field(default_factory=dict)
    buffer: Buffer | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class LoadedBundle:
    """A .bpte and the program inside it, whose container and spans are absolute in the file.

    `inner` is None when there is no bundle or it holds no program bytes.
    """

    container: Container
    bundle: bundled_program.BundledProgram | None
    inner: LoadedProgram | None
    violations: tuple[Violation, ...] = ()
    tables: int = 0


@cache
def binding(name: str) -> Binding:
    """Returns the bound layout of `program`, `flat_tensor` or `bundled_program`."""
    module, renamed = {
        "program": (program, {}),
        "flat_tensor": (flat_tensor, {"NamedData": "NamedTensorData"}),
        "bundled_program": (
            bundled_program,
            {"Tensor": "BundledTensor", "Value": "BundledValue"},
        ),
    }[name]
    names: Mapping[str, str] = renamed
    tables = layout(name).tables
    return bind(layout(name), {table: getattr(module, names.get(table, table)) for table in tables})


def read_program(buffer: Buffer, *, origin: int = 0) -> LoadedProgram:
    """Reads a .pte.

    Args:
        buffer: The artifact's bytes.
        origin: Byte offset of the buffer in the file. Positions in the container, in spans and in
            violations count from the start of the file; `at` counts from the program's.
    """
    container = read_container(buffer, origin=origin)
    if container.kind is not Kind.PROGRAM:
        return LoadedProgram(container, None)
    decoded = _decode(buffer, container, "program")
    root = cast("program.Program | None", decoded.root)
    return LoadedProgram(container, root, decoded.violations, decoded.tables, decoded.is_shared)


def read_flat_tensor(buffer: Buffer, name: str = "") -> LoadedFlatTensor:
    """Reads a .ptd."""
    container = read_container(buffer)
    if container.kind is not Kind.FLAT_TENSOR:
        return LoadedFlatTensor(container, None, name=name, buffer=buffer)
    decoded = _decode(buffer, container, "flat_tensor")
    root = cast("flat_tensor.FlatTensor | None", decoded.root)
    endless = _endless_keys(buffer, root, decoded.violations) if root is not None else {}
    return LoadedFlatTensor(
        container, root, decoded.violations, decoded.tables, name, endless, buffer
    )


def _endless_keys(
    buffer: Buffer, root: flat_tensor.FlatTensor, violations: Sequence[Violation]
) -> dict[int, str | None]:
    """The keys that no zero byte follows, read up to the next one."""
    found: dict[int, str | None] = {}
    for violation in violations:
        match = _KEY.fullmatch(violation.path)
        if match is None or violation.kind is not ViolationKind.NO_TERMINATOR:
            continue
        index = int(match[1])
        key = (root.named_data or ())[index].key or ""
        rest = bytes(buffer[violation.at : violation.at + _LONGEST_KEY])
        text, ends, _ = rest.partition(b"\0")
        whole = f"{key}{text.decode('utf-8', 'surrogateescape')}"
        found[index] = whole.partition("\0")[0] if ends else None
    return found


def read_bundled_program(buffer: Buffer) -> LoadedBundle:
    """Reads a .bpte and the program inside it."""
    container = read_container(buffer)
    if container.kind is not Kind.BUNDLED_PROGRAM:
        return LoadedBundle(container, None, None)
    decoded = _decode(buffer, container, "bundled_program")
    root = cast("bundled_program.BundledProgram | None", decoded.root)
    inner = None
    if root is not None and root.program is not None:
        start = root.program.start
        with window(buffer, start, start + root.program.size) as part:
            inner = read_program(part, origin=start)
    return LoadedBundle(container, root, inner, decoded.violations, decoded.tables)


def _decode(buffer: Buffer, container: Container, name: str) -> Decoded:
    with window(buffer, 0, container.program_range.size) as part:
        return decode(
            part,
            binding(name),
            origin=container.origin,
            is_verified=name != "flat_tensor",
            apart=APART if name == "program" else frozenset(),
        )
