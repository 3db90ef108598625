"""Other texts that may have been meant by a number."""

import pytest

from item_visibility.use_cases.why_not.near_numbers import (
    Slip,
    lone_number,
    near_ids,
    packages_of,
    writing,
    written_like,
)

GLN, ITEM = "4300000000014", "04012345678901:276"


@pytest.mark.parametrize(
    ("typed", "meant", "slip"),
    [
        ("04300000000014", GLN, Slip.WRITING),
        ("430 000 000-0014", GLN, Slip.WRITING),
        ("43OO00000O0l4", GLN, Slip.WRITING),
        ("43\uff10\uff10000000014", GLN, Slip.WRITING),
        ("4300000000014\u200b", GLN, Slip.WRITING),
        ("cust-7", "CUST-7", Slip.WRITING),
        ("4300000000015", GLN, Slip.CHECK_DIGIT),
        ("4300000000041", GLN, Slip.EXCHANGED),
        ("4300009000014", GLN, Slip.ONE_DIGIT),
        ("430000000014", GLN, Slip.MISSING),
        ("43000000000144", GLN, Slip.EXTRA),
        ("4012345678901:276", ITEM, Slip.WRITING),
        ("4012345678910:276", ITEM, Slip.EXCHANGED),
        ("KUND-0042", "KUND0042", Slip.WRITING),
        ("KUND0024", "KUND0042", Slip.EXCHANGED),
    ],
)
def test_a_number_that_may_have_been_meant_is_among_the_near_ones(typed: str, meant: str, slip: Slip) -> None:
    """With how it differs."""
    assert near_ids(typed)[meant] is slip


@pytest.mark.parametrize("typed", ["R7", "", " ", "7" * 61])
def test_what_is_too_short_or_too_long_has_no_slips(typed: str) -> None:
    """In a short id every slip is another id."""
    assert not set(near_ids(typed).values()) - {Slip.WRITING}


@pytest.mark.parametrize("typed", [GLN, ITEM, "KUND0042", "R7"])
def test_an_id_is_not_near_itself(typed: str) -> None:
    """Nor is an empty text near anything."""
    assert not {typed, ""} & near_ids(typed).keys()


def test_a_writing_in_a_list_is_found_without_varying_the_number() -> None:
    """Only what is no plain number is compared."""
    listed = {"0042123456", "Kund\u20107", "42123457", GLN, "kund 8"}
    assert written_like("42123456", listed) == ("0042123456",)
    assert written_like("KUND7", listed) == ("Kund\u20107",)
    assert written_like("kund 8", listed) == ()
    assert writing("0042 123-456") == writing("42123456")


def test_the_packages_of_an_item_differ_in_their_first_digit() -> None:
    """With a check digit that fits; a number that is none has no packages."""
    packages = packages_of(ITEM)
    assert "14012345678908:276" in packages
    assert "04012345678901:276" not in packages
    assert "4012345678901" in packages_of("14012345678908")
    assert packages_of("KUND-7") == packages_of("04012345678902:276") == ()


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("GLN: 4300000000014,", "4300000000014"),
        ("(414) 4300000000014", "4300000000014"),
        ("(01)09521000010017:276", "09521000010017:276"),
        ("43000000000144300000000014", "4300000000014"),
        ("4300000000014 4300000000014", "4300000000014"),
        ("4.300000000014E+12", "4300000000014"),
        ("4,3E12", None),
        ("4300000000014 or 4300000000021", None),
        ("Hof 7", None),
    ],
)
def test_a_number_among_words_and_marks_is_found(text: str, number: str | None) -> None:
    """It must be the only one, with all of its digits."""
    assert lone_number(text) == number
