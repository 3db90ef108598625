"""Merged cells and formulas of a workbook are told, as they are read as if there were none."""

import pytest

from item_visibility.files.reading import read_table
from item_visibility.files.table import Marks
from item_visibility.files.table_in_words import mark_words
from tests.files.workbooks import text_row, workbook

HEADINGS = text_row(1, "Supplier", "Item")
FORMULA = '<row r="2"><c t="str"><f>"S"&amp;1</f><v>S1</v></c></row>'
MANY = "".join(f'<row r="{row}"><c t="str"><f>A1</f><v>S1</v></c></row>' for row in range(2, 40))
MERGED = '<mergeCell ref="A2:A3"/>'


@pytest.mark.parametrize(
    ("content", "marks"),
    [
        (workbook(HEADINGS + text_row(2, "S1", "I1")), Marks()),
        (
            workbook(
                HEADINGS + FORMULA,
                before='<mergeCells><mergeCell ref="A2:A5"/><mergeCell ref="B2:B3"/></mergeCells>',
            ),
            Marks(("A2:A5", "B2:B3"), (2,)),
        ),
        (
            workbook(HEADINGS + MANY, before=f"<mergeCells>{MERGED * 30}</mergeCells>"),
            Marks(("A2:A3",) * 20, tuple(range(2, 22))),
        ),
    ],
)
def test_what_is_merged_and_calculated_is_found(content: bytes, marks: Marks) -> None:
    """Of many, only the first ones are kept."""
    assert read_table(content).marks == marks


def test_what_is_merged_and_calculated_is_told() -> None:
    """The words say how it is read, so that a row without its supplier is understood."""
    table = read_table(
        workbook(HEADINGS + FORMULA, before='<mergeCells><mergeCell ref="A2:A5"/></mergeCells>')
    )
    assert mark_words(table) == (
        "Merged cells A2:A5: the text counts for the first of them, the others are empty.",
        "Formulas in row 2: their stored results are read.",
    )
