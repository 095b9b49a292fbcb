"""Contracts for tests: of a program, or of what is written down."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pte_lint.config.file import _tuples
from pte_lint.inspection.contract import contract_of
from pte_lint.rulebook.contract import OPTION, GivenContract
from pte_lint.rulebook.contract_model import Contract
from pte_lint.testing.program_builder import BuiltProgram
from tests.support.look import opened


def own_contract(program: BuiltProgram | bytes) -> Contract:
    """The contract that a program keeps."""
    content = program if isinstance(program, bytes) else program.bytes()
    with opened(content) as context:
        return contract_of(context)


def options(*contracts: Contract | dict[str, Any]) -> dict[str, object]:
    """The options that give rules these contracts; dicts are what a file would say."""
    models = [
        each if isinstance(each, Contract) else Contract.model_validate(_tuples(each))
        for each in contracts
    ]
    given = [GivenContract.of(m, "contract.toml", Path.cwd(), by_hand=True) for m in models]
    return {OPTION: tuple(given)}


def method(**promises: Any) -> dict[str, Any]:
    """A contract of one method `forward`."""
    return {"methods": {"forward": promises}}
