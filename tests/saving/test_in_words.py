"""Changes in a few words."""

import pytest

from item_visibility.saving.in_words import by_whom, done_in_words, named
from item_visibility.saving.request import ChangeKind

NAMES = {"2": "Sonnenhof", "1": "Le Panier", "3": "migros"}


@pytest.mark.parametrize(
    ("who", "words"),
    [
        ("", ""),
        ("2", "Sonnenhof"),
        ("12", "Le Panier and Sonnenhof"),
        ("123", "Le Panier, migros and Sonnenhof"),
        ("1239", "Le Panier, migros and 2 more"),
        ("98", "8 and 9"),
        ("91", "Le Panier and 9"),
    ],
)
def test_names_come_first_and_the_rest_is_counted(who: str, words: str) -> None:
    """By name without regard to case; who has none comes last, by number."""
    assert named(frozenset(who), NAMES) == words


def test_more_are_named_where_there_is_room() -> None:
    """The dialog before a large change names ten."""
    assert named("1239", NAMES, limit=4) == "Le Panier, migros, Sonnenhof and 9"


@pytest.mark.parametrize(
    ("added", "removed", "words"),
    [
        ("2", "", "Added Sonnenhof"),
        ("", "1", "Removed Le Panier"),
        ("2", "1", "Added Sonnenhof, removed Le Panier"),
    ],
)
def test_what_was_done_is_told_by_name(added: str, removed: str, words: str) -> None:
    """One sentence for both."""
    assert done_in_words(added, removed, NAMES) == words


@pytest.mark.parametrize(
    ("kind", "who"), [(ChangeKind.EDIT, "ann"), (ChangeKind.OBSERVED, "somebody elsewhere")]
)
def test_nobody_is_known_for_a_change_made_elsewhere(kind: ChangeKind, who: str) -> None:
    """The person on record is the one who saw it."""
    assert by_whom(kind, "ann") == who
