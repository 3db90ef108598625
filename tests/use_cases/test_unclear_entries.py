"""Fifty unclear entries in two languages: none is used until a person confirms it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from item_visibility.bootstrap.demo import put_invented_names
from item_visibility.client.identifiers import ItemKey
from item_visibility.lists.bulk_list import BulkList
from item_visibility.lists.headings import Layout
from item_visibility.lists.table import Table, TableRow
from item_visibility.model.known_ids import Kind
from item_visibility.use_cases.choose_recipients import Selection, add_entered
from item_visibility.use_cases.find_by_name import DoubtfulText
from tests.support.desk import DeskKit, open_kit

_GROUPS = json.loads(
    Path(__file__).with_name("unclear_entries.json").read_text("utf-8")
)
TEXTS: list[str] = [text for group in _GROUPS for text in group["texts"]]
SUPPLIER = "9521000010000"
RIGHT = (SUPPLIER, "09521000010017:276", "9522000010009")
LISTED = frozenset({"9522000010009", "branch 17 north"})
LAYOUT = Layout(supplier=0, item=1, recipient=2)
IDS_IN_LISTS = {"3M", "7up", "952", "9521000", "95220000200"}
"""Words with digits that are ids in a list, because a list may hold ids of any form."""
SENTENCES = [
    "Please add Sonnenhof to the list",
    "Bitte Sonnenhof freischalten ab 01.12.2026",
    "Can 7 shops see the biscuits?",
]


@pytest.fixture(
    scope="module", params=[put_invented_names, id], ids=["demo", "nothing known"]
)
def kit(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[DeskKit]:
    """A desk with the demo's directory and awkward ids, and one without known ids."""
    with open_kit(tmp_path_factory.mktemp("wrong")) as opened:
        request.param(opened.records.directory)
        yield opened


@pytest.mark.parametrize("text", SENTENCES)
def test_nothing_in_a_sentence_is_added_without_asking(kit: DeskKit, text: str) -> None:
    read = add_entered(kit.desk.names, Selection(), text, listed=LISTED)
    assert read.ids == ()
    left = " ".join((*read.ignored, *read.undecided))
    assert set(left.split()) == set(text.split())


@pytest.mark.parametrize("text", [text for text in TEXTS if text not in SENTENCES])
def test_an_unclear_entry_is_asked_about_in_a_field_of_recipients(
    kit: DeskKit, text: str
) -> None:
    for listed in (frozenset[str](), LISTED):
        read = add_entered(kit.desk.names, Selection(), text, listed=listed)
        assert read.ids == ()
        assert read.undecided == (text,)

    column = add_entered(
        kit.desk.names, Selection(), f"{SUPPLIER}\n{text}", listed=LISTED
    )

    assert column.ids == (SUPPLIER,)
    assert column.undecided == (text,)


@pytest.mark.parametrize(
    ("kind", "supplier"), [(Kind.SUPPLIER, None), (Kind.ITEM, SUPPLIER)]
)
@pytest.mark.parametrize("text", TEXTS)
def test_an_unclear_entry_is_asked_about_in_a_field_for_one_id(
    kit: DeskKit, text: str, kind: Kind, supplier: str | None
) -> None:
    read = kit.desk.names.read_one(kind, text, supplier=supplier)
    assert read == DoubtfulText(text, read.alike, kind=kind)


@pytest.mark.parametrize("column", [0, 1, 2], ids=["supplier", "item", "recipient"])
def test_a_row_with_a_wrong_entry_is_never_read_without_asking(
    kit: DeskKit, column: int
) -> None:
    texts = [text for text in TEXTS if text not in IDS_IN_LISTS]
    rows = [(*RIGHT[:column], text, *RIGHT[column + 1 :]) for text in texts]
    table = Table(
        ("Supplier", "Item", "Recipient"),
        tuple(
            TableRow(number, row) for number, row in enumerate([RIGHT, *rows], start=2)
        ),
    )
    brought = BulkList.of(table).with_layout(LAYOUT).checked(kit.desk.names.names_of)
    (item,) = brought.understood().items

    assert item.item == ItemKey(*RIGHT[:2])
    assert item.add == frozenset(RIGHT[2:])
