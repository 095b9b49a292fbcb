"""Opens two artifacts and compares them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack

from pte_lint.data.reading import open_all_data
from pte_lint.difference.compare import Difference, compare
from pte_lint.difference.sides import Side
from pte_lint.files.artifact import Artifact, Source, open_artifact
from pte_lint.files.remote.caps import Caps
from pte_lint.inspection.build import inspect_context, open_for_look
from pte_lint.judging.engine import Settings, judge
from pte_lint.rulebook.registry import load_rules
from pte_lint.schema.loaded import LoadedFlatTensor


def diff(
    old: Source,
    new: Source,
    *,
    settings: Settings | None = None,
    data: Iterable[Source] = (),
    content: bool = False,
    caps: Caps | None = None,
) -> Difference:
    """Compares two artifacts.

    Args:
        old: the artifact before: a path, an address, bytes, or an object with `.buffer`.
        new: the artifact after.
        settings: the rules and the target for findings and verdicts; None: all built-in rules.
        data: .ptd files that both are loaded with.
        content: compare constants, blobs and named data by their bytes; reads both files whole.
        caps: how much may be fetched of an address; None: the defaults.

    Raises:
        ArtifactError: a path or an address cannot be read.
        NotFetchedError: the caps do not allow to compare by bytes.
        NotInspectable: a file is no artifact, or nothing in it can be read.
        NotComparable: one holds a program and the other does not.
    """
    judging = settings or Settings(rules=load_rules(isolated=True))
    with open_artifact(old, caps=caps) as before, open_artifact(new, caps=caps) as after:
        return diff_artifacts(before, after, judging, data=data, content=content, caps=caps)


def diff_artifacts(
    old: Artifact,
    new: Artifact,
    settings: Settings,
    *,
    data: Iterable[Source] = (),
    new_data: Iterable[Source] | None = None,
    content: bool = False,
    caps: Caps | None = None,
) -> Difference:
    """Compares two opened artifacts; see `diff`. `new_data`: that of the new one, if it differs."""
    with ExitStack() as stack:
        given = open_all_data(stack, data, caps)
        after = given if new_data is None else open_all_data(stack, new_data, caps)
        sides = (_side(old, settings, given, content), _side(new, settings, after, content))
    return compare(*sides, content=content)


def _side(
    artifact: Artifact, settings: Settings, data: Sequence[LoadedFlatTensor], content: bool
) -> Side:
    """Looks into one artifact; its decoded program is given up when this returns."""
    context = open_for_look(artifact, settings.target, data, settings.options)
    report = judge(context, settings)
    return Side(inspect_context(context, report, code=True, content=content), report)
