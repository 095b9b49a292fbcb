"""Seeds: programs that run, and of which pte-lint finds no error that they do not have."""

from __future__ import annotations

import pytest

import pte_lint
from pte_lint.claims.finding import Severity
from pte_lint.claims.target import Target
from pte_lint.data.reading import open_context
from pte_lint.files.artifact import Artifact
from tests.fuzz.campaign import Bench
from tests.fuzz.seeds import all_seeds
from tests.fuzz.subject import Seed
from tests.support.runtime import need_runtime

# Those that campaigns are made of.
GENERATED = [seed for seed in all_seeds() if seed.name.startswith("generated/")]


@pytest.mark.parametrize("seed", GENERATED, ids=lambda seed: seed.name)
def test_generated_programs_are_clean(seed: Seed) -> None:
    findings = pte_lint.check(seed.file, data=list(seed.data), isolated=True).findings
    assert [f.message for f in findings if f.severity is Severity.ERROR] == []


def test_tight_plans_reuse_memory() -> None:
    """Else nothing would tell overlaps apart from plans in which nothing is shared."""
    shared = 0
    for seed in GENERATED:
        for method in open_context(Artifact("seed.pte", seed.file), Target(), (), {}).methods:
            places = [p for v in method.tensors if (p := method.place(v)) is not None]
            shared += len(places) - len({(p[0], p[1]) for p in places})
    assert shared > 20


@pytest.mark.runtime
def test_generated_programs_run() -> None:
    need_runtime()
    bench = Bench(GENERATED)
    for seed in GENERATED:
        methods = bench.original(seed)
        assert methods
        assert [str(each) for method in methods for each in method.bad] == []
