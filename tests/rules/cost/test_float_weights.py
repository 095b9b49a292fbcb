from __future__ import annotations

import pytest

from pte_lint.claims.finding import Severity
from tests.support.judging import judge, only
from tests.support.quantized_layers import FP32, QCINT8, two_layers

RULE = "PTE807"


def test_a_layer_of_a_graph_that_holds_a_quantised_one() -> None:
    finding = only(judge(two_layers(FP32), RULE))
    assert finding.severity is Severity.INFO
    assert finding.message == (
        "1 weight of linear and convolution layers (1 in delegates) is float32, 1024 bytes, beside "
        "1 quantised one: as int8 it would take 768 bytes less, but for the scales."
    )
    assert finding.evidence == {
        "bytes": 1024,
        "saved": 768,
        "quantised": 1,
        "weights": ["delegate 0, value 7 (XNNFullyConnected)"],
    }
    assert "set_global" in finding.remediation


def test_a_layer_on_the_host_too() -> None:
    finding = only(judge(two_layers(FP32, host="float32"), RULE))
    assert finding.message == (
        "2 weights of linear and convolution layers (1 in delegates, 1 on the host) are float32, "
        "2048 bytes, beside 1 quantised one: as int8 they would take 1536 bytes less, but for the "
        "scales."
    )


@pytest.mark.parametrize(
    ("second", "first", "host"),
    [(QCINT8, QCINT8, ""), (FP32, FP32, "float32"), (QCINT8, QCINT8, "float16")],
    ids=["all quantised", "none quantised", "half precision on the host"],
)
def test_where_nothing_could_be_saved_beside_quantised_ones(
    second: int, first: int, host: str
) -> None:
    assert judge(two_layers(second, first, host=host), RULE).findings == ()
