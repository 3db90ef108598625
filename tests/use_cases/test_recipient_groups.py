"""Recipients that are chosen together: sets, and the recipients of another item."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import SetError
from item_visibility.storage.directory import NamedRow
from item_visibility.use_cases.directory import Kind
from tests.support.desk import ITEM, DeskKit, break_records, open_kit

SUPPLIER = ITEM.supplier
AUSTRIA = ItemKey(SUPPLIER, "04012345678901:040")
SODA = ItemKey(SUPPLIER, "04012345678918:276")
FOREIGN = ItemKey("S2", "04012345678901:040")


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    """A desk with four named items, one of another supplier, and two sets."""
    with open_kit(tmp_path, {ITEM: "AB", AUSTRIA: "BC", SODA: ""}) as opened:
        names = {ITEM: "Oat biscuits", AUSTRIA: "Oat biscuits", SODA: "Soda", FOREIGN: "Oat biscuits"}
        opened.records.directory[Kind.ITEM].put(
            [NamedRow((item.supplier, item.supplier_item_id), name) for item, name in names.items()]
        )
        opened.desk.sets.make("Online shops", ["A", "X"])
        opened.desk.sets.make("Discounters", ["D"])
        yield opened


def offered(kit: DeskKit, text: str) -> list[tuple[str, int | None]]:
    """The words and counts that are offered."""
    return [(one.words, one.count) for one in kit.desk.groups.offered(ITEM, text)]


def test_sets_and_other_items_of_the_supplier_are_offered_before_anything_is_typed(kit: DeskKit) -> None:
    """The same number in another market first; the number of recipients once it was read."""
    kit.desk.read(AUSTRIA)
    assert offered(kit, "") == [
        ("Set Discounters", 1),
        ("Set Online shops", 2),
        ("Same recipients as Oat biscuits · Austria", 2),
        ("Same recipients as Soda · Germany", None),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("online", ["Set Online shops"]),
        ("set disc", ["Set Discounters"]),
        ("soda", ["Same recipients as Soda · Germany"]),
        ("same recipients as oat", ["Same recipients as Oat biscuits · Austria"]),
        ("nothing like it", []),
    ],
)
def test_they_are_found_by_name(kit: DeskKit, text: str, words: list[str]) -> None:
    """With or without the words before it."""
    assert [one for one, _ in offered(kit, text)] == words


def test_an_item_that_was_read_and_has_nobody_is_not_offered(kit: DeskKit) -> None:
    """There is nothing to take from it."""
    kit.desk.read(SODA)
    assert offered(kit, "soda") == []


def test_a_group_is_opened_as_it_is_now(kit: DeskKit) -> None:
    """A set from our own database, an item by one read."""
    assert kit.desk.groups.open(ITEM, "set:Online shops").recipients == frozenset("AX")
    group = kit.desk.groups.open(ITEM, f"item:{AUSTRIA.supplier_item_id}")
    assert (group.recipients, group.set_name, group.choice.count) == (frozenset("BC"), "", 2)
    assert [call.operation for call in kit.fake.calls] == ["getVisibilities"]


def test_a_set_that_is_gone_says_so(kit: DeskKit) -> None:
    """Somebody deleted it meanwhile."""
    kit.desk.sets.delete("Online shops")
    with pytest.raises(SetError):
        kit.desk.groups.open(ITEM, "set:Online shops")


def test_none_is_offered_without_our_own_database(tmp_path: Path) -> None:
    """And the work continues."""
    with open_kit(tmp_path) as kit:
        break_records(tmp_path)
        assert kit.desk.groups.offered(ITEM, "") == ()
