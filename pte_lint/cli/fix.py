"""`pte-lint fix`: write the repaired program, and prove that it is the same program."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pte_lint.cli import exit_codes
from pte_lint.cli.errors import Nothing, Trouble
from pte_lint.cli.options import comparing_options, resolve
from pte_lint.text import sanitise

if TYPE_CHECKING:
    from pte_lint.cli.paths import Input
    from pte_lint.config.settings import RunSettings
    from pte_lint.files.artifact import Artifact
    from pte_lint.fix.proof import Shown
    from pte_lint.fix.repaired import Repair

EPILOG = """\b
A fix is safe where the repaired program gives the same results for every
input and asks nothing else of its caller; others need --unsafe-fixes.

\b
Exit codes:
  0  no error is left (with --check: nothing could be fixed)
  1  errors are left (with --check: something could be fixed)
  2  usage, an unreadable path, or a repair that the runtime refutes
  3  there was nothing to do

\b
Examples:
  pte-lint fix bad.pte -o good.pte
  pte-lint fix bad.pte -o good.pte --unsafe-fixes --select PTE301
  pte-lint fix exported/ --check
  pte-lint fix model.pte --replan --in-place
"""


@click.command(epilog=EPILOG)
@click.argument("paths", metavar="PATH...", nargs=-1)
@click.option(
    "-o", "goal", type=click.Path(path_type=Path), metavar="FILE", help="Write here, one program."
)
@click.option("--in-place", is_flag=True, help="Write over the programs themselves.")
@click.option("--check", "only_check", is_flag=True, help="Write nothing; say what could be fixed.")
@click.option("--diff", "show_diff", is_flag=True, help="Write nothing; show what would change.")
@click.option(
    "--unsafe-fixes", "unsafe", is_flag=True, help="Also what changes the contract with the caller."
)
@click.option(
    "--replan", is_flag=True, help="Plan memory again wherever that makes the program smaller."
)
@click.option(
    "--run/--no-run",
    "run_it",
    default=None,
    help="Run both versions on the real runtime.  [default: where it is installed]",
)
@comparing_options
def fix(
    *,
    paths: tuple[str, ...],
    goal: Path | None,
    in_place: bool,
    only_check: bool,
    show_diff: bool,
    unsafe: bool,
    replan: bool,
    run_it: bool | None,
    **judging: Any,
) -> None:
    """Write the repaired program from the broken one, without PyTorch.

    Repairs are made rule by rule and judged after each; one that would bring an error is taken
    back. Weights are copied, never read. PATH is a file, a folder or a glob.
    """
    from pte_lint.cli.job import require_programs
    from pte_lint.cli.paths import gather
    from pte_lint.cli.recipe import Recipe
    from pte_lint.cli.small_flatbuffers import import_flatbuffers
    from pte_lint.fix.fixers import load_fixers

    if sum((goal is not None, in_place, only_check, show_diff)) != 1:
        raise click.UsageError("give one of -o FILE, --in-place, --check and --diff")
    settings = resolve(fail_on=None, **judging)
    found = gather(paths).all_read()
    data = [each for each in found.inputs if each.name.lower().endswith(".ptd")]
    inputs = [each for each in found.inputs if each not in data]
    if data and not inputs:
        raise Nothing(
            f"{data[0].name} is a data file, in which nothing is repaired: give the program that "
            f"it belongs to, with --data {data[0].name}"
        )
    if not inputs:
        raise Nothing("; ".join(found.remarks) or "nothing to fix: give a file or a folder")
    if goal is not None and len(inputs) != 1:
        raise click.UsageError("-o takes one program; use --in-place for several")
    require_programs(settings, inputs)
    import_flatbuffers()
    job = _Job(
        settings,
        Recipe(settings)(),
        load_fixers(settings.isolated),
        unsafe=unsafe,
        replan=replan,
        run_it=False if only_check or show_diff else run_it,
        show_diff=show_diff,
    )
    failed = False
    for each in inputs:
        to = None if only_check or show_diff else goal or Path(each.name)
        done = job.do(each, to)
        failed = failed or (bool(done.applied) if only_check or show_diff else _has_errors(done))
    code = exit_codes.FINDINGS if failed else exit_codes.CLEAN
    click.get_current_context().exit(code)


def _has_errors(repair: Repair) -> bool:
    return any(finding.severity == "error" for finding in repair.after.findings)


class _Job:
    """Repairs programs one after the other."""

    def __init__(
        self,
        settings: RunSettings,
        judging: Any,
        fixers: Any,
        *,
        unsafe: bool,
        replan: bool,
        run_it: bool | None,
        show_diff: bool,
    ) -> None:
        self._settings, self._judging, self._fixers = settings, judging, fixers
        self._unsafe, self._replan = unsafe, replan
        self._run_it, self._show_diff = run_it, show_diff

    def do(self, each: Input, goal: Path | None) -> Repair:
        """Repairs one program, says so, and writes it where there is a goal.

        Raises:
            Trouble: it cannot be opened or written, or the runtime refutes the repair.
        """
        from pte_lint.cli.opening import opening
        from pte_lint.cli.output import print_text
        from pte_lint.fix.repair import repair
        from pte_lint.fix.text import render

        if each.address is not None:
            raise Trouble(f"fixing {each.name} needs all of it: download it first")
        with opening(self._judging, self._settings.caps) as session:
            data = session.data(self._settings.data_of(each.name))
            artifact = session.artifact(each.source, each.name)
            done = repair(
                artifact,
                self._judging,
                self._fixers,
                data,
                unsafe=self._unsafe,
                plan_memory=self._replan,
            )
            if self._show_diff:
                self._print_difference(artifact, done)
                return done
            shown, unproven = self._proven(artifact, each, done)
            print_text(render(done, shown, unproven))
            wrong = [s for s in shown if s.is_wrong]
            if wrong:
                raise Trouble(
                    f"{each.name}: the repaired program is another program ({wrong[0].method}: "
                    f"{wrong[0].detail}); nothing was written. This is a bug of pte-lint."
                )
            if goal is None or (done.pieces is None and goal == Path(each.name)):
                return done
            if done.pieces is None and _has_errors(done):
                click.echo("  nothing written: nothing was fixed")
            else:
                self._write(artifact, each, done, goal)
        return done

    def _write(self, artifact: Artifact, each: Input, done: Repair, goal: Path) -> None:
        from pte_lint.fix.placing import place
        from pte_lint.schema.container import Kind, sniff
        from pte_lint.schema.program import Span

        if goal.suffix == ".pte" and sniff(artifact.buffer).kind is Kind.BUNDLED_PROGRAM:
            raise Trouble(
                f"{each.name} is a bundle, and so is its repaired version: nothing was written, as "
                f"{goal} has the name of a program; name it .bpte"
            )
        origin = Path(each.name) if each.content is None else None
        pieces = done.pieces if done.pieces is not None else (Span(0, artifact.size),)
        try:
            place(pieces, artifact.buffer, origin, goal)
        except OSError as exc:
            raise Trouble(f"cannot write {goal}: {exc.strerror or exc}") from exc
        click.echo(f"  wrote {sanitise.name(str(goal), sanitise.EXACT_LIMIT)}")

    def _proven(self, artifact: Artifact, each: Input, done: Repair) -> tuple[list[Shown], str]:
        """What running both versions showed, or why they were not run."""
        if done.pieces is None or self._run_it is False:
            return [], ""
        from pte_lint.cli.running import local
        from pte_lint.fix.placing import place
        from pte_lint.fix.proof import prove
        from pte_lint.harness.errors import HarnessUnavailable
        from pte_lint.harness.process import scratch_folder
        from pte_lint.harness.running import program_of

        with scratch_folder() as folder:
            old, new = Path(each.name), folder / "repaired.pte"
            if each.content is not None:
                old = folder / "given"
                old.write_bytes(each.content)
            place(done.pieces, artifact.buffer, old, new)
            old, new = program_of(old, folder / "old.pte"), program_of(new, folder / "new.pte")
            try:
                data = local(self._settings.data_of(each.name))
                return prove(old, new, data, done.undefined), ""
            except HarnessUnavailable as exc:
                if self._run_it:
                    raise Trouble(f"{exc.reason} {exc.hint}") from exc
                return [], exc.reason

    def _print_difference(self, artifact: Artifact, done: Repair) -> None:
        from pte_lint.cli.output import print_text
        from pte_lint.difference.build import diff
        from pte_lint.files.artifact import Artifact
        from pte_lint.fix.pieced import PiecedBytes
        from pte_lint.fix.text import render
        from pte_lint.report import difference_text

        print_text(render(done))
        if done.pieces is None:
            return
        after = Artifact(artifact.path, PiecedBytes(done.pieces, artifact.buffer))
        data = self._settings.data_of(artifact.path)
        difference = diff(artifact, after, settings=self._judging, data=data)
        print_text(difference_text.render(difference))
