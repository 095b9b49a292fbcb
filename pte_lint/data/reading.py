"""Opens artifacts for the rules: decides what a file is and decodes it as that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from pte_lint.claims.forecast import Verification
from pte_lint.claims.ledger import Ledger
from pte_lint.claims.target import Target
from pte_lint.clock import STAGE, timed
from pte_lint.data.constant_bytes import MOST_CONSTANT_BYTES, constant_bytes
from pte_lint.data.context import Context
from pte_lint.data.delegate_blobs import Blob, arity, describe_delegates, xnnpack_graphs
from pte_lint.data.refusal import Role, role_of
from pte_lint.files.artifact import Artifact
from pte_lint.files.held import held_data
from pte_lint.questions.method import Method
from pte_lint.schema import limits
from pte_lint.schema.container import Kind, sniff
from pte_lint.schema.errors import NotFetchedError
from pte_lint.schema.loaded import (
    APART,
    LoadedFlatTensor,
    LoadedProgram,
    read_bundled_program,
    read_flat_tensor,
    read_program,
)
from pte_lint.schema.unshared import UnsharedSize
from pte_lint.schema.violations import is_exhausted

MAX_METHODS = 500
"""Methods that are judged. A method costs some milliseconds however little is in it, and a file of
a few kilobytes can refer to the same one thousands of times."""

TOO_LARGE: Final = (
    "it holds so much, or refers to the same so often, that going through all of it would take "
    "longer than the size of the file allows"
)
"""Why a document or a method was not judged."""
ENTANGLED: Final = (
    "its calls mention long lists so often that following them would take longer than its size "
    "allows"
)


def open_data(artifact: Artifact) -> LoadedFlatTensor:
    """Decodes a .ptd given beside a program; what is wrong with it is left to the rules."""
    with timed(STAGE, "data"):
        return read_flat_tensor(artifact.buffer, artifact.path)


def held(source: object) -> tuple[LoadedFlatTensor, ...]:
    """Decodes the data files that an exporter's object holds beside its program."""
    return tuple(map(open_data, held_data(source)))


def open_context(
    artifact: Artifact,
    target: Target,
    data: Sequence[LoadedFlatTensor],
    options: Mapping[str, object],
) -> Context:
    """Sniffs and decodes `artifact` and indexes its methods. Never raises for what is in it.

    Data files are what a program is loaded with, and before it. A .ptd is judged by itself: it may
    well be one of them.
    """
    loaded = flat_tensor = bundle = None
    with timed(STAGE, "read"):
        container = sniff(artifact.buffer)
        if container.kind is Kind.FLAT_TENSOR:
            flat_tensor = read_flat_tensor(artifact.buffer, artifact.path)
        elif container.kind is Kind.BUNDLED_PROGRAM:
            bundle = read_bundled_program(artifact.buffer)
            loaded = bundle.inner
        else:
            loaded = read_program(artifact.buffer)
    ledger = Ledger()
    if loaded is not None and is_exhausted(loaded.violations):
        loaded = replace(loaded, program=None)
        ledger.give_up("the program", TOO_LARGE)
    # Full verification refuses such a file. Else one that was not kept may be the one that counts.
    violations = len(loaded.violations) if loaded is not None else 0
    if target.verification is Verification.MINIMAL and violations >= limits.MAX_VIOLATIONS:
        ledger.give_up("what is wrong with its tables", "too much is to look at all of it")
    if bundle is not None and is_exhausted(bundle.violations):
        bundle = None
        ledger.give_up("the bundle", TOO_LARGE)
    for file in (*data, *([flat_tensor] if flat_tensor is not None else [])):
        if is_exhausted(file.violations):
            ledger.give_up(f"the tables of {file.name or 'the data file'}", TOO_LARGE)
    is_data = flat_tensor is not None and role_of(artifact, container) is Role.DATA
    with timed(STAGE, "blobs"):
        described = describe_delegates(loaded, artifact.buffer, MAX_METHODS) if loaded else ()
    with timed(STAGE, "index"):
        methods, left_out = _methods(loaded, described, artifact, ledger)
    return Context(
        artifact=artifact,
        container=container,
        target=target,
        loaded=loaded,
        flat_tensor=flat_tensor,
        bundle=bundle,
        methods=methods,
        left_out=left_out,
        data=() if is_data else tuple(data),
        blobs=described,
        options=dict(options),
        ledger=ledger,
    )


def _spare(loaded: LoadedProgram) -> tuple[int, UnsharedSize]:
    """What the methods of a program that shares its content may take, in bytes.

    Returns:
        That, and what measures the methods.
    """
    measure = UnsharedSize()
    budget = limits.unshared_budget(loaded.container.program_range.size)
    return budget - measure.of(loaded.program, APART), measure


def _methods(
    loaded: LoadedProgram | None,
    described: Sequence[Sequence[Blob]],
    artifact: Artifact,
    ledger: Ledger,
) -> tuple[tuple[Method, ...], tuple[tuple[str, int, Ledger], ...]]:
    """The methods, and those that are not judged, with the reasons.

    A constant that a jump tests sends every run the same way. Where its content is not known, what
    happens on either way may never happen, and nothing about the method is proven.
    """
    if loaded is None or loaded.program is None:
        return (), ()
    base = loaded.container.program_start
    read = constant_bytes(loaded, artifact.buffer)
    gaps: list[str] = []

    def read_or_note(entry: int, nbytes: int) -> bytes | None:
        if nbytes > MOST_CONSTANT_BYTES:
            gaps.append(f"a constant that decides where it goes has {nbytes} bytes")
            return None
        try:
            return read(entry, nbytes)
        except NotFetchedError as exc:
            gaps.append(f"a constant that decides where it goes was not fetched: {exc}")
            return None

    spare, measure = _spare(loaded) if loaded.is_shared else (0, None)
    methods: list[Method] = []
    left_out: dict[int, tuple[str, int, Ledger]] = {}
    unknown: set[str] = set()
    plans = loaded.program.execution_plan or ()
    for index, blobs in enumerate(described):
        gaps.clear()
        plan = plans[index]
        name = plan.name or ""
        method = None
        size = 0 if measure is None else measure.of(plan, APART)
        if size > spare:
            gaps.append(TOO_LARGE)
        elif name in unknown:
            # The runtime takes the first of equal names: of a later one nothing is known either.
            gaps.append("an earlier method of this name was not judged")
        else:
            spare -= size
            known, graphs = arity(blobs), xnnpack_graphs(blobs)
            method = Method(loaded.program, index, base, known, read_or_note, graphs=graphs)
            if not method.is_followed:
                gaps.append(ENTANGLED)
        if method is not None and not gaps:
            methods.append(method)
            for blob in blobs:
                if blob.facts.unread:
                    method.ledger.give_up(f"delegate {blob.index}", blob.facts.unread)
            continue
        unknown.add(name)
        reasons = Ledger()
        reasons.give_up("the method", gaps[0])
        left_out[index] = name, index, reasons
    if len(plans) > MAX_METHODS:
        what = f"the methods from number {MAX_METHODS} on, {len(plans)} in all"
        why = "exporters write a handful; judging so many takes longer than the file's size allows"
        ledger.give_up(what, why)
    return tuple(methods), tuple(left_out.values())
