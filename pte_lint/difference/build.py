"""Opens two artifacts and compares them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pte_lint.difference.compare import Difference, compare
from pte_lint.difference.sides import Side
from pte_lint.files.artifact import Artifact, Source
from pte_lint.files.remote.caps import Caps
from pte_lint.inspection.build import inspect_context, readable
from pte_lint.judging.engine import Settings
from pte_lint.judging.session import Session
from pte_lint.rulebook.registry import load_rules
from pte_lint.schema.loaded import LoadedFlatTensor


def diff(
    old: Source | Artifact,
    new: Source | Artifact,
    *,
    settings: Settings | None = None,
    data: Iterable[Source] = (),
    new_data: Iterable[Source] | None = None,
    names: tuple[str | None, str | None] = (None, None),
    content: bool = False,
    caps: Caps | None = None,
) -> Difference:
    """Compares two artifacts.

    Args:
        old: the artifact before: a path, an address, bytes, or an object with `.buffer`.
        new: the artifact after.
        settings: the rules and the target for findings and verdicts; None: all built-in rules.
        data: .ptd files that both are loaded with.
        new_data: those of the new one, where they differ.
        names: the paths to report instead of the sources' own.
        content: compare constants, blobs and named data by their bytes; reads both files whole.
        caps: how much may be fetched of an address; None: the defaults.

    Raises:
        ArtifactError: a path or an address cannot be read.
        NotFetchedError: the caps do not allow to compare by bytes.
        NotInspectable: a file is no artifact, or nothing in it can be read.
        NotComparable: one holds a program and the other does not.
    """
    judging = settings or Settings(rules=load_rules(isolated=True))
    with Session(judging, caps) as session:
        both = [session.artifact(*each) for each in zip((old, new), names, strict=True)]
        given = session.data(data)
        loaded = given, given if new_data is None else session.data(new_data)
        sides = [_side(session, *each, content) for each in zip(both, loaded, strict=True)]
    return compare(*sides, content=content)


def _side(
    session: Session, artifact: Artifact, data: Sequence[LoadedFlatTensor], content: bool
) -> Side:
    """Looks into one artifact; its decoded program is given up when this returns."""
    context = readable(session.context(artifact, data=data))
    report = session.judge(context)
    return Side(inspect_context(context, report, code=True, content=content), report)
