"""What a number looks like: hints in plain words, and ids that are easily mistaken for one another."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from item_visibility.lists.numbers import (
    doubts,
    item_hint,
    location_hint,
    look_without_zeros,
    market_code,
    market_hint,
    market_name,
    split_item_id,
    without_separators,
)


@pytest.mark.parametrize(
    ("supplier_item_id", "hint"),
    [
        ("04012345678901:276", "GTIN 04012345678901 · Germany"),
        ("04012345678901276", "GTIN 04012345678901 · Germany"),
        ("4012345678901-DE", "GTIN 4012345678901 · Germany"),
        ("4012345678901deu", "GTIN 4012345678901 · Germany"),
        ("96385074/040", "GTIN 96385074 · Austria"),
        ("04012345678901:097", "GTIN 04012345678901 · European Union"),
        ("04012345678901:999", "GTIN 04012345678901 · market 999 is not known"),
        ("04012345678901", "GTIN 04012345678901"),
        (
            "04012345678902:276",
            "GTIN 04012345678902 · Germany · check digit does not fit: 04012345678901 would",
        ),
        ("4.01234E+12", "a spreadsheet shortened this number"),
        ("4,01234e12", "a spreadsheet shortened this number"),
        ("04012345678901:276\u200b", "holds characters that cannot be seen"),
        ("ACME-7", ""),
        ("", ""),
        ("٤٠١٢٣٤٥٦٧٨٩٠١", ""),
    ],
)
def test_an_item_id_is_told_as_number_and_market(supplier_item_id: str, hint: str) -> None:
    assert item_hint(supplier_item_id) == hint


@pytest.mark.parametrize("text", ["040", "at", "Austria", "Österreich", "OESTERREICH", "osterreich"])
def test_a_market_is_read_by_its_codes_and_names(text: str) -> None:
    assert market_name(market_code(text), "de") == "Österreich"


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
        ("0042", "42"),
        ("09521000000117:276", "9521000000117:276"),
        ("000", "0"),
    ],
)
def test_what_looks_the_same_has_one_look(one: str, other: str) -> None:
    assert look_without_zeros(one) == look_without_zeros(other)


@pytest.mark.parametrize(("one", "other"), [("1002", "12"), ("KUND-042", "KUND-42"), ("0x1", "x1")])
def test_other_zeros_tell(one: str, other: str) -> None:
    assert look_without_zeros(one) != look_without_zeros(other)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("43OO00000O0l4", "4300000000014"), ("O4012345678901:276", "04012345678901:276"), ("SHOP 7", "SHOP7")],
)
def test_letters_among_digits_are_digits(typed: str, meant: str) -> None:
    assert without_separators(typed) == meant


@pytest.mark.parametrize(
    ("supplier_item_id", "parts"),
    [
        ("4012345678901276", ("4012345678901", "276")),
        ("04012345678901:DE", ("04012345678901", "DE")),
        ("ACME-7", None),
    ],
)
def test_number_and_market_are_split_by_length(supplier_item_id: str, parts: tuple[str, str] | None) -> None:
    assert split_item_id(supplier_item_id) == parts
    assert market_hint(supplier_item_id) == ("" if parts is None else "Germany")


@pytest.mark.parametrize(
    ("identifier", "hint"),
    [
        ("4000001000005", "valid GLN"),
        ("4000001000006", "check digit does not fit: 4000001000005 would"),
        ("SHOP 7", ""),
    ],
)
def test_a_location_number_is_described_with_its_check_digit(identifier: str, hint: str) -> None:
    assert location_hint(identifier) == hint


@given(st.text() | st.from_regex(r"[0-9]{8,17}([:-]?[0-9A-Za-z]{2,3})?", fullmatch=True))
def test_any_string_has_hints(identifier: str) -> None:
    fitting = re.findall(r"([0-9]+) would", f"{item_hint(identifier)}{location_hint(identifier)}")
    assert [doubts(number) for number in fitting] == [()] * len(fitting)
