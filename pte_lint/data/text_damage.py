"""Signs that a binary file went through something that takes files for text.

A sign alone may be chance; a file that reads without a fault once the conversion is undone proves
it. Content that was lost (replaced characters, dropped carriage returns) cannot be put back, but
is as telling where there is much of it.
"""

from __future__ import annotations

from typing import Final

from pte_lint.files.artifact import Artifact
from pte_lint.schema.container import Container, Kind, read_container
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.loaded import read_bundled_program, read_flat_tensor, read_program
from pte_lint.schema.sniff import line_ending_damage, lost_returns

_LOOK: Final = 4 << 20
"""Bytes searched for signs at most; in so many a pair is there 64 times by chance."""
_UNDO: Final = 64 << 20
"""Bytes in which a conversion is undone at most; a program's tables are all but always within."""
_SLACK: Final = 16
"""Bytes by which the size may be off once it is undone: pairs that were there before."""
_MANY: Final = 8
_ENDS: Final = "its line endings were converted"
_LATIN: Final = "its bytes were taken for Latin-1 and written as UTF-8"
_REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"


@dataclass(frozen=True, slots=True)
class TextDamage:
    """What was done to the file, and how that shows.

    Attributes:
        what: A clause such as `its line endings were converted`.
        evidence: What was counted.
        is_proven: Whether nothing else explains it.
    """

    what: str
    evidence: str
    is_proven: bool


def text_damage(artifact: Artifact, container: Container) -> TextDamage | None:
    """What a file that is broken may have been put through; None when nothing tells."""
    head = bytes(artifact.buffer[:_LOOK])
    reencoded = _reencoded(head, artifact, container)
    if reencoded is not None:
        return reencoded
    evidence = line_ending_damage(head)
    if evidence is None:
        return None
    what = _ENDS
    if head.count(b"\n") != head.count(b"\r\n"):
        return TextDamage(what, evidence, _fits_what_is_missing(head, container))
    content = bytes(artifact.buffer[:_UNDO])
    undone = taken_back(_ENDS, content)
    return TextDamage(what, evidence, _is_whole(undone, len(content) < artifact.size, container))


def taken_back(what: str, content: bytes) -> bytes:
    """The content before what was done to it.

    Raises:
        ValueError: something was lost, or it was not done to this.
    """
    if what == _ENDS:
        return content.replace(b"\r\n", b"\n")
    if what == _LATIN:
        return content.decode("utf-8").encode("latin-1")
    raise ValueError(f"what was lost cannot be put back: {what}")


def _reencoded(head: bytes, artifact: Artifact, container: Container) -> TextDamage | None:
    """Text in UTF-8 that a program cannot be: what its bytes above 127 have become."""
    try:
        text = head.decode("utf-8", "strict")
    except UnicodeDecodeError as exc:
        if len(head) < _LOOK or exc.start < len(head) - 3:
            return None
        text = head[: exc.start].decode()
    lost = text.count(_REPLACEMENT)
    if lost >= _MANY:
        evidence = f"it is valid UTF-8, with {lost} replacement characters where bytes were"
        return TextDamage("its bytes were read as text", evidence, is_proven=True)
    high = sum(character > "\x7f" for character in text)
    if high < _MANY or any(character > "\xff" for character in text):
        return None
    evidence = f"it is valid UTF-8, with {high} bytes above 127 written as two"
    content = bytes(artifact.buffer[:_UNDO])
    try:
        undone = taken_back(_LATIN, content)
    except UnicodeError:
        undone = text.encode("latin-1")
        content = head
    is_part = len(content) < artifact.size
    return TextDamage(
        _LATIN,
        evidence,
        _is_whole(undone, is_part, container),
    )


def _is_whole(content: bytes, is_part: bool, container: Container) -> bool:
    """Whether a file, or its first part, reads without a fault and has the size that it names."""
    match container.kind:
        case Kind.FLAT_TENSOR:
            faults = read_flat_tensor(content).violations
        case Kind.BUNDLED_PROGRAM:
            bundle = read_bundled_program(content)
            faults = bundle.violations or (bundle.inner.violations if bundle.inner else ())
        case _:
            faults = read_program(content).violations
    if faults or is_part:
        return not faults
    expected = read_container(content).expected_size
    return expected is None or abs(len(content) - expected) <= _SLACK


def _fits_what_is_missing(head: bytes, container: Container) -> bool:
    """Whether about as many bytes are missing as carriage returns were dropped."""
    if container.expected_size is None:
        return False
    missing = container.expected_size - container.size
    lost = lost_returns(head) * container.size / max(1, len(head))
    return lost / 3 <= missing <= lost * 3
