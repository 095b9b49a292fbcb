"""`pytest --pte-lint`: artifacts as test items."""

from __future__ import annotations

import shutil

import pytest
from click.testing import CliRunner

from pte_lint.cli.app import app
from pte_lint.text import toml
from tests.pte_lint.plugin.conftest import BAD, GOOD, PLUGIN, Project
from tests.support.look import DATA


def test_inactive_unless_asked(project: Project, pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_one(): pass")
    result = project(files=(GOOD, BAD))
    result.assert_outcomes(passed=1)


def test_unused_it_imports_nothing_of_pte_lint(project: Project, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import sys

        def test_modules():
            loaded = {m for m in sys.modules if m.partition(".")[0] == "pte_lint"}
            assert loaded == {"pte_lint", "pte_lint._version", "pte_lint.pytest_plugin"}
            assert not {"networkx", "flatbuffers", "pydantic", "rich", "click"} & set(sys.modules)
        """
    )
    project(files=(BAD,), process=True).assert_outcomes(passed=1)


def test_it_is_found_by_pytest() -> None:
    pyproject = toml.loads((DATA.parents[1] / "pyproject.toml").read_text("utf-8"))
    assert pyproject["project"]["entry-points"]["pytest11"] == {"pte-lint": PLUGIN}


def test_every_artifact_is_an_item(project: Project) -> None:
    files = (GOOD, "clean/bundled_linear.bpte", "clean/external_constants.ptd")
    result = project("--pte-lint", "-v", files=files)
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(
        [
            "add_default.pte::pte-lint PASSED*",
            "bundled_linear.bpte::pte-lint PASSED*",
            "external_constants.ptd::pte-lint PASSED*",
        ]
    )


def test_a_failure_is_the_findings_without_a_traceback(project: Project) -> None:
    result = project("--pte-lint", files=(BAD, GOOD))
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*pte-lint add_skip_both_planned.pte*",
            "PTE301 device-input-planned and * 2 errors, *",
            "add_skip_both_planned.pte: forward: set_input fails with * (PTE301); 2 errors*",
            "*error PTE301 (device-input-planned)",
            "*at forward: input 0*",
            "*runtime: executorch 1.5: set_input fails with NotSupported",
            "*MemoryPlanningPass(alloc_graph_input=False*",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*pytest_plugin.py*")


def test_paths_are_ordinary_arguments(project: Project, pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_one(): pass")
    result = project("--pte-lint", "add_skip_both_planned.pte", files=(BAD, GOOD))
    result.assert_outcomes(failed=1)
    project("--pte-lint", "add_default.pte", "-k", "pte").assert_outcomes(passed=1)


def test_the_ini_file_can_ask(project: Project, pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\npte_lint = true\npte_lint_files = *_planned.pte\n")
    project(files=(BAD, GOOD)).assert_outcomes(failed=1)


@pytest.mark.parametrize(
    ("ini", "failed"),
    [
        ("pte_lint_ignore = PTE301", 0),
        ("pte_lint_select = PTE302 PTE303", 0),
        ("pte_lint_select = PTE302\npte_lint_fail_on = warning", 1),
        ("pte_lint_fail_on = never", 0),
        ("pte_lint_target = executorch==1.3", 0),
        ("pte_lint_target = executorch==1.4", 1),
    ],
)
def test_ini_options(project: Project, pytester: pytest.Pytester, ini: str, failed: int) -> None:
    pytester.makeini(f"[pytest]\n{ini}\n")
    result = project("--pte-lint", files=(BAD,))
    result.assert_outcomes(failed=failed, passed=1 - failed)


def test_the_configuration_of_pte_lint_counts(project: Project, pytester: pytest.Pytester) -> None:
    pytester.makepyprojecttoml(
        """
        [tool.pytest.ini_options]
        pte_lint = true

        [[tool.pte-lint.ignore]]
        rule = "PTE301"
        reason = "the runner is patched"
        path = "add_*.pte"
        """
    )
    project(files=(BAD,)).assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("ini", "why"),
    [
        ("pte_lint_fail_on = bad", "*pte-lint: 'bad' is not a valid Severity*"),
        ("pte_lint_config = nowhere.toml", "*pte-lint: *nowhere.toml*"),
        ("pte_lint_data = nowhere*.ptd", "*nothing matches 'nowhere[*].ptd'*"),
        ("pte_lint_select = PTE999", "pte-lint: no rule matches 'PTE999'*"),
        ("pte_lint_target = executorch==0.1", "pte-lint: runtime 0.1 is not known*"),
    ],
)
def test_what_cannot_be_used_is_told(
    project: Project, pytester: pytest.Pytester, ini: str, why: str
) -> None:
    pytester.makeini(f"[pytest]\n{ini}\n")
    result = project("--pte-lint", files=(GOOD,))
    assert result.ret != 0
    result.stdout.fnmatch_lines([why])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_known_findings_of_the_baseline(
    project: Project, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyprojecttoml(
        """
        [tool.pte-lint]
        baseline = "known.json"
        """
    )
    folder = pytester.mkdir("models")
    (folder / "model.pte").write_bytes((DATA / BAD).read_bytes())
    words = ["baseline", "write", "models", "--baseline", "known.json"]
    assert CliRunner().invoke(app, words).exit_code == 0
    project("--pte-lint").assert_outcomes(passed=1)
    # Run from another folder, it is still the same file.
    monkeypatch.chdir(pytester.mkdir("elsewhere"))
    result = project("--pte-lint", "-v", "--rootdir", str(pytester.path), "../models")
    result.assert_outcomes(passed=1)
    (folder / "model.pte").rename(folder / "other.pte")
    project("--pte-lint", "../models").assert_outcomes(failed=1)
    (pytester.path / "known.json").write_text("{")
    result = project("--pte-lint", "../models")
    result.stdout.fnmatch_lines(["pte-lint: *known.json*"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_mild_findings_are_shown_on_demand(project: Project, pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\npte_lint_fail_on = never\n")
    result = project("--pte-lint", "-rP", files=(BAD,))
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*PTE301 device-input-planned*2 errors*"])


def test_data_files(project: Project, pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\npte_lint_data = *.ptd\n")
    files = ("clean/external_constants.pte", "clean/external_constants.ptd")
    project("--pte-lint", files=files).assert_outcomes(passed=2)


@pytest.mark.parametrize("entry", ["auto", "external_*.pte=external_constants.ptd"])
def test_data_files_of_some_programs(
    project: Project, pytester: pytest.Pytester, entry: str
) -> None:
    pytester.makeini(f"[pytest]\npte_lint_fail_on = warning\npte_lint_data = {entry}\n")
    files = ("clean/external_constants.pte", "clean/external_constants.ptd", "clean/linear.pte")
    project("--pte-lint", files=files).assert_outcomes(passed=3)


def test_what_is_no_program_is_a_finding(project: Project, pytester: pytest.Pytester) -> None:
    (pytester.path / "model.pte").write_text("version https://git-lfs.github.com/spec/v1\n")
    result = project("--pte-lint")
    result.stdout.no_fnmatch_line("*Traceback*")


def test_a_file_that_goes_away_is_one_line(project: Project, pytester: pytest.Pytester) -> None:
    pytester.makepyfile("import pathlib\ndef test_one(): pathlib.Path('zzz.pte').unlink()")
    (pytester.path / "zzz.pte").write_bytes(b"")
    result = project("--pte-lint", "test_a_file_that_goes_away_is_one_line.py", "zzz.pte")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["pte-lint: cannot read *zzz.pte: No such file or directory"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_with_xdist(project: Project) -> None:
    pytest.importorskip("xdist")
    result = project(
        "-p", "xdist", "--pte-lint", "-n", "2", files=(BAD, GOOD, "clean/linear.pte"), process=True
    )
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*error PTE301 (device-input-planned)"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_an_item_can_be_marked(project: Project, pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
        import pytest

        def pytest_collection_modifyitems(items):
            for item in items:
                if item.path.name == "add_skip_both_planned.pte":
                    item.add_marker(pytest.mark.pte_lint(ignore="PTE3", reason="known"))
        """
    )
    project("--pte-lint", files=(BAD,)).assert_outcomes(passed=1)


def test_items_can_be_deselected(project: Project, pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_one(): pass")
    result = project("--pte-lint", "-m", "not pte_lint", files=(BAD,))
    result.assert_outcomes(passed=1, deselected=1)


HOSTILE = "ev\x1b[31mil\n::error::x\u202e.pte"


@pytest.mark.parametrize(
    "words",
    [(), ("-v",), ("-vv", "-rA", "--durations=9"), ("-q", "--junitxml=j.xml"), ("--collect-only",)],
    ids=" ".join,
)
def test_names_reach_the_terminal_escaped(
    project: Project, pytester: pytest.Pytester, words: tuple[str, ...]
) -> None:
    """Wherever pytest prints them: progress, headlines, the summary, other programs' reports."""
    for model in (GOOD, BAD):
        shutil.copy(DATA / model, pytester.path / (model[-6] + HOSTILE))
    (pytester.path / ("huge" + HOSTILE)).open("wb").truncate((1 << 40) + 1)
    result = project("--pte-lint", *words, process=True)
    shown = [*result.outlines, *result.errlines]
    if (pytester.path / "j.xml").exists():
        shown += (pytester.path / "j.xml").read_text("utf-8").splitlines()
    assert not [line for line in shown if not line.isprintable() or line.startswith("::")]
    assert any("ev\\x1b[31mil\\n::error::x\\u202e.pte" in line for line in shown)
    result.assert_outcomes(**({} if "--collect-only" in words else {"passed": 1, "failed": 2}))


def test_ordinary_names_stay_what_they_are(project: Project, pytester: pytest.Pytester) -> None:
    """So that `pytest FILE::pte-lint` runs the item."""
    (pytester.path / "deep").mkdir()
    shutil.copy(DATA / GOOD, pytester.path / "deep/model é.pte")
    result = project("--pte-lint", "-v", "deep/model é.pte::pte-lint", process=True)
    result.stdout.fnmatch_lines(["deep/model é.pte::pte-lint PASSED*"])
