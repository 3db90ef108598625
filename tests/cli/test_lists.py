"""Lists that are not clear, from the command line: each doubt is a complaint, nothing is taken in part."""

import json
from pathlib import Path

import pytest

from item_visibility.lists.reader import read_table
from tests.cli.lists import FIRST, SECOND, a_file, kit, run
from tests.lists.workbooks import text_row, workbook, xlsx_sheets
from tests.support.desk import DeskKit

__all__ = ["kit"]

HEADINGS = "supplier,item,recipient"


@pytest.mark.parametrize(
    ("text", "options", "complaints"),
    [
        (
            f"S1,01,R1\nS1,01,R2\nS1,02,R1\n{HEADINGS}\nS1,01,R9\n",
            ("--prune",),
            [
                "Row 1: The row is above the headings in row 4, and may be one of the list.",
                "Row 2: The row is above the headings in row 4, and may be one of the list.",
                "Row 3: The row is above the headings in row 4, and may be one of the list.",
                (
                    "Row 5: Skipped: row 1 cannot be read, so that the list that is to be set exactly may be"
                    " incomplete."
                ),
            ],
        ),
        (
            f"{HEADINGS}\nS1,01,R9\n{HEADINGS}\nS1,02,R9\n",
            (),
            ["Row 3: The row repeats the headings."],
        ),
        (
            f"{HEADINGS},Action,to do\nS1,01,R1,remove,remove\n",
            (),
            [
                (
                    "Column D “Action” may say what to do, and is not read: “remove” in row 2."
                    " Give it another heading, delete it, or give --ignore-column D."
                ),
                (
                    "Column E “to do” may say what to do, and is not read: “remove” in row 2."
                    " Give it another heading, delete it, or give --ignore-column E."
                ),
            ],
        ),
        (
            f"{HEADINGS},\nS1,01,R1,remove\n",
            (),
            [
                (
                    "Column D has no heading, and is not read: “remove” in row 2."
                    " Give it another heading, delete it, or give --ignore-column D."
                ),
            ],
        ),
        (
            "supplier,item,recipient\nS1,01,remove\n",
            (),
            ["Row 2: “remove” says what is to be done. It is taken for no recipient."],
        ),
        (
            f"{HEADINGS},,\nS1,01,R1,,call Anna\n",
            (),
            [
                (
                    "Column E has no heading, and is not read: “call Anna” in row 2."
                    " Give it another heading, delete it, or give --ignore-column E."
                ),
            ],
        ),
        (
            f"{HEADINGS},Zielmarkt\nS1,01,R1,276\n",
            (),
            [
                (
                    "Column D “Zielmarkt” may say the market, and is not read: “276” in row 2."
                    " Give it another heading, delete it, or give --ignore-column D."
                ),
            ],
        ),
        (
            "4000001000005,04006381333931:276,call Anna\n4000001000005,04006381333931:276,R1\n",
            (),
            ["Column C has no heading, and is read as ids: “call Anna” in row 1. Give the list headings."],
        ),
        (
            f"{HEADINGS}\nS1,01,R9\n",
            ("--ignore-column", "E", "--ignore-column", "colour"),
            [
                "There is no column “E”: give --ignore-column its letter.",
                "There is no column “colour”: give --ignore-column its letter.",
            ],
        ),
        (
            f"{HEADINGS},x,X\nS1,01,R9,,\n",
            ("--ignore-column", " x "),
            ["Several columns are called “ x ”: give --ignore-column its letter."],
        ),
    ],
)
@pytest.mark.parametrize("command", [("plan",), ("apply", "--yes")])
def test_what_is_not_clear_in_a_list_is_a_complaint(
    kit: DeskKit,
    command: tuple[str, ...],
    text: str,
    options: tuple[str, ...],
    complaints: list[str],
) -> None:
    """It says what to do; nothing is read or sent."""
    result = run(*command, a_file(text), *options, "--as-is")
    assert result.exit_code == 1
    assert result.stderr.splitlines()[: len(complaints)] == complaints
    assert "was not applied" in result.stderr.splitlines()[len(complaints)]
    assert kit.fake.calls == []


def test_a_column_that_is_ignored_is_named_in_the_plan(kit: DeskKit) -> None:
    """With titles above the headings, and columns whose heading says that they are not needed."""
    text = f"Spring list,,,,,\n{HEADINGS},Actions,to do,Comment\nS1,01,R9,remove,add,new\n"
    result = run("plan", a_file(text), "--ignore-column", "actions")
    assert result.exit_code == 2
    assert result.stdout.splitlines()[:4] == [
        "Not read, above the headings: row 1 “Spring list”.",
        "Not read: column F “Comment”.",
        "S1 / 01",
        "    add     R9",
    ]
    assert kit.fake.writes == []


ROW = text_row(2, "S1", "01", "R9")
TOP = text_row(1, "supplier", "item", "recipient")


def test_of_several_sheets_one_has_to_be_named(kit: DeskKit) -> None:
    """Then the plan says which was read, and which were not."""
    other = TOP + text_row(2, "S1", "02", "R1")
    name = a_file(
        xlsx_sheets([("old", "visible", TOP + ROW), ("Data", "veryHidden", TOP), ("new", "visible", other)]),
        "list.xlsx",
    )
    unnamed = run("apply", "--yes", name)
    named = run("apply", "--yes", name, "--sheet", "new")
    assert (unnamed.exit_code, named.exit_code) == (1, 0)
    assert unnamed.stderr.splitlines()[0] == (
        "Several sheets hold something: old, new. Give --sheet with the name of the list's sheet."
    )
    assert named.stdout.splitlines()[0] == "Sheet “new” is read; not read: “old”, “Data” (hidden)."
    assert kit.fake.writes == []


HIDDEN = workbook(
    TOP
    + ROW.replace("<row", '<row hidden="1"')
    + text_row(3, "S1", "01", "R8")
    + text_row(4, "S1", "03", "R3")
)


def test_hidden_rows_are_a_complaint_until_it_is_said_what_they_are(kit: DeskKit) -> None:
    """Neither used nor skipped by themselves."""
    result = run("apply", "--yes", a_file(HIDDEN, "list.xlsx"))
    assert result.exit_code == 1
    assert result.stderr.splitlines()[0] == ("Hidden in the file: row 2. Give --hidden use or --hidden skip.")
    assert kit.fake.calls == []


def test_hidden_rows_that_are_used_are_rows_like_others(kit: DeskKit) -> None:
    """They were named."""
    result = run("apply", "--yes", a_file(HIDDEN, "list.xlsx"), "--hidden", "use")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == "Verified: everything is as in the list."
    assert kit.fake.recipients_of(FIRST) == {"R1", "R2", "R8", "R9"}


def test_hidden_rows_that_are_skipped_stay_part_of_the_result(kit: DeskKit) -> None:
    """Not everything is as in the list: what was skipped is counted, and kept with the job."""
    name = a_file(HIDDEN, "list.xlsx")
    first = run("apply", "--yes", name, "--hidden", "skip")
    second = run("apply", "--yes", name, "--hidden", "skip")
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert first.stdout.splitlines()[1] == "Hidden rows, skipped as requested: 2."
    assert first.stdout.splitlines()[-2:] == [
        "2 of 2 items: 1 verified, 1 already in place, 1 row skipped.",
        "Verified: all other rows are as in the list. Skipped, as requested: 1 row.",
    ]
    assert second.stdout.splitlines()[-1] == (
        "Nothing to change: all other rows are as in the list. Skipped, as requested: 1 row."
    )
    assert kit.fake.recipients_of(FIRST) == {"R1", "R2", "R8"}
    bulk = kit.desk.bulk
    assert [(row.number, row.recipients) for row in bulk.store.skipped_rows(bulk.store.jobs()[-1].key)] == [
        (2, "R9")
    ]


@pytest.mark.usefixtures("kit")
@pytest.mark.parametrize("command", [("plan",), ("apply", "--yes")])
def test_skipped_rows_are_written_to_a_file_with_their_reasons(
    command: tuple[str, ...],
) -> None:
    """As the page's download has them."""
    name = a_file(HIDDEN, "list.xlsx")
    result = run(*command, name, "--hidden", "skip", "--skipped", "skipped.xlsx")
    assert "The rows that were skipped were written to skipped.xlsx." in result.stdout.splitlines()
    assert [row.cells[2:] for row in read_table(Path("skipped.xlsx").read_bytes()).rows] == [
        (
            "R9",
            "",
            "skipped",
            "Row 2 of the list: All of the row is hidden in the file, and what is hidden is skipped.",
            "2",
            "",
            "",
        ),
    ]


def test_without_skipped_rows_no_file_of_them_is_made(kit: DeskKit) -> None:
    """Nothing is not an empty file."""
    run("plan", a_file(HIDDEN, "list.xlsx"), "--hidden", "use", "--skipped", "skipped.xlsx")
    assert kit.fake.calls
    assert not Path("skipped.xlsx").exists()


def test_a_formula_without_a_result_in_a_matrix_removes_nobody(kit: DeskKit) -> None:
    """It is refused by its row: nobody knows whether it ticks."""
    rows = (
        text_row(1, "supplier", "item", "R1", "R2")
        + text_row(2, "S1", "02", "x", "x")
        + '<row r="3"><c t="inlineStr"><is><t>S1</t></is></c><c t="inlineStr"><is><t>01</t></is></c>'
        '<c t="inlineStr"><is><t>x</t></is></c><c><f>C3</f></c></row>'
    )
    result = run("apply", "--yes", "--prune", a_file(workbook(rows), "list.xlsx"))
    assert result.exit_code == 1
    assert result.stderr.splitlines()[0] == (
        "Row 3: “a formula without a stored result” is neither a tick nor empty."
    )
    assert kit.fake.calls == []


def test_items_to_export_come_from_the_sheet_that_is_named(kit: DeskKit) -> None:
    """And from the rows that are meant."""
    hidden = text_row(2, "S1", "01").replace("<row", '<row hidden="1"')
    rows = text_row(1, "supplier", "item") + hidden + text_row(3, "S1", "02")
    a_file(xlsx_sheets([("one", "visible", rows), ("two", "visible", rows)]), "items.xlsx")
    options = ("export", "--items", "items.xlsx", "--format", "csv", "-o", "out.csv")
    unnamed = run(*options)
    open_question = run(*options, "--sheet", "two")
    result = run(*options, "--sheet", "two", "--hidden", "skip")
    assert [one.exit_code for one in (unnamed, open_question, result)] == [1, 1, 0]
    assert "Several sheets" in unnamed.stderr
    assert "The file hides row 2." in open_question.stderr
    assert [row.cells[1] for row in read_table(Path("out.csv").read_bytes()).rows] == ["02"]
    assert kit.fake.recipients_of(SECOND) == {"R1"}


def test_items_with_a_market_that_is_not_read_are_not_exported(kit: DeskKit) -> None:
    """Others would be read, that do not exist."""
    name = a_file("supplier,item,Zielmarkt\nS1,01,276\n")
    result = run("export", "--items", name, "--format", "csv", "-o", "out.csv")
    assert result.exit_code == 1
    assert "Column C “Zielmarkt” may say the market" in result.stderr
    assert kit.fake.calls == []


def test_columns_that_an_export_does_not_need_are_left_alone(kit: DeskKit) -> None:
    """It changes nothing, whatever they say."""
    name = a_file("supplier,item,Colour\nS1,02,red\n")
    assert run("export", "--items", name, "--format", "csv", "-o", "out.csv").exit_code == 0
    assert kit.fake.writes == []


CUT, SHORT = 9521000010017270, 9521000010017


def a_list_with_numbers(kind: str, item: int, column: str) -> str:
    """The name of a list: a row of text ids, and one where this column holds the number."""
    texts = {"supplier": "9521000010000", "item": "09521000010024:276", "recipient": "9522000010007"}
    if kind == "json":
        return a_file(json.dumps([texts, texts | {column: item}]), "list.json")
    cells = "".join(
        f"<c><v>{item}</v></c>" if name == column else f'<c t="inlineStr"><is><t>{text}</t></is></c>'
        for name, text in texts.items()
    )
    rows = text_row(1, *texts) + text_row(2, *texts.values()) + f'<row r="3">{cells}</row>'
    return a_file(workbook(rows), "list.xlsx")


@pytest.mark.parametrize("options", [(), ("--accept-suggestions",), ("--as-is",)])
@pytest.mark.parametrize(
    ("column", "number"),
    [
        ("supplier", CUT),
        ("item", CUT),
        ("recipient", CUT),
        ("supplier", SHORT // 10),
        ("item", SHORT),
        ("recipient", SHORT // 10),
    ],
)
@pytest.mark.parametrize("kind", ["xlsx", "json"])
def test_ids_that_a_spreadsheet_cut_are_refused_with_their_row(
    kit: DeskKit, kind: str, column: str, number: int, options: tuple[str, ...]
) -> None:
    """Nothing of the list is sent: the id that is meant cannot be known."""
    result = run("apply", "--yes", a_list_with_numbers(kind, number, column), *options)
    row = 2 if kind == "json" else 3
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Row {row}")
    assert kit.fake.calls == []


@pytest.mark.parametrize("kind", ["xlsx", "json"])
def test_a_number_cell_with_all_its_digits_is_read_as_text(kit: DeskKit, kind: str) -> None:
    """It has the form of the text ids of its column, and its check digit fits."""
    result = run("plan", a_list_with_numbers(kind, 9522000030005, "recipient"))
    assert (result.exit_code, "9522000030005" in result.stdout) == (2, True)
    assert kit.fake.writes == []
