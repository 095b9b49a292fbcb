"""Puts findings where a run first meets what they are about."""

from __future__ import annotations

from dataclasses import replace

from pte_lint.claims.finding import Finding
from pte_lint.claims.forecast import Stage
from pte_lint.claims.order import Order
from pte_lint.interpret.flow import flow_of
from pte_lint.interpret.runs import interpretation_of
from pte_lint.ir.method import Method


def when_met(order: Order, method: Method) -> Order:
    """Where a run first meets what an order in steps is about."""
    if flow_of(method).is_straight:
        return order
    return (interpretation_of(method).moment(order[0])[0], *order[1:])


def in_time(finding: Finding, method: Method) -> Finding:
    """Puts what is wrong with an instruction where a run first meets it.

    Rules that look at instructions one by one order them as they stand. If only the second run
    meets the instruction, the finding is about that one.
    """
    forecast, order = finding.forecast, finding.order
    if not order or forecast is None:
        return finding
    predictions = [p for p in (*forecast.full, *forecast.minimal) if p is not None]
    if any(p.stage is not Stage.EXECUTE for p in predictions) or flow_of(method).is_straight:
        return finding
    place, is_late = interpretation_of(method).moment(order[0])
    orders = {
        version: when_met(given, method) if given else given
        for version, given in finding.orders.items()
    }
    if is_late:
        forecast = forecast.in_second_run()
    return replace(finding, forecast=forecast, order=(place, *order[1:]), orders=orders)
