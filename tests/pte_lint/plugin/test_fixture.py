"""The fixture `pte_lint` and its marker."""

from __future__ import annotations

import shutil

import pytest

from tests.pte_lint.plugin.conftest import BAD, GOOD, Project
from tests.support.look import DATA


def test_the_fixture(project: Project, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_good(pte_lint):
            assert not pte_lint.assert_clean("add_default.pte").internal_errors

        def test_bad(pte_lint):
            pte_lint.assert_clean("add_skip_both_planned.pte")

        def test_finds(pte_lint):
            found = pte_lint.assert_finds("add_skip_both_planned.pte", "PTE301", only=True)
            assert len(found) == 2

        def test_check(pte_lint):
            assert pte_lint.check(open("add_default.pte", "rb").read()).is_clean()
        """
    )
    result = project(files=(BAD, GOOD))
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(
        [
            '>       pte_lint.assert_clean("add_skip_both_planned.pte")',
            "E       *NotClean: PTE301 device-input-planned*2 errors*",
            "E*MemoryPlanningPass(alloc_graph_input=False*",
        ]
    )
    # The frames of pte-lint are none of the reader's business.
    result.stdout.no_fnmatch_line("*assertions.py*")
    result.stdout.no_fnmatch_line("*pytest_plugin.py*")


def test_the_marker_sets_a_rule_aside(project: Project, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.pte_lint(ignore="PTE301", reason="the runner is patched")
        def test_one(pte_lint):
            report = pte_lint.assert_clean("add_skip_both_planned.pte")
            (artifact,) = report.artifacts
            assert {known.reason for known in artifact.suppressed} == {"the runner is patched"}

        @pytest.mark.pte_lint(ignore=["PTE305", "device-input-planned"], reason="several")
        def test_several(pte_lint):
            pte_lint.assert_clean("add_skip_both_planned.pte")

        @pytest.mark.pte_lint(ignore="PTE305", reason="another one")
        def test_another(pte_lint):
            pte_lint.assert_clean("add_skip_both_planned.pte")
        """
    )
    project("--strict-markers", files=(BAD,)).assert_outcomes(passed=2, failed=1)


@pytest.mark.parametrize(
    ("marker", "why"),
    [
        ('ignore="PTE301"', "*wants a reason*"),
        ('ignore="PTE301", reason=" "', "*wants a reason*"),
        ('"PTE301"', "*write @pytest.mark.pte_lint(ignore=*"),
        ('reason="x"', "*write @pytest.mark.pte_lint(ignore=*"),
        ('ignore="PTE301", reason="x", target="1.3"', "*write @pytest.mark.pte_lint(ignore=*"),
        ('ignore="PTE999", reason="x"', "*no rule matches 'PTE999'*"),
    ],
)
def test_a_marker_that_cannot_be_used(
    project: Project, pytester: pytest.Pytester, marker: str, why: str
) -> None:
    pytester.makepyfile(
        f"""
        import pytest

        @pytest.mark.pte_lint({marker})
        def test_one(pte_lint):
            pte_lint.assert_clean("add_default.pte")
        """
    )
    result = project(files=(GOOD,))
    assert result.ret != 0
    assert result.parseoutcomes().get("passed", 0) == 0
    result.stdout.fnmatch_lines([why])


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("assert_finds(b'x' * 99)", "UsageError: assert_finds wants at least one rule*"),
        ("assert_clean(5)", "*NoSourceError: cannot check a int: give a path*"),
        ("assert_clean('nowhere.pte')", "*cannot read nowhere.pte: No such file*"),
        ("assert_clean('good.pte', data='no.ptd')", "*cannot read no.ptd: No such file*"),
        ("assert_finds('good.pte', 'PTE999')", "*SelectorError: no rule matches 'PTE999'*"),
    ],
)
def test_wrong_usage_is_told_in_a_line(
    project: Project, pytester: pytest.Pytester, call: str, told: str
) -> None:
    """Nothing of the library is shown: the line of the test, what is wrong, and the summary."""
    shutil.copy(DATA / GOOD, pytester.path / "good.pte")
    pytester.makepyfile(f"def test_it(pte_lint):\n    pte_lint.{call}\n")
    result = project("test_wrong_usage_is_told_in_a_line.py")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f">       pte_lint.{call}", f"E       *{told}"])
    shown = [line for line in result.outlines if "pte_lint/" in line]
    assert shown == []
    result.stdout.fnmatch_lines(["FAILED *::test_it - *"])


def test_the_summary_names_the_rule(project: Project, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_x="def test_it(pte_lint):\n    pte_lint.assert_clean('bad.pte')\n")
    shutil.copy(DATA / BAD, pytester.path / "bad.pte")
    result = project("--pte-lint", ".")
    names = [line for line in result.outlines if line.startswith("FAILED ")]
    assert len(names) == 2
    assert all("PTE301 " in line for line in names)
