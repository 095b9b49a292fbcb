"""Contracts that a run was given, and what is said where a program breaks one."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pte_lint.claims.finding import Finding, Json, Location
from pte_lint.rulebook.pipeline import Peers
from pte_lint.schema.frozen import dataclass

if TYPE_CHECKING:
    from pte_lint.data.context import Context
    from pte_lint.questions.method import Method
    from pte_lint.rulebook.contract_model import Contract

OPTION = "contracts"
"""The rules' option that holds them."""


@dataclass(frozen=True, slots=True)
class GivenContract:
    """A contract as it travels to the rules: text, so that results can be kept by it."""

    source: str
    """What findings call it: the file, and the position in a configuration."""
    text: str
    """The model as JSON."""
    artifact: str | None
    """Glob for the programs it is about."""
    root: str
    """The absolute folder that the glob is relative to."""
    is_required: bool = False
    """Whether it is a mistake that it is about nothing: of one that was given by hand."""

    @classmethod
    def of(cls, contract: Contract, source: str, root: Path, *, by_hand: bool) -> GivenContract:
        """A contract from a file or a configuration."""
        text = contract.model_dump_json(by_alias=True, exclude_none=True)
        folder = os.path.realpath(root)
        return cls(source, text, contract.artifact, folder, is_required=by_hand)

    def is_for(self, path: str) -> bool:
        """Whether it is about the program that reports call `path`."""
        return self.artifact is None or Peers(Path(self.root)).is_match(self.artifact, path)


def contracts_of(context: Context) -> Iterator[tuple[GivenContract, Contract]]:
    """The contracts that a program has to keep; none for data files, which promise nothing."""
    given = context.options.get(OPTION)
    if not isinstance(given, tuple) or context.flat_tensor is not None:
        return
    for each in given:
        if isinstance(each, GivenContract) and each.is_for(context.artifact.path):
            yield each, _model(each.text)


@lru_cache(maxsize=64)
def _model(text: str) -> Contract:
    from pte_lint.rulebook.contract_model import Contract

    # JSON has no tuples: lists are taken for them.
    return Contract.model_validate_json(text)


def broken(
    given: GivenContract,
    key: str,
    subject: str,
    promised: Json,
    found: Json,
    *,
    remediation: str,
    location: Location | None = None,
    method: Method | None = None,
) -> Finding:
    """A promise that the file does not keep.

    Args:
        given: the contract.
        key: where it says so: `methods.forward.inputs[0].dtype`.
        subject: what it is about, with the words that join it to what was promised:
            `the dtype of input 0 of forward to be`.
        promised: the one side.
        found: the other.
        remediation: what to do where the file is wrong, and not the contract.
        location: where in the file; the method itself where that is left out.
        method: the method that it is about.
    """
    return Finding(
        message=f"{given.source} promises {subject} {_said(promised)}; "
        f"the file has {_said(found)}.",
        remediation=f"{remediation} Where the change is meant, change the contract:\n\n"
        f"    pte-lint contract FILE -o {_written_to(given.source)}",
        location=location or (method.location() if method is not None else Location()),
        evidence={
            "contract": given.source,
            "key": key,
            "promised": _plain(promised),
            "found": _plain(found),
        },
        subject=f"{given.source}: {key}",
        method=method.name if method is not None else None,
        plan=method.index if method is not None else None,
    )


def _written_to(source: str) -> str:
    """The file that holds the contract alone, where it is in one."""
    is_own = source.endswith(".toml") and not source.endswith("pyproject.toml")
    return shlex.quote(source) if is_own else "contract.toml"


def _plain(value: Json) -> Json:
    return list(value) if isinstance(value, tuple) else value


def _said(value: Json) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case str():
            return value
        case list() | tuple():
            return f"[{', '.join(map(str, value))}]"
        case float():
            return f"{value:.4g}"
        case _:
            return f"{value:,}" if isinstance(value, int) else str(value)
