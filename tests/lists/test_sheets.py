"""The sheet of a workbook that is read, and its hidden parts: nothing is guessed."""

import pytest

from item_visibility.errors import FileError, SheetsError
from item_visibility.lists.reader import read_table
from item_visibility.lists.table import HIDDEN_SKIPPED, Hidden, NoResult, without_hidden
from tests.lists.workbooks import Sheet, text_row, workbook, xlsx_sheets

X, Y = text_row(1, "X"), text_row(1, "Y")
NOTHING = '<row r="1"><c r="A1"/></row>'


@pytest.mark.parametrize(
    ("sheets", "read"),
    [
        ([("one", "visible", X)], "Sheet “one” is read."),
        ([("Data", "hidden", Y), ("List", "visible", X)], "Sheet “List” is read; not read: “Data” (hidden)."),
        (
            [("Data", "veryHidden", Y), ("List", "visible", X)],
            "Sheet “List” is read; not read: “Data” (hidden).",
        ),
        ([("empty", "visible", NOTHING), ("List", "visible", X)], "Sheet “List” is read."),
    ],
)
def test_the_only_visible_sheet_that_holds_something_is_read(sheets: list[Sheet], read: str) -> None:
    """It may stand anywhere; hidden ones that hold something are named."""
    table = read_table(xlsx_sheets(sheets))
    assert table.header == ("X",)
    assert table.sheet == read


def test_of_several_visible_sheets_a_person_chooses_one() -> None:
    """None is read before; the one that is named is, also a hidden one."""
    content = xlsx_sheets([("one", "visible", X), ("two", "visible", Y), ("Data", "hidden", X)])
    with pytest.raises(SheetsError, match="Several sheets hold something: one, two") as caught:
        read_table(content)
    assert caught.value.sheets == ("one", "two", "Data")
    assert read_table(content, sheet="two").header == ("Y",)
    assert read_table(content, sheet="Data").sheet == "Sheet “Data” is read; not read: “one”, “two”."
    with pytest.raises(SheetsError, match="no sheet “three”"):
        read_table(content, sheet="three")


def test_a_hidden_sheet_is_never_read_by_itself() -> None:
    """Not even when it is the only one that holds something."""
    content = xlsx_sheets([("seen", "visible", NOTHING), ("Data", "hidden", X)])
    with pytest.raises(SheetsError, match="Only hidden sheets hold anything: Data"):
        read_table(content)
    assert read_table(content, sheet="Data").header == ("X",)


@pytest.mark.parametrize("name", [None, "1"])
def test_a_workbook_without_cells_holds_no_rows(name: str | None) -> None:
    """Whether a sheet is named or not."""
    with pytest.raises(FileError, match="The file holds no rows"):
        read_table(workbook(""), sheet=name)


def test_a_file_that_is_no_workbook_has_no_sheet() -> None:
    """The name of one is a mistake."""
    with pytest.raises(FileError, match="Only a workbook has sheets"):
        read_table(b"Item\nI1\n", sheet="Sheet1")


HIDDEN_PARTS = workbook(
    text_row(1, "A", "B", "C")
    + text_row(2, "a", "b", "c").replace("<row", '<row hidden="1"')
    + text_row(3, "d", "e", "f")
    + text_row(4, "g", "h", "i").replace("<row", '<row ht="0" customHeight="1"'),
    before='<cols><col min="2" max="2" hidden="1"/><col min="9" max="16384" hidden="true"/></cols>',
)


def test_hidden_rows_and_columns_are_named() -> None:
    """As far as they hold something: of no height, or simply hidden."""
    table = read_table(HIDDEN_PARTS)
    assert table.hidden == Hidden((2, 4), (1,))
    shown = without_hidden(table)
    assert [row.cells[0] for row in shown.rows] == ["d"]
    assert (shown.header[:2], shown.rows[0].cells[1]) == (("A", ""), "")
    assert [(one.row.number, one.row.cells[1], one.reason) for one in shown.aside] == [
        (2, "b", HIDDEN_SKIPPED),
        (4, "h", HIDDEN_SKIPPED),
    ]
    assert not shown.hidden


def test_rows_may_be_hidden_unless_they_say_otherwise() -> None:
    """A sheet whose rows have no height."""
    rows = text_row(1, "A") + text_row(2, "b").replace("<row", '<row ht="15"')
    table = read_table(workbook(rows, before='<sheetFormatPr defaultRowHeight="15" zeroHeight="1"/>'))
    assert table.hidden == Hidden((1,), ())


def test_a_file_of_hidden_rows_alone_holds_nothing_to_see() -> None:
    """It is told so when they are skipped."""
    table = read_table(workbook(text_row(1, "A").replace("<row", '<row hidden="1"')))
    with pytest.raises(FileError, match="Only hidden rows and columns"):
        without_hidden(table)


def test_a_formula_without_a_stored_result_is_no_blank() -> None:
    """Nobody knows what it says."""
    content = workbook(
        '<row r="1"><c t="str"><f>A9</f></c><c><f>B9</f><v/></c><c t="str"><f>1</f><v>x</v></c></row>'
    )
    header = read_table(content).header
    assert [isinstance(cell, NoResult) for cell in header] == [True, True, False]
    assert header[2] == "x"


def test_the_result_of_a_formula_may_be_an_empty_text() -> None:
    """It is stored, and says nothing."""
    content = workbook(
        '<row r="1"><c t="str"><f>""</f><v></v></c><c t="inlineStr"><is><t>x</t></is></c></row>'
    )
    assert read_table(content).header == ("", "x")


def test_a_formula_for_many_cells_without_results_is_refused() -> None:
    """All of them look blank, but only the first says that there is a formula."""
    row = '<row r="1"><c t="inlineStr"><is><t>x</t></is></c><c><f t="array" ref="B1:B9">A1</f></c></row>'
    with pytest.raises(FileError, match="Row 1 holds a formula for many cells"):
        read_table(workbook(row))


@pytest.mark.parametrize(
    "rows",
    [
        '<row r="1"><c t="s"><v>-1</v></c></row>',
        '<row r="1"><c t="s"><v>+0</v></c></row>',
        '<row r="1"><c t="s"><v>1</v></c></row>',
        '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="A1"/></row>',
        '<row r="1"><c r="B1"/><c r="A1" t="s"><v>0</v></c></row>',
        '<row r="1"><c r="A2" t="s"><v>0</v></c></row>',
        text_row(1, "x") + text_row(1, "y"),
        text_row(2, "x") + text_row(1, "y"),
    ],
)
def test_a_workbook_that_could_be_read_in_two_ways_is_refused(rows: str) -> None:
    """A text that is counted from the end, a cell or a row that is given twice, or elsewhere."""
    with pytest.raises(FileError, match="cannot be read as XLSX"):
        read_table(workbook(rows, shared="<si><t>zero</t></si>"))


def test_hidden_columns_are_given_in_a_few_ranges() -> None:
    """Or the file is none that a program wrote."""
    before = '<col min="1" max="1000" hidden="1"/>' * 1_001
    with pytest.raises(FileError, match="cannot be read as XLSX"):
        read_table(workbook(X, before=f"<cols>{before}</cols>"))


@pytest.mark.parametrize(
    ("rows", "before", "warnings"),
    [
        (text_row(1, "A"), "", ()),
        (
            text_row(1, "A") + '<row r="2"><c t="str"><f>"S"&amp;1</f><v>S1</v></c></row>',
            '<mergeCells><mergeCell ref="A2:A5"/><mergeCell ref="B2:B3"/></mergeCells>',
            (
                "Merged cells A2:A5, B2:B3: only the first of them has the text.",
                "Formulas in row 2: their stored results are read.",
            ),
        ),
    ],
)
def test_merged_cells_and_formulas_are_reported(rows: str, before: str, warnings: tuple[str, ...]) -> None:
    """So that a row without its supplier, or with an old result, is understood."""
    assert read_table(workbook(rows, before=before)).warnings == warnings


def test_of_many_merged_cells_and_formulas_only_the_first_are_kept() -> None:
    """The words stay short."""
    rows = "".join(f'<row r="{row}"><c t="str"><f>A1</f><v>S</v></c></row>' for row in range(1, 40))
    merged_cells = '<mergeCell ref="A2:A3"/>' * 30
    before = f"<mergeCells>{merged_cells}</mergeCells>"
    merged, formulas = read_table(workbook(rows, before=before)).warnings
    assert "and 10 more: only the first" in merged
    assert "and 10 more: their stored" in formulas
