"""A delegate whose backend the target does not have.

What it finds:
    Delegates with an id that is not among the backends of the profile that was given; without one,
    delegates without an id, with one that looks like a known backend's, misspelt, or with a payload
    that is a known backend's. What else the default target lacks is no finding: the verdict says
    that the program runs if given that backend, and `pte-lint inspect` tells which library brings
    it.

What the runtime does:
    Every delegate in the table is initialised when the method is loaded, called or not. Without a
    registered and available backend of that id load_method gives NotFound, all versions
    (runtime/executor/method.cpp: BackendDelegate::Init).

Why it happens:
    The program was lowered for a backend that the runner does not link. Static libraries need to
    be linked as a whole, or their registration is dropped.

How to fix it:
    Link the backend's library, or lower for another backend, such as one that the wheel has:

        from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
        from executorch.exir import to_edge_transform_and_lower

        edge = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()])

    When your runner has more backends than the default target, say so:

        pte-lint target capture > target.json
        pte-lint check --target target.json model.pte

How it is confirmed:
    A runtime without the backend gives NotFound and the log names it; the harness runs a stand-in.

Seen in:
    executorch#12053, executorch#7527, executorch#11868
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Location, NotEvaluated, Severity, Unchecked
from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import Sign
from pte_lint.data.blobs import blobs
from pte_lint.data.context import Context
from pte_lint.ops.libraries import BACKENDS, DEMOS, UNRUN
from pte_lint.questions.method import Method
from pte_lint.questions.needs import absent_backends
from pte_lint.rulebook.rule import Yields, method_rule

_MISSING = Forecast.always(error(Stage.LOAD_METHOD, "NotFound"))
_LONGEST = 100
_ALIKE = 0.8
"""From here on names pass for one that is misspelt; `DeviceBackend` is not `VulkanBackend`."""


@method_rule(
    "PTE411",
    "backend-missing",
    Severity.WARNING,
    "delegates whose backend the target lacks",
    sign=(
        Sign(r"Backend {backend} is not registered\."),
        Sign(r"^stand-in for '{backend}'$"),
    ),
)
def check(method: Method, ctx: Context) -> Yields:
    """Which backends a runner links is not in the file: proven only for a given profile.

    For the default target a backend that a runner may well have is what the runner must provide,
    and told with the verdict; an id that looks changed or misspelt is a finding.
    """
    target = ctx.target
    if not target.profile.kernels and not target.profile.backends:
        raise NotEvaluated("the target profile lists no backends")
    made_by = {blob.index: blob.facts.made_by for blob in blobs(method, ctx)}
    delegates = method.plan.delegates or ()
    for name, index in absent_backends(method, target).items():
        if not target.explicit_profile:
            yield Unchecked(
                f"the delegates of {name or 'the backend without a name'} in {method.name}",
                "the default target does not have this backend; whether your runner has it, and "
                "what it does, the file does not say",
            )
            is_odd = not name or name in UNRUN or _meant(name) or made_by.get(index)
            if name in DEMOS or name in BACKENDS or not is_odd:
                continue
        yield Finding(
            message=_message(name, target.profile.name, made_by.get(index, "")),
            remediation=_advice(name),
            location=Location(
                path=f"{method.path}.delegates[{index}].id",
                byte_offset=method.base + delegates[index].at,
            ),
            forecast=_MISSING if target.explicit_profile else None,
            order=(LoadMethodStep.DELEGATES, index, 1),
            evidence={"backend": name, "known": name in BACKENDS},
            subject=f"backend {name}",
            severity=Severity.ERROR if target.explicit_profile else None,
        )


def _meant(name: str) -> str:
    """The known backend that a name was probably meant to be; empty where there is none."""
    import difflib

    # Ids are short; comparing takes time that grows with the square of the length.
    known = {known.lower(): known for known in BACKENDS}
    lower = name.lower() if len(name) <= _LONGEST else ""
    near = difflib.get_close_matches(lower, known, n=1, cutoff=_ALIKE)
    return known[near[0]] if near else ""


def _message(name: str, profile: str, made_by: str) -> str:
    if not name:
        return "The delegate's id is empty: no backend can be found for it."
    if name in DEMOS:
        return f"{name} is a demonstration backend of ExecuTorch's tests; no release has it."
    if name in UNRUN:
        return f"{name} {UNRUN[name]}: no release of ExecuTorch has a runtime for it."
    if name in BACKENDS:
        return f"{name} is not in {profile}; the runner must link {BACKENDS[name].name}."
    if made_by:
        return (
            f"{name} is not in {profile}, no backend of that name is known, and the payload begins "
            f"as {made_by}'s do: the id was changed."
        )
    meant = _meant(name)
    hint = f" Did the exporter mean {meant}?" if meant else ""
    return f"{name} is not in {profile}, and no backend of that name is known.{hint}"


def _advice(name: str) -> str:
    if name in BACKENDS:
        return BACKENDS[name].advice()
    if name in UNRUN:
        return "Lower the program for a backend that a runtime has."
    return (
        "If the name is right and your runner has the backend, give a profile that lists it: start "
        "from that of the ExecuTorch installed here, and add what the runner links:\n\n"
        "    pte-lint target capture > target.json\n"
        "    pte-lint check --target target.json model.pte"
    )
