"""The report for people."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from pte_lint.claims.finding import Confirmation, Severity, Unchecked
from pte_lint.claims.forecast import Outcome, Stage
from pte_lint.claims.need import Need, NeedKind
from pte_lint.claims.result import Verdict
from pte_lint.report.options import RenderOptions
from pte_lint.report.text import TextOptions
from pte_lint.report.text import render_text as render
from pte_lint.report.text_confirm import render as render_confirmed
from tests.support.golden import check_golden
from tests.support.reports import artifact, finding, report, rich_report

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("verbose", TextOptions(verbose=True)),
        ("quiet", TextOptions(quiet=True)),
        ("show_unchecked", TextOptions(show_unchecked=True)),
        ("colour", TextOptions(colour=True)),
    ],
)
def test_golden(name: str, options: TextOptions) -> None:
    check_golden(GOLDEN / f"text_{name}.txt", render(rich_report(), options))


def test_colour_changes_nothing_but_colour() -> None:
    for verbose in (False, True):
        plain = render(rich_report(), TextOptions(verbose=verbose))
        coloured = render(rich_report(), TextOptions(verbose=verbose, colour=True))
        assert coloured != plain
        assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain


def test_80_columns() -> None:
    """But for the first line of a file, which is one and as long as it has to be."""
    text = render(rich_report(), TextOptions(verbose=True))
    heads = {f"{each.path}: " for each in rich_report().artifacts}
    lines = [line for line in text.splitlines() if not line.startswith(tuple(heads))]
    assert len(text.splitlines()) - len(lines) == len(heads)
    assert max(map(len, lines)) <= 80


def test_the_terminal_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = render(rich_report())
    monkeypatch.setenv("COLUMNS", "40")
    assert render(rich_report()) == wide


def test_one_more_than_shown_is_not_folded() -> None:
    text = render(report(artifact(*(finding(i) for i in range(4)))))
    assert "more like this" not in text
    assert "input 3 (value 3)" in text


def test_many_are_folded_and_counted() -> None:
    text = render(report(artifact(*(finding(i) for i in range(20)))))
    flat = " ".join(text.split())
    assert "and 17 more like this: input 3, input 4," in flat
    assert flat.count("fix:") == 1
    assert "20 errors, 0 warnings in 1 file" in flat


def test_remedies_that_differ_in_more_than_numbers_are_not_folded() -> None:
    text = render(report(artifact(finding(0), finding(1, remediation="Another way."))))
    assert text.count("fix:") == 2


def test_a_clean_file_is_one_line_and_never_silent_about_gaps() -> None:
    text = render(report(artifact(unchecked=(Unchecked("delegate 0", "opaque"),))))
    first = text.splitlines()[0]
    assert first == "model.pte: clean; runs on 1.2, 1.3, 1.4, 1.5; 1 thing not checked"


def test_a_file_without_methods_is_loaded_not_run() -> None:
    loads = Verdict(None, Stage.LOAD_PROGRAM, Outcome.OK)
    data = artifact(path="a.ptd", verdict=(loads,), runs_on={"1.4": (loads,), "1.5": (loads,)})
    assert render(report(data)).splitlines()[0] == "a.ptd: clean; loads on 1.4, 1.5"


def test_a_file_that_does_not_run_is_not_called_clean() -> None:
    bad = artifact(finding())
    text = render(report(artifact(verdict=bad.verdict, runs_on=bad.runs_on)))
    assert "clean" not in text
    assert "verdict: forward: set_input fails with NotSupported (PTE301)" in text


def test_infos_among_other_files_are_named_and_not_told() -> None:
    """Else a folder of healthy files is longer than its number of files."""
    runs = artifact().verdict, artifact().runs_on
    noted = artifact(
        finding(severity=Severity.INFO, rule="PTE801", forecast=None, runtime=None),
        verdict=runs[0],
        runs_on=runs[1],
    )
    both = report(noted, artifact(path="other.pte"))
    assert render(both).splitlines() == [
        "model.pte: clean; 1 info (PTE801); runs on 1.2, 1.3, 1.4, 1.5",
        "other.pte: clean; runs on 1.2, 1.3, 1.4, 1.5",
        "",
        "Infos are told with --verbose, and of a file that is checked alone.",
        "0 errors, 0 warnings, 1 info in 2 files, judged for executorch 1.5.",
        "`pte-lint explain PTE801` tells more.",
    ]
    assert "info PTE801 (device-input-planned) at forward" in render(report(noted))
    assert "info PTE801 (device-input-planned)" in render(both, TextOptions(verbose=True))
    strict = RenderOptions(fail_on=Severity.INFO)
    assert "info PTE801 (device-input-planned)" in render(both, TextOptions(judging=strict))


def test_quiet_says_nothing_about_clean_files() -> None:
    assert render(report(artifact()), TextOptions(quiet=True)) == ""


def test_hostile_names_have_no_effect() -> None:
    evil = "\x1b[2Jfor\nward\u202e"
    text = render(
        report(
            artifact(
                finding(
                    0,
                    method=evil,
                    message=f"{evil} is bad",
                    remediation=f"Fix {evil}:\n\n    {evil}",
                    subject=evil,
                    evidence={evil: evil},
                ),
                path=evil,
                unchecked=(Unchecked(evil, evil),),
            ),
            notes=(evil,),
        ),
        TextOptions(verbose=True),
    )
    assert all(line.isprintable() for line in text.split("\n"))


def _head(*verdicts: Verdict, **changes: object) -> str:
    return render(report(artifact(finding(), verdict=verdicts, **changes))).splitlines()[0]


def test_the_verdict_of_a_file_stands_first() -> None:
    """On its first line, whatever follows: the first method that fails, and how many do."""
    runs = Verdict("a", Stage.EXECUTE, Outcome.OK)
    fails = Verdict("b", Stage.SET_INPUT, Outcome.ERROR, error="NotSupported", rule="PTE301")
    crashes = Verdict("c", Stage.EXECUTE, Outcome.CRASH, signal="SIGSEGV")
    whole = Verdict(None, Stage.LOAD_PROGRAM, Outcome.ERROR, error="InvalidProgram", rule="PTE010")
    told = "b: set_input fails with NotSupported (PTE301)"
    path = "model.pte"
    assert _head(runs, path=path) == "model.pte: runs; 1 error"
    assert _head(runs, fails, path=path) == f"model.pte: {told}; 1 error"
    assert (
        _head(runs, fails, crashes, path=path)
        == f"model.pte: {told}; 2 of 3 methods do not run; 1 error"
    )
    assert _head(whole, path=path) == (
        "model.pte: load_program fails with InvalidProgram (PTE010); 1 error"
    )
    loads = Verdict(None, Stage.LOAD_PROGRAM, Outcome.OK)
    assert _head(loads, path=path) == "model.pte: loads; 1 error"
    need = Need(NeedKind.BACKEND, "the backend QnnBackend", "a")
    assert _head(runs, path=path, needs=(need,)) == (
        "model.pte: runs if given the backend QnnBackend; 1 error"
    )
    assert _head(path=path) == "model.pte: 1 error"
    refuted = replace(runs, confirmation=Confirmation("refuted"))
    assert _head(refuted, fails, path=path) == "model.pte: refuted by the runtime; 1 error"


def test_confirm_counts_as_check_does() -> None:
    """What follows from a finding is counted with it, per file: two files may have the same one."""
    root = finding(0, fingerprint="r")
    follows = [
        finding(n, fingerprint=f"f{n}", cause="r", severity=severity)
        for n, severity in ((1, Severity.ERROR), (2, Severity.WARNING))
    ]
    alone = finding(3, fingerprint="i", severity=Severity.INFO)
    seen = Confirmation("confirmed")
    first = artifact(
        *(replace(f, confirmation=seen) for f in (root, *follows)), alone, path="a.pte"
    )
    second = artifact(*(replace(f, confirmation=seen) for f in follows), path="b.pte", verdict=())
    made = report(first, second)
    checked = render(made)
    confirmed = " ".join(render_confirmed(made).split())
    assert "2 errors, 1 warning, 1 info in 2 files (and 2 consequences)" in checked
    assert "1 info (see check): running shows nothing about them" in confirmed
    assert (
        "2 errors and 1 consequence: 3 confirmed; 1 warning and 1 consequence: 2 confirmed; "
        in confirmed
    )
    nothing = render_confirmed(report(artifact(alone, path="a.pte")))
    assert "0 errors: nothing to confirm; verdicts: none." in nothing


def test_evidence_is_told_as_it_is_written() -> None:
    one = finding(evidence={"name": "über", "numbers": [1, float("inf")]})
    text = render(report(artifact(one)), TextOptions(verbose=True))
    assert 'name = "über"' in text
    assert 'numbers = [1, "inf"]' in text
