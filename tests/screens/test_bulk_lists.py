"""Lists as people bring them: how they are read, what is damaged in them, what is skipped."""

import pytest

from item_visibility.storage.directory import Kind, NameRow
from tests.lists.workbooks import text_row, workbook
from tests.screens.bulk import FINDINGS, ITEMS, SKIPPED, SUPPLIER, Bulk, item
from tests.screens.conftest import OpenBulk
from tests.support.fake_visibilities import NOBODY

pytestmark = pytest.mark.screen

GTIN = "04006381333931:276"
GLN, OTHER_GLN = "9522000020006", "9522000030005"
BLANK = "\N{NO-BREAK SPACE}"
DAMAGED = f"{GLN}{BLANK}"
SHORTENED = "9.522E+12"


@pytest.fixture
def bulk(open_bulk: OpenBulk) -> Bulk:
    """Two items that nobody can see."""
    return open_bulk({item(GTIN): NOBODY, item("I1"): NOBODY})


def test_b5_a_list_that_came_in_excel_takes_three_actions(bulk: Bulk) -> None:
    """B5: drop the file, accept the suggestions, Apply."""
    window = bulk.window
    bulk.drop((SUPPLIER, GTIN, DAMAGED), (SUPPLIER, GTIN, OTHER_GLN))
    assert window.alerts == ["Decide above about what may be wrong; then the preview begins."]
    ((row, column, value, _, suggestion),) = window.rows(FINDINGS)
    assert (row, column, suggestion) == ("2", "C · Recipient", GLN)
    assert value.startswith(GLN)
    assert "job" not in window.address
    window.click("accept_all")
    bulk.rests()
    window.click("apply")
    bulk.rests()
    assert window.actions == 3
    assert window.alerts == ["2 verified"]
    assert bulk.recipients_of(GTIN) == [{GLN, OTHER_GLN}]


@pytest.mark.parametrize("number", ["9521000010017270", "9521000010017"])
@pytest.mark.parametrize("press", ["skip_undecided", "keep_as_is"])
def test_an_id_that_a_spreadsheet_cut_is_never_sent(bulk: Bulk, number: str, press: str) -> None:
    """The number cell of row 3 is named, there is no suggestion, and only the other row is taken."""
    texts = (SUPPLIER, GTIN, GLN)
    cells = "".join(
        f'<c t="inlineStr"><is><t>{text}</t></is></c>' if text != GTIN else f"<c><v>{number}</v></c>"
        for text in texts
    )
    rows = text_row(1, "Supplier", "Item", "Recipient") + text_row(2, *texts) + f'<row r="3">{cells}</row>'
    bulk.drop_bytes(workbook(rows), name="list.xlsx")
    found = [(row[0], row[1], row[2], row[4]) for row in bulk.window.rows(FINDINGS)]
    assert found == [("3", "B · Item", number, "")]
    bulk.window.click(press)
    bulk.rests()
    bulk.window.click("apply")
    assert bulk.rests().skipped == 1
    assert {call.item for call in bulk.kit.fake.writes} == {item(GTIN)}


def test_what_looks_damaged_is_kept_as_it_is_when_the_person_says_so(bulk: Bulk) -> None:
    """Ids are opaque: nothing is mended behind anybody's back."""
    bulk.drop((SUPPLIER, GTIN, DAMAGED))
    bulk.window.click("keep_as_is")
    bulk.rests()
    bulk.window.click("apply")
    bulk.rests()
    assert bulk.recipients_of(GTIN) == [{DAMAGED}]


def test_one_suggestion_is_accepted_and_another_is_not(bulk: Bulk) -> None:
    """By the rows that are selected; another decision starts another preview."""
    bulk.drop((SUPPLIER, GTIN, DAMAGED), (SUPPLIER, GTIN, "952200000031"))
    window = bulk.window
    bulk.select(FINDINGS, 0)
    window.click("accept_selected")
    assert [row[0] for row in window.rows(FINDINGS)] == ["3"]
    bulk.select(FINDINGS, 0)
    window.click("keep_as_is")
    bulk.rests()
    assert window.says("1 suggestion accepted, 1 kept, 0 rows skipped")
    first = bulk.job.key
    bulk.back()
    window.click("decide_again")
    assert len(window.rows(FINDINGS)) == 2
    assert window.alerts == ["Decide above about what may be wrong; then the preview begins."]
    window.click("accept_all")
    assert bulk.rests().key != first


def test_suggestions_of_one_kind_are_accepted_together(bulk: Bulk) -> None:
    """The table shows one kind, and Accept all means those."""
    bulk.drop((SUPPLIER, GTIN, DAMAGED), (SUPPLIER, GTIN, "952200000031"))
    window = bulk.window
    window.switch("bulk_finding_kind", "lost zeros")
    assert [row[0] for row in window.rows(FINDINGS)] == ["3"]
    window.click("accept_all")
    assert window.says("1 suggestion accepted, 0 kept, 1 row skipped")
    assert "job" not in window.address


def test_many_findings_are_shown_in_part(bulk: Bulk) -> None:
    """And all of them are meant."""
    bulk.drop(*[(SUPPLIER, f"ITEM-{number}", DAMAGED) for number in range(210)])
    assert len(bulk.window.rows(FINDINGS)) == 200
    assert bulk.window.says("The first 200 of 210 are shown.")
    bulk.window.click("accept_all")
    assert bulk.window.says("210 suggestions accepted")


def test_many_problems_are_shown_in_part(bulk: Bulk) -> None:
    """The browser gets no long list."""
    bulk.drop(*[(SUPPLIER, "", OTHER_GLN)] * 201)
    assert len(bulk.window.rows(SKIPPED)) == 200
    assert bulk.window.alerts == ["No row can be used, so there is nothing to preview."]


def test_columns_that_were_not_found_are_chosen_by_hand(bulk: Bulk) -> None:
    """The page says which one is missing; then the preview begins."""
    bulk.drop((SUPPLIER, "I1", GLN), header=("Wer", "Was", "Wem"))
    window = bulk.window
    assert window.alerts == ["No column says the supplier. Choose one, or enter the supplier of all rows."]
    bulk.choose("Supplier column", "A · Wer")
    bulk.choose("Item column", "B · Was")
    bulk.choose("Recipient column", "C · Wem")
    bulk.rests()
    assert bulk.window.rows(ITEMS)[0][1:3] == ("I1", SUPPLIER)


def test_a_list_without_suppliers_takes_the_one_that_is_entered(bulk: Bulk) -> None:
    """It holds for all rows."""
    bulk.window.find("used", SUPPLIER, key="bulk_supplier")
    bulk.drop(("I1", GLN), header=("Item", "Recipient"))
    bulk.rests()
    assert bulk.window.rows(ITEMS)[0][1:3] == ("I1", SUPPLIER)


def test_a_text_that_is_not_utf_8_is_read_as_windows_text(bulk: Bulk) -> None:
    """The page says so, and asks whether the letters are right."""
    content = f"Lieferant;Artikel;Empfänger\r\n{SUPPLIER};I1;{GLN}\r\n".encode("cp1252")
    bulk.drop_bytes(content, name="Liste.csv")
    bulk.rests()
    question = "Read as Windows text. Do the umlauts look right? “Empfänger”"
    assert bulk.window.alerts[0] == question
    assert bulk.window.says(question)
    assert bulk.window.rows(ITEMS)[0][1] == "I1"


def test_a_list_that_asks_for_too_much_is_told(bulk: Bulk) -> None:
    """The message says what to do."""
    bulk.kit.desk.sets.make("Everybody", {f"R{number}" for number in range(1_001)})
    bulk.window.leave()
    bulk.window.switch("bulk_set", "Everybody")
    bulk.drop(*[(SUPPLIER, f"I{number}") for number in range(200)])
    assert "The list could not be used. Nothing was changed." in bulk.window.alerts
    assert bulk.window.says("Divide it into several lists.")


def test_preview_without_a_list_says_what_is_missing(bulk: Bulk) -> None:
    """Instead of doing nothing."""
    bulk.window.click("preview")
    assert bulk.window.alerts == ["There is nothing to preview yet: upload a file, or paste rows."]


def test_the_preview_of_pasted_rows_begins_once_all_is_decided(bulk: Bulk) -> None:
    """After a press of Preview. Before one, the page says what to press."""
    window = bulk.window
    window.type("bulk_paste", f"Supplier\tItem\tRecipient\n{SUPPLIER}\t{GTIN}\t{DAMAGED}")
    window.leave()
    assert window.alerts == ["Decide above about what may be wrong; then press Preview."]
    window.click("preview")
    assert window.alerts == ["Decide above about what may be wrong; then the preview begins."]
    window.click("accept_all")
    bulk.rests()
    assert ITEMS in window.tables


def test_a_column_that_is_not_used_is_reported(bulk: Bulk) -> None:
    """Its preview starts once the person accepts that, and says so in amber."""
    bulk.drop((SUPPLIER, GTIN, GLN, "red"), header=("Supplier", "Item", "Recipient", "Colour"))
    assert "Columns of the list are not understood." in bulk.window.alerts
    assert bulk.window.says("Column D “Colour” is not understood, and is not read: “red” in row 2.")
    assert "job" not in bulk.window.address
    bulk.window.click("accept_columns")
    bulk.rests()
    assert bulk.window.says("Row 1 holds the headings.")
    assert "Not read: column D “Colour”." in bulk.window.alerts


def test_fields_that_do_not_apply_are_hidden_while_a_file_is_loaded(bulk: Bulk) -> None:
    """Pasting, and the values that the list says itself; they come back when the list does not say them."""
    fields = {"bulk_paste", "bulk_set"}
    assert fields <= bulk.window.keys
    bulk.drop((SUPPLIER, "I1", GLN), (SUPPLIER, "", GLN))
    bulk.rests()
    bulk.back()
    assert not fields & bulk.window.keys
    bulk.choose("Recipient column", "not in the list")
    assert "bulk_set" in bulk.window.keys
    assert "bulk_paste" not in bulk.window.keys


def test_names_that_were_recognised_are_accepted_in_one_action(bulk: Bulk) -> None:
    """They are no damage; ids that may be wrong are counted beside them."""
    bulk.kit.records.directory[Kind.RECIPIENT].put([NameRow((GLN,), "Sonnenhof")])
    bulk.drop((SUPPLIER, GTIN, "Sonnenhof"), (SUPPLIER, "I1", "Sonnenhof"))
    assert bulk.window.says("2 names were found. Accept them?")
    assert not bulk.window.says("may be wrong.")
    bulk.window.click("accept_all")
    bulk.rests()
    bulk.window.click("apply")
    bulk.rests()
    assert bulk.recipients_of(GTIN) == [{GLN}]


def test_the_person_says_whether_the_first_row_is_a_heading(bulk: Bulk) -> None:
    """The switch shows what was taken for it; the list is then read as the person says."""
    window = bulk.window
    bulk.drop((SUPPLIER, "I1", GLN), header=("Haus", "Ware", "Laden"))
    (toggle,) = (one for one in window.app.toggle if one.label == "First row is a heading")
    assert toggle.value is True
    assert window.alerts == ["No column says the supplier. Choose one, or enter the supplier of all rows."]
    window.switch(str(toggle.key), value=False)
    assert window.says("The list has no headings: every row is a row of it.")
