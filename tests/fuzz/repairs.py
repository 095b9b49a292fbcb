"""Repairs an input and holds the result to all that a repair promises."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from pte_lint.schema.loaded import read_program
from pte_lint.schema.writer.pieces import joined

from pte_lint.claims.finding import Severity
from pte_lint.claims.result import ArtifactReport
from pte_lint.data.reading import open_data
from pte_lint.files.artifact import Artifact
from pte_lint.fix.fixers import load_fixers
from pte_lint.fix.repair import repair
from pte_lint.fix.repaired import Repair
from tests.fuzz.judged import judged, settings


class Broken(Exception):
    """A demand was not met; the text says which."""


def check_repair(program: bytes, data: Sequence[bytes], rng: Random) -> Repair:
    """Repairs an input twice and holds the result to all demands.

    Raises:
        Broken: One is not met.
        Exception: Whatever the repair raises.
    """
    options = {"unsafe": rng.random() < 0.7, "plan_memory": rng.random() < 0.5}
    done = _repaired(program, data, options)
    if done.pieces is None:
        if done.applied or done.memory:
            raise Broken("something was undone, and nothing is to be written")
        return done
    fixed = joined(done.pieces, program)
    read = read_program(fixed)
    if read.program is None or read.violations:
        raise Broken(f"an invalid file: {read.violations[:1]}")
    said = judged(fixed, data)[0].artifacts[0]
    if _errors(said) != _errors(done.after):
        raise Broken("the result is judged otherwise than the report on it says")
    new = _errors(said) - _errors(done.before)
    if new:
        raise Broken(f"new errors: {sorted(new)}")
    again = _repaired(fixed, data, options)
    if again.pieces is not None:
        what = [(each.finding.rule, each.finding.subject) for each in again.applied]
        raise Broken(f"a second repair does something: {what or again.memory or 'unsaid'}")
    return done


def _repaired(program: bytes, data: Sequence[bytes], options: dict[str, bool]) -> Repair:
    given = [open_data(Artifact(f"{n}.ptd", each)) for n, each in enumerate(data)]
    fixers = load_fixers(isolated=True)
    return repair(Artifact("input", program), settings(), fixers, given, **options)


def _errors(said: ArtifactReport) -> Counter[tuple[str, str]]:
    return Counter((f.rule, f.fingerprint) for f in said.findings if f.severity is Severity.ERROR)
