"""Reading recipients that were entered by hand."""

from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from item_visibility.lists.paste import DoubtfulText, EnteredIds, read_entered, remarks_on
from item_visibility.storage.directory import Kind, NameRow, Names

NAMES = {"4300000000014": "Sonnenhof Supermarkets", "4300000000021": "Kaufhaus 7", "77": "Nord 1"}


Known = Callable[[Kind], Names]


def known_of(*ids: str, names: Mapping[str, str] | None = None, suppliers: Sequence[str] = ()) -> Known:
    """Return a directory that knows these ids of recipients, and names of some."""
    called = {**dict.fromkeys(ids, ""), **(names or {})}
    of = {Kind.RECIPIENT: called, Kind.SUPPLIER: dict.fromkeys(suppliers, "")}
    return lambda kind: Names({(one,): NameRow((one,), name) for one, name in of[kind].items()})


NOBODY = known_of()


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        *(
            (f"{one}a1{one}b1{one}", ("a1", "b1"))
            for one in ("\n", "\r\n", "\t", ",", ";", " ", "\u00a0", "\ufeff", "\u2028", ", ;\n\n")
        ),
        ('"a 1" c1', ("a 1", "c1")),
        ('"a1","b;1"', ("a1", "b;1")),
        ('"say ""1"""', ('say "1"',)),
        ('"a\n1"', ("a\n1",)),
        ('"open1', ('"open1',)),
        ('in"side1', ('in"side1',)),
        ("", ()),
        (" ,;\n", ()),
    ],
)
def test_ids_are_separated(text: str, ids: tuple[str, ...]) -> None:
    assert read_entered(text, NOBODY).ids == ids


@pytest.mark.parametrize(
    ("entered", "remarks"),
    [
        (["4000001000006"], ["check digit does not fit: 4000001000005 would"]),
        (["4.00638E+15"], ["a spreadsheet shortened this number"]),
        (["12345"], ["looks like 0012345, which is in the list"]),
        (["SHO\u00adP7"], ["holds characters that cannot be seen; looks like SHOP7, which is in the list"]),
        (["mall7", "MALL7"], ["looks like mall7, which is entered too"]),
        (["4000001000005"], []),
    ],
)
def test_a_suspicious_id_is_remarked_upon(entered: list[str], remarks: list[str]) -> None:
    found = remarks_on(entered, listed=frozenset({"0012345", "SHOP7"}))
    assert list(found.values()) == remarks


@pytest.mark.parametrize(
    "text", ["Sonnenhof", "Sonnenhof Supermarkets", "Kaufhaus 7", "430 Sonnenhof", "R1 N2 x", '"a b"', "--"]
)
def test_words_are_no_numbers(text: str) -> None:
    (one,) = read_entered(text, NOBODY).doubtful
    assert read_entered(text, NOBODY).ids == ()
    assert read_entered(text, NOBODY, declared=frozenset({one.text})).ids == (one.text,)


def test_the_full_name_of_one_recipient_means_that_recipient() -> None:
    known = known_of(names=NAMES)
    assert read_entered("Kaufhaus 7; Sonnenhof, Nord 1", known) == EnteredIds(
        ("4300000000021", "77"), (DoubtfulText("Sonnenhof"),)
    )


@pytest.mark.parametrize(
    "text", ["Sonnenhof Supermarkets Nord", "Neue Sonnenhof Supermarkets", "Kaufhaus 7 Nord"]
)
def test_a_known_name_within_a_longer_one_is_not_taken(text: str) -> None:
    assert read_entered(text, known_of(names=NAMES)) == EnteredIds((), (DoubtfulText(text),))
    read = read_entered(f"Please add {text} to it", known_of(names=NAMES))
    assert read.ids == ()


MAIL = """Sehr geehrte Damen und Herren,
bitte geben Sie den Artikel für Sonnenhof Supermarkets und 77 frei.
Mit freundlichen Grüßen
Hans Müller
"""


def test_a_message_is_read_for_known_ids_and_names() -> None:
    assert read_entered(MAIL, known_of(names=NAMES)) == EnteredIds(
        ("4300000000014",),
        (DoubtfulText("77"),),
        (
            "Sehr geehrte Damen und Herren",
            "bitte geben Sie den Artikel für",
            "und",
            "frei.",
            "Mit freundlichen Grüßen",
            "Hans Müller",
        ),
    )


def test_what_may_be_an_id_in_a_message_is_asked_about() -> None:
    known = known_of(suppliers=["9999999"])
    read = read_entered("Please add Zzyxx Handel and 1234567 for supplier 9999999 today.", known)
    assert ([one.text for one in read.doubtful], read.ids) == (["1234567"], ())
    assert read.ignored == ("Please add Zzyxx Handel and", "for supplier 9999999 today.")


def test_a_known_id_needs_no_digit() -> None:
    known = known_of("SHOP", "a  b")
    read = read_entered("SHOP MALL\na  b", known, declared=frozenset({"MALL"}))
    assert read == EnteredIds(("SHOP", "MALL", "a  b"))


def test_columns_of_a_spreadsheet_are_apart() -> None:
    assert read_entered("4300000000014\tSonnenhof Supermarkets", NOBODY) == EnteredIds(
        ("4300000000014",), (DoubtfulText("Sonnenhof Supermarkets"),)
    )


WORDS = st.sampled_from(
    ["Sonnenhof", "Markt", "7", "4300000000014", "R1", "ID", "Kaufhaus", "\u0665", "²", "-"]
)
TEXTS = st.lists(
    st.one_of(WORDS, st.sampled_from([" ", "\n", "\t", ",", "; ", '"', "\u00a0"]), st.text())
).map("".join)


@given(TEXTS, st.frozensets(st.one_of(WORDS, st.text(min_size=1))))
def test_whatever_is_taken_unasked_holds_a_digit_or_is_known(text: str, ids: frozenset[str]) -> None:
    taken = read_entered(text, known_of(*ids, names=NAMES)).ids
    known = ids | NAMES.keys()
    assert [one for one in taken if one not in known and not any(map(str.isdecimal, one))] == []


def test_a_number_with_spaces_inside_is_one_number_unless_its_parts_are_ids() -> None:
    entered = read_entered("Please add 9522 0000 40004 to the list of this item.", NOBODY)
    assert entered.ids == ("9522000040004",)
    assert read_entered("4000 0010 00005 4000001000012", NOBODY).ids == ("4000001000005", "4000001000012")
    assert read_entered("4711 4712 4713", known_of("4711", "4712", "4713")).ids == ("4711", "4712", "4713")
