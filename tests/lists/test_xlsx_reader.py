"""Workbooks: which sheet, cells and hidden parts are read.

Damaged and huge files are refused.
"""

import io
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from item_visibility.errors import FileError, SheetsError
from item_visibility.lists import table
from item_visibility.lists.reader import Encoding, read_table
from item_visibility.lists.table import NotText, Table, TableRow, without_hidden
from tests.lists.workbooks import (
    RELATIONS,
    WORKBOOK,
    swollen,
    text_row,
    workbook,
    xlsx_sheets,
)

X, Y = text_row(1, "X"), text_row(1, "Y")
NOTHING = '<row r="1"><c r="A1"/></row>'
MEGABYTE = 1024 * 1024
RELATION = '<Relationship Id="{}" Type="x" Target="x"/>'
READ_IT = """
import pathlib, resource, sys
from item_visibility.errors import FileError
from item_visibility.lists.reader import read_table

content = pathlib.Path(sys.argv[1]).read_bytes()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    read_table(content)
except FileError as error:
    print(error.message)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.parametrize(
    ("sheets", "words"),
    [
        ([("one", "visible", X)], "Sheet “one” is read."),
        (
            [("Data", "hidden", Y), ("List", "visible", X)],
            "Sheet “List” is read; not read: “Data” (hidden).",
        ),
        (
            [("Data", "veryHidden", Y), ("List", "visible", X)],
            "Sheet “List” is read; not read: “Data” (hidden).",
        ),
        (
            [("empty", "visible", NOTHING), ("List", "visible", X)],
            "Sheet “List” is read.",
        ),
    ],
)
def test_the_only_visible_sheet_with_content_is_read(
    sheets: list[tuple[str, str, str]], words: str
) -> None:
    read = read_table(xlsx_sheets(sheets))
    assert (read.header, read.notes) == (("X",), (words,))


def test_a_person_chooses_one_of_several_visible_sheets() -> None:
    content = xlsx_sheets(
        [("one", "visible", X), ("two", "visible", Y), ("Data", "hidden", X)]
    )
    with pytest.raises(
        SheetsError, match="These sheets contain data: “one”, “two”"
    ) as caught:
        read_table(content)
    assert caught.value.sheets == ("one", "two", "Data")
    assert read_table(content, sheet="two").header == ("Y",)
    assert read_table(content, sheet="Data").notes == (
        "Sheet “Data” (hidden) is read; not read: “one”, “two”.",
    )
    with pytest.raises(SheetsError, match="These sheets contain data: “one”"):
        read_table(content, sheet="three")


def test_a_hidden_sheet_is_read_only_if_named() -> None:
    content = xlsx_sheets([("seen", "visible", NOTHING), ("Data", "hidden", X)])
    with pytest.raises(SheetsError, match=r"contain data: “Data” \(hidden\)"):
        read_table(content)
    assert read_table(content, sheet="Data").header == ("X",)


@pytest.mark.parametrize(
    ("content", "sheet", "words"),
    [
        (workbook(""), None, "The file holds no rows"),
        (workbook(""), "1", "The file holds no rows"),
        (b"Item\nI1\n", "Sheet1", "Only a workbook has sheets"),
    ],
)
def test_a_file_without_the_named_sheet_is_refused(
    content: bytes, sheet: str | None, words: str
) -> None:
    with pytest.raises(FileError, match=words):
        read_table(content, sheet=sheet)


HIDDEN_PARTS = workbook(
    text_row(1, "A", "B", "C")
    + text_row(2, "a", "b", "c").replace("<row", '<row hidden="1"')
    + text_row(3, "d", "e", "f")
    + text_row(4, "g", "h", "i").replace("<row", '<row hidden="true"'),
    before='<cols><col min="2" max="2" hidden="1"/><col min="9" max="16384" '
    'hidden="true"/></cols>',
)


def test_hidden_rows_and_columns_are_named() -> None:
    read = read_table(HIDDEN_PARTS)
    assert (read.hidden_rows, read.hidden_columns) == ((2, 4), (1,))
    shown = without_hidden(read)
    assert [row.cells[0] for row in shown.rows] == ["d"]
    assert (shown.header[:2], shown.rows[0].cells[1]) == (("A", ""), "")
    assert [(row.number, row.cells[1]) for row in shown.skipped] == [(2, "b"), (4, "h")]
    assert shown.notes[-1] == "Hidden rows, skipped as requested: 2, 4."
    assert (shown.hidden_rows, shown.hidden_columns) == ((), ())


def test_a_file_of_hidden_rows_alone_is_refused() -> None:
    content = workbook(text_row(1, "A").replace("<row", '<row hidden="1"'))
    with pytest.raises(FileError, match="All filled rows and columns"):
        without_hidden(read_table(content))


def test_all_kinds_of_cells_are_recognised() -> None:
    rows = text_row(1, *"abcdefg") + (
        '<row r="4"><c r="A4" t="s"><v>0</v></c><c r="B4" t="str"><f>A1</f><v>of a '
        "formula</v></c>"
        '<c r="C4"><v>12345678901234567</v></c><c r="D4" t="b"><v>1</v></c><c r="E4" '
        't="e"><v>#N/A</v></c>'
        '<c r="G4" t="inlineStr"><is><r><t>in '
        "</t></r><r><t>parts</t></r><rPh><t>!</t></rPh></is></c></row>"
        '<row r="5"/><row><c r="A6" s="1"/></row>'
    )
    (row,) = read_table(
        workbook(rows, shared="<si><t>sha</t><rPh><t>!</t></rPh><t>red</t></si>")
    ).rows
    assert row.number == 4
    assert row.cells == (
        "shared",
        "of a formula",
        "12345678901234567",
        "1",
        "#N/A",
        "",
        "in parts",
    )
    assert [isinstance(cell, NotText) for cell in row.cells] == [
        False,
        False,
        True,
        True,
        True,
        False,
        False,
    ]


def test_the_type_of_a_cell_says_whether_its_inline_text_or_its_value_is_valid() -> (
    None
):
    inline = '<c t="inlineStr"><is><t>S1</t></is><v>7</v></c><c t="inlineStr"><v>7</v><is><t>I1</t></is></c>'  # noqa: E501
    others = '<c t="str"><is><t>x</t></is><v>R1</v></c><c><v>7</v><is><t>x</t></is></c>'
    alone = '<c t="inlineStr"><v>A</v></c>'
    table = read_table(workbook(f'<row r="1">{inline}{others}{alone}</row>'))
    assert table.header == ("S1", "I1", "R1", "7", "A")


def test_rows_and_cells_without_numbers_are_counted() -> None:
    rows = text_row(1, "a", "b").replace(' r="1"', "") + text_row(2, "1").replace(
        ' r="2"', ""
    )
    content = workbook(rows, relations=RELATIONS.replace("sharedStrings", "theme"))
    assert read_table(content, encoding=Encoding.CP1252).rows == (
        TableRow(2, ("1", "")),
    )


def test_rows_of_a_workbook_may_be_longer_than_its_header() -> None:
    content = workbook(
        text_row(1, "A") + text_row(3, "a", "b", "c") + text_row(4, "d", "e")
    )
    assert read_table(content) == Table(
        ("A", "", ""), (TableRow(3, ("a", "b", "c")), TableRow(4, ("d", "e", "")))
    )


def test_a_formula_without_a_stored_result_is_not_a_blank_cell() -> None:
    content = workbook(
        '<row r="1"><c t="str"><f>A9</f></c><c><f>B9</f><v/></c><c '
        't="str"><f>1</f><v>x</v></c>'
        '<c t="str"><f>""</f><v></v></c><c t="inlineStr"><is><t>y</t></is></c></row>'
    )
    header = read_table(content).header
    assert [isinstance(cell, NotText) for cell in header] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert header[2:] == ("x", "", "y")


@pytest.mark.parametrize(
    "content",
    [
        b"PK\x03\x04 and nothing more",
        workbook("<row"),
        workbook('<row><c r="7"><v>1</v></c></row>'),
        workbook("", relations=RELATIONS.replace("sheet.xml", "gone.xml")),
        workbook("", relations=RELATIONS.replace("/worksheet", "/chartsheet")),
        workbook("", workbook_xml=WORKBOOK.replace('r:id="a"', "")),
        workbook(text_row(1, "a" * 500))[:-40],
        workbook(
            X,
            workbook_xml=WORKBOOK.replace(
                "<sheets>", "<sheets>" + '<sheet r:id="a"/>' * 10_000
            ),
        ),
        workbook(
            X,
            relations=RELATIONS.replace(
                "</", f"{''.join(map(RELATION.format, range(9_999)))}</"
            ),
        ),
        workbook(
            X,
            before="<cols>"
            + '<col min="1" max="1000" hidden="1"/>' * 1_001
            + "</cols>",
        ),
        *(
            workbook(rows, shared="<si><t>zero</t></si>")
            for rows in (
                *(
                    f'<row r="1"><c t="s"><v>{index}</v></c></row>'
                    for index in ("-1", "+0", "1", "x")
                ),
                '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="A1"/></row>',
                '<row r="1"><c r="B1"/><c r="A1" t="s"><v>0</v></c></row>',
                '<row r="1"><c r="A2" t="s"><v>0</v></c></row>',
                text_row(1, "x") + text_row(1, "y"),
                text_row(2, "x") + text_row(1, "y"),
            )
        ),
    ],
)
def test_a_workbook_that_is_damaged_or_could_be_read_in_two_ways_is_refused(
    content: bytes,
) -> None:
    with pytest.raises(FileError, match="cannot be read as XLSX"):
        read_table(content)


@pytest.mark.skipif(sys.platform != "linux", reason="counts memory as Linux does")
@pytest.mark.parametrize(
    ("begin", "declared", "words"),
    [
        (b"<workbook>", None, "too large when it is unpacked"),
        (b"<workbook>", 150 * MEGABYTE, "cannot be read as XLSX"),
        (b"<workbook><comment ", 150 * MEGABYTE, "cannot be read as XLSX"),
    ],
)
def test_a_file_of_2_mb_that_unpacks_to_1_gb_is_refused_early(
    begin: bytes, declared: int | None, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(
        swollen("xl/workbook.xml", begin=begin, megabytes=1024, declared=declared)
    )
    ended = subprocess.run(
        [sys.executable, "-c", READ_IT, str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    message, megabytes = ended.stdout.splitlines()
    assert path.stat().st_size < 2 * MEGABYTE
    assert words in message
    assert int(megabytes) < 50


def packed(packing: int) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", packing) as target:
        target.writestr("xl/workbook.xml", "x")
    return content.getvalue()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (packed(zipfile.ZIP_LZMA), "cannot be read as XLSX"),
        (packed(zipfile.ZIP_BZIP2), "cannot be read as XLSX"),
        (b"PK\x03\x04" + b"PK\x01\x02" * 10_001, "too large when it is unpacked"),
        (workbook(f"<row><c><v>{'1' * 300_000}</v></c></row>"), "A cell is too large"),
        (
            workbook("", shared=f"<si><t>{'x' * 300_000}</t></si>"),
            "A cell is too large",
        ),
        (
            workbook(f"<row>{'<!--' + 'x' * 2 * MEGABYTE + '-->'}</row>"),
            "cannot be read as XLSX",
        ),
        (workbook("", doctype='<!DOCTYPE x [<!ENTITY a "ha">]>'), "entities"),
        (
            workbook('<row><c r="XFD1048576" t="str"><v>x</v></c></row>'),
            "1,000 columns",
        ),
    ],
)
def test_a_file_that_needs_too_much_memory_or_time_is_refused(
    content: bytes, words: str
) -> None:
    with pytest.raises(FileError, match=words):
        read_table(content)


@pytest.mark.parametrize(
    ("name", "limit", "content", "words"),
    [
        (
            "xlsx_reader.MAX_TAGS",
            1_000,
            workbook("<row>" + "<c/>" * 1_000 + "</row>" + text_row(2, "a")),
            "10,000,000 cells",
        ),
        (
            "xlsx_reader.MAX_CHARACTERS",
            10,
            workbook(X, shared="<si><t>sixsix</t></si>" * 2),
            "too large",
        ),
        (
            "table.MAX_CHARACTERS",
            100,
            workbook(
                '<row><c t="s"><v>0</v></c></row>' * 9,
                shared=f"<si><t>{'x' * 20}</t></si>",
            ),
            "100 characters in all",
        ),
        (
            "xlsx_reader.MAX_INFLATED_BYTES",
            1_000,
            workbook(text_row(1, "x" * 1_000)),
            "too large when it is unpacked",
        ),
    ],
)
def test_tags_texts_and_unpacked_bytes_are_limited(
    name: str, limit: int, content: bytes, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read_table(content)
    monkeypatch.setattr(f"item_visibility.lists.{name}", limit)
    with pytest.raises(FileError, match=words):
        read_table(content)


@pytest.mark.parametrize("last", [1, 3])
def test_the_cells_of_the_whole_rectangle_are_counted(
    last: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "MAX_CELLS", 11)
    rows = [text_row(number, "a") for number in range(1, 5)]
    rows[last] = text_row(last + 1, "a", "", "", "b")
    with pytest.raises(FileError, match="11 cells"):
        read_table(workbook("".join(rows)))
