from __future__ import annotations

from math import prod

from pte_lint.ops.checks.chosen import Chosen, Symbol, equate, following, terms
from pte_lint.ops.checks.conditions import broadcast, same


def chosen(value: int) -> Chosen:
    return Chosen.of(value, Symbol())


def test_a_size_is_its_largest_value() -> None:
    size = chosen(8)
    assert (size, size + 1, 2 * size, size - 3, 10 - size, size // 4, -size) == (
        *(8, 9, 16, 5),
        *(2, 2, -8),
    )
    assert f"{[size]}" == "[8]"


def test_sums_and_products_with_numbers_keep_the_choice() -> None:
    size = chosen(8)
    assert terms((size + 1) * 4) == (size.symbol, 4, 4)
    assert terms(prod([1, size, 4]) // 4) == terms(size)
    assert terms(size // 3)[0] is not size.symbol
    assert terms(size * size)[0] is not size.symbol
    assert terms(8) == terms(7) != terms(size)


def test_a_number_that_follows_from_a_choice_is_no_constant() -> None:
    size = chosen(8)
    assert isinstance(following(5, size, 3), Chosen)
    assert not isinstance(following(5, 2, 3), Chosen)


def test_a_check_against_a_number_fixes_the_choice() -> None:
    size, other = chosen(8), chosen(8)
    assert same(2 * size, 16)
    assert size.symbol.is_fixed
    assert not other.symbol.is_fixed


def test_what_only_follows_from_it_does_not() -> None:
    size = chosen(8)
    equate(size // 3, 2)
    equate(0 * size, 0)
    assert not size.symbol.is_fixed


def test_equal_choices_become_one() -> None:
    first, second, third = chosen(8), chosen(8), chosen(8)
    equate(first, second)
    equate(second, third)
    assert terms(first) == terms(third)
    equate(third, 8)
    assert first.symbol.is_fixed


def test_broadcasting_compares_but_for_ones() -> None:
    size, one = chosen(8), chosen(8)
    assert broadcast([(size, 3), (1, 3)]) == (8, 3)
    assert not size.symbol.is_fixed
    broadcast([(one,), (8,)])
    assert one.symbol.is_fixed
