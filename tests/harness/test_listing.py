"""What the installed runtime offers."""

from __future__ import annotations

import pytest

from pte_lint.harness.build import Probe
from pte_lint.harness.listing import list_runtime

pytestmark = pytest.mark.runtime


def test_kernels_and_backends(probe: Probe) -> None:
    listing = list_runtime()
    names = {kernel.name for kernel in listing.kernels}
    assert {
        "aten::add.out",
        "aten::sym_numel",
        "executorch_prim::et_view.default",
        "et_copy::_h2d_copy.out",
        "et_copy::_d2h_copy.out",
        "quantized_decomposed::quantize_per_tensor.out",
    } <= names
    assert "custom::nothing.out" not in names
    assert list(listing.kernels) == sorted(listing.kernels, key=lambda k: (k.name, k.key or ""))
    assert [(b.name, b.available) for b in listing.backends] == [("XnnpackBackend", True)]
    assert listing.version.startswith("1.")
