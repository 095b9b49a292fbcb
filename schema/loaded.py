"""Entry points: bytes in, a container and a decoded document out.

Nothing about a file's content raises; what is wrong is in the result. Only the head and the
flatbuffer are touched, never a segment, so an mmap of a large file costs what its program costs.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import cast

from pte_lint.schema import bundled_program, flat_tensor, program
from pte_lint.schema.binding import Binding, bind
from pte_lint.schema.container import Container, Kind, read_container
from pte_lint.schema.fbs import layout
from pte_lint.schema.flatbuffer import Decoded, decode
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.ranges import Buffer, window
from pte_lint.schema.violations import Violation


@dataclass(frozen=True, slots=True)
class LoadedProgram:
    """A .pte. `program` is None when the file is none, or its root cannot be reached.

    Attributes:
        container: What surrounds the program.
        program: The decoded program.
        violations: What the runtime's flatbuffers verifier objects to; see `Decoded`.
        tables: Tables visited, as the verifier counts them.
    """

    container: Container
    program: program.Program | None
    violations: tuple[Violation, ...] = ()
    tables: int = 0


@dataclass(frozen=True, slots=True)
class LoadedFlatTensor:
    """A .ptd; the runtime never verifies one, so the violations say what it would trip over.

    `name` is what reports call it.
    """

    container: Container
    flat_tensor: flat_tensor.FlatTensor | None
    violations: tuple[Violation, ...] = ()
    tables: int = 0
    name: str = ""


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
    return LoadedProgram(container, root, decoded.violations, decoded.tables)


def read_flat_tensor(buffer: Buffer, name: str = "") -> LoadedFlatTensor:
    """Reads a .ptd."""
    container = read_container(buffer)
    if container.kind is not Kind.FLAT_TENSOR:
        return LoadedFlatTensor(container, None, name=name)
    decoded = _decode(buffer, container, "flat_tensor")
    root = cast("flat_tensor.FlatTensor | None", decoded.root)
    return LoadedFlatTensor(container, root, decoded.violations, decoded.tables, name)


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
        is_verified = name != "flat_tensor"
        return decode(part, binding(name), origin=container.origin, is_verified=is_verified)
