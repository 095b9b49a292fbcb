"""A session for one command, with what goes wrong in it told in a line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pte_lint.cli.errors import Trouble
from pte_lint.difference.compare import NotComparable
from pte_lint.files.fetched import ArtifactError
from pte_lint.inspection.build import NotInspectable
from pte_lint.judging.session import Session
from pte_lint.schema.errors import NotFetchedError

if TYPE_CHECKING:
    from pte_lint.files.remote.caps import Caps
    from pte_lint.judging.engine import Settings


@contextmanager
def opening(settings: Settings, caps: Caps | None = None) -> Iterator[Session]:
    """Yields a session.

    Args:
        settings: what to judge with.
        caps: how much may be fetched of an address; None: the defaults.

    Raises:
        Trouble: in the block, a file cannot be read, looked into or compared.
    """
    with telling(), Session(settings, caps) as session:
        yield session


@contextmanager
def telling() -> Iterator[None]:
    """Makes trouble of what files are to blame for."""
    try:
        yield
    except ArtifactError as exc:
        raise Trouble(exc.strerror or str(exc)) from exc
    except (NotInspectable, NotComparable, NotFetchedError) as exc:
        raise Trouble(str(exc)) from exc
