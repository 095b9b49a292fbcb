"""`pte-lint confirm`: check, then ask the real runtime."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import click

from pte_lint.claims.finding import Severity
from pte_lint.cli import exit_codes
from pte_lint.cli.colour import colour_option, wants_colour
from pte_lint.cli.errors import Trouble
from pte_lint.cli.options import (
    comparing_options,
    known_formats,
    outputs,
    reporting_options,
    resolve,
)
from pte_lint.harness.older_wheel import ENV_RUNTIME_FOLDER

EPILOG = """\b
Exit codes:
  0  no error finding and no verdict was refuted
  1  the runtime showed that a finding or a verdict is wrong, outputs are
     not those expected, something was not judged, or the file of --fixed
     is no fix
  2  usage, an unreadable path, no runtime or fence, or an internal error
  3  nothing was checked

\b
Needs Linux, a C++ compiler and the executorch wheel (no torch):
  pip install --no-deps "executorch>=1.5"
Older runtimes by themselves:
  pip install --no-deps --target old executorch==1.4.1

\b
Examples:
  pte-lint confirm model.pte
  pte-lint confirm bad.pte --fixed good.pte
  pte-lint confirm model.pte --expect cases.npz
  pte-lint confirm model.pte --reference
  pte-lint confirm model.pte --as-runtime 1.4 --device-memory cuda
  pte-lint confirm model.pte --as-runtime 1.4 --runtime-folder old
  pte-lint confirm model.pte --library libmy_backend.so
"""


def running_options(function: Any) -> Any:
    """Adds the options that say how programs are run."""
    for add in reversed(
        (
            click.option(
                "--device-memory",
                type=click.Choice(["auto", "emulated", "cuda"]),
                default="auto",
                help="What stands for device memory: pages the host may not touch, or a GPU's."
                "  [default: cuda where there is a GPU]",
            ),
            click.option(
                "--as-runtime",
                type=click.Choice(["1.2", "1.3", "1.4"]),
                help="Judge for an older runtime, and run it where it is found"
                " (--runtime-folder); elsewhere replay what it does.",
            ),
            click.option(
                "--runtime-folder",
                type=click.Path(path_type=Path, exists=True, file_okay=False),
                metavar="DIR",
                multiple=True,
                help="Where older releases are (pip install --no-deps --target DIR"
                " executorch==1.4.1), or folders of them. Repeatable."
                f"  [default: what {ENV_RUNTIME_FOLDER} names]",
            ),
            click.option(
                "--library",
                type=click.Path(path_type=Path, exists=True, dir_okay=False),
                metavar="FILE.so",
                multiple=True,
                help="Load kernels and backends of your own, built against the installed runtime:"
                " programs are judged for it with them, and run with them. Repeatable.",
            ),
            click.option(
                "--timeout",
                type=click.FloatRange(min=0.1),
                default=20.0,
                metavar="SECONDS",
                help="For one method called one way.  [default: 20]",
            ),
            click.option(
                "--unfenced",
                is_flag=True,
                help="Run programs also where this machine cannot fence them in: with all your "
                "rights. Only for programs that you would run anyway.",
            ),
        )
    ):
        function = add(function)
    return function


@click.command(epilog=EPILOG)
@click.argument("paths", metavar="PATH...", nargs=-1)
@comparing_options
@running_options
@click.option(
    "--fixed",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The same program after the fix: run it too, and say whether it is one: the same"
    " signature, no error, and the same outputs where both run.",
)
@click.option(
    "--expect",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    multiple=True,
    help="Inputs and the outputs they should give (.npz, or .pt where PyTorch is): run them"
    " and compare. Repeatable.",
)
@click.option(
    "--reference",
    is_flag=True,
    help="Compare what each kernel call gives with PyTorch's operator, and what each XNNPACK"
    " delegate gives with what its graph computes, on several inputs; needs PyTorch.",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    metavar="SHARE",
    help="How far outputs may be off, as a share of the largest expected one.  [default: by"
    " element type, 0.001 for float32]",
)
@reporting_options
@colour_option
def confirm(
    *,
    paths: tuple[str, ...],
    device_memory: str,
    as_runtime: str | None,
    runtime_folder: tuple[Path, ...],
    library: tuple[Path, ...],
    timeout: float,
    unfenced: bool,
    fixed: Path | None,
    expect: tuple[Path, ...],
    reference: bool,
    tolerance: float | None,
    form: str | None,
    output: tuple[str, ...],
    colour: bool | None,
    **judging: Any,
) -> None:
    """Run programs on the real runtime and mark each finding.

    Each program is run in sandboxed child processes. A finding is then confirmed by the sign of
    its own cause, or by repair (undone in a copy of the file, it is gone), consistent (the run
    ended as foretold, which other causes do too), refuted, not reached (something else ended the
    run before), or unsupported (running cannot show it).
    """
    from pte_lint.claims.result import is_refuted
    from pte_lint.cli.comparing_values import Comparisons, cases_of, need_pytorch
    from pte_lint.cli.job import Job, require
    from pte_lint.cli.output import check_writable, print_bytes, print_text, rendered, write
    from pte_lint.cli.paths import gather, single
    from pte_lint.cli.running import accept_fix, confirm_report, probe_options, require_own
    from pte_lint.harness.elements import Tolerance
    from pte_lint.harness.expected.judging import is_met
    from pte_lint.harness.runs import REPLAYED
    from pte_lint.report.options import RenderOptions
    from pte_lint.report.text_confirm import render as render_text

    if as_runtime is not None:
        if judging["target"] is not None:
            raise click.UsageError("--as-runtime is a target of its own: drop --target")
        judging["target"] = f"executorch=={as_runtime}"
    how = probe_options(device_memory, timeout, unfenced=unfenced, folders=runtime_folder)
    how = replace(how, libraries=library)
    if as_runtime is not None and runtime_folder:
        require_own(as_runtime, runtime_folder)
    if as_runtime is not None and library:
        raise click.UsageError("--library is built for the installed runtime: drop --as-runtime")
    if as_runtime is not None and reference:
        raise click.UsageError("--reference is about the installed runtime: drop --as-runtime")
    settings = resolve(fail_on=None, **judging).overridden(
        format=form, outputs=outputs(output), libraries=library
    )
    known_formats(settings)
    for path in settings.outputs.values():
        check_writable(path)
    found = require(gather(paths))
    inputs = found.inputs
    if fixed is not None:
        if len(inputs) != 1:
            raise click.UsageError("--fixed is the fix of one program")
        inputs = (*inputs, single(str(fixed)))
    elif expect and len(inputs) != 1:
        raise click.UsageError("--expect is about the outputs of one program")
    limit = Tolerance(tolerance, 0) if tolerance is not None else None
    if reference:
        need_pytorch()
    comparisons = Comparisons(cases_of(expect), reference, limit)
    job = Job(settings, today=datetime.now(timezone.utc).date())
    judged = job.run(inputs, quiet=True, unread=found.unread)
    how = replace(how, as_runtime=REPLAYED.get(judged.report.target.runtime))
    report = confirm_report(judged.report, inputs, settings, how, comparisons=comparisons)
    report = replace(report, notes=(*found.remarks, *report.notes))
    is_fix = True
    if fixed is not None and not report.unread:
        before, after = inputs
        acceptance = accept_fix(report, before, after, settings, how)
        is_fix = not acceptance.faults
        report = replace(report, notes=(*report.notes, acceptance.told(after.name)))
    known = RenderOptions(judged.rules, settings.fail_on)
    texts = {name: rendered(report, name, known) for name in settings.outputs}
    if settings.format == "text":
        name = str(fixed) if fixed is not None else None
        print_text(render_text(report, colour=wants_colour(colour), fixed=name))
    else:
        print_bytes(rendered(report, settings.format, known))
    for name, path in settings.outputs.items():
        write(path, texts[name])
    if report.unread:
        raise Trouble(*report.unread)
    if report.internal_errors:
        raise Trouble("a rule failed: see the internal errors in the report")
    wrong = not is_fix or any(is_refuted(a) or not is_met(a) for a in report.artifacts)
    wrong = wrong or any(f.is_unjudged and f.severity is Severity.ERROR for f in report.findings)
    click.get_current_context().exit(exit_codes.FINDINGS if wrong else exit_codes.CLEAN)
