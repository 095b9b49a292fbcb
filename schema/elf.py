"""What an ELF image is for: enough to say on which machines a shared library can load.

Facts: the ELF specification's header (System V ABI, chapter 4). Nothing is loaded or run.
"""

from __future__ import annotations

from pte_lint.schema.frozen import dataclass

_MACHINES = {
    3: "x86", 8: "mips", 20: "powerpc", 21: "powerpc64", 22: "s390", 40: "arm", 62: "x86_64",
    164: "hexagon", 183: "aarch64", 190: "cuda", 243: "riscv", 258: "loongarch",
}  # fmt: skip
_TYPES = {1: "object", 2: "executable", 3: "shared library", 4: "core dump"}


@dataclass(frozen=True, slots=True)
class ElfFacts:
    """The head of an ELF image.

    Attributes:
        machine: Architecture name such as `x86_64` or `aarch64`, or `machine 999`.
        bits: 32 or 64.
        byte_order: `little` or `big`.
        type: `shared library`, `executable`, `object`, `core dump`, or `type 9`.
    """

    machine: str
    bits: int
    byte_order: str
    type: str


def read_elf(head: bytes) -> ElfFacts | None:
    """Reads the head of an ELF image; None when it is none, or cut short.

    Args:
        head: At least the first 20 bytes.
    """
    if len(head) < 20 or head[:4] != b"\x7fELF" or head[4] not in (1, 2) or head[5] not in (1, 2):
        return None
    little = head[5] == 1
    order = "little" if little else "big"
    kind = int.from_bytes(head[16:18], "little" if little else "big")
    machine = int.from_bytes(head[18:20], "little" if little else "big")
    return ElfFacts(
        _MACHINES.get(machine, f"machine {machine}"),
        32 * head[4],
        order,
        _TYPES.get(kind, f"type {kind}"),
    )
