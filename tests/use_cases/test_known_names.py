"""The directory's ids help the search for damaged ones."""

from pathlib import Path

from item_visibility.client.identifiers import ItemKey
from item_visibility.lists.damage import DamageKind, find_damage
from item_visibility.lists.layout import Layout
from item_visibility.lists.table import Table, TableRow
from item_visibility.storage.directory import Kind, NameRow
from item_visibility.use_cases.known_names import KnownNames, Matches, SingleChoice
from tests.support.desk import break_records, open_kit
from tests.support.known_names import put_names

SUPPLIER, ITEM, RECIPIENT = "9521000010000", "09521000010017:276", "KUND-0042"
LAYOUT = Layout(supplier=0, item=1, recipient=2)


def table(*cells: str) -> Table:
    return Table(("Supplier", "Item", "Recipient"), (TableRow(2, cells),))


def test_a_damaged_id_finds_the_one_that_the_directory_knows(tmp_path: Path) -> None:
    with open_kit(tmp_path) as kit:
        rows = kit.records.directory
        rows[Kind.SUPPLIER].put([NameRow((SUPPLIER,))])
        rows[Kind.ITEM].put([NameRow((SUPPLIER, ITEM))])
        rows[Kind.RECIPIENT].put([NameRow((RECIPIENT,))])
        damaged = table(f"{SUPPLIER}.0", ITEM.lstrip("0"), "kund-0042")
        found = find_damage(damaged, LAYOUT, known=KnownNames(rows).names_of)
    assert [(one.kind, one.suggestion) for one in found] == [
        (DamageKind.STRAY, SUPPLIER),
        (DamageKind.NEARLY_KNOWN, ITEM),
        (DamageKind.NEARLY_KNOWN, RECIPIENT),
    ]


def test_without_a_database_nothing_is_known(tmp_path: Path) -> None:
    with open_kit(tmp_path) as kit:
        kit.records.directory.remember([ItemKey(SUPPLIER, ITEM)], [RECIPIENT])
        names = kit.desk.names
        assert (names.some_ids(Kind.ITEM), names.known_recipients([RECIPIENT])) == ((ITEM,), {RECIPIENT})
        break_records(tmp_path)
        assert (names.some_ids(Kind.ITEM), names.known_recipients([RECIPIENT])) == ((), frozenset())
        assert (names.first(Kind.SUPPLIER), names.find(Kind.RECIPIENT, RECIPIENT)) == (Matches(), Matches())
        assert names.read_one(Kind.SUPPLIER, SUPPLIER) == SingleChoice(SUPPLIER)
        assert names.read_one(Kind.SUPPLIER, "S-1") == SingleChoice(question="S-1")


def test_an_item_is_called_by_its_name_and_its_market(tmp_path: Path) -> None:
    german, other, nameless = ItemKey(SUPPLIER, ITEM), ItemKey(SUPPLIER, "OAT-1"), ItemKey(SUPPLIER, "7")
    with open_kit(tmp_path) as kit:
        put_names(
            kit.records.directory,
            suppliers=[(SUPPLIER, "Harbour Mill")],
            items=[(german, "", "Oat biscuits 250 g"), (other, "040", "Oat flakes")],
        )
        titles = kit.desk.names.item_titles([german, other, nameless])
        assert kit.desk.names.item_title(german) == titles[german]
        names = [kit.desk.names.item_name(one) for one in (german, ItemKey("S", ITEM), nameless)]
        assert names == ["Oat biscuits 250 g · Germany", "(no name) · Germany", ""]
        assert kit.desk.names.supplier_names([SUPPLIER, "S2"]) == {SUPPLIER: "Harbour Mill"}
    assert titles == {german: "Oat biscuits 250 g · Germany", other: "Oat flakes · Austria", nameless: "7"}
