"""How much is fetched of large files, counted by the server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pte_lint.schema.limits import FETCH_BESIDES, FETCH_REQUESTS
from pte_lint.schema.program import DataSegment

import pte_lint
from pte_lint.claims.forecast import Outcome
from pte_lint.files.fetched import ArtifactError
from pte_lint.files.remote.caps import Caps
from pte_lint.report.json_report import artifact_json
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.examples import delegated
from tests.support.loopback import Served, need_fsspec, serving
from tests.support.virtual import GIB, VirtualFile, long_program, virtual_program

need_fsspec()

BESIDES = 64 << 10


def served(file: VirtualFile) -> Served:
    return Served(file.size, file.read)


def judged(source: str, **options: object) -> dict[str, object]:
    report = artifact_json(pte_lint.check(source, isolated=True, **options).artifacts[0])  # type: ignore[arg-type]
    del report["sha256"]
    return report


@pytest.mark.parametrize("instructions", [1, 60, 400], ids=["tiny", "first-look", "long"])
def test_of_a_gib_only_the_program_is_fetched(tmp_path: Path, instructions: int) -> None:
    file = virtual_program(long_program(instructions))
    with serving(served(file)) as server:
        far = judged(server.address)
    assert server.sent <= file.program_size + BESIDES
    assert server.requests <= 3
    assert far.pop("fetched") == {"bytes": server.sent, "requests": server.requests}
    near = tmp_path / "model.pte"
    with near.open("wb") as sparse:
        sparse.write(file.head)
        sparse.truncate(file.size)
    here = judged(str(near))
    assert here.pop("fetched") is None
    assert json.dumps(far).replace(server.address, "") == json.dumps(here).replace(str(near), "")


def test_many_segments_far_apart_cost_no_more_than_allowed() -> None:
    far_apart = [DataSegment((n + 1) * GIB, 1 << 20) for n in range(200)]
    file = virtual_program(further=far_apart)
    with serving(served(file)) as server:
        report = pte_lint.check(server.address, isolated=True).artifacts[0]
    assert server.sent <= file.program_size + BESIDES
    assert server.requests <= FETCH_REQUESTS
    # The gaps between them could not all be looked at, and the report says so.
    assert [gap.what for gap in report.unchecked] == ["PTE021 (padding)"]
    assert "--remote" in report.unchecked[0].why
    with serving(served(file)) as server:
        every = pte_lint.check(
            server.address, isolated=True, caps=Caps(requests=500, besides=1 << 20)
        )
    assert every.artifacts[0].unchecked == ()


def test_a_blob_too_large_to_fetch_is_not_checked() -> None:
    # A sound header whose graph would be larger than what may be fetched besides the program.
    blob = bytes(4) + b"XH00" + (30).to_bytes(2, "little") + (32).to_bytes(4, "little")
    blob += (1 << 20).to_bytes(4, "little") + (33 + (1 << 20)).to_bytes(4, "little") + bytes(8)
    blob = blob.ljust(36, b"\0") + b"XN01" + bytes(1 << 20)
    content = build_program(delegated(blob=blob)).bytes()
    with serving(Served.of(content)) as server:
        report = pte_lint.check(server.address, isolated=True).artifacts[0]
        assert server.sent <= BESIDES + 4096
        assert any("besides the program" in gap.why for gap in report.unchecked)
        assert report.internal_errors == ()
        more = pte_lint.check(server.address, isolated=True, caps=Caps(besides=4 << 20))
    assert not any("besides the program" in gap.why for gap in more.artifacts[0].unchecked)


def test_a_constant_that_decides_where_a_method_goes() -> None:
    """It is read when the method is made, before any rule could say that it could not."""
    b = MethodBuilder()
    x = b.input((4,))
    b.jump_false(b.constant([False], (1,), "bool"), 0)
    for _ in range(200):
        x = b.call("aten::relu.out", x, out=(4,))
    b.output(x)
    content = build_program(b).bytes()
    with serving(Served.of(content)) as server:
        report = pte_lint.check(server.address, isolated=True, caps=Caps(besides=0)).artifacts[0]
        everything = pte_lint.check(server.address, isolated=True).artifacts[0]
    unjudged = [(f.method, f.subject) for f in report.findings if f.rule == "PTE022"]
    assert unjudged == [("forward", "the method")]
    assert [(v.method, v.outcome) for v in report.verdict] == [("forward", Outcome.UNJUDGED)]
    assert report.internal_errors == ()
    assert "PTE127" in {finding.rule for finding in everything.findings}
    assert "PTE127" not in {finding.rule for finding in report.findings}


@pytest.mark.parametrize("start", [b"\x01\x02\x03\x04", b"PK\x03\x04", b"\x7fELF"])
def test_what_is_no_artifact_is_named_from_its_first_bytes(start: bytes) -> None:
    with serving(served(VirtualFile(start, 50 * GIB))) as server:
        report = pte_lint.check(server.address, isolated=True).artifacts[0]
    assert [f.rule for f in report.findings] == ["PTE003"]
    assert server.sent <= BESIDES


def test_an_empty_file_is_empty() -> None:
    with serving(Served.of(b"")) as server:
        report = pte_lint.check(server.address, isolated=True).artifacts[0]
    assert [f.rule for f in report.findings] == ["PTE001"]


def test_a_header_that_promises_a_huge_program_is_not_believed() -> None:
    good = virtual_program().head
    head = good[:16] + (40 * GIB).to_bytes(8, "little") + good[24:]
    with (
        serving(served(VirtualFile(head, 50 * GIB))) as server,
        pytest.raises(ArtifactError, match="its program has 42949672960 bytes, more than the 268"),
    ):
        pte_lint.check(server.address, isolated=True)
    assert server.sent <= BESIDES


def test_the_caps_can_be_too_small() -> None:
    file = virtual_program(long_program(400))
    with serving(served(file)) as server:
        with pytest.raises(ArtifactError, match="allow more with --remote bytes="):
            pte_lint.check(server.address, isolated=True, caps=Caps(bytes=50_000))
        with pytest.raises(ArtifactError, match="more than 1 requests"):
            pte_lint.check(server.address, isolated=True, caps=Caps(requests=1))
    with (
        serving(served(VirtualFile(b"what is it", GIB))) as server,
        pytest.raises(ArtifactError, match="to see what it is"),
    ):
        pte_lint.check(server.address, isolated=True, caps=Caps(besides=1000))
    assert server.sent == 1000


def test_the_default_is_what_is_promised() -> None:
    assert FETCH_BESIDES == BESIDES
