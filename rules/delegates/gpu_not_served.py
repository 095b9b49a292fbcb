"""A delegate whose kernels do not run on the target's GPU.

What it finds:
    Kernels in the library of a CUDA delegate of which neither a binary (cubin) nor PTX runs on the
    GPU that the target profile names (`gpu`). Nothing without such a profile.

What the runtime does:
    The library loads, whatever its kernels are for. The first call loads each kernel that it needs,
    the driver finds no binary for the GPU, and execute gives Internal (backends/cuda/runtime/
    cuda_backend.cpp: CudaBackend::execute). A binary runs on GPUs of its own major version with the
    same or a higher minor one; one for `sm_90a` on `sm_90` alone; PTX on all later GPUs, compiled
    there by the driver (CUDA C++ Programming Guide: Binary Compatibility, PTX Compatibility,
    Family-Specific Architecture Features). Whether binaries run on embedded GPUs of the same major
    version is not documented; then it is a warning.

Why it happens:
    The exporter compiles for the GPU of the machine that it runs on. PTX for later ones is put
    beside the binaries where it finds a CUDA toolkit (`aot_inductor.emit_multi_arch_kernel`).

How to fix it:
    Export on a machine with the GPU that runs the program, or with an older one and PTX. Which one
    a machine has:

        nvidia-smi --query-gpu=compute_cap --format=csv

How it is confirmed:
    Only on a machine with that GPU.

Seen in:
    executorch#17153
"""

from __future__ import annotations

from pte_lint.schema.blob.cuda_code import DeviceCode, Serves, parse_gpu, serves

from pte_lint.claims.finding import Finding, Severity, Unchecked
from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.claims.sign import Unseen
from pte_lint.data.context import Context
from pte_lint.data.libraries import DelegateLibrary, libraries
from pte_lint.ir.calling import CUDA_BACKEND
from pte_lint.rulebook.rule import Yields, artifact_rule
from pte_lint.text.words import count

_FAILS = Forecast.always(error(Stage.EXECUTE, "Internal"))
_SHOWN = 4
_REMEDY = """\
Export on a machine with the GPU that runs the program, or with an older one and PTX. Which one a
machine has:

    nvidia-smi --query-gpu=compute_cap --format=csv"""


@artifact_rule(
    "PTE430",
    "gpu-not-served",
    Severity.ERROR,
    "kernels that the GPU cannot run",
    sign=Unseen("the library is loaded by the CUDA backend, on a GPU"),
)
def check(ctx: Context) -> Yields:
    """One finding a library: kernels are loaded one by one, and each has to be served."""
    device = parse_gpu(ctx.target.profile.gpu)
    if device is None:
        return
    for library in libraries(ctx):
        if library.blob.backend != CUDA_BACKEND or not library.facts.format:
            continue
        if library.facts.unread or not library.facts.code:
            why = library.facts.unread or "it holds no code for GPUs in a form that is known"
            yield Unchecked(f"which GPUs the library {library.subject} is for", why)
            continue
        modules: dict[str, list[DeviceCode]] = {}
        for code in library.facts.code:
            modules.setdefault(code.module, []).append(code)
        answers = {name: _best(code, device) for name, code in modules.items()}
        for answer in (Serves.NO, Serves.UNKNOWN):
            found = [name for name in modules if answers[name] is answer]
            if found:
                yield _finding(ctx, library, {name: modules[name] for name in found}, answer)
                break


def _best(images: list[DeviceCode], device: int) -> Serves:
    answers = {serves(code, device) for code in images}
    return next(each for each in (Serves.YES, Serves.UNKNOWN, Serves.NO) if each in answers)


def _finding(
    ctx: Context, library: DelegateLibrary, modules: dict[str, list[DeviceCode]], answer: Serves
) -> Finding:
    gpu, method, blob = ctx.target.profile.gpu, library.method, library.blob
    have = sorted({code.arch for images in modules.values() for code in images if code.arch})
    is_proven = answer is Serves.NO and blob.backend in ctx.target.profile.backends
    is_called = any(
        step.target == blob.index and method.flow.reachable[step.index]
        for step in method.delegate_calls()
    )
    verb = "runs" if answer is Serves.NO else "is documented to run"
    message = (
        f"The library {library.subject} has code for {', '.join(have) or 'no known GPU'}, none of "
        f"which {verb} on {gpu} ({_reason(modules, answer)}): "
        f"{count(len(modules), 'module')}, {', '.join(list(modules)[:_SHOWN])}"
        f"{', ...' if len(modules) > _SHOWN else ''}."
    )
    return Finding(
        message=message,
        remediation=_REMEDY,
        location=blob.location(method, library.span.start),
        forecast=_FAILS if is_proven and is_called else None,
        order=(next((s.index for s in method.delegate_calls() if s.target == blob.index), 0),),
        evidence={"gpu": gpu, "architectures": have, "modules": len(modules)},
        subject=f"delegates[{blob.index}] gpu",
        severity=Severity.ERROR if is_proven and is_called else Severity.WARNING,
        method=method.name,
        plan=method.index,
    )


def _reason(modules: dict[str, list[DeviceCode]], answer: Serves) -> str:
    if answer is Serves.UNKNOWN:
        return "embedded GPUs and others of a major version, or a form that is not known"
    kinds = {code.kind for images in modules.values() for code in images}
    said = []
    if "cubin" in kinds:
        said.append("binaries run on the same major version from their minor one on")
    said.append("PTX runs on later GPUs only" if "ptx" in kinds else "there is no PTX to compile")
    return "; ".join(said)
