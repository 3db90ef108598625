"""Taking another item's recipients over."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.draft import Draft
from item_visibility.changes.request import BY_HAND, ChangeKind, Origin
from item_visibility.desk.copies import (
    item_meant,
    read_source,
    suggest_sources,
    with_copied,
    with_exactly_copied,
)
from item_visibility.errors import IdentifierError
from item_visibility.jobs.preview import ReadItem
from tests.support.desk import ITEM, DeskKit, open_kit
from tests.support.fake_visibilities import START

SUPPLIER = ITEM.supplier
AUSTRIA = ItemKey(SUPPLIER, "04012345678901:040")
COUSIN = ItemKey(SUPPLIER, "00000000000000:276")
FOREIGN = ItemKey("S 2", "X 1")
SOURCE = ReadItem(item=AUSTRIA, recipients=frozenset("BC"), asked_at=START, read_at=START)
COPY = Origin(kind=ChangeKind.COPY, set_name=AUSTRIA.supplier_item_id, set_recipients=frozenset("BC"))
DRAFT = Draft(ITEM, frozenset("AB"), START)


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    """A desk that knows four items."""
    with open_kit(tmp_path, {ITEM: "AB", AUSTRIA: "BC"}) as opened:
        for item in (ITEM, COUSIN, AUSTRIA, FOREIGN, ItemKey("S2", "other"), ItemKey(SUPPLIER, "S2 whole")):
            opened.records.directory.remember([item])
        yield opened


def test_the_same_item_in_other_markets_is_suggested_first(kit: DeskKit) -> None:
    """Then the supplier's other items; never the item itself."""
    suggested = [known.id for known in suggest_sources(kit.desk.names, ITEM)]
    assert suggested == [AUSTRIA.supplier_item_id, COUSIN.supplier_item_id, "S2 whole"]
    assert len(suggest_sources(kit.desk.names, ITEM, limit=1)) == 1


def test_an_item_that_looks_like_no_number_gets_suggestions_too(kit: DeskKit) -> None:
    """A hint only orders what is offered. Note N2."""
    suggested = {known.id for known in suggest_sources(kit.desk.names, ItemKey(SUPPLIER, "loose"), limit=9)}
    assert suggested == {
        ITEM.supplier_item_id,
        AUSTRIA.supplier_item_id,
        COUSIN.supplier_item_id,
        "S2 whole",
    }


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("04012345678901:040", AUSTRIA),
        ("never seen", ItemKey(SUPPLIER, "never seen")),
        ("S2 other", ItemKey("S2", "other")),
        ("S2\tX 1", ItemKey("S2", "X 1")),
        ("S2 whole", ItemKey(SUPPLIER, "S2 whole")),
        ("S2 ", ItemKey(SUPPLIER, "S2 ")),
    ],
)
def test_an_item_is_typed_alone_or_behind_its_supplier(kit: DeskKit, text: str, meant: ItemKey) -> None:
    """A whole id counts before a pair."""
    assert item_meant(kit.desk.names, text, supplier=SUPPLIER) == meant


@pytest.mark.parametrize(
    ("text", "supplier", "number", "asked"),
    [
        ("04012345678901:040", SUPPLIER, "04012345678901:040", ""),
        ("S2\tother", "S2", "other", ""),
        ("S2 oat bread", "S2", "", "oat bread"),
        ("oat bread", SUPPLIER, "", "oat bread"),
    ],
)
def test_a_text_that_is_no_item_is_asked_about(
    kit: DeskKit, text: str, supplier: str, number: str, asked: str
) -> None:
    """Among the items of the supplier that was typed before it, or of the open one."""
    desk = kit.desk
    whose, entered = read_source(desk.finder, desk.names, text, supplier=SUPPLIER)
    assert (whose, entered.number, entered.asked) == (supplier, number, asked)


def test_the_other_item_is_read_now(kit: DeskKit) -> None:
    """One read, nothing written."""
    source = kit.desk.read(AUSTRIA)
    now = kit.fake.time.now()
    assert source == ReadItem(item=AUSTRIA, recipients=frozenset("BC"), asked_at=now, read_at=now)
    assert [call.operation for call in kit.fake.calls] == ["getVisibilities"]


def test_an_item_with_nothing_recorded_has_nobody_to_copy(kit: DeskKit) -> None:
    """Note N4."""
    assert not kit.desk.read(COUSIN).recipients


def test_an_item_that_cannot_be_addressed_is_refused(tmp_path: Path) -> None:
    """Before anything is sent."""
    with open_kit(tmp_path) as kit, pytest.raises(IdentifierError):
        kit.desk.read(ItemKey(SUPPLIER, ".."))


def test_copying_adds_and_takes_nobody_away() -> None:
    """The history will say from where."""
    draft = with_copied(DRAFT, SOURCE)
    assert (draft.add, draft.remove, draft.origin) == (frozenset("C"), frozenset(), COPY)


def test_copying_exactly_replaces_what_is_staged() -> None:
    """The list and all that was staged before give way."""
    draft = with_exactly_copied(DRAFT.with_added("X"), SOURCE)
    assert (draft.add, draft.remove, draft.origin) == (frozenset("C"), frozenset("A"), COPY)


def test_copying_on_top_of_other_changes_is_the_persons_own() -> None:
    """Changes staged before stay."""
    draft = with_copied(DRAFT.with_added("X"), SOURCE)
    assert (draft.add, draft.origin) == (frozenset("CX"), BY_HAND)


def test_another_suppliers_item_is_named_with_its_supplier() -> None:
    """The item alone would say too little."""
    draft = with_copied(
        DRAFT, ReadItem(item=FOREIGN, recipients=frozenset("C"), asked_at=START, read_at=START)
    )
    assert draft.origin.set_name == "S 2 X 1"
