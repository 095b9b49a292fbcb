from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome
from pte_lint.testing.data_builder import build_bundle, build_data
from tests.support.examples import plain
from tests.support.judging import judge, only, verdict

PROGRAM = plain().bytes()
DATA = build_data({"w": b"1234"}).bytes()
BUNDLE = build_bundle(PROGRAM, {}).bytes()


def test_a_data_file_named_as_program() -> None:
    report = judge(DATA, "PTE018", name="model.pte")
    assert only(report).message == (
        "The file is named .pte but holds a data file (.ptd); given as .pte it is refused."
    )
    assert verdict(report).error == "InvalidProgram"


def test_a_bundle_named_as_program() -> None:
    assert verdict(judge(BUNDLE, "PTE018", name="model.pte")).error == "InvalidProgram"


def test_a_program_named_as_data_file() -> None:
    assert verdict(judge(PROGRAM, "PTE018", name="model.ptd")).error == "InvalidExternalData"


def test_a_program_named_as_bundle_runs() -> None:
    report = judge(PROGRAM, "PTE018", name="model.bpte")
    assert only(report).severity is Severity.WARNING
    assert verdict(report).outcome is Outcome.OK


def test_names_that_fit_or_say_nothing() -> None:
    for content, name in ((PROGRAM, "a.pte"), (DATA, "a.PTD"), (BUNDLE, "a.bpte")):
        assert judge(content, "PTE018", name=name).findings == ()
        assert judge(content, "PTE018", name="<bytes>").findings == ()
