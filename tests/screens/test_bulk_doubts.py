"""Unclear parts of a list are named, and decided by the person; none is applied before."""

import pytest

from tests.lists.workbooks import text_row, workbook, xlsx_sheets
from tests.screens.bulk import SUPPLIER, Bulk, item
from tests.screens.conftest import OpenBulk
from tests.support.fake_visibilities import NOBODY

pytestmark = pytest.mark.screen

GLN, OTHER_GLN = "9522000020006", "9522000030005"
HEADINGS = text_row(1, "Supplier", "Item", "Recipient")


@pytest.fixture
def bulk(open_bulk: OpenBulk) -> Bulk:
    """Two items that nobody can see."""
    return open_bulk({item("I1"): NOBODY, item("I2"): NOBODY})


def test_a_list_with_rows_above_its_headings_is_refused(bulk: Bulk) -> None:
    """The row and what to do are named; nothing is previewed."""
    window = bulk.window
    bulk.drop(("Supplier", "Item", "Recipient"), (SUPPLIER, "I2", GLN), header=(SUPPLIER, "I1", OTHER_GLN))
    assert "The list could not be read. Nothing was changed." in window.alerts
    assert window.says("Row 1 is above the headings in row 2, and may be one of the list.")
    window.click("preview")
    assert "job" not in window.address


def test_a_column_that_may_say_what_to_do_is_decided_about(bulk: Bulk) -> None:
    """The person says that it is the action: the row takes away, and adds nobody."""
    window = bulk.window
    bulk.drop((SUPPLIER, "I1", GLN, "remove"), header=("Supplier", "Item", "Recipient", "Verfahren"))
    assert "Columns of the list are not understood." in window.alerts
    assert "job" not in window.address
    bulk.choose("Action column", "D · Verfahren")
    bulk.rests()
    assert [(one.intent.add, one.intent.remove) for one in bulk.kit.desk.bulk.store.items(bulk.job.key)] == [
        (frozenset(), {GLN})
    ]


def test_hidden_rows_are_named_and_asked_about(bulk: Bulk) -> None:
    """They are used, or skipped and told; the decision can be made again."""
    window = bulk.window
    hidden = text_row(2, SUPPLIER, "I1", GLN).replace("<row", '<row hidden="1"')
    bulk.drop_bytes(workbook(HEADINGS + hidden + text_row(3, SUPPLIER, "I2", GLN)), name="list.xlsx")
    assert "Row 2 is hidden in your file. Use it?" in window.alerts
    assert "job" not in window.address
    window.click("skip_hidden")
    bulk.rests()
    assert window.says("1 row for 1 item, 1 row skipped")
    assert window.says("Hidden rows and columns: skip.")
    bulk.back()
    window.click("preview")
    bulk.rests()
    bulk.back()
    window.click("decide_again")
    window.click("use_hidden")
    bulk.rests()
    assert window.says("2 rows for 2 items")


def test_of_several_sheets_the_person_chooses_one(bulk: Bulk) -> None:
    """The page says which one it read, and which it did not."""
    window = bulk.window
    first, second = (HEADINGS + text_row(2, SUPPLIER, name, GLN) for name in ("I1", "I2"))
    bulk.drop_bytes(
        xlsx_sheets([("old", "visible", first), ("new", "visible", second), ("Data", "hidden", first)]),
        name="list.xlsx",
    )
    assert "Nothing is read before you choose." in window.alerts[0]
    assert "job" not in window.address
    window.switch("bulk_sheet", "new")
    bulk.rests()
    assert window.says("Sheet “new” is read; not read: “old”, “Data” (hidden).")
    window.click("apply")
    bulk.rests()
    assert bulk.recipients_of("I1", "I2") == [set(), {GLN}]
