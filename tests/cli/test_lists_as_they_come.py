"""Lists as people bring them: the command does exactly what they say, or asks."""

from pathlib import Path

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.lists.reader import read_table
from item_visibility.lists.writer import write_xlsx
from tests.cli.conftest import FIRST, SECOND, a_file, run
from tests.lists.workbooks import text_row, workbook
from tests.support.desk import DeskKit, put_names

EITHER = (
    "Correct the file, or give --accept-suggestions for the suggested ids or --as-is "
    "to use other texts"
    " unchanged."
)
SUPPLIER = "9521000000016"
ITEM = "09521000000117:276"
NEW = "09521000000216:276"
RECIPIENT = "9522000000015"
OTHER = "9522000000022"
WITH_ZERO = "0952200000031"
WITHOUT_ZERO = "952200000031"
NAMES = ("Mill", "Oat bread", "Nord")
HEADINGS = "supplier,item,recipient"


@pytest.fixture
def known(kit: DeskKit) -> DeskKit:
    """The commands' desk, with names for a supplier, two items and a recipient."""
    items = [ItemKey(SUPPLIER, number) for number in (ITEM, "09521000000117:040")]
    put_names(
        kit.records.directory,
        suppliers=[(SUPPLIER, "Mill"), ("S1", "")],
        items=[
            *((item, "", "Oat bread") for item in items),
            (FIRST, "", ""),
            (SECOND, "", ""),
        ],
        recipients=[(RECIPIENT, "Nord")],
    )
    return kit


def quoted(*cells: str) -> str:
    return ",".join(f'"{cell}"' for cell in cells)


NO_IDS = [
    *("Nord", "Nordlicht", "all", "alle", "everyone", "*", "%", "SHOP 7", "2026-11-22"),
    *("nan", "N/A", "None", "NULL", "-", " "),
    *(
        f"{prefix}{RECIPIENT}"
        for prefix in ("GLN ", "0088:", "(01)", "https://id.gs1.org/414/")
    ),
    *(
        f"{RECIPIENT}{mark}{OTHER}"
        for mark in (";", ",", ", ", " ", " / ", "|", "-", "\n")
    ),
    "R1;R2",
]


@pytest.mark.parametrize("column", [0, 1, 2], ids=["supplier", "item", "recipient"])
@pytest.mark.parametrize("text", NO_IDS)
def test_a_text_that_is_no_id_is_asked_about_in_any_number_of_rows(
    known: DeskKit, text: str, column: int
) -> None:
    rows = [[SUPPLIER, f"I{number}", RECIPIENT] for number in range(4)]
    for row in rows:
        row[column] = text
    result = run(
        "apply", "--yes", a_file("\n".join([HEADINGS, *(quoted(*row) for row in rows)]))
    )
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: The list cannot be used as it is:\nRow 2")
    assert known.fake.calls == []


@pytest.mark.parametrize("text", ["S1", "r-17", "100234", "0042", "4711"])
def test_a_word_with_a_digit_is_an_id(kit: DeskKit, text: str) -> None:
    result = run("apply", "--yes", a_file(f"{HEADINGS}\n{text},{text},{text}\n"))
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == "Verified: everything is as in the list."
    assert kit.fake.recipients_of(ItemKey(text, text)) == {text}


def test_known_ids_of_letters_are_used(known: DeskKit) -> None:
    assert run("apply", "--yes", a_file(f"{HEADINGS}\nS1,02,X\n")).exit_code == 0
    assert known.fake.recipients_of(SECOND) == {"A", "X"}


@pytest.mark.parametrize(
    ("text", "options", "advice"),
    [
        (
            "Sonnenhof",
            (),
            "Correct the file, or give --as-is to use other texts unchanged.",
        ),
        (
            "Nord",
            (),
            "Correct the file, or give --accept-suggestions for the suggested ids.",
        ),
        (
            "Nord",
            ("--as-is",),
            "Correct the file, or give --accept-suggestions for the suggested ids.",
        ),
        (f"not {RECIPIENT}", (), "Correct the file."),
        (
            WITHOUT_ZERO,
            (),
            EITHER,
        ),
    ],
)
def test_the_options_that_decide_are_named(
    known: DeskKit, text: str, options: tuple[str, ...], advice: str
) -> None:
    result = run("plan", a_file(f"{HEADINGS}\n{SUPPLIER},I1,{text}\n"), *options)
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-1] == f"Nothing was changed. {advice}"
    assert known.fake.calls == []


@pytest.mark.parametrize(
    "text",
    [
        *(
            "Nord",
            "nord ",
            "Oat bread",
            "nan",
            f"{RECIPIENT};{OTHER}",
            f"{RECIPIENT} {OTHER}",
            "R1, R2",
        ),
        *(
            f"GLN {RECIPIENT}",
            f"0088:{RECIPIENT}",
            f"not {RECIPIENT}",
            f"“{RECIPIENT}”",
            f"{RECIPIENT} ",
        ),
    ],
)
def test_names_several_ids_and_known_ids_beside_text_are_never_used_as_they_are(
    known: DeskKit, text: str
) -> None:
    result = run(
        "apply",
        "--yes",
        "--as-is",
        a_file(f"{HEADINGS}\n{quoted(SUPPLIER, 'I1', text)}\n"),
    )
    assert result.exit_code == 1
    assert "Row 2" in result.stderr
    assert known.fake.calls == []


@pytest.mark.parametrize(
    "text", ["Sonnenhof", "all", "SHOP 7", WITHOUT_ZERO, f"GLN {OTHER}"]
)
def test_other_texts_are_used_as_they_are_if_asked_for(
    known: DeskKit, text: str
) -> None:
    assert (
        run(
            "apply", "--yes", "--as-is", a_file(f"{HEADINGS}\n{SUPPLIER},I1,{text}\n")
        ).exit_code
        == 0
    )
    assert known.fake.recipients_of(ItemKey(SUPPLIER, "I1")) == {text}


@pytest.mark.parametrize(
    ("text", "candidate"),
    [
        *(
            (text, RECIPIENT)
            for text in ("Nord", f"GLN {RECIPIENT}", f"0088:{RECIPIENT}")
        ),
        (WITHOUT_ZERO, WITH_ZERO),
    ],
)
def test_only_unique_candidates_are_accepted(
    known: DeskKit, text: str, candidate: str
) -> None:
    row = f"{HEADINGS}\n{SUPPLIER},I1,{text}\n"
    unclear = f"{row}{SUPPLIER},Oat bread,{RECIPIENT}\n"
    result = run("apply", "--yes", "--accept-suggestions", a_file(unclear))
    assert result.exit_code == 1
    assert known.fake.calls == []
    assert run("apply", "--yes", "--accept-suggestions", a_file(row)).exit_code == 0
    assert known.fake.recipients_of(ItemKey(SUPPLIER, "I1")) == {candidate}


@pytest.mark.parametrize(
    "supplier", ["Mill", "Nord", "all", "nan", f"GLN {SUPPLIER}", f"{SUPPLIER};S1"]
)
def test_the_supplier_of_all_rows_is_checked_too(known: DeskKit, supplier: str) -> None:
    result = run(
        "apply",
        "--yes",
        "--supplier",
        supplier,
        a_file(f"item,recipient\nI1,{RECIPIENT}\n"),
    )
    assert result.exit_code == 1
    assert "\n--supplier: “" in result.stderr
    assert known.fake.calls == []


@pytest.mark.parametrize(
    ("supplier", "option", "used"),
    [("Mill", "--accept-suggestions", SUPPLIER), ("Sonnenhof", "--as-is", "Sonnenhof")],
)
def test_options_decide_about_the_supplier_of_all_rows(
    known: DeskKit, supplier: str, option: str, used: str
) -> None:
    name = a_file(f"item,recipient\nI1,{RECIPIENT}\n")
    assert run("apply", "--yes", "--supplier", supplier, option, name).exit_code == 0
    assert known.fake.recipients_of(ItemKey(used, "I1")) == {RECIPIENT}


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (
            f"4012345678901,{SUPPLIER},{RECIPIENT}\n",
            " Column B holds a known supplier. Column C holds",
        ),
        (f"{SUPPLIER},I7,{RECIPIENT}\n", " Column A holds a known supplier."),
        ("S7,I7,R7\n", "\n"),
        (
            f"{SUPPLIER},{ITEM},R7,add\n",
            " Column A holds a known supplier. Column B holds a known item.\n",
        ),
    ],
)
def test_the_order_of_columns_without_headings_is_not_guessed(
    known: DeskKit, text: str, hint: str
) -> None:
    result = run("apply", "--yes", a_file(text))
    assert result.exit_code == 1
    assert (
        f"The list has no headings, so it is not clear what each column holds.{hint}"
        in result.stderr
    )
    assert "such as --columns supplier,item,recipient" in result.stderr
    assert known.fake.calls == []


def test_columns_without_headings_are_named_by_an_option(known: DeskKit) -> None:
    name = a_file(f"I7,note,{SUPPLIER},R7\nI8,,{SUPPLIER},R7\n")
    result = run("apply", "--yes", name, "--columns", "item,-,supplier,recipient")
    assert result.exit_code == 0
    assert "Not read" not in result.stdout
    assert [
        known.fake.recipients_of(ItemKey(SUPPLIER, item)) for item in ("I7", "I8")
    ] == [{"R7"}, {"R7"}]


def test_known_ids_prove_the_usual_order_of_columns(known: DeskKit) -> None:
    assert (
        run("apply", "--yes", a_file(f"{SUPPLIER},{ITEM},{RECIPIENT}\n")).exit_code == 0
    )
    assert known.fake.recipients_of(ItemKey(SUPPLIER, ITEM)) == {RECIPIENT}


@pytest.mark.parametrize(
    ("text", "columns", "words"),
    [
        (
            f"{HEADINGS}\nS1,01,R9\n",
            "supplier,item,recipient",
            "The file has headings, so --columns cannot",
        ),
        (
            "S1,01,R9\n",
            "supplier,item",
            "--columns names 2 columns, but the list has 3.",
        ),
        (
            "Haus,Ware,Laden\nS1,01,R9\n",
            "supplier,item,recipient",
            "Row 1, column 1: “Haus”",
        ),
    ],
)
def test_named_columns_must_fit_the_list(
    kit: DeskKit, text: str, columns: str, words: str
) -> None:
    result = run("apply", "--yes", a_file(text), "--columns", columns)
    assert result.exit_code == 1
    assert words in result.stderr
    assert kit.fake.calls == []


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (
            "supplier,colour",
            "'colour' is not one of supplier, item, recipient, action, market, or -",
        ),
        ("supplier,item,item", "'item' occurs twice."),
        ("supplier,recipient", "one column must be the item."),
    ],
)
def test_mistyped_columns_are_refused(kit: DeskKit, columns: str, words: str) -> None:
    result = run("apply", "--yes", a_file("S1,01,R9\n"), "--columns", columns)
    assert result.exit_code == 1
    assert words in result.stderr.replace("\n", " ")
    assert kit.fake.calls == []


@pytest.mark.usefixtures("known")
def test_the_columns_of_a_list_of_items_to_export_are_named() -> None:
    name = a_file("01,S1\n02,S1\n")
    options = ("export", "--items", name, "--format", "csv", "-o", "out.csv")
    assert "The list has no headings" in run(*options).stderr
    assert run(*options, "--columns", "item,supplier").exit_code == 0
    assert len(read_table(Path("out.csv").read_bytes()).rows) == 4


def numbers(*cells: str) -> str:
    return "".join(f"<c><v>{cell}</v></c>" for cell in cells)


INLINE = "".join(
    f'<c t="inlineStr"><is><t>{text}</t></is><v>1</v></c>'
    for text in ("S1", "02", "R9")
)
WIDE = [f"Note {number}" for number in range(50)]
TOP = text_row(1, "Supplier", "Item", "Recipient")
GTINS = "Information Provider GLN,GTIN,Target Market,Recipient GLN"

UNCLEAR: dict[str, bytes | str] = {
    "number and market": f"{GTINS}\n{SUPPLIER},{ITEM[:14]},276,{RECIPIENT}\n",
    "new number and market": f"{GTINS}\n{SUPPLIER},{NEW[:14]},276,{RECIPIENT}\n",
    "another order": f"{ITEM},{SUPPLIER},{RECIPIENT}\n{NEW},{SUPPLIER},{RECIPIENT}\n",
    "names": "Supplier,Product,Customer\nMill,Oat bread,Nord\nMill,Rye bread,Süd\n",
    "some names": f"{HEADINGS}\n{SUPPLIER},{ITEM},Nord\n{SUPPLIER},Oat "
    f"bread,{RECIPIENT}\n",
    "own numbers in number cells": workbook(
        TOP
        + "".join(
            f'<row r="{n}">{numbers(SUPPLIER, str(30_000 + n), RECIPIENT)}</row>'
            for n in (2, 3)
        )
    ),
    "UPCs without their zeros": "supplier,upc,recipient\n"
    + "".join(
        f"{SUPPLIER},{upc},{RECIPIENT}\n"
        for upc in ("36000291452", "12345678905", "12345678912")
    ),
    "several in a cell": f"{HEADINGS}\n"
    + "".join(f'{SUPPLIER},I{n},"{n}522000000015;{OTHER}"\n' for n in range(6, 9)),
    "a pipe between cells": f"supplier|item|recipient\n{SUPPLIER}|{ITEM}|{RECIPIENT}\n",
    "rows without last cells": (
        f"supplier;item;recipient;comment\n{SUPPLIER};I1;R1;new\n{SUPPLIER};I2;R1\n"
    ),
    "a title with a comma": (
        f"List, 28.11.\nLieferant;Artikel;Empfänger\n{SUPPLIER};{ITEM};{RECIPIENT}\n"
    ),
    "a banner and a group row": write_xlsx(
        ("Import workbook v7", "", ""),
        [
            ("Provider", "Item", "Recipient"),
            ("SUPPLIER GLN", "GTIN", "RECIPIENT GLN"),
            ("S1", "02", "R9"),
        ],
    ),
    "operation words": (
        f"GTIN;Supplier;Customer;Operation\n{ITEM};{SUPPLIER};{RECIPIENT};publish\n"
    ),
    "very wide": ";".join(["supplier", "item", "recipient", *WIDE])
    + "\n"
    + ";".join(["S1", "02", "R9", *WIDE]),
}


@pytest.mark.parametrize("shape", UNCLEAR)
def test_a_list_that_cannot_be_read_exactly_writes_nothing(
    known: DeskKit, shape: str
) -> None:
    result = run("apply", "--yes", a_file(UNCLEAR[shape], "list"))
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")
    assert known.fake.calls == []


def test_an_inline_text_is_read_without_its_stale_value(known: DeskKit) -> None:
    content = workbook(TOP + f'<row r="2">{INLINE}</row>')
    assert run("apply", "--yes", a_file(content, "list.xlsx")).exit_code == 0
    assert known.fake.recipients_of(SECOND) == {"A", "R9"}
