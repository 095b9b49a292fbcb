"""Confirms a report: opens each artifact once more and hands it to the harness."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from pte_lint.claims.result import ArtifactReport, Report
from pte_lint.cli import rulebook
from pte_lint.cli.errors import Trouble
from pte_lint.cli.paths import Input
from pte_lint.config.settings import RunSettings
from pte_lint.data.context import Context
from pte_lint.files.remote.address import shown
from pte_lint.harness.confirm import ConfirmOptions, confirm_with_notes
from pte_lint.harness.errors import HarnessUnavailable
from pte_lint.harness.older_wheel import OWN, OlderWheel, install_command, wheel_for
from pte_lint.harness.options import ProbeOptions
from pte_lint.judging.engine import Settings
from pte_lint.judging.session import Session

if TYPE_CHECKING:
    from pte_lint.cli.comparing_values import Comparisons
    from pte_lint.fix.acceptance import Acceptance
    from pte_lint.schema.loaded import LoadedFlatTensor

DeviceMemoryChoice = Literal["auto", "emulated", "cuda"]


def probe_options(
    device_memory: str, timeout: float, *, unfenced: bool, folders: Sequence[Path] = ()
) -> ProbeOptions:
    """Where and how long programs run, from the values of options."""
    memory = cast("DeviceMemoryChoice", device_memory)
    options = ProbeOptions(device_memory=memory, timeout=timeout, unfenced=unfenced)
    return replace(options, runtime_folders=folders) if folders else options


def require_own(version: str, folders: Sequence[Path]) -> None:
    """Makes sure that folders that were named have an older runtime.

    Raises:
        Trouble: none has it, or no runtime is installed.
    """
    try:
        if isinstance(wheel_for(version, folders), OlderWheel):
            return
    except HarnessUnavailable as exc:
        raise Trouble(f"{exc.reason} {exc.hint}") from exc
    how = f"{install_command(version)} puts one there" if version in OWN else "it is replayed only"
    raise Trouble(f"no executorch {version} in {', '.join(map(str, folders))}: {how}")


def confirm_report(
    report: Report,
    inputs: Sequence[Input],
    settings: RunSettings,
    how: ProbeOptions | None = None,
    *,
    comparisons: Comparisons | None = None,
) -> Report:
    """Returns the report with the real runtime's word on every finding and verdict.

    Raises:
        Trouble: the runtime, the compiler or the device asked for is missing, or there is no fence
            and `how` does not allow that.
    """
    require_files(inputs, settings)
    sources = {each.name: each for each in inputs}
    options = ConfirmOptions(how or ProbeOptions(device_memory="auto"))
    as_seen = Settings(rules=(), target=report.target)
    try:
        with Session(as_seen) as shared, comparisons or nullcontext():
            done: list[ArtifactReport] = []
            notes: dict[str, None] = {}
            for artifact in report.artifacts:
                each = sources[artifact.path]
                files = local(settings.data_of(each.name))
                data = shared.data(files)
                with Session(as_seen) as session:
                    context = session.context(each.source, each.name, data)
                    shown, told = _confirmed(artifact, context, (files, data), settings, options)
                    if comparisons is not None:
                        shown = comparisons.made(shown, context, files, options.probe)
                done.append(shown)
                notes |= dict.fromkeys(told)
            return replace(report, artifacts=tuple(done), notes=(*report.notes, *notes))
    except HarnessUnavailable as exc:
        raise Trouble(f"{exc.reason} {exc.hint}") from exc


def _confirmed(
    report: ArtifactReport,
    context: Context,
    data: tuple[tuple[Path, ...], tuple[LoadedFlatTensor, ...]],
    settings: RunSettings,
    options: ConfirmOptions,
) -> tuple[ArtifactReport, tuple[str, ...]]:
    """By what runs show, and by what they show once the causes are undone."""
    from pte_lint.cli.recipe import Recipe
    from pte_lint.fix.counterfactual import confirm_by_repair
    from pte_lint.fix.remedies import load_remedies
    from pte_lint.fix.twin import with_contiguous_twin

    every = rulebook.every_rule(settings.isolated)
    options = replace(options, signs={rule.id: rule.sign for rule in every})
    shown, notes = confirm_with_notes(report, context, data[0], options)
    remedies = load_remedies(settings.isolated)
    judged_with = replace(Recipe(settings).cook(every), target=context.target)
    shown = confirm_by_repair(
        shown, context, data, settings=judged_with, options=options, remedies=remedies
    )
    return with_contiguous_twin(shown, context, data[0], options.probe), notes


def accept_fix(
    report: Report,
    before: Input,
    after: Input,
    settings: RunSettings,
    options: ProbeOptions,
) -> Acceptance:
    """Whether the second of two programs is the first one after its fix.

    Args:
        report: the report on both.
        before: the program.
        after: what is to be the same program after the fix.
        settings: the settings of the run.
        options: where and how long programs run.

    Raises:
        Trouble: the runtime or the compiler is missing.
    """
    from pte_lint.cli.recipe import Recipe
    from pte_lint.fix.acceptance import accept, signature_changes
    from pte_lint.fix.proof import prove
    from pte_lint.fix.repaired import garbage
    from pte_lint.harness.process import scratch_folder
    from pte_lint.harness.running import program_of

    old, new = (next(a for a in report.artifacts if a.path == x.name) for x in (before, after))
    data, new_data = (local(settings.data_of(each.name)) for each in (before, after))
    judged_with = Recipe(settings)()
    with ExitStack() as stack:
        session = stack.enter_context(Session(judged_with))
        first, second = (session.artifact(each.source, each.name) for each in (before, after))
        changes = signature_changes(first, second, judged_with, data, new_data)
        folder = stack.enter_context(scratch_folder())
        was, now = (
            program_of(_on_disk(given, folder / name), folder / f"{name}.pte")
            for given, name in ((before, "before"), (after, "after"))
        )
        try:
            runs = prove(was, now, data, garbage(old), new_data=new_data, options=options)
        except HarnessUnavailable as exc:
            raise Trouble(f"{exc.reason} {exc.hint}") from exc
    return accept(old, new, changes, runs)


def _on_disk(given: Input, place: Path) -> Path:
    """Where an input can be run from; the standard input is written to `place`."""
    if given.content is None:
        return Path(given.name)
    place.write_bytes(given.content)
    return place


def require_files(inputs: Sequence[Input], settings: RunSettings) -> None:
    """Makes sure that everything to be run is here whole.

    Raises:
        Trouble: something is behind an address.
    """
    for each in inputs:
        if each.address is not None:
            raise Trouble(f"running {each.name} needs all of it: download it first")
        local(settings.data_of(each.name))


def local(data: Sequence[Path | str]) -> tuple[Path, ...]:
    """Data files that are here.

    Raises:
        Trouble: one is behind an address.
    """
    for each in data:
        if isinstance(each, str):
            raise Trouble(f"running needs all of {shown(each)}: download it first")
    return tuple(Path(each) for each in data)


def confirm_opened(report: Report, context: Context, settings: RunSettings) -> Report:
    """The same for a report on one artifact that is open already.

    Raises:
        Trouble: the runtime or the compiler is missing, or the artifact is not here whole.
    """
    (artifact,) = report.artifacts
    if context.artifact.fetched is not None:
        raise Trouble(f"running {artifact.path} needs all of it: download it first")
    files = local(settings.data_of(artifact.path))
    try:
        with Session(Settings(rules=())) as session:
            data = files, session.data(files)
            done, notes = _confirmed(artifact, context, data, settings, ConfirmOptions())
    except HarnessUnavailable as exc:
        raise Trouble(f"{exc.reason} {exc.hint}") from exc
    return replace(report, artifacts=(done,), notes=(*report.notes, *notes))
