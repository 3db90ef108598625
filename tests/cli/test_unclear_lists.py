"""Lists with something unclear, on the command line.

Each problem is reported, and nothing is sent.
"""

from pathlib import Path

import pytest

from item_visibility.lists.reader import read_table
from tests.cli.conftest import FIRST, SECOND, a_file, run
from tests.lists.workbooks import text_row, workbook, xlsx_sheets
from tests.support.desk import DeskKit

HEADINGS = "supplier,item,recipient"
TOP = text_row(1, "supplier", "item", "recipient")
ROW = text_row(2, "S1", "01", "R9")
HIDDEN = workbook(
    TOP
    + ROW.replace("<row", '<row hidden="1"')
    + text_row(3, "S1", "01", "R8")
    + text_row(4, "S1", "03", "R3")
)


@pytest.mark.parametrize(
    ("text", "options", "complaints"),
    [
        (
            f"{HEADINGS},Action,to do\nS1,01,R1,remove,remove\n",
            "",
            [
                (
                    "Column D “Action” may say the action, and is not read: “remove”"
                    " in row 2."
                ),
                "Give it another heading, delete it, or give --ignore-column E.",
            ],
        ),
        (
            f"{HEADINGS},x,X\nS1,01,R9,,\n",
            "--ignore-column x",
            ["Several columns are called “x”.", "Give --ignore-column its letter."],
        ),
        ("item,recipient\n01,R9\n", "", ["No column holds the supplier."]),
        (
            f"{HEADINGS}\nS1,01,R9\n",
            "--ignore-column colour",
            ["There is no column “colour”."],
        ),
        (
            f"{HEADINGS},action\nS1,01,A,add\n",
            "--prune",
            [
                "The file has a column with actions, so --prune cannot be used.",
                "Omit --prune, or that column.",
            ],
        ),
    ],
)
def test_each_unclear_part_of_a_list_is_reported(
    kit: DeskKit, text: str, options: str, complaints: list[str]
) -> None:
    result = run("apply", "--yes", a_file(text), *options.split())
    assert result.exit_code == 1
    assert [
        complaint for complaint in complaints if complaint not in result.stderr
    ] == []
    assert kit.fake.calls == []


def test_one_of_several_sheets_must_be_named(kit: DeskKit) -> None:
    other = TOP + text_row(2, "S1", "02", "A")
    name = a_file(
        xlsx_sheets(
            [
                ("old", "visible", TOP + ROW),
                ("Data", "veryHidden", TOP),
                ("new", "visible", other),
            ]
        ),
        "list.xlsx",
    )
    unnamed = run("apply", "--yes", name)
    named = run("apply", "--yes", name, "--sheet", "new")
    assert unnamed.exit_code == 1
    assert named.exit_code == 0
    assert (
        unnamed.stderr.splitlines()[0]
        == "Error: These sheets contain data: “old”, “new”, “Data” (hidden)."
    )
    assert (
        named.stdout.splitlines()[0]
        == "Sheet “new” is read; not read: “old”, “Data” (hidden)."
    )
    assert kit.fake.writes == []


def test_hidden_rows_are_used_only_if_asked_for(kit: DeskKit) -> None:
    name = a_file(HIDDEN, "list.xlsx")
    undecided = run("apply", "--yes", name)
    calls = list(kit.fake.calls)
    used = run("apply", "--yes", name, "--hidden", "use", "--skipped", "skipped.xlsx")
    assert undecided.exit_code == 1
    assert calls == []
    assert used.exit_code == 0
    assert undecided.stderr.startswith("Error: The file hides row 2.\n")
    assert used.stdout.splitlines()[-1] == "Verified: everything is as in the list."
    assert kit.fake.recipients_of(FIRST) == {*"ABC", "R8", "R9"}
    assert not Path("skipped.xlsx").exists()


def test_skipped_rows_are_counted_and_written_to_a_file_with_their_reasons(
    kit: DeskKit,
) -> None:
    name = a_file(HIDDEN, "list.xlsx")
    first = run("apply", "--yes", name, "--hidden", "skip", "--skipped", "skipped.xlsx")
    second = run("apply", "--yes", name, "--hidden", "skip")
    assert first.exit_code == 0
    assert second.exit_code == 0
    assert first.stdout.splitlines()[1] == "Hidden rows, skipped as requested: 2."
    assert first.stdout.splitlines()[-3:] == [
        "The rows that were skipped were written to skipped.xlsx.",
        "2 of 2 items: 3 rows: 1 verified · 1 already in place · 1 skipped.",
        "Verified: all other rows are as in the list. Skipped, as requested: 1 row.",
    ]
    assert second.stdout.splitlines()[-1] == (
        "Nothing to change: all other rows are as in the list. Skipped, as "
        "requested: 1 row."
    )
    assert kit.fake.recipients_of(FIRST) == {*"ABC", "R8"}
    assert [
        row.cells[2:] for row in read_table(Path("skipped.xlsx").read_bytes()).rows
    ] == [
        (
            "R9",
            "",
            "skipped",
            (
                "Row 2 of the list: The whole row is hidden in the file, and hidden"
                " rows are skipped."
            ),
            "2",
            "",
            "",
        )
    ]


def test_the_items_to_export_are_read_as_a_list(kit: DeskKit) -> None:
    hidden = text_row(2, "S1", "01").replace("<row", '<row hidden="1"')
    rows = (
        text_row(1, "supplier", "item", "Colour")
        + hidden
        + text_row(3, "S1", "02", "red")
    )
    a_file(
        xlsx_sheets([("one", "visible", rows), ("two", "visible", rows)]), "items.xlsx"
    )
    options = ("export", "--items", "items.xlsx", "--format", "csv", "-o", "out.csv")
    unnamed = run(*options)
    undecided = run(*options, "--sheet", "two")
    result = run(*options, "--sheet", "two", "--hidden", "skip")
    assert [ended.exit_code for ended in (unnamed, undecided, result)] == [1, 1, 0]
    assert "These sheets contain data" in unnamed.stderr
    assert "The file hides row 2." in undecided.stderr
    assert [row.cells[1] for row in read_table(Path("out.csv").read_bytes()).rows] == [
        "02"
    ]
    assert kit.fake.recipients_of(SECOND) == {"A"}


@pytest.mark.parametrize("options", [(), ("--accept-suggestions",), ("--as-is",)])
def test_an_id_that_lost_digits_is_refused_with_any_options(
    kit: DeskKit, options: tuple[str, ...]
) -> None:
    texts = ("9521000010000", "09521000010024:276", "9522000010007")
    cut = text_row(3, *texts[:2]).replace(
        "</row>", "<c><v>9521000010017270</v></c></row>"
    )
    rows = text_row(1, "supplier", "item", "recipient") + text_row(2, *texts) + cut
    result = run("apply", "--yes", a_file(workbook(rows), "list.xlsx"), *options)
    assert result.exit_code == 1
    assert "as it is:\nRow 3" in result.stderr
    assert kit.fake.calls == []


def test_many_complaints_are_counted(kit: DeskKit) -> None:
    result = run("plan", a_file(f"{HEADINGS}\n" + "S1,,X\n" * 60))
    assert result.exit_code == 1
    assert result.stderr.count("Row ") == 50
    assert kit.fake.calls == []
    assert "… and 10 more.\nNothing was changed. Correct the file" in result.stderr
