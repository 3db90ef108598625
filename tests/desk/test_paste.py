"""Reading pasted recipients."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.draft import Draft
from item_visibility.intake.split import split_ids
from item_visibility.paste import PastedIds, Remark, read_pasted

READ_AT = datetime(2026, 11, 21, 12, tzinfo=UTC)
ITEM = ItemKey("4000001000005", "04012345678901:276")


def draft_of(*recipients: str) -> Draft:
    """A draft with nothing staged, on a list with these recipients."""
    return Draft(ITEM, frozenset(recipients), READ_AT)


@pytest.mark.parametrize(
    "separator", ["\n", "\r\n", "\t", ",", ";", " ", "\u00a0", "\ufeff", "\u2028", ", ;\n\n"]
)
def test_ids_stand_between_separators(separator: str) -> None:
    """Newline, tab, comma, semicolon, blanks, no-break spaces and byte order marks separate."""
    assert split_ids(f"{separator}a{separator}b{separator}") == ("a", "b")


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ('"a b" c', ("a b", "c")),
        ('"a","b;c"', ("a", "b;c")),
        ('"say ""hi"""', ('say "hi"',)),
        ('"a\nb"', ("a\nb",)),
        ('"open', ('"open',)),
        ('in"side', ('in"side',)),
        ('""', ('""',)),
        ("", ()),
        (" ,;\n", ()),
    ],
)
def test_quotes_hold_an_id_together(text: str, ids: tuple[str, ...]) -> None:
    """Spreadsheets and CSV files quote; a quote that is no pair stays part of its id."""
    assert split_ids(text) == ids


@given(
    st.lists(
        st.text(st.characters(exclude_characters='",;\ufeff', exclude_categories=["Z", "C"]), min_size=1)
    )
)
def test_ids_come_out_as_they_went_in(ids: list[str]) -> None:
    """Nothing is trimmed or normalised."""
    assert split_ids("\n".join(ids)) == tuple(ids)


@given(st.lists(st.text(min_size=1)))
def test_any_id_can_be_quoted(ids: list[str]) -> None:
    """An id with separators or quotes inside goes in with quotes around it."""
    quoted = " ".join('"' + one.replace('"', '""') + '"' for one in ids)
    assert split_ids(quoted) == tuple(ids)


def test_a_paste_is_sorted_by_what_it_means() -> None:
    """New, there already, repeated and refused are told apart, each once and in the order of the paste."""
    pasted = read_pasted("b a c b c\n..", draft=draft_of("a"))

    assert pasted == PastedIds(
        new=("b", "c"),
        already_there=("a",),
        repeated=("b", "c"),
        refused=pasted.refused,
    )
    assert [remark.recipient_id for remark in pasted.refused] == [".."]
    assert pasted.refused[0].why != ""


def test_what_is_staged_to_be_added_is_there_already() -> None:
    """Pasting the same list twice adds nothing."""
    assert read_pasted("b", draft=draft_of("a").with_added(["b"])).already_there == ("b",)


def test_what_is_staged_to_be_removed_counts_as_new() -> None:
    """Pasting it takes the removal back."""
    draft = draft_of("a", "b").with_wanted({"a": False})
    assert read_pasted("a", draft=draft).new == ("a",)


@pytest.mark.parametrize(
    ("pasted_id", "why"),
    [
        ("4000001000006", "check digit does not fit: 4000001000005 would"),
        ("4.00638E+15", "a spreadsheet shortened this number"),
        ("b\u200bc", "holds characters that cannot be seen"),
        ("12345", "looks like 0012345, which is in the list"),
        ("shop", "looks like SHOP, which is in the list"),
        ("SH\uff2fP", "looks like SHOP, which is in the list"),
        ("SHO\u00adP", "holds characters that cannot be seen; looks like SHOP, which is in the list"),
    ],
)
def test_a_suspicious_id_is_remarked_upon_and_not_blocked(pasted_id: str, why: str) -> None:
    """The id is new all the same."""
    pasted = read_pasted(pasted_id, draft=draft_of("0012345", "SHOP"))
    assert pasted == PastedIds(new=(pasted_id,), suspicious=(Remark(pasted_id, why),))


def test_two_pasted_ids_that_look_alike_are_remarked_upon() -> None:
    """The second of the two is suspicious."""
    assert read_pasted("shop7 SHOP7", draft=draft_of()).suspicious == (
        Remark("SHOP7", "looks like shop7, which is pasted too"),
    )


def test_an_ordinary_id_is_not_suspicious() -> None:
    """A valid location number that is like no other has no remark."""
    assert read_pasted("4000001000005", draft=draft_of("4000002000004")).suspicious == ()


@given(st.text(), st.frozensets(st.text(min_size=1)))
def test_every_pasted_id_is_accounted_for_once(text: str, listed: frozenset[str]) -> None:
    """New, there already and refused share out the distinct ids of any text."""
    pasted = read_pasted(text, draft=draft_of(*listed))
    told = [*pasted.new, *pasted.already_there, *(remark.recipient_id for remark in pasted.refused)]
    assert sorted(told) == sorted(set(split_ids(text)))
