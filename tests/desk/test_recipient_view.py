"""A recipient's view of the known items, and how it differs from others."""

import pytest

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.bulk import BulkItem
from item_visibility.desk.scans.recipient_view import (
    Comparing,
    Difference,
    additions,
    alone,
    removals,
    rows_of,
    with_recipient,
    with_set,
)
from item_visibility.records.scans.seen_items import SeenItem
from tests.support.fake_visibilities import START

R = "R"
OF_SET = with_set(frozenset({R, "A", "B"}), but=R)


def seen(name: str, recipients: str | None) -> SeenItem:
    """An item that these recipients can see; None for one that was not read."""
    listed = None if recipients is None else frozenset(recipients)
    at = None if recipients is None else START
    return SeenItem(item=ItemKey("S", name), name=name, market="", recipients=listed, seen_at=at)


def told(comparing: Comparing, recipients: str | None) -> tuple[bool | None, str, Difference]:
    """The words on one item."""
    (row,) = rows_of(R, [seen("one", recipients)], comparing)
    return row.can_see, row.compared, row.difference


@pytest.mark.parametrize(
    ("comparing", "recipients", "said"),
    [
        (alone, "R", (True, "", Difference.NONE)),
        (alone, None, (None, "", Difference.NONE)),
        (with_recipient("A"), "A", (False, "Yes", Difference.MISSING)),
        (with_recipient("A"), "R", (True, "No", Difference.EXTRA)),
        (with_recipient("A"), "AR", (True, "Yes", Difference.NONE)),
        (with_recipient("A"), "", (False, "No", Difference.NONE)),
        (with_recipient("A"), None, (None, "Not known", Difference.NONE)),
        (OF_SET, "AB", (False, "2 of 2", Difference.MISSING)),
        (OF_SET, "A", (False, "1 of 2", Difference.NONE)),
        (OF_SET, "AR", (True, "1 of 2", Difference.NONE)),
        (OF_SET, "R", (True, "0 of 2", Difference.EXTRA)),
        (OF_SET, None, (None, "Not known", Difference.NONE)),
        (with_set(frozenset(R), but=R), "R", (True, "Not known", Difference.NONE)),
    ],
)
def test_missing_is_what_the_other_side_can_see_alone(
    comparing: Comparing, recipients: str | None, said: tuple[bool | None, str, Difference]
) -> None:
    """Extra is the other way round; what is not known differs in no way."""
    assert told(comparing, recipients) == said


def test_what_differs_comes_first_then_what_can_be_seen() -> None:
    """By name within each; what is not known comes last."""
    items = [seen("f", None), seen("e", ""), seen("D", "AR"), seen("c", "AR"), seen("b", "R"), seen("a", "A")]
    assert [row.name for row in rows_of(R, items, with_recipient("A"))] == ["a", "b", "c", "D", "e", "f"]


def test_only_what_is_known_can_be_changed() -> None:
    """Additions where the recipient cannot see the item, removals where it can."""
    rows = rows_of(R, [seen("yes", R), seen("no", "A"), seen("unknown", None)], alone)
    assert additions(R, rows) == (BulkItem(item=ItemKey("S", "no"), add=frozenset(R)),)
    assert removals(R, rows) == (BulkItem(item=ItemKey("S", "yes"), remove=frozenset(R)),)


def test_an_item_is_called_by_its_name_and_market() -> None:
    """One without a name is called by its number."""
    named = SeenItem(
        item=ItemKey("S", "04012345678901:276"), name="Milk", market="", recipients=None, seen_at=None
    )
    assert [row.name for row in rows_of(R, [named, seen("", "")], alone)] == ["", "Milk · Germany"]
