"""Lists what lies below addresses, and checks it."""

from __future__ import annotations

from click.testing import CliRunner, Result

from pte_lint.cli.app import app
from pte_lint.files.remote.listing import listed
from pte_lint.files.walking import Names
from tests.support import stores

GOOD, BAD = stores.GOOD.read_bytes(), stores.BAD.read_bytes()


def check(*args: object) -> Result:
    words = ["check", "--isolated", *map(str, args)]
    return CliRunner().invoke(app, words, prog_name="pte-lint")


def names(address: str, most: int = 1_000) -> list[str]:
    return [each.name for each in listed(address, Names(most), 10)]
