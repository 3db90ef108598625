"""The wrong entries again, in a bulk list: no row with one is taken before the person says so."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from item_visibility.bootstrap.embedded_demo import put_invented_names
from item_visibility.client.identifiers import ItemKey
from item_visibility.lists.bulk_list import BulkList
from item_visibility.lists.layout import Layout, LayoutKind
from item_visibility.lists.table import Table, TableRow
from tests.support.desk import DeskKit, open_kit

_GROUPS = json.loads(Path(__file__).with_name("wrong_entries.json").read_text("utf-8"))
TEXTS: list[str] = [text for group in _GROUPS for text in group["texts"]]
RIGHT = ("9521000010000", "09521000010017:276", "9522000010009")
LAYOUT = Layout(kind=LayoutKind.ROWS, supplier=0, item=1, recipients=(2,))


@pytest.fixture(scope="module", params=[put_invented_names, id], ids=["demo", "nothing known"])
def kit(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeskKit]:
    """A desk with the demo's directory, and one that knows nothing yet."""
    with open_kit(tmp_path_factory.mktemp("lists")) as opened:
        request.param(opened.records.directory)
        yield opened


@pytest.mark.parametrize("column", [0, 1, 2], ids=["supplier", "item", "recipient"])
def test_no_row_with_a_wrong_entry_is_taken_unasked(kit: DeskKit, column: int) -> None:
    """Its number is not asked of the service; the right row is."""
    rows = [(*RIGHT[:column], text, *RIGHT[column + 1 :]) for text in TEXTS]
    table = Table(
        ("Supplier", "Item", "Recipient"),
        tuple(TableRow(number, row) for number, row in enumerate([RIGHT, *rows], start=2)),
    )
    brought = kit.desk.bulk.lists.check_list(BulkList.of(table).with_layout(LAYOUT))
    (one,) = brought.understood().items
    assert (one.item, one.add) == (ItemKey(*RIGHT[:2]), frozenset(RIGHT[2:]))
