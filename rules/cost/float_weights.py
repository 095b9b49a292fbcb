"""Weights in float32 beside quantised ones.

What it finds:
    Weights of linear and convolution layers that are float32, on the host or in an XNNPACK graph,
    in a method whose XNNPACK graphs hold quantised ones, with the bytes that int8 would save.
    Layers are left as they are on purpose, too, so this rule runs only when it is asked for:
    `--select PTE8` (or ALL), or a severity for it.

What the runtime does:
    It runs each layer with the weights that it has: four bytes an element are stored, loaded and
    read where the others take one or less (all versions; backends/xnnpack/runtime/XNNCompiler.cpp).

Why it happens:
    The quantizer was told names or types of modules and not all of them, or has no pattern for the
    layer as it is written.

How to fix it:
    Quantise all layers, where the model stays good enough, and export what comes of it:

        from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
            XNNPACKQuantizer,
            get_symmetric_quantization_config,
        )

        quantizer = XNNPACKQuantizer()
        quantizer.set_global(get_symmetric_quantization_config(is_per_channel=True))

How it is confirmed:
    Not visible by running, but in the file's size. Of two linear layers of 64 x 64, one quantised,
    the other could save 12,288 bytes; quantised, the file shrank by 11,392 of 25,216.

Seen in:
    No public report is known.
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.context import Context
from pte_lint.data.weights import Weight, delegated_weights, host_weights
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text.words import count

_SHOWN = 20


@method_rule(
    "PTE807",
    "float-weights",
    Severity.INFO,
    "weights in float32 beside quantised ones",
    is_optional=True,
)
def check(method: Method, ctx: Context) -> Yields:
    """One finding a method."""
    delegated = list(delegated_weights(method, ctx))
    quantised = sum(each.is_quantised for each in delegated)
    if not quantised:
        return
    floats = [each for each in (*delegated, *host_weights(method)) if each.is_float32]
    if not floats:
        return
    stored = sum(4 * each.elements for each in floats)
    saved = stored * 3 // 4
    yield Finding(
        message=f"{_told(floats)} {'is' if len(floats) == 1 else 'are'} float32, {stored} bytes, "
        f"beside {count(quantised, 'quantised one')}: as int8 "
        f"{'it' if len(floats) == 1 else 'they'} would take {saved} bytes less, but for the "
        "scales.",
        remediation="Quantise these layers too, where the model stays good enough, and export "
        "what comes of it:\n\n"
        "    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (\n"
        "        XNNPACKQuantizer,\n"
        "        get_symmetric_quantization_config,\n"
        "    )\n\n"
        "    quantizer = XNNPACKQuantizer()\n"
        "    quantizer.set_global(get_symmetric_quantization_config(is_per_channel=True))",
        location=method.location(step=floats[0].step),
        evidence={
            "bytes": stored,
            "saved": saved,
            "quantised": quantised,
            "weights": [each.name for each in floats[:_SHOWN]],
        },
        subject="weights",
    )


def _told(floats: list[Weight]) -> str:
    on_host = sum(each.is_on_host for each in floats)
    places = [
        f"{number} {where}"
        for number, where in ((len(floats) - on_host, "in delegates"), (on_host, "on the host"))
        if number
    ]
    layers = count(len(floats), "weight of linear and convolution layers", _MANY)
    return f"{layers} ({', '.join(places)})"


_MANY = "weights of linear and convolution layers"
