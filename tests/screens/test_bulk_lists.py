"""Lists as people bring them: what is unclear is named, and decided by the person before a preview."""

from collections.abc import Callable

import pytest

from tests.lists.workbooks import text_row, workbook, xlsx_sheets
from tests.screens.bulk import FINDINGS, ITEMS, NOT_TAKEN, SUPPLIER, Bulk, item
from tests.screens.conftest import OpenBulk
from tests.support.fake_visibilities import NOBODY

GTIN = "04006381333931:276"
GLN = "9522000020006"
DAMAGED = f"{GLN}\N{NO-BREAK SPACE}"
HEADINGS = text_row(1, "Supplier", "Item", "Recipient")


@pytest.fixture
def bulk(open_bulk: OpenBulk) -> Bulk:
    return open_bulk({item(GTIN): NOBODY, item("I1"): NOBODY, item("I2"): NOBODY})


@pytest.mark.parametrize(
    ("number", "press"), [("9521000010017270", "skip_undecided"), ("9521000010017", "keep_as_is")]
)
def test_an_id_that_a_spreadsheet_cut_is_never_sent(bulk: Bulk, number: str, press: str) -> None:
    texts = (SUPPLIER, GTIN, GLN)
    cells = "".join(
        f'<c t="inlineStr"><is><t>{text}</t></is></c>' if text != GTIN else f"<c><v>{number}</v></c>"
        for text in texts
    )
    rows = HEADINGS + text_row(2, *texts) + f'<row r="3">{cells}</row>'
    bulk.window.upload("upload", workbook(rows), name="list.xlsx")
    found = [(row[0], row[1], row[2], row[4]) for row in bulk.window.rows(FINDINGS)]
    assert found == [("3", "B · Item", number, "")]
    bulk.window.click(press)
    bulk.rests()
    assert "1 row of the list is skipped." in bulk.window.alerts
    bulk.window.click("apply")
    assert bulk.rests().skipped == 1
    assert [row[:4] for row in bulk.window.rows(NOT_TAKEN)] == [("3", SUPPLIER, number, GLN)]
    assert "1 skipped, with reasons (XLSX)" in [one.label for one in bulk.window.app.get("download_button")]
    assert {call.item for call in bulk.kit.fake.writes} == {item(GTIN)}


def test_suggestions_are_accepted_or_not_by_row(bulk: Bulk) -> None:
    bulk.drop((SUPPLIER, GTIN, DAMAGED), (SUPPLIER, GTIN, "952200000031"))
    window = bulk.window
    assert window.alerts == ["Make the decisions above; then the preview begins."]
    window.select(FINDINGS, 1)
    window.click("accept_selected")
    assert [row[0] for row in window.rows(FINDINGS)] == ["2"]
    window.select(FINDINGS, 0)
    assert "job" not in window.address
    window.click("keep_as_is")
    bulk.rests()
    assert window.says("1 suggestion accepted, 1 kept, 0 rows skipped")
    window.click("apply")
    first = bulk.rests().key
    assert DAMAGED in bulk.recipients_of(GTIN)[0]
    bulk.back()
    window.click("decide_again")
    assert len(window.rows(FINDINGS)) == 2
    window.click("accept_all")
    assert bulk.rests().key != first


def test_columns_that_were_not_found_are_chosen_by_hand(bulk: Bulk) -> None:
    bulk.drop((SUPPLIER, "I1", GLN), header=("Haus", "Ware", "Laden"))
    window = bulk.window
    assert window.alerts == ["No column holds the supplier. Choose one, or enter the supplier of all rows."]
    (toggle,) = (one for one in window.app.toggle if one.label == "First row is a heading")
    assert toggle.value is True
    window.switch(str(toggle.key), value=False)
    assert window.says("The list has no headings: every row is data.")
    window.switch(str(toggle.key), value=True)
    bulk.choose("Supplier column", "A · Haus")
    bulk.choose("Item column", "B · Ware")
    bulk.choose("Recipient column", "C · Laden")
    bulk.rests()
    assert window.rows(ITEMS)[0][1:3] == ("I1", SUPPLIER)


def test_the_preview_of_pasted_rows_begins_once_all_is_decided(bulk: Bulk) -> None:
    window = bulk.window
    window.click("preview")
    assert window.alerts == ["There is nothing to preview yet: upload a file, or paste rows."]
    window.type("bulk_paste", f"Supplier\tItem\tRecipient\n{SUPPLIER}\t{GTIN}\t{DAMAGED}")
    window.click("preview")
    assert window.alerts == ["Make the decisions above; then the preview begins."]
    window.click("accept_all")
    bulk.rests()
    assert ITEMS in window.tables


@pytest.mark.parametrize(
    ("heading", "cell", "decide", "removed"),
    [
        ("Colour", "red", lambda bulk: bulk.window.click("accept_columns"), set()),
        ("Verfahren", "remove", lambda bulk: bulk.choose("Action column", "D · Verfahren"), {GLN}),
    ],
    ids=["not read", "the action"],
)
def test_a_column_that_is_not_understood_is_decided_about(
    bulk: Bulk, heading: str, cell: str, decide: Callable[[Bulk], None], removed: set[str]
) -> None:
    bulk.drop((SUPPLIER, GTIN, GLN, cell), header=("Supplier", "Item", "Recipient", heading))
    assert "Columns of the list are not understood." in bulk.window.alerts
    assert "job" not in bulk.window.address
    decide(bulk)
    bulk.rests()
    (one,) = bulk.kit.desk.bulk.store.items(bulk.job.key)
    assert (one.intent.remove, one.intent.add) == (removed, {GLN} - removed)


def test_a_text_that_is_not_utf_8_is_read_as_windows_text(bulk: Bulk) -> None:
    content = f"Lieferant;Artikel;Empfänger\r\n{SUPPLIER};I1;{GLN}\r\n".encode("cp1252")
    bulk.window.upload("upload", content, name="Liste.csv")
    bulk.rests()
    assert bulk.window.alerts[0] == "Read as Windows text. Do the umlauts look right? “Empfänger”"
    assert bulk.window.rows(ITEMS)[0][1] == "I1"


def test_fields_that_do_not_apply_are_hidden_while_a_file_is_loaded(bulk: Bulk) -> None:
    fields = {"bulk_paste", "bulk_set"}
    assert fields <= bulk.window.keys
    bulk.drop((SUPPLIER, "I1", GLN), (SUPPLIER, "", GLN))
    bulk.rests()
    bulk.back()
    assert not fields & bulk.window.keys
    bulk.choose("Recipient column", "not in the list")
    assert "bulk_set" in bulk.window.keys
    assert "bulk_paste" not in bulk.window.keys


def test_hidden_rows_are_named_and_asked_about(bulk: Bulk) -> None:
    window = bulk.window
    hidden = text_row(2, SUPPLIER, "I1", GLN).replace("<row", '<row hidden="1"')
    content = workbook(HEADINGS + hidden + text_row(3, SUPPLIER, "I2", GLN))
    window.upload("upload", content, name="list.xlsx")
    assert "Row 2 is hidden in your file. Use it?" in window.alerts
    assert "job" not in window.address
    window.click("skip_hidden")
    bulk.rests()
    assert window.says("1 row for 1 item, 1 row skipped")
    assert window.says("Hidden rows and columns: skip.")
    bulk.back()
    window.click("decide_again")
    window.click("use_hidden")
    bulk.rests()
    assert window.says("2 rows for 2 items")


def test_of_several_sheets_the_person_chooses_one(bulk: Bulk) -> None:
    window = bulk.window
    first, second = (HEADINGS + text_row(2, SUPPLIER, name, GLN) for name in ("I1", "I2"))
    sheets = [("old", "visible", first), ("new", "visible", second), ("Data", "hidden", first)]
    window.upload("upload", xlsx_sheets(sheets), name="list.xlsx")
    assert "Nothing is read before you choose." in window.alerts[0]
    assert "job" not in window.address
    window.switch("bulk_sheet", "new")
    bulk.rests()
    assert window.says("Sheet “new” is read; not read: “old”, “Data” (hidden).")
    window.click("apply")
    bulk.rests()
    assert bulk.recipients_of("I1", "I2") == [set(), {GLN}]
