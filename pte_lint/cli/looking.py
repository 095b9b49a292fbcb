"""Opens one artifact, judges it, and keeps it open: for commands that draw what was judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from pte_lint._version import __version__
from pte_lint.claims.result import Report
from pte_lint.cli import rulebook
from pte_lint.cli.errors import Trouble
from pte_lint.cli.job import Job, require_programs
from pte_lint.cli.opening import opening
from pte_lint.cli.paths import single
from pte_lint.cli.progress import showing
from pte_lint.cli.recipe import Recipe
from pte_lint.quiet_gc import collection_paused

if TYPE_CHECKING:
    from pte_lint.config.settings import RunSettings
    from pte_lint.data.context import Context
    from pte_lint.picture.scene import MethodScene


@contextmanager
def judged(path: str, settings: RunSettings) -> Iterator[tuple[Report, Context]]:
    """Yields the report on one artifact, and the artifact as the rules saw it.

    Args:
        path: a file, or `-` for the standard input.
        settings: how to judge.

    Raises:
        Trouble: the artifact cannot be opened, or the settings name something unknown.
    """
    given = single(path)
    require_programs(settings, (given,))
    every = rulebook.every_rule(settings.isolated)
    rules = Recipe(settings).cook(every)
    with opening(rules, settings.caps) as session:
        data = session.data(settings.data_of(given.name))
        with showing(given.name):
            context = session.context(given.source, given.name, data)
            said = session.judge(context)
        report = Report(rules.target, (said,), __version__)
        job = Job(settings, today=datetime.now(timezone.utc).date())
        yield job.settle(report, every, rules.rules).report, context


def drawn_methods(
    report: Report, context: Context, names: Sequence[str]
) -> tuple[str, tuple[MethodScene, ...]]:
    """The artifact's name and its methods, drawn up: those asked for, or all.

    Raises:
        Trouble: there is no such method, or no method at all.
    """
    import difflib
    from pathlib import PurePath

    from pte_lint.picture.scene import scenes
    from pte_lint.text import sanitise
    from pte_lint.text.printable import printable

    (artifact,) = report.artifacts
    if not context.methods:
        raise Trouble(f"{artifact.path} has no method that can be read: see pte-lint check")
    known = [printable(m.name) for m in context.methods]
    for wanted in names:
        if wanted not in known:
            near = difflib.get_close_matches(wanted, known, n=1)
            shown = ", ".join(repr(name) for name in known[:20])
            hint = f"; did you mean {near[0]!r}?" if near else f"; there are {shown}"
            raise Trouble(f"{artifact.path} has no method {wanted!r}{hint}")
    with collection_paused():
        drawn = tuple(
            scene
            for scene, name in zip(scenes(context, artifact.findings), known, strict=True)
            if not names or name in names
        )
    return sanitise.name(PurePath(artifact.path).name or artifact.path), drawn
