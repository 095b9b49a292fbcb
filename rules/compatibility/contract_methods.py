"""A program without the methods or the data that its contract promises.

What it finds:
    A method that a contract promises and the program does not have, keys of data files that are
    others than promised, and a file that holds no readable program at all.

What the runtime does:
    It knows of no contract. Module::load_method gives InvalidArgument for a method that is not
    there, and NotFound or InvalidExternalData for a key that no data file brings. All versions.

Why it happens:
    The program was exported from another model, or with other methods; weights went into another
    data file or none.

How to fix it:
    Export all methods in one program, with the weights where they were:

        edge = to_edge({"encode": encode, "decode": decode})

    Where the change is meant, write the contract anew:

        pte-lint contract model.pte -o contract.toml

How it is confirmed:
    Not by running: the promise stands in the contract alone.

Seen in:
    executorch#9594, executorch#22311
"""

from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.claims.sign import Unseen
from pte_lint.data.context import Context
from pte_lint.rulebook.contract import broken, contracts_of
from pte_lint.rulebook.rule import Yields, artifact_rule

_REMEDIATION = "Export the program with the methods and data that it promises."


@artifact_rule(
    "PTE630",
    "contract-methods",
    Severity.ERROR,
    "methods and data that a contract promises",
    sign=Unseen("what was promised is not the runtime's matter"),
)
def check(context: Context) -> Yields:
    """No forecast: the file may well run, for others than those it was promised to."""
    for given, contract in contracts_of(context):
        if context.program is None:
            yield broken(
                given,
                "methods",
                "a program:",
                "one that can be read",
                "no readable program",
                remediation=_REMEDIATION,
            )
            continue
        from pte_lint.inspection.contract import external, facts_by_name

        facts = facts_by_name(context)
        left_out = {name for name, *_ in context.left_out}
        for name in contract.methods:
            if name not in facts and name not in left_out:
                there = sorted(facts)
                yield broken(
                    given,
                    f"methods.{name}",
                    "a method",
                    name,
                    there or None,
                    remediation=_REMEDIATION,
                )
        if contract.external is not None:
            wanted, found = sorted(contract.external), sorted(external(context, facts))
            if wanted != found:
                yield broken(
                    given,
                    "external",
                    "that the keys of data files are",
                    wanted,
                    found,
                    remediation=_REMEDIATION,
                )
