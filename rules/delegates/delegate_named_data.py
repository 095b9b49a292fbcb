"""Named data that a delegate asks for and does not get.

What it finds:
    Keys that a readable blob names (weights of XNNPACK, the library and weights of CUDA and Metal)
    and that are in no map, behind an entry without a key, in a segment that does not exist or
    leaves the file, or that have fewer bytes than the blob needs; scales of XNNPACK graphs that are
    no scales.

What the runtime does:
    The backend asks while the method is loaded. XNNPACK passes the map's error on: NotFound for a
    missing key, InvalidArgument for a broken entry; without any map it dereferences null, SIGSEGV;
    too few bytes are not noticed and the rest is read from other memory; a scale that is not
    finite, normal and positive is Internal. AOTI backends give Internal for a missing library
    (backends/xnnpack/runtime/XNNCompiler.cpp: getConstantDataPtr,
    runtime/executor/pte_data_map.cpp: get_data, XNNPACK's src/tensor.c). 1.2 takes null for missing
    weights.

Why it happens:
    A key was renamed or removed by a tool, the data file of the delegate was not given, or blob
    and data are from different exports.

How to fix it:
    Give the data file that the export wrote, or export again:

        program.write_tensor_data_to_file(".")
        pte-lint check --data aoti_cuda_blob.ptd model.pte

    Where a .ptd beside the program has the keys it is named, and `--data auto` takes it.

How it is confirmed:
    Loading the method gives the error, or crashes.

Seen in:
    executorch#22311, TensorRT#4404, executorch#20424
"""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.schema.delegates import WantedData
from pte_lint.schema.xnnpack_values import RefusedValueError, check_scales, scales_in

from pte_lint.claims.finding import Finding, Severity, Unchecked
from pte_lint.claims.forecast import Forecast, Stage, crash, error, undefined
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import Sign
from pte_lint.data.blobs import Blob, blobs
from pte_lint.data.context import Context
from pte_lint.data.named_data import Found, Lookup, NamedData
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, artifact_rule
from pte_lint.text.words import count

_XNNPACK = "XnnpackBackend"
_MOST_SCALES = 1 << 20
_NULL = Forecast.always(crash(Stage.LOAD_METHOD, "SIGSEGV"))
_WRONG = Forecast.always(undefined(Stage.EXECUTE))
_WRONG_EARLY = Forecast.always(undefined(Stage.LOAD_METHOD))
_REFUSED = Forecast.always(error(Stage.LOAD_METHOD, "Internal"))


@artifact_rule(
    "PTE417",
    "delegate-named-data",
    Severity.ERROR,
    "named data that a delegate does not get",
    sign=Sign(r"for key {key}\b"),
)
def check(ctx: Context) -> Yields:
    """Keys in the order in which the backend asks; the first failure ends its init."""
    if not any(blob.facts.wants for described in ctx.blobs for blob in described):
        return
    data = NamedData(ctx)
    for method in ctx.methods:
        for blob in blobs(method, ctx):
            yield from _check_blob(method, ctx, blob, data)


def _check_blob(method: Method, ctx: Context, blob: Blob, data: NamedData) -> Yields:
    said: set[str] = set()
    absent: list[WantedData] = []
    for want in blob.facts.wants:
        if want.key in said:
            continue
        if data.may_lack(want.asked):
            absent.append(want)
            said.add(want.key)
            continue
        for finding in _judge(method, ctx, blob, want, data.look_up(want.asked)):
            said.add(want.key)
            yield finding
    if absent:
        yield from _not_given(method, ctx, blob, absent, data.look_up(absent[0].asked))


def _without(blob: Blob, found: Found) -> Forecast:
    """What loading does without a key."""
    if found is Found.NO_MAP:
        return _NULL
    if blob.backend != _XNNPACK:
        return Forecast.always(error(Stage.LOAD_METHOD, "Internal"))
    missing = Forecast.always(error(Stage.LOAD_METHOD, "NotFound"))
    return missing.until("1.2", undefined(Stage.EXECUTE))


def _is_proven(ctx: Context, blob: Blob, want: WantedData) -> bool:
    return blob.backend in ctx.target.profile.backends and want.required


def _judge(
    method: Method, ctx: Context, blob: Blob, want: WantedData, lookup: Lookup
) -> Iterator[Finding]:
    is_xnnpack, step = blob.backend == _XNNPACK, want.step
    match lookup.found:
        case Found.NO_MAP:
            what = "but there is no named data at all, and no data file"
            forecast = _without(blob, lookup.found)
        case Found.MISSING:
            what = "which neither the program nor a data file has"
            forecast = _without(blob, lookup.found)
        case Found.BROKEN:
            what = f"but {lookup.why}"
            name = lookup.error if is_xnnpack else "Internal"
            forecast = Forecast.always(error(Stage.LOAD_METHOD, name or "Internal"))
        case Found.WRAPPED:
            what = "but its segment's offset does not lead to its bytes"
            forecast = _WRONG
        case _ if (why := _bad_scale(ctx, want, lookup)) is not None:
            what, forecast, step = f"one of which {why}", _REFUSED, want.step + 1
        case _:
            if want.size is None or lookup.size >= want.size:
                return
            what = f"which has {count(lookup.size, 'byte')}; {want.size} are read"
            forecast = _WRONG_EARLY if want.early else _WRONG
            if lookup.size == 0 and want.quantized and is_xnnpack:
                # No bytes are a null pointer, and quantised operators want their weights.
                forecast = _REFUSED
    is_proven = _is_proven(ctx, blob, want)
    yield Finding(
        message=f"Delegate {blob.index} ({blob.backend}) asks for the {want.role} {want.key}, "
        f"{what}.",
        remediation="Give the data file that the export wrote, or export again:\n\n"
        "    pte-lint check --data model.ptd model.pte",
        location=blob.location(method),
        forecast=forecast if is_proven else None,
        order=(LoadMethodStep.DELEGATES, blob.index, 4, step),
        evidence={"key": want.key, "role": want.role, "found": str(lookup.found)},
        subject=f"delegates[{blob.index}] key {want.key}",
        severity=Severity.ERROR if is_proven else Severity.WARNING,
        method=method.name,
        plan=method.index,
    )


def _bad_scale(ctx: Context, want: WantedData, lookup: Lookup) -> str | None:
    """What is wrong with the first scale that is refused; None for none that is at hand."""
    if not want.scales or lookup.span is None:
        return None
    start = lookup.span.start
    size = min(want.scales, _MOST_SCALES) * want.scale_bits // 8
    content = bytes(ctx.artifact.buffer[start : start + min(size, lookup.span.size)])
    try:
        check_scales(scales_in(content, want.scale_bits))
    except RefusedValueError as refused:
        return str(refused)
    return None


def _not_given(
    method: Method, ctx: Context, blob: Blob, absent: list[WantedData], first: Lookup
) -> Yields:
    keys = [want.key for want in absent]
    yield Finding(
        message=f"Delegate {blob.index} ({blob.backend}) needs a data file with "
        f"{count(len(keys), 'key')}, "
        f"and none is given: {', '.join(keys[:3])}{', ...' if len(keys) > 3 else ''}.",
        remediation="Give the data file that the export wrote:\n\n"
        "    pte-lint check --data model.ptd model.pte",
        location=blob.location(method),
        forecast=_without(blob, first.found) if _is_proven(ctx, blob, absent[0]) else None,
        evidence={"keys": keys},
        subject=f"delegates[{blob.index}] data file",
        severity=Severity.WARNING,
        method=method.name,
        plan=method.index,
    )
    yield Unchecked(
        f"named data of delegate {blob.index} in {method.name}",
        "its keys are not in the program, and no usable data file was given (--data)",
    )
