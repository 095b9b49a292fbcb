"""Options that several commands share, and how their values are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from pte_lint.claims.finding import Severity
from pte_lint.claims.ledger import ALLOW_UNJUDGED
from pte_lint.cli import rulebook
from pte_lint.cli.errors import Trouble
from pte_lint.config.data_for import AUTO, DataFor, DataGiven
from pte_lint.config.file import ConfigError
from pte_lint.config.mirror import Mirror
from pte_lint.config.settings import RunSettings, contract_by_hand, load_settings
from pte_lint.files.remote.address import is_address
from pte_lint.files.remote.allowance import origin
from pte_lint.files.remote.caps import DEFAULTS, Caps, CapsError
from pte_lint.files.remote.shelf import Shelf
from pte_lint.report.formats import FORMATS
from pte_lint.text.byte_size import byte_count

_F = TypeVar("_F", bound=Callable[..., Any])


class FormatName(click.Choice[str]):
    """One of the built-in formats, or of those that plugins bring; those are looked for last."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Checks the name."""
        if value not in self.choices and value in _others():
            return str(value)
        return super().convert(value, param, ctx)


def _others() -> Mapping[str, object]:
    """The formats that plugins bring, by name.

    Raises:
        Trouble: one of them cannot be used.
    """
    from pte_lint.rulebook.formats_of_others import FormatError, load_formats

    try:
        return load_formats()
    except FormatError as exc:
        raise Trouble(str(exc)) from exc


def judging_options(function: _F) -> _F:
    """Adds what decides how artifacts are judged: rules, target, data, configuration."""
    return add_options(function, (*_RULES, _FAIL_ON, *_CIRCUMSTANCES))


def comparing_options(function: _F) -> _F:
    """Adds the same but for `--fail-on`, which means something else to a comparison."""
    return add_options(function, (*_RULES, *_CIRCUMSTANCES))


def baseline_option(function: _F) -> _F:
    """Adds `--baseline`."""
    return add_options(
        function,
        (
            click.option(
                "--baseline",
                type=click.Path(path_type=Path),
                metavar="FILE",
                help="The file of known findings.",
            ),
        ),
    )


def settings_from_option(function: _F) -> _F:
    """Adds `--settings-from`."""
    return add_options(
        function,
        (
            click.option(
                "--settings-from",
                type=click.Path(exists=True, file_okay=False, path_type=Path),
                metavar="DIR",
                help="Read the configuration, the baseline and the target's profile from this"
                " copy of the working folder, such as a checkout of the base branch; all other"
                " paths still mean the working folder.",
            ),
        ),
    )


def reporting_options(function: _F) -> _F:
    """Adds what to print and what to write besides: `--format` and `--output`."""
    return add_options(function, _REPORTING)


Option = Callable[[Callable[..., Any]], Callable[..., Any]]


def place(value: str) -> Path | str:
    """A file's path, or an address as text: a path would drop one of its slashes."""
    return value if is_address(value) else Path(value)


def data_given(value: str) -> DataGiven:
    """Reads `--data`: a file or an address, or one for some programs only.

    What exists is a file, whatever is in its name. `auto` is no file's name.
    """
    if value == AUTO:
        return AUTO
    program, equals, file = value.partition("=")
    if not (program and equals and file) or is_address(program) or Path(value).exists():
        return place(value)
    return DataFor(program, place(file), Path.cwd(), is_required=True)


REMOTE: Option = click.option(
    "--remote",
    multiple=True,
    metavar="CAP=VALUE",
    help="How much may be fetched of each address: bytes and besides (64MiB), requests, timeout"
    " (seconds). keep=4GiB keeps that much of what listings lead to for later runs. Repeatable.",
)

_RULES: tuple[Option, ...] = (
    click.option(
        "--select",
        multiple=True,
        metavar="RULE,...",
        help="Run only these rules: ids, id prefixes (PTE3), names, or ALL. Repeatable.",
    ),
    click.option(
        "--ignore",
        multiple=True,
        metavar="RULE,...",
        help="Do not run these rules. The more specific of --select and --ignore wins.",
    ),
    click.option(
        "--severity",
        multiple=True,
        metavar="RULE=LEVEL",
        help="Give a rule another severity (error, warning, info). Repeatable.",
    ),
    click.option(
        ALLOW_UNJUDGED,
        is_flag=True,
        help="Make a warning of what was not judged because it takes too much time or memory.",
    ),
)

_FAIL_ON: Option = click.option(
    "--fail-on",
    type=click.Choice([*(str(s) for s in Severity), "never", "unchecked"]),
    help="The mildest severity that makes the exit code 1; unchecked: errors, and anything that"
    " could not be checked.  [default: error]",
)

_CIRCUMSTANCES: tuple[Option, ...] = (
    click.option(
        "--target",
        metavar="TARGET",
        help="The runtime to judge for, such as executorch==1.4.  [default: the newest]",
    ),
    click.option(
        "--verification",
        type=click.Choice(["both", "full", "minimal"]),
        help="How the runtime loads the program; both reports the stricter outcome."
        "  [default: both]",
    ),
    click.option(
        "--data",
        multiple=True,
        type=data_given,
        metavar="[PROGRAM=]FILE.ptd|auto",
        help="External data that the programs are loaded with, or only those that match a glob."
        " Repeatable. auto: for each program what lies beside it and has its keys.",
    ),
    click.option(
        "--contract",
        multiple=True,
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="What the programs promise (see `pte-lint contract`), besides what the configuration"
        " says. Repeatable.",
    ),
    REMOTE,
    click.option(
        "--config",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="The configuration file.  [default: the nearest pte-lint.toml, or"
        " pyproject.toml with [tool.pte-lint], at or above the working folder]",
    ),
    click.option(
        "--allow-address",
        multiple=True,
        metavar="ADDRESS",
        help="Let the configuration name addresses that begin so, such as https://example.org."
        " Repeatable.",
    ),
    click.option(
        "--isolated",
        is_flag=True,
        help="Use no configuration file and no rules of other packages.",
    ),
)


PARQUET = "parquet"
"""The format that is a folder of tables; see `pte_lint.cli.store_run`."""

_REPORTING: tuple[Option, ...] = (
    click.option(
        "--format",
        "form",
        type=FormatName(list(FORMATS)),
        help="What to print.  [default: text]",
    ),
    click.option(
        "--output",
        multiple=True,
        metavar="FORMAT=FILE",
        help="Write a report to a file as well. Repeatable.",
    ),
)


def add_options(function: _F, options: Sequence[Option]) -> _F:
    """Adds options to a command, in this order."""
    for add in reversed(options):
        function = cast("_F", add(function))
    return function


def resolve(
    *,
    select: Sequence[str],
    ignore: Sequence[str],
    severity: Sequence[str],
    allow_unjudged: bool,
    fail_on: str | None,
    target: str | None,
    verification: str | None,
    data: Sequence[DataGiven],
    remote: Sequence[str],
    config: Path | None,
    allow_address: Sequence[str],
    isolated: bool,
    contract: Sequence[Path] = (),
    baseline: Path | None = None,
    settings_from: Path | None = None,
) -> RunSettings:
    """Merges the configuration file and `judging_options`; what was given here wins.

    Raises:
        Trouble: in one line, for whatever cannot be read.
    """
    try:
        mirror = Mirror.of_working_folder(settings_from) if settings_from else None
        allowed = _beginnings(allow_address)
        settings = load_settings(config, isolated=isolated, mirror=mirror, allowed=allowed)
        by_hand = [
            contract_by_hand(file, mirror.read_from(file) if mirror else file) for file in contract
        ]
    except ConfigError as exc:
        raise Trouble(*exc.lines) from exc
    if mirror is not None:
        baseline = mirror.read_from(baseline) if baseline is not None else None
        if target is not None and target.endswith(".json"):
            target = str(mirror.read_from(Path(target)))
    settings = settings.overridden(
        select=rulebook.split(select),
        ignore=rulebook.split(ignore),
        severity=_severities(severity),
        target=target,
        verification=verification,
        allow_unjudged=allow_unjudged or None,
        data=tuple(data),
        baseline=baseline,
        contracts=(*settings.contracts, *by_hand),
    )
    settings = replace(settings, caps=read_caps(remote, settings.caps))
    if fail_on is None:
        return settings
    return settings.failing_on(fail_on)


def _beginnings(values: Sequence[str]) -> Sequence[str]:
    """Reads `--allow-address`.

    Raises:
        click.BadParameter: one is no beginning of an address.
    """
    for value in values:
        if origin(value) is None:
            raise click.BadParameter(f"{value!r} is no address", param_hint="--allow-address")
    return values


def read_caps(values: Sequence[str], caps: Caps = DEFAULTS) -> Caps:
    """Reads `--remote` pairs, on top of other caps.

    Raises:
        click.BadParameter: not a pair, or not a cap.
    """
    given: dict[str, str] = {}
    for value in values:
        name, equals, amount = value.partition("=")
        if not equals:
            raise click.BadParameter(f"{value!r} is not CAP=VALUE", param_hint="--remote")
        given[name.strip()] = amount
    kept = given.pop("keep", None)
    try:
        caps = caps.changed(given)
        return caps if kept is None else replace(caps, shelf=_shelf(kept))
    except CapsError as exc:
        raise click.BadParameter(str(exc), param_hint="--remote") from exc


def _shelf(size: str) -> Shelf:
    """Where fetched bytes are kept. No cap of `Caps`: a configuration file does not fill disks.

    Raises:
        CapsError: it is no size.
    """
    from pte_lint.cache.fetched import FetchedStore
    from pte_lint.cache.place import folder

    try:
        return FetchedStore(folder(), byte_count(size))
    except ValueError as exc:
        raise CapsError(f"keep: {exc}") from exc


def _severities(values: Sequence[str]) -> dict[str, Severity]:
    out: dict[str, Severity] = {}
    for value in values:
        rule, equals, level = value.partition("=")
        known = [str(s) for s in Severity]
        if not equals or not rule.strip():
            raise click.BadParameter(f"{value!r} is not RULE=LEVEL", param_hint="--severity")
        if level.strip() not in known:
            raise click.BadParameter(
                f"{level.strip()!r} is no severity{_near(level.strip(), known)}",
                param_hint="--severity",
            )
        out[rule.strip()] = Severity(level.strip())
    return out


def outputs(values: Sequence[str]) -> dict[str, Path]:
    """Reads `FORMAT=FILE` pairs.

    Raises:
        click.BadParameter: not a pair, an unknown format, or a format twice.
    """
    out: dict[str, Path] = {}
    for value in values:
        form, equals, name = value.partition("=")
        if not equals or not name:
            raise click.BadParameter(f"{value!r} is not FORMAT=FILE", param_hint="--output")
        if name == "-":
            raise click.BadParameter(
                f"to print, use --format {form}; --output writes files", param_hint="--output"
            )
        if form in out:
            raise click.BadParameter(f"{form} is given twice", param_hint="--output")
        out[form] = Path(name)
    return out


def known_formats(settings: RunSettings) -> None:
    """Checks the formats of the settings, wherever they come from.

    Raises:
        Trouble: a format is not known.
    """
    for form in (settings.format, *settings.outputs):
        if form not in FORMATS and (settings.isolated or form not in _others()):
            hint = _near(form, list(FORMATS)) or f"; known are {', '.join(FORMATS)}"
            raise Trouble(f"there is no format {form!r}{hint}")


def _near(word: str, known: Sequence[str]) -> str:
    import difflib

    near = difflib.get_close_matches(word, known, n=1)
    return f"; did you mean {near[0]}?" if near else ""
