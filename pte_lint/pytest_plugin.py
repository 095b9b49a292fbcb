"""The pytest plugin: artifacts as test items, and a fixture for tests that export.

Active only when asked: without `--pte-lint` (or `pte_lint = true` in the ini file) nothing is
collected, and nothing of pte-lint beyond this module is imported before a test uses the fixture.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from pte_lint.claims.finding import Finding
    from pte_lint.claims.result import Report
    from pte_lint.config.data_for import DataGiven
    from pte_lint.config.suppression import Ignore
    from pte_lint.files.artifact import Source
    from pte_lint.judging.judge import Judge
    from pte_lint.testing.oracle import Runtime

MARKER = "pte_lint"
_DEFAULT_FILES = ["*.pte", "*.ptd", "*.bpte"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--pte-lint` and the ini options."""
    group = parser.getgroup("pte-lint", "pte-lint: check exported ExecuTorch programs")
    group.addoption(
        "--pte-lint",
        action="store_true",
        default=None,
        help="check the .pte, .ptd and .bpte files among and below the given paths",
    )
    text: tuple[tuple[str, str], ...] = (
        ("pte_lint_config", "configuration file of pte-lint, instead of the nearest one"),
        ("pte_lint_fail_on", "mildest severity that fails: error, warning, info, never, unchecked"),
        ("pte_lint_target", "runtime to judge for, such as executorch==1.4"),
    )
    lists: tuple[tuple[str, str], ...] = (
        ("pte_lint_select", "rules to run"),
        ("pte_lint_ignore", "rules not to run"),
        ("pte_lint_data", "patterns of .ptd files, PROGRAM=PATTERN for some programs, or auto"),
    )
    parser.addini("pte_lint", "collect artifacts, as --pte-lint does", type="bool", default=False)
    parser.addini(
        "pte_lint_allow_unjudged",
        "make warnings of what was not judged because it takes too much time or memory",
        type="bool",
        default=False,
    )
    parser.addini(
        "pte_lint_files",
        "patterns of file names that are artifacts",
        type="args",
        default=_DEFAULT_FILES,
    )
    for name, told in text:
        parser.addini(name, told, default="")
    for name, told in lists:
        parser.addini(name, told, type="args", default=[])


def pytest_configure(config: pytest.Config) -> None:
    """Declares the marker."""
    config.addinivalue_line(
        "markers",
        f"{MARKER}(ignore, reason): for this test, set aside the findings of a rule (or a list of"
        " rules) in programs that the fixture `pte_lint` checks; the reason is mandatory",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> PteFile | None:
    """Collects artifacts, when asked to."""
    config = parent.config
    if not (config.getoption("--pte-lint") or config.getini("pte_lint")):
        return None
    patterns: list[str] = config.getini("pte_lint_files")
    if any(fnmatch(file_path.name, pattern) for pattern in patterns):
        shown = _shown(file_path, config)
        is_plain = shown == _relative(file_path, config)
        names: dict[str, Any] = (
            {} if is_plain else {"name": shown.rpartition("/")[2], "nodeid": shown}
        )
        return PteFile.from_parent(parent, path=file_path, **names)
    return None


class PteFile(pytest.File):
    """One artifact, under a name that is safe wherever pytest prints it."""

    def collect(self) -> Iterable[PteItem]:
        """One item: the file is read once."""
        yield PteItem.from_parent(self, name="pte-lint")


class PteItem(pytest.Item):
    """The check of one artifact."""

    def __init__(self, **extra: Any) -> None:
        """Lets `-m pte_lint` select the items."""
        super().__init__(**extra)
        self.add_marker(MARKER)

    def runtest(self) -> None:
        """Checks the artifact.

        Raises:
            NotClean: it has findings at or above the severity that fails.
        """
        from pte_lint.assertions import failure_text, named, require_clean

        linter = linter_of(self.config)
        ignores = ignores_of(self)
        report = named(linter.judge(self.path, ignores=ignores), _shown(self.path, self.config))
        require_clean(report, linter.judge.settings)
        if report.findings:
            self.add_report_section("call", "pte-lint", failure_text(report))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Findings and usage errors are told without a traceback."""
        from pte_lint.assertions import NotClean
        from pte_lint.claims.target import TargetError
        from pte_lint.config.baseline import BaselineError
        from pte_lint.files.fetched import ArtifactError
        from pte_lint.rulebook.given_options import OptionError
        from pte_lint.rulebook.registry import RuleLoadError
        from pte_lint.rulebook.selection import SelectorError
        from pte_lint.text import sanitise

        error = excinfo.value
        if isinstance(error, NotClean | pytest.UsageError):
            return Told(sanitise.block(str(error)), self.path)
        if isinstance(error, ArtifactError):
            text = sanitise.prose(error.strerror or str(error))
            return Told(f"pte-lint: {text}", self.path)
        told = BaselineError | OptionError | RuleLoadError | SelectorError | TargetError
        if isinstance(error, told):
            return Told(f"pte-lint: {sanitise.block(str(error))}", self.path)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """What the summary calls the item."""
        shown = _shown(self.path, self.config)
        return self.config.rootpath / shown, None, f"pte-lint {shown}"


class Told:
    """A failure that is text, of which the summary at the end shows the first line."""

    def __init__(self, text: str, path: Path) -> None:
        """Takes the text, and the file that it is about."""
        self._text = text
        self.reprcrash = Crash(str(path), 0, text.partition("\n")[0])

    def toterminal(self, terminal: Any) -> None:
        """Prints it: what pytest asks of a failure."""
        terminal.line(self._text)

    def __str__(self) -> str:
        """The text, for reports in files."""
        return self._text


class Crash(NamedTuple):
    """What pytest's summary asks of a failure."""

    path: str
    lineno: int
    message: str


def _shown(path: Path, config: pytest.Config) -> str:
    """The artifact's path as a person at the root folder would write it, safe to print."""
    from pte_lint.text import sanitise

    return sanitise.name(_relative(path, config), sanitise.EXACT_LIMIT)


def _relative(path: Path, config: pytest.Config) -> str:
    try:
        return path.relative_to(config.rootpath).as_posix()
    except ValueError:
        return str(path)


class Linter:
    """What the fixture `pte_lint` gives: checks with the project's configuration."""

    def __init__(self, judge: Judge, ignores: tuple[Ignore, ...] = ()) -> None:
        """Settings are those of the run; ignore entries come from the test's markers."""
        self.judge = judge
        self._ignores = ignores

    def check(self, program: Source, *, data: Sequence[Source] | Source = ()) -> Report:
        """Checks a program; asserts nothing. See `pte_lint.check` for what a program may be."""
        __tracebackhide__ = True
        from pte_lint.assertions import plainly, several

        return plainly(self.judge)(program, data=several(data), ignores=self._ignores)

    def assert_clean(self, program: Source, *, data: Sequence[Source] | Source = ()) -> Report:
        """Asserts that a program has no finding that fails; see `pte_lint.assert_clean`."""
        __tracebackhide__ = True
        from pte_lint.assertions import require_clean

        report = self.check(program, data=data)
        require_clean(report, self.judge.settings)
        return report

    def assert_finds(
        self, program: Source, *rules: str, only: bool = False, data: Sequence[Source] | Source = ()
    ) -> tuple[Finding, ...]:
        """Asserts that each of some rules finds something; see `pte_lint.assert_finds`."""
        __tracebackhide__ = True
        from pte_lint.assertions import plainly, require_findings

        report = self.check(program, data=data)
        return plainly(require_findings)(report, rules, only=only)


@pytest.fixture
def pte_lint(request: pytest.FixtureRequest) -> Linter:
    """Checks exported programs: `pte_lint.assert_clean(program)`, `pte_lint.check(program)`."""
    linter = linter_of(request.config)
    return Linter(linter.judge, ignores_of(request.node))


@pytest.fixture(scope="session")
def pte_lint_runtime() -> Runtime:
    """The real runtime (`pte_lint.testing.Runtime`); skips where it is missing.

    Where the environment says CI=true it fails instead.
    """
    from pte_lint.testing.oracle import Runtime, missing_runtime

    missing = missing_runtime()
    if missing is not None:
        pytest.skip(missing)
    return Runtime()


_LINTER = pytest.StashKey[Linter]()


def linter_of(config: pytest.Config) -> Linter:
    """The linter of the run, made when first asked for.

    Raises:
        pytest.UsageError: the ini file or pte-lint's configuration cannot be used.
    """
    known = config.stash.get(_LINTER, None)
    if known is None:
        known = config.stash[_LINTER] = _make(config)
    return known


def _make(config: pytest.Config) -> Linter:
    from pte_lint.config.file import ConfigError
    from pte_lint.config.settings import load_settings
    from pte_lint.judging.judge import Judge

    def given(name: str) -> Any:
        return config.getini(f"{MARKER}_{name}")

    # Paths in the ini file are relative to it, whatever folder the tests are run from.
    base = config.inipath.parent if config.inipath else config.rootpath
    path = base / given("config") if given("config") else None
    try:
        settings = load_settings(path, start=base)
        settings = settings.overridden(
            select=tuple(given("select")),
            ignore=tuple(given("ignore")),
            target=given("target") or None,
            allow_unjudged=given("allow_unjudged") or None,
            data=tuple(p for pattern in given("data") for p in _matching(base, pattern)),
        )
        if given("fail_on"):
            settings = settings.failing_on(given("fail_on"))
    except (ConfigError, ValueError) as exc:
        raise pytest.UsageError(f"pte-lint: {exc}") from exc
    return Linter(Judge(settings))


def _matching(base: Path, pattern: str) -> list[DataGiven]:
    """What an entry of `pte_lint_data` names below the ini file's folder, as `--data` does.

    `PROGRAM=FILE` is for programs that match a glob only, and `auto` for what lies beside each.
    """
    from pte_lint.config.data_for import AUTO, DataFor

    if pattern == AUTO:
        return [AUTO]
    program, equals, file = pattern.partition("=")
    if program and equals and file:
        return [DataFor(program, base / name, base) for name in _names(base, file)]
    return [base / name for name in _names(base, pattern)]


def _names(base: Path, pattern: str) -> list[str]:
    from pte_lint.files.walking import matching

    found = list(matching(pattern, base=str(base)))
    if not found:
        raise ValueError(f"pte_lint_data: nothing matches {pattern!r} in {base}")
    return found


def ignores_of(node: pytest.Item) -> tuple[Ignore, ...]:
    """The ignore entries that a test's markers make.

    Raises:
        pytest.UsageError: a marker without a reason, or with anything else.
    """
    from pte_lint.config.suppression import Ignore

    found: list[Ignore] = []
    for marker in node.iter_markers(MARKER):
        if not marker.args and not marker.kwargs:
            continue
        rules, reason = marker.kwargs.get("ignore"), marker.kwargs.get("reason")
        unknown = sorted(set(marker.kwargs) - {"ignore", "reason"})
        if marker.args or unknown or not rules:
            raise pytest.UsageError(
                f"{node.nodeid}: write @pytest.mark.{MARKER}(ignore='PTE301', reason='...')"
            )
        if not isinstance(reason, str) or not reason.strip():
            raise pytest.UsageError(
                f"{node.nodeid}: @pytest.mark.{MARKER}(ignore={rules!r}) wants a reason"
            )
        for rule in [rules] if isinstance(rules, str) else rules:
            found.append(Ignore(rule, reason, source=f"marker of {node.nodeid}"))
    return tuple(found)
