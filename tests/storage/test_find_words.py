"""Words in any order, in part, by market and with typing errors, on either database."""

import pytest

from item_visibility.storage.database.connecting import Database
from item_visibility.storage.directory.find import Word
from item_visibility.storage.directory.named_rows import DirectoryRows, Kind, NamedRow

NAMES = {
    "1": "Sonnenhof Supermarkets",
    "2": "Sonnenhof Wholesale",
    "3": "Le Panier Wholesale",
    "4": "Café Łódź",
    "5": "",
    "22-7": "Markt 7",
}
ITEMS = {
    "09521000010017:276": ("Oat biscuits 250 g", ""),
    "09521000010024:756": ("Oat biscuits 500 g", ""),
    "own number": ("Oat biscuits 1 kg", "Switzerland"),
    "09521000010031:756": ("Rye crackers", ""),
}
SWISS = frozenset({"756", "CH", "Switzerland"})


@pytest.fixture
def recipients(records: Database) -> DirectoryRows:
    """A few recipients."""
    rows = DirectoryRows(records, service="default", kind=Kind.RECIPIENT)
    rows.put([NamedRow((one,), name) for one, name in NAMES.items()])
    return rows


@pytest.fixture
def items(records: Database) -> DirectoryRows:
    """Items of one supplier, and one of another."""
    rows = DirectoryRows(records, service="default", kind=Kind.ITEM)
    rows.put([NamedRow(("S", one), name, market) for one, (name, market) in ITEMS.items()])
    rows.put([NamedRow(("T", "09521000010048:756"), "Oat biscuits of another", "")])
    return rows


def ids(found: tuple[NamedRow, ...]) -> set[str]:
    """The last part of each id."""
    return {row.ids[-1] for row in found}


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("wholesale sonnenhof", {"2"}),
        ("whole", {"2", "3"}),
        ("SONN super", {"1"}),
        ("lodz", {"4"}),
        ("Łódź café", {"4"}),
        ("7 markt", {"22-7"}),
        ("22-7", {"22-7"}),
        ("s w", {"2", "3"}),
        ("2", {"2", "22-7"}),
        ("q", set()),
        ("sonnenhof q", set()),
        ("nobody", set()),
    ],
)
def test_all_words_are_found_in_any_order(recipients: DirectoryRows, typed: str, found: set[str]) -> None:
    """In the id or in the name, in part, without regard to case and accents."""
    words = [Word(word) for word in typed.split()]
    assert ids(recipients.with_words(words, limit=9)) == found


def test_no_more_are_found_than_asked_for(recipients: DirectoryRows) -> None:
    """The limit holds."""
    assert len(recipients.with_words([Word("whole")], limit=1)) == 1


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ([Word("swi", SWISS)], {"09521000010024:756", "own number", "09521000010031:756"}),
        ([Word("oat"), Word("swi", SWISS)], {"09521000010024:756", "own number"}),
        ([Word("rye", frozenset())], {"09521000010031:756"}),
    ],
)
def test_a_market_is_found_by_the_id_or_as_it_was_imported(
    items: DirectoryRows, words: list[Word], found: set[str]
) -> None:
    """Of one supplier alone."""
    assert ids(items.with_words(words, limit=9, supplier="S")) == found


def test_items_of_all_suppliers_are_found_unless_one_is_named(items: DirectoryRows) -> None:
    """A supplier narrows the search."""
    assert len(items.with_words([Word("another")], limit=9)) == 1
    assert items.with_words([Word("another")], limit=9, supplier="S") == ()


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("sonenhof", {"1", "2"}),
        ("wholesael sonnnehof", {"2"}),
        ("panjer", {"3"}),
        ("sonenhof 1", {"1"}),
    ],
)
def test_a_word_with_typing_errors_leads_to_those_that_it_may_mean(
    recipients: DirectoryRows, typed: str, found: set[str]
) -> None:
    """A part at least is typed right; numbers and short words are as they are."""
    words = [Word(word) for word in typed.split()]
    assert found <= ids(recipients.perhaps_with_words(words, limit=9))


def test_a_market_alone_leads_to_all_that_may_be_meant(items: DirectoryRows) -> None:
    """The caller looks at each."""
    assert ids(items.perhaps_with_words([Word("swi", SWISS)], limit=9, supplier="S")) == ITEMS.keys()


@pytest.mark.parametrize(
    ("typed", "errors"),
    [("oat", 0), ("oats", 1), ("biscuit", 1), ("biscuits", 2), ("0952", 0), ("oat-s1", 0)],
)
def test_long_words_may_have_more_errors(typed: str, errors: int) -> None:
    """Numbers and short words none."""
    assert Word(typed).errors == errors
