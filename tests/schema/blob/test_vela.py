from __future__ import annotations

import random

import pytest
from pte_lint.schema.blob.facts import BlobArgument, BlobFacts, Requirement
from pte_lint.schema.delegates import describe_blob
from pte_lint.schema.program import Span

from tests.support.vela import INPUT, OUTPUT, block, vela_stream


def describe(content: bytes, **specs: bytes) -> BlobFacts:
    return describe_blob("EthosUBackend", b"??" + content, Span(2, len(content)), specs)


def problems(content: bytes) -> list[tuple[str, str | None]]:
    return [(each.message, each.error) for each in describe(content).problems]


def test_a_whole_stream() -> None:
    facts = describe(vela_stream(), flags=b"--accelerator-config=ethos-u55-128 --optimise=Size")
    assert (facts.format, facts.problems, facts.scratch) == ("Vela stream", (), 64)
    assert facts.inputs == (BlobArgument(0, None, (1, 1, 1, 2, 2, 3), "offset 0", 1),)
    assert facts.outputs == (BlobArgument(1, None, (1, 1, 1, 1, 2, 2), "offset 16", 1),)
    assert facts.requires == (Requirement("accelerator", "ethos-u55-128"),)
    assert describe(vela_stream()).requires == ()


@pytest.mark.parametrize(
    ("content", "message", "error"),
    [
        (vela_stream(commands=b"COP9"), "the commands begin with COP9", "InvalidProgram"),
        (
            vela_stream(end=block("vela_end_stream") + bytes(16)),
            "16 bytes follow vela_end_stream",
            "InvalidProgram",
        ),
        (vela_stream(end=block("other", b"x")), "block other is unknown", "InvalidProgram"),
        (
            vela_stream(end=block("weight_data", b"k", 1)),
            "block weight_data has a key of 1 bytes, not 64",
            "InvalidProgram",
        ),
        (
            vela_stream(scratch=18),
            "output 0 lies at bytes 16 to 20 of a scratch memory of 18",
            None,
        ),
    ],
)
def test_what_the_loader_refuses(content: bytes, message: str, error: str | None) -> None:
    said, how = problems(content)[0]
    assert said.startswith(message)
    assert how == error


def test_offsets_are_signed() -> None:
    content = vela_stream(((INPUT[0], 1, -4),), (OUTPUT,))
    assert problems(content) == [("input 0 lies at bytes -4 to 8 of a scratch memory of 64", None)]


def test_damage_never_raises() -> None:
    whole, choice = vela_stream(), random.Random(3)
    for end in range(len(whole)):
        assert describe(whole[:end]).problems
    for _ in range(500):
        content = bytearray(whole)
        at = choice.randrange(len(content))
        content[at : at + 4] = choice.choice((b"\xff" * 4, b"\0" * 4, choice.randbytes(4)))
        describe(bytes(content))
