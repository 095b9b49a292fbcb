"""The settings of one run: the configuration file, overridden by what the caller gave.

The dataclasses here are plain and light; pydantic is imported only when there is a file to read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pte_lint.claims.finding import Severity
from pte_lint.config import confined
from pte_lint.config import file as config_file
from pte_lint.config.confined import Below
from pte_lint.config.data_for import AUTO, DataFor, DataGiven, data_of
from pte_lint.config.mirror import Mirror
from pte_lint.config.suppression import Ignore
from pte_lint.files.remote import allowance
from pte_lint.files.remote.address import Anonymous, is_address, shown
from pte_lint.files.remote.caps import DEFAULTS, Caps, CapsError
from pte_lint.rulebook.contract import OPTION as CONTRACTS
from pte_lint.rulebook.contract import GivenContract
from pte_lint.rulebook.given_options import Given
from pte_lint.rulebook.pipeline import Peers, Pipeline
from pte_lint.schema.frozen import dataclass, field

_MOST_IGNORED: Final = 2_000
"""Entries in `ignore`: each is held against each finding."""

if TYPE_CHECKING:
    from pte_lint.config.model import Config, DataEntry, PipelineEntry


@dataclass(frozen=True, slots=True)
class RunSettings:
    """Everything that decides what a run does, but for the artifacts."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    """Selectors of rules that are not run."""
    severity: Mapping[str, Severity] = field(default_factory=dict)
    """By rule id or name, as the user wrote it."""
    options: Given = field(default_factory=dict)
    """Options of single rules, by rule id or name."""
    fail_on: Severity | None = Severity.ERROR
    """None: findings never fail the run."""
    fail_on_unchecked: bool = False
    """Whether anything that could not be checked fails the run."""
    allow_unjudged: bool = False
    """Whether what was not judged for its cost is a warning; else it is an error."""
    explicit_fail_on: bool = False
    """True when somebody chose `fail_on`, rather than the default being used."""
    target: str | None = None
    libraries: tuple[Path, ...] = ()
    """Shared libraries whose kernels and backends the target has besides."""
    verification: str = "both"
    data: tuple[DataGiven, ...] = ()
    """.ptd files, for all programs or some; addresses are text."""
    caps: Caps = DEFAULTS
    """How much may be fetched of an address."""
    format: str = "text"
    outputs: Mapping[str, Path | Below] = field(default_factory=dict)
    """Files to write, by format."""
    baseline: Path | Below | None = None
    ignores: tuple[Ignore, ...] = ()
    """Ignore entries with reasons."""
    pipelines: tuple[Pipeline, ...] = ()
    contracts: tuple[GivenContract, ...] = ()
    """What programs promise."""
    root: Path | None = None
    """The folder that path globs are relative to: that of the configuration file."""
    file: Path | None = None
    """The configuration file, if there is one."""
    mirror: Mirror | None = None
    """Where settings files are read, if not where they are named."""
    isolated: bool = False

    @property
    def baseline_path(self) -> Path | None:
        """Where the baseline is read."""
        return self.baseline.path if isinstance(self.baseline, Below) else self.baseline

    def data_of(self, name: str) -> tuple[Path | str, ...]:
        """The data files that the artifact is loaded with that reports call `name`."""
        return data_of(self.data, name)

    def failing_on(self, text: str) -> RunSettings:
        """A copy that fails on what a `--fail-on` value says.

        `never` fails on nothing; `unchecked` on errors, and on anything that could not be checked.
        """
        is_unchecked = text == "unchecked"
        level = None if text == "never" else Severity.ERROR if is_unchecked else Severity(text)
        return replace(self, fail_on=level, fail_on_unchecked=is_unchecked, explicit_fail_on=True)

    def overridden(self, **given: Any) -> RunSettings:
        """A copy in which every value that was given (not None, not empty) wins.

        `severity` is merged rule by rule.
        """
        severity = {**self.severity, **(given.pop("severity", None) or {})}
        chosen = {key: value for key, value in given.items() if value not in (None, (), {})}
        return replace(self, severity=severity, **chosen)

    @property
    def rule_options(self) -> dict[str, object]:
        """The options for rules, by name."""
        options: dict[str, object] = {}
        if self.pipelines:
            options |= {"pipelines": self.pipelines, "peers": Peers(self.root)}
        if self.contracts:
            options[CONTRACTS] = self.contracts
        return options


def load_settings(
    config: Path | None = None,
    *,
    isolated: bool = False,
    start: Path | None = None,
    mirror: Mirror | None = None,
    allowed: Iterable[str] = (),
) -> RunSettings:
    """Reads the settings of the configuration file.

    Args:
        config: the file to use; None: the nearest one at or above `start`.
        isolated: use no file at all, and no rules of others.
        start: where the search begins; None: the working folder.
        mirror: what stands for the working folder, and is not searched above.
        allowed: beginnings of addresses that the file may name, besides those of the environment.

    Raises:
        ConfigError: the file cannot be used, or is given together with `isolated`.
    """
    if isolated:
        if config is not None:
            raise config_file.ConfigError("--config and --isolated exclude each other")
        return RunSettings(mirror=mirror, isolated=True)
    if mirror is not None:
        path = (
            mirror.read_from(config) if config else config_file.find(mirror.folder, mirror.folder)
        )
    else:
        path = config if config is not None else config_file.find(start)
    if path is None:
        return RunSettings(mirror=mirror)
    loaded = config_file.load(path)
    return from_config(loaded.config, loaded.path, mirror, allowed)


def from_config(
    config: Config, path: Path, mirror: Mirror | None = None, allowed: Iterable[str] = ()
) -> RunSettings:
    """Resolves a configuration: relative paths against its folder, entries to plain objects.

    Args:
        config: what the file says.
        path: the file.
        mirror: if the file lies in it, paths of anything but settings files are relative to the
            folder that it stands for.
        allowed: beginnings of addresses that it may name, besides those of the environment.

    Raises:
        ConfigError: it names what it may not.
    """
    home = folder_of(path)
    root = home if mirror is None else mirror.stands_for(home)
    try:
        data = tuple(
            _data(root, each, (*allowed, *allowance.from_environment())) for each in config.data
        )
        outputs = {
            form: confined.writable(root, name, f"output.{form}", confined.suffixes(form))
            for form, name in config.output.items()
        }
        baseline = _baseline(home, config.baseline)
        contracts = tuple(_contracts(config, path, home, root))
        for entry in config.pipeline:
            for glob in filter(None, (entry.from_.artifact, entry.to.artifact)):
                confined.check_glob(root, glob, "pipeline")
        target = config.target
        if target is not None and target.endswith(".json"):
            target = str(confined.readable(home, target, "target"))
    except confined.NotAllowed as exc:
        raise config_file.ConfigError(f"{path}: {exc}") from exc
    if len(config.ignore) > _MOST_IGNORED:
        raise config_file.ConfigError(
            f"{path}: more than {_MOST_IGNORED} entries in ignore; record what is known with "
            "pte-lint baseline write"
        )
    selectors = tuple(item for item in config.ignore if isinstance(item, str))
    ignores = tuple(
        Ignore(
            rule=item.rule,
            reason=item.reason,
            path=item.path,
            method=item.method,
            location=item.location,
            expires=item.expires,
            source=f"{path.name}: ignore[{position}]",
        )
        for position, item in enumerate(config.ignore)
        if not isinstance(item, str)
    )
    settings = RunSettings(
        select=config.select,
        ignore=selectors,
        severity={rule: Severity(level) for rule, level in config.severity.items()},
        options=config.options,
        allow_unjudged=config.allow_unjudged,
        target=target,
        verification=config.verification,
        data=data,
        caps=_caps(config.remote, path),
        format=config.format,
        outputs=outputs,
        baseline=baseline,
        ignores=ignores,
        pipelines=tuple(_pipeline(entry) for entry in config.pipeline),
        contracts=contracts,
        root=root,
        file=path,
        mirror=mirror,
    )
    return settings.failing_on(config.fail_on) if "fail_on" in config.model_fields_set else settings


def _data(root: Path, given: str | DataEntry, allowed: Iterable[str]) -> DataGiven:
    if given == AUTO:
        return AUTO
    if isinstance(given, str):
        return _data_file(root, given, allowed)
    confined.check_glob(root, given.program, "data")
    return DataFor(given.program, _data_file(root, given.file, allowed), root)


def _data_file(root: Path, name: str, allowed: Iterable[str]) -> Path | str:
    if not is_address(name):
        return confined.readable(root, name, "data")
    if allowance.is_allowed(name, allowed):
        return Anonymous(name)
    raise confined.NotAllowed(
        f"data: {shown(name)} is an address, and a configuration may name only those that "
        f"--allow-address or {allowance.VARIABLE} allows"
    )


def _contracts(config: Config, path: Path, home: Path, root: Path) -> Iterator[GivenContract]:
    """Those of a configuration: in it, or in files that it names."""
    for position, given in enumerate(config.contract):
        if isinstance(given, str):
            contract = config_file.load_contract(confined.readable(home, given, "contract"))
            source = given
        else:
            contract, source = given, f"{path.name}: contract[{position}]"
        if contract.artifact is not None:
            confined.check_glob(root, contract.artifact, "contract")
        yield GivenContract.of(contract, source, root, by_hand=False)


def contract_by_hand(file: Path, read_from: Path) -> GivenContract:
    """A contract that the command line names.

    Args:
        file: as it is named.
        read_from: where it is read, see `Mirror`.

    Raises:
        ConfigError: it cannot be read.
    """
    contract = config_file.load_contract(read_from)
    return GivenContract.of(contract, file.name, Path.cwd(), by_hand=True)


def _baseline(root: Path, name: str | None) -> Below | None:
    """Where a baseline is read; whether it may be written is found out when it is."""
    if name is None:
        return None
    confined.readable(root, name, "baseline")
    return Below(root, (root / name).relative_to(root).parts)


def folder_of(file: Path) -> Path:
    """The absolute folder of a file; links in the path stay as they are named."""
    return Path(os.path.abspath(file)).parent  # noqa: PTH100 - resolve() would follow links


def _caps(given: Mapping[str, str], path: Path) -> Caps:
    try:
        return DEFAULTS.changed(given)
    except CapsError as exc:
        raise config_file.ConfigError(f"{path}: remote.{exc}") from exc


def _pipeline(entry: PipelineEntry) -> Pipeline:
    source, to = entry.from_, entry.to
    return Pipeline(source.artifact, source.method, source.output, to.artifact, to.method, to.input)
