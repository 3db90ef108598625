"""Ids that a person could mistake for one another, and what they share."""

import pytest

from item_visibility.lists.numbers.lookalikes import (
    look,
    look_without_zeros,
    with_digits_for_letters,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("shop", "SHOP"),
        ("SH\uff2fP", "SHOP"),
        ("SH\u041eP", "SHOP"),
        ("SH\u039fP", "SHOP"),
        ("SHO\u00adP", "SHOP"),
        ("SHOP\t", "SHOP"),
        ("SHOP\u20137", "SHOP-7"),
        ("\u0664\u0662", "42"),
        ("stra\u00dfe", "STRASSE"),
    ],
)
def test_what_looks_the_same_has_one_look(one: str, other: str) -> None:
    """Neither case, width, alphabet nor what cannot be seen tells them apart."""
    assert look(one) == look(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("0042", "42"), ("09521000000117:276", "9521000000117:276"), ("000", "0")],
)
def test_zeros_in_front_of_a_number_do_not_tell(one: str, other: str) -> None:
    """Spreadsheets lose them."""
    assert look_without_zeros(one) == look_without_zeros(other)


@pytest.mark.parametrize(("one", "other"), [("1002", "12"), ("KUND-042", "KUND-42"), ("0x1", "x1")])
def test_other_zeros_tell(one: str, other: str) -> None:
    """Inside, and behind letters."""
    assert look_without_zeros(one) != look_without_zeros(other)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("43OO00000O0l4", "4300000000014"), ("O4012345678901:276", "04012345678901:276"), ("SHOP 7", "SHOP 7")],
)
def test_letters_among_digits_are_digits(typed: str, meant: str) -> None:
    """Only where all the rest is digits."""
    assert with_digits_for_letters(typed) == meant
