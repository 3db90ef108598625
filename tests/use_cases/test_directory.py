"""The directory as a person keeps it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import IdentifierError, RecordsError
from item_visibility.use_cases.directory import Kind, NamedRow, NewName
from tests.support.desk import ITEM, DeskKit, a_request, break_records, open_kit


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    """A desk on one item, with nothing known yet."""
    with open_kit(tmp_path, {ITEM: "AB"}) as opened:
        yield opened


def known(kit: DeskKit, kind: Kind) -> list[NamedRow]:
    """All rows of a kind."""
    return list(kit.records.directory[kind].all())


def test_what_is_read_and_saved_is_known_without_a_name(kit: DeskKit) -> None:
    """The supplier, the item, and who can see it."""
    kit.desk.read(ITEM)
    kit.save(a_request(ITEM, base="AB", add="C"))
    assert known(kit, Kind.SUPPLIER) == [NamedRow((ITEM.supplier,))]
    assert known(kit, Kind.ITEM) == [NamedRow((ITEM.supplier, ITEM.supplier_item_id))]
    assert known(kit, Kind.RECIPIENT) == [NamedRow(("A",)), NamedRow(("B",)), NamedRow(("C",))]


def test_an_item_with_nothing_recorded_is_not_known(kit: DeskKit) -> None:
    """It may be a slip of the pen."""
    kit.desk.read(ItemKey("S", "slip"))
    assert known(kit, Kind.ITEM) == []


def test_the_first_rows_are_returned_and_all_are_counted(kit: DeskKit) -> None:
    """The rest is found by its name or number."""
    rows = [NamedRow((f"{number:03}",)) for number in range(9)]
    kit.records.directory[Kind.RECIPIENT].put(rows)
    assert kit.desk.directory.found(Kind.RECIPIENT, "", limit=5) == (tuple(rows[:5]), 9)
    assert kit.desk.directory.found(Kind.RECIPIENT, "8", limit=5) == ((rows[8],), 1)
    assert kit.desk.directory.found(Kind.ITEM, "zzz", limit=5) == ((), 0)


def test_a_change_leaves_the_rest_of_a_row(kit: DeskKit) -> None:
    """Name and market are changed each by itself; what is not known becomes known."""
    kit.desk.directory.name(Kind.ITEM, NamedRow(("S", "I"), "Käse", "276"))
    kit.desk.directory.change(
        Kind.ITEM,
        {("S", "I"): NewName(market="040"), ("S", "J"): NewName(name="Brot"), ("S", "K"): NewName()},
    )
    assert known(kit, Kind.ITEM) == [
        NamedRow(("S", "I"), "Käse", "040"),
        NamedRow(("S", "J"), "Brot"),
        NamedRow(("S", "K")),
    ]


def test_a_name_can_be_taken_away(kit: DeskKit) -> None:
    """The id stays known."""
    kit.desk.directory.name(Kind.SUPPLIER, NamedRow(("S",), "Nord"))
    kit.desk.directory.change(Kind.SUPPLIER, {("S",): NewName(name="")})
    assert known(kit, Kind.SUPPLIER) == [NamedRow(("S",))]


@pytest.mark.parametrize(("ids", "word"), [(("", "I"), "supplier"), (("S", ".."), "item")])
def test_an_id_that_no_request_can_carry_gets_no_name(kit: DeskKit, ids: tuple[str, str], word: str) -> None:
    """The person learns which; an id that is merely unknown does."""
    with pytest.raises(IdentifierError, match=word):
        kit.desk.directory.name(Kind.ITEM, NamedRow(ids, "Käse"))
    assert known(kit, Kind.ITEM) == []


def test_what_is_forgotten_is_known_again_when_it_is_used(kit: DeskKit) -> None:
    """Without its name."""
    kit.desk.directory.name(Kind.RECIPIENT, NamedRow(("A",), "Laden"))
    kit.records.directory[Kind.RECIPIENT].forget([("A",)])
    assert known(kit, Kind.RECIPIENT) == []
    kit.desk.read(ITEM)
    assert known(kit, Kind.RECIPIENT) == [NamedRow(("A",)), NamedRow(("B",))]


def test_a_directory_without_a_database_is_told(tmp_path: Path) -> None:
    """Nothing is lost in silence."""
    with open_kit(tmp_path) as kit:
        break_records(tmp_path)
        with pytest.raises(RecordsError):
            kit.desk.directory.change(Kind.RECIPIENT, {("A",): NewName(name="Laden")})
