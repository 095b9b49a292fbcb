"""`assert_clean` and `assert_finds`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

import pte_lint
from pte_lint.assertions import NotClean, NotFound
from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.context import Context
from pte_lint.rulebook.rule import artifact_rule
from tests.support.look import DATA
from tests.support.processes import environment

GOOD = DATA / "device" / "add_default.pte"
BAD = DATA / "device" / "add_skip_both_planned.pte"


class Exported:
    """Has the program as an ExecutorchProgramManager has it."""

    def __init__(self, content: bytes) -> None:
        self.buffer = content


@pytest.mark.parametrize("form", [lambda p: p, str, lambda p: p.read_bytes(),
                                  lambda p: Exported(p.read_bytes())])  # fmt: skip
def test_every_form_of_a_program(form: object) -> None:
    assert callable(form)
    assert pte_lint.assert_clean(form(GOOD)).is_clean()
    with pytest.raises(AssertionError, match="PTE301"):
        pte_lint.assert_clean(form(BAD))


class Cord:
    """Bytes as the exporter keeps them."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def __bytes__(self) -> bytes:
        return self._content


@pytest.mark.parametrize("held", ["_tensor_data", "data_files"])
def test_an_exporters_object_holds_its_constants(held: str) -> None:
    """As ExecutorchProgramManager and ExecutorchProgram do with external_constants."""
    clean = DATA / "clean"
    program = Exported((clean / "external_constants.pte").read_bytes())
    with pytest.raises(NotClean, match="PTE511"):
        pte_lint.assert_clean(program, fail_on="warning")
    content = Cord((clean / "external_constants.ptd").read_bytes())
    setattr(program, held, {"_default_external_constant": content, "not": "bytes"})
    assert pte_lint.assert_clean(program, fail_on="warning").findings == ()
    assert pte_lint.check(program).findings == ()
    with pytest.raises(NotClean, match="PTE513"):
        pte_lint.assert_clean(program, data=clean / "external_biases.biases.ptd")


def test_the_message_has_the_fix() -> None:
    with pytest.raises(NotClean) as caught:
        pte_lint.assert_clean(BAD)
    text = str(caught.value)
    assert text.startswith("PTE301 device-input-planned and 2 other rules; 2 errors, ")
    assert "set_input fails with NotSupported" in text
    assert "MemoryPlanningPass(alloc_graph_input=False" in text


@pytest.mark.parametrize(
    "options",
    [
        {"ignore": "PTE301"},
        {"ignore": ["PTE301"]},
        {"select": ["PTE302"]},
        {"severity": {"PTE301": "warning"}},
        {"target": "executorch==1.3"},
    ],
)
def test_options_that_make_it_clean(options: dict[str, object]) -> None:
    assert pte_lint.assert_clean(BAD, **options) is not None  # type: ignore[arg-type]


@pytest.mark.parametrize("options", [{"fail_on": "warning"}, {"fail_on": Severity.INFO}])
def test_options_that_make_it_fail(options: dict[str, object]) -> None:
    with pytest.raises(NotClean):
        pte_lint.assert_clean(BAD, ignore=["PTE301"], **options)  # type: ignore[arg-type]


def test_data_is_one_file_or_several() -> None:
    program = DATA / "clean" / "external_constants.pte"
    data = DATA / "clean" / "external_constants.ptd"
    for given in (data, [data], data.read_bytes(), (str(data),)):
        assert pte_lint.assert_clean(program, data=given) is not None


def test_a_data_file_is_not_its_own_neighbour() -> None:
    data = DATA / "clean" / "external_constants.ptd"
    assert pte_lint.assert_clean(data, data=[data]).is_clean()


def test_finds() -> None:
    found = pte_lint.assert_finds(BAD, "PTE301")
    assert [f.subject for f in found] == ["input 0", "input 1"]
    assert pte_lint.assert_finds(BAD, "device-input-planned", only=True) == found
    assert {f.rule for f in pte_lint.assert_finds(BAD, "PTE301", "PTE302")} == {"PTE301", "PTE302"}
    assert pte_lint.assert_finds(BAD, "PTE3", method="forward")


def test_what_is_not_found_is_told_with_what_is() -> None:
    with pytest.raises(NotFound, match=r"no finding of PTE305\n") as caught:
        pte_lint.assert_finds(BAD, "PTE301", "PTE305")
    assert "device-input-planned" in str(caught.value)
    with pytest.raises(NotFound, match=r"no finding of PTE301 in method 'other'"):
        pte_lint.assert_finds(BAD, "PTE301", method="other")


@artifact_rule("PTE993", "silent", Severity.INFO, "nothing")
def silent(context: Context) -> Iterator[Finding]:
    """Finds nothing."""
    yield from ()


def test_that_nothing_was_found_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("judging.judge", "assertions"):
        monkeypatch.setattr(f"pte_lint.{module}.load_rules", lambda isolated=False: (silent,))
    with pytest.raises(NotFound, match=r"no finding of PTE993\n\n\(there are no findings\)"):
        pte_lint.assert_finds(GOOD, "PTE993")


def test_only_means_no_other_error() -> None:
    with pytest.raises(NotFound, match="errors of other rules too: PTE301"):
        pte_lint.assert_finds(BAD, "PTE302", only=True)


def test_usage() -> None:
    with pytest.raises(pte_lint.UsageError, match="at least one rule"):
        pte_lint.assert_finds(BAD)
    with pytest.raises(ValueError, match="did you mean"):
        pte_lint.assert_finds(BAD, "device-input-planed")
    with pytest.raises(OSError, match="cannot read"):
        pte_lint.assert_clean("nowhere.pte")
    with pytest.raises(TypeError, match="cannot check a int"):
        pte_lint.assert_clean(3)  # type: ignore[arg-type]


@artifact_rule("PTE991", "falls", Severity.INFO, "nothing: it fails")
def falls(context: Context) -> Iterator[Finding]:
    """Fails."""
    raise RuntimeError("boom")
    yield


def test_a_rule_that_fails_is_never_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pte_lint.judging.judge.load_rules", lambda isolated: (falls,))
    with pytest.raises(NotClean, match="boom"):
        pte_lint.assert_clean(GOOD)


def test_importing_pte_lint_is_light() -> None:
    code = (
        "import sys, pte_lint; pte_lint.__version__; print(sorted(m for m in sys.modules"
        " if m.split('.')[0] in ('pte_lint', 'networkx', 'flatbuffers', 'pydantic', 'rich')))"
    )
    command = [sys.executable, "-P", "-c", code]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True)
    assert done.stdout == "['pte_lint', 'pte_lint._version']\n"


def test_a_level_that_is_misspelt() -> None:
    told = r"fail_on is 'eror', and may be error, .*, unchecked; did you mean error\?"
    with pytest.raises(pte_lint.UsageError, match=told):
        pte_lint.assert_clean(GOOD, fail_on="eror")
    with pytest.raises(pte_lint.UsageError, match="severity of PTE301 is 'never', and may be"):
        pte_lint.assert_clean(GOOD, severity={"PTE301": "never"})
