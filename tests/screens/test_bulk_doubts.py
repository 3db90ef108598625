"""Unclear parts of a list are named, and decided by the person; none is applied before."""

import threading

import pytest

from components.bulk.choose import list_state
from item_visibility.lists.bulk_list import BulkList
from tests.lists.workbooks import text_row, workbook, xlsx_sheets
from tests.screens.bulk import NOT_TAKEN, SUPPLIER, Bulk, item
from tests.screens.conftest import OpenBulk
from tests.support.fake_visibilities import NOBODY

pytestmark = pytest.mark.screen

GLN, OTHER_GLN = "9522000020006", "9522000030005"
HEADINGS = text_row(1, "Supplier", "Item", "Recipient")
ASIDE = "Rows that cannot be read where they are"


@pytest.fixture
def bulk(open_bulk: OpenBulk) -> Bulk:
    """Two items that nobody can see."""
    return open_bulk({item("I1"): NOBODY, item("I2"): NOBODY})


def test_rows_above_the_headings_are_decided_about(bulk: Bulk) -> None:
    """Nothing is previewed before; then they are skipped, and stay part of the job's result."""
    window = bulk.window
    bulk.drop(
        (SUPPLIER, "I1", GLN),
        ("Supplier", "Item", "Recipient"),
        (SUPPLIER, "I2", GLN),
        header=(SUPPLIER, "I1", OTHER_GLN),
    )
    assert "2 rows of the list cannot be read where they are." in window.alerts
    assert [row[0] for row in window.rows(ASIDE)] == ["1", "2"]
    window.click("preview")
    assert "Decide above which rows belong to the list; then the preview begins." in window.alerts
    assert "job" not in window.address
    window.click("skip_aside")
    bulk.rests()
    assert window.says("1 row for 1 item, 2 rows skipped")
    assert "2 rows of the list are skipped." in window.alerts
    window.click("apply")
    assert bulk.rests().skipped == 2
    assert window.alerts == ["3 rows: 1 verified · 2 skipped"]
    assert [row[:4] for row in window.rows(NOT_TAKEN)] == [
        ("1", SUPPLIER, "I1", OTHER_GLN),
        ("2", SUPPLIER, "I1", GLN),
    ]
    labels = [one.label for one in window.app.get("download_button")]
    assert "2 skipped, with reasons (XLSX)" in labels
    assert bulk.recipients_of("I1", "I2") == [set(), {GLN}]


def test_the_preview_that_was_asked_for_begins_once_the_rows_are_decided(bulk: Bulk) -> None:
    """Of pasted rows too; not that of another list that is pasted meanwhile."""
    window = bulk.window
    rows = f"{SUPPLIER}\tI1\t{OTHER_GLN}\nSupplier\tItem\tRecipient\n{SUPPLIER}\tI2\t{GLN}"
    window.type("bulk_paste", rows)
    window.click("preview")
    assert "Decide above which rows belong to the list; then the preview begins." in window.alerts
    window.click("skip_aside")
    bulk.rests()
    assert "1 row of the list is skipped." in window.alerts
    bulk.back()
    window.type("bulk_paste", f"{rows}1")
    window.click("preview")
    window.type("bulk_paste", f"{rows}2")
    window.click("skip_aside")
    assert "apply" not in window.keys


def test_a_column_that_may_say_what_to_do_is_decided_about(bulk: Bulk) -> None:
    """The person says that it is the action: the row takes away, and adds nobody."""
    window = bulk.window
    bulk.drop((SUPPLIER, "I1", GLN, "remove"), header=("Supplier", "Item", "Recipient", "Verfahren"))
    assert "Columns of the list are not understood." in window.alerts
    assert "job" not in window.address
    window.switch("bulk_action_column", "D · Verfahren")
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
    assert window.says("Hidden rows and columns are skipped.")
    window.click("decide_hidden_again")
    window.click("use_hidden")
    bulk.rests()
    assert window.says("2 rows for 2 items")


def test_a_late_message_of_the_folded_form_leaves_the_job_in_sight(bulk: Bulk) -> None:
    """A slow browser sends the switch of a list once more, as it was before the list was read."""
    bulk.drop((SUPPLIER, "I1", GLN))
    bulk.rests()
    bulk.window.switch("bulk_heading", value=False)
    assert "apply" in bulk.window.keys
    bulk.window.click("apply")
    bulk.rests()
    assert bulk.recipients_of("I1") == [{GLN}]


def test_of_several_sheets_the_person_chooses_one(bulk: Bulk) -> None:
    """The page says which one it read, and which it did not."""
    window = bulk.window
    first, second = (HEADINGS + text_row(2, SUPPLIER, name, GLN) for name in ("I1", "I2"))
    bulk.drop_bytes(
        xlsx_sheets([("old", "visible", first), ("new", "visible", second), ("Data", "hidden", first)]),
        name="list.xlsx",
    )
    assert window.alerts == ["Several sheets hold something: old, new. Nothing is read before you choose."]
    assert "job" not in window.address
    window.switch("bulk_sheet", "new")
    bulk.rests()
    assert window.says("Sheet “new” is read; not read: “old”, “Data” (hidden).")
    window.click("apply")
    bulk.rests()
    assert bulk.recipients_of("I1", "I2") == [set(), {GLN}]


def test_a_long_list_is_read_beside_the_screen(bulk: Bulk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page says how far it is, and reading can be cancelled; then it is read again."""
    monkeypatch.setattr(list_state, "WAIT_FOR_LIST_S", 0)
    goes_on = threading.Event()
    read_file = bulk.kit.desk.bulk.lists.read_file

    def slowly(content: bytes, **options: object) -> BulkList:
        options["watch"](0.5)  # type: ignore[operator]  # it is there
        goes_on.wait(60)
        return read_file(content, **options)  # type: ignore[arg-type]  # the same

    monkeypatch.setattr(bulk.kit.desk.bulk.lists, "read_file", slowly)
    window = bulk.window
    bulk.drop((SUPPLIER, "I1", GLN))
    assert window.says("The list is being read")
    window.click("preview")
    assert window.alerts == []
    window.click("cancel_reading")
    goes_on.set()
    bulk.reads()
    assert "The list could not be read. Nothing was changed." in window.alerts
    assert window.says("Reading the list was stopped.")
    window.click("read_again")
    bulk.reads()
    bulk.rests()
    assert window.says("1 row for 1 item")
