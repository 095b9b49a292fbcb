"""The reader and the real runtime agree on damaged files (scripts/fuzz_reader.py tries more)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from operator import itemgetter

import pytest
from pte_lint.schema.delegates import BlobFacts, describe_blob
from pte_lint.schema.loaded import read_program
from pte_lint.schema.program import Span

from pte_lint.harness.batch import run_batch
from tests.schema.full_verification import OK, VALIDATION, VERIFIER, observed, predicted
from tests.schema.mutations import mutate
from tests.support.dumps import DATA, files
from tests.support.runtime import need_runtime

pytestmark = pytest.mark.runtime


@pytest.fixture(autouse=True)
def runtime() -> None:
    need_runtime()


def damaged_programs(seed: int, count: int) -> Iterator[bytes]:
    """Small programs, with edits in the flatbuffer."""
    choice = random.Random(seed)
    small = [file.read_bytes() for file in files(".pte") if file.stat().st_size < 6000]
    for _ in range(count):
        content = choice.choice(small)
        yield mutate(content, choice, read_program(content).container.program_size)


def test_full_verification_refuses_exactly_what_the_reader_faults() -> None:
    programs = list(damaged_programs(seed=1, count=700))
    expected = [predicted(content) for content in programs]
    runs = run_batch(programs, methods=("none of these",))
    assert [observed(run.program) for run in runs] == expected
    # The programs are a mix, or the test says nothing.
    for what in (OK, VERIFIER, VALIDATION):
        assert expected.count(what) > 5


def test_programs_cut_short() -> None:
    content = (DATA / "clean" / "no_header.pte").read_bytes()
    cuts = [content[:length] for length in range(12, len(content), 3)]
    runs = run_batch(cuts, methods=("none of these",))
    assert [observed(run.program) for run in runs] == [predicted(cut) for cut in cuts]


def xnnpack_blob(content: bytes) -> Span:
    loaded = read_program(content)
    assert loaded.program is not None
    plan = (loaded.program.execution_plan or ())[0]
    processed = (plan.delegates or ())[0].processed
    assert processed is not None
    span = loaded.container.segment_range((loaded.program.segments or ())[processed.index])
    assert span is not None
    return span


def forecast(facts: BlobFacts, content: bytes) -> str | None:
    """The error of load_method that the facts lead to; None when they lead to none."""
    loaded = read_program(content)
    assert loaded.program is not None
    keys = {entry.key for entry in loaded.program.named_data or ()}
    events = [
        (problem.step, 0, problem.error or ("crash" if problem.crashes else None))
        for problem in facts.problems
    ]
    events += [
        (want.step, 1, "NotFound")
        for want in facts.wants
        # The backend asks with a C string.
        if want.key.partition("\0")[0] not in keys
    ]
    known = [event for event in events if event[2] is not None]
    # Stable: problems of one step are in the backend's order.
    return min(known, key=itemgetter(0, 1))[2] if known else None


def test_xnnpack_refuses_the_blobs_that_are_faulted() -> None:
    choice = random.Random(7)
    names = ("mlp_xnnpack.pte", "convnet_xnnpack.pte", "quantized_xnnpack.pte")
    samples = [(DATA / "clean" / name).read_bytes() for name in names]
    programs, expected = [], []
    for _ in range(300):
        content = choice.choice(samples)
        span = xnnpack_blob(content)
        end = span.start + span.size
        content = content[: span.start] + mutate(content[span.start : end], choice) + content[end:]
        programs.append(content)
        expected.append(forecast(describe_blob("XnnpackBackend", content, span), content))
    compared = 0
    for run, error in zip(run_batch(programs), expected, strict=True):
        method = run.methods[0].runs[0]
        seen = method.error or method.outcome if method.stage == "load_method" else None
        # XNNPACK's own objections (Internal) are not forecast, and can come first.
        if error is not None and seen != "Internal":
            assert seen == error, method.logs
            compared += 1
        if error is None:
            assert seen not in ("DelegateInvalidCompatibility", "InvalidArgument", "NotFound")
    assert compared > 100
