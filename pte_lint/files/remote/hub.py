"""What lies in repositories of the Hugging Face hub, each of one commit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pte_lint.files.remote.found import Found
from pte_lint.files.remote.patience import ask, patiently
from pte_lint.files.walking import Names


def repository(
    system: Any, address: str, names: Names, timeout: float, *, deep: bool
) -> Iterator[Found]:
    """The files of a repository or of a folder in it.

    Args:
        system: an HfFileSystem, for its rules about addresses and its credentials.
        address: `hf://organisation/model`, `hf://datasets/organisation/name@revision/folder/`.
        names: counts folders; files are counted by who takes them.
        timeout: seconds to wait for each page.
        deep: whether also what lies in folders below it.

    Raises:
        FetchError: there is no such thing, or it cannot be listed.
    """
    base = address.rstrip("/")

    def resolve() -> Any:
        return system.resolve_path(base)

    where = patiently(lambda: ask(resolve, timeout))
    api = system._api

    def commit() -> str:
        told = api.repo_info(where.repo_id, repo_type=where.repo_type, revision=where.revision)
        return str(told.sha)

    pinned = patiently(lambda: ask(commit, timeout))
    kind = "" if where.repo_type == "model" else f"{where.repo_type}s/"
    top = where.path_in_repo
    tree = iter(
        api.list_repo_tree(
            where.repo_id,
            top or None,
            recursive=deep,
            revision=pinned,
            repo_type=where.repo_type,
        )
    )
    # Not asked twice: a generator that has failed is at its end.
    while (entry := ask(lambda: next(tree, None), timeout)) is not None:
        size = getattr(entry, "size", None)
        if size is None:  # a folder
            names.count()
            continue
        inside = entry.path[len(top) + 1 :] if top else entry.path
        fetched_from = f"hf://{kind}{where.repo_id}@{pinned}/{entry.path}"
        yield Found(fetched_from, f"{base}/{inside}", inside, size, pinned)


def organisation(system: Any, address: str, names: Names, timeout: float) -> Iterator[Found]:
    """The files of all models of an organisation, as `repository` gives them.

    Raises:
        FetchError: there is no such thing, or it cannot be listed.
    """
    name = address.rstrip("/").rpartition("/")[2]
    models = iter(system._api.list_models(author=name))
    while (model := ask(lambda: next(models, None), timeout)) is not None:
        names.count()
        owner, _, short = str(model.id).partition("/")
        if owner == name and short and "/" not in short:
            for each in repository(system, f"hf://{owner}/{short}", names, timeout, deep=True):
                yield replace(each, inside=f"{short}/{each.inside}")
