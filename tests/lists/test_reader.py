"""Tables from CSV, JSON, workbooks and pasted cells are read exactly or refused, and written exactly."""  # noqa: E501

import csv
import io
import json
import tracemalloc
import zipfile
from dataclasses import dataclass

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from item_visibility.errors import FileError
from item_visibility.lists import table
from item_visibility.lists.bulk_list import Understood
from item_visibility.lists.reader import Encoding, find_encoding, read_table
from item_visibility.lists.table import (
    HiddenCells,
    NotText,
    Table,
    TableRow,
    cells_with_accents,
    pick,
)
from item_visibility.lists.writer import write_csv, write_xlsx
from item_visibility.model.known_ids import Names
from item_visibility.use_cases.read_list import read_list
from tests.lists.workbooks import hidden_column, text_row, workbook, xlsx_sheets
from tests.support.hostile_texts import HALVES, LISTABLE, SHOWABLE

HEADER = ("Recipient", "Name")


def cells(read: Table) -> list[tuple[str, ...]]:
    return [row.cells for row in read.rows]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_csv_of_usual_programs_is_read(separator: str, mark: str) -> None:
    text = f'{mark}\r\nRecipient{separator}Name\r\n"a,;\t""b"{separator} x \r\n\r\n0012{separator}NA\r\n'  # noqa: E501
    read = read_table(text.encode())
    assert read.header == HEADER
    assert read.rows == (TableRow(3, ('a,;\t"b', " x ")), TableRow(5, ("0012", "NA")))


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_first_line_with_the_separator_is_not_a_row(separator: str) -> None:
    content = f'\ufeffsep={separator}\r\nItem{separator}"A,;\tB"\r\nI1{separator}x\r\n'
    assert read_table(content.encode()) == Table(
        ("Item", "A,;\tB"), (TableRow(2, ("I1", "x")),)
    )


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "holds no rows"),
        (b"\r\n,\r\n", "holds no rows"),
        (b"a,b\n1,2,3\n", "Row 2 has 3 cells, but the first row has 2"),
        (b"a,b\n1\n", "Row 2 has 1 cells"),
        (b'a,b\n1,2\n"x,3\n', "Row 3 cannot be read"),
        (b'a,b\n1,"2"x\n', "Row 2 cannot be read"),
        (b"a,b\n\xff\xfe,2\n", "nor a text in utf-8"),
        ("a,b\n1,2\n".encode("utf-16")[:-1], "nor a text in utf-16"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "neither XLSX nor a text"),
        (
            f"a\n{'x' * 40_000}\n".encode(),
            "Row 2 is too large.* 32,767 characters in a cell",
        ),
        (f"a\n{'x' * (csv.field_size_limit() + 1)}\n".encode(), "Row 2 cannot be read"),
        (b"," * 1_000 + b"a\n", "Row 1 is too large.* 1,000 columns"),
        (b"x" * (10 * 1024 * 1024 + 1), "larger than 10 MB"),
    ],
)
def test_a_csv_file_that_cannot_be_read_is_refused_with_its_row(
    content: bytes, words: str
) -> None:
    with pytest.raises(FileError, match=words) as caught:
        read_table(content)
    assert caught.value.advice.startswith("Nothing was changed.")


@pytest.mark.parametrize(
    ("limit", "number", "words"),
    [
        ("MAX_ROWS", 2, "The limits are 2 rows"),
        ("MAX_CHARACTERS", 3, "3 characters in all"),
    ],
)
def test_rows_and_characters_are_limited(
    limit: str, number: int, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, limit, number)
    assert len(read_table(b"a\n1\n2\n").rows) == 2
    with pytest.raises(FileError, match=words):
        read_table(b"a\n1\n2\n3\n")


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("Süd".encode(), Encoding.UTF_8),
        ("Süd\ud800".encode("utf-8", "surrogatepass"), Encoding.UTF_8),
        (workbook(text_row(1, "Süd")), Encoding.UTF_8),
        ("Süd".encode("utf-16"), Encoding.UTF_8),
        ("Süd".encode("cp1252"), Encoding.CP1252),
    ],
)
def test_only_a_text_that_is_not_utf_8_is_windows_text(
    content: bytes, encoding: Encoding
) -> None:
    assert find_encoding(content) is encoding


def test_windows_text_is_read_when_it_is_chosen() -> None:
    content = "Händler;x\nGröße;y\n".encode("cp1252")
    with pytest.raises(FileError, match="nor a text in utf-8") as caught:
        read_table(content)
    assert "can also have the encoding cp1252" in caught.value.advice
    assert (
        cells_with_accents(read_table(content, encoding=Encoding.CP1252))
        == "“Händler”, “Größe”"
    )


def test_unicode_text_of_excel_is_read() -> None:
    assert cells(read_table("Händler\tx\r\nGröße\t1\r\n".encode("utf-16"))) == [
        ("Größe", "1")
    ]


@pytest.mark.parametrize("content", [b"a\n\x81\n", b"a\n\0\n", "\ufeffa\nä\n".encode()])
def test_bytes_that_are_not_cp1252_are_refused(content: bytes) -> None:
    with pytest.raises(FileError, match="nor a text in cp1252") as caught:
        read_table(content, encoding=Encoding.CP1252)
    assert caught.value.advice.startswith("Nothing was changed.")


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("Item\tRecipient\r\nI1\tR1\r\n", ("I1", "R1")),
        ("Item,a,b\tRecipient,c,d\nI1\tR1\n", ("I1", "R1")),
        ("Item,Recipient\nI1,R1", ("I1", "R1")),
        ("Item;Recipient\nI1;R1", ("I1", "R1")),
        ('Item\tRecipients\nI1\t"R1\nR2"', ("I1", "R1\nR2")),
        ("Item\n I1 \n", (" I1 ",)),
    ],
)
def test_pasted_cells_are_read_as_they_are(text: str, row: tuple[str, ...]) -> None:
    assert cells(read_table(text)) == [row]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "holds no rows"),
        ("a\tb\nc", "Row 2 has 1 cells"),
        ("ä" * (5 * 1024 * 1024 + 1), "larger than 10 MB"),
    ],
)
def test_a_paste_that_cannot_be_read_is_refused(text: str, words: str) -> None:
    with pytest.raises(FileError, match=words):
        read_table(text)


@pytest.mark.parametrize(
    "text",
    [
        '[{"a":"1","b":"x"},{"b":"y"}]',
        '\ufeff \r\n[ { "a" : "1" , "b" : "x" }\n, {"b":"y", "a":null} ]\n',
    ],
)
def test_json_of_usual_programs_is_read(text: str) -> None:
    assert cells(read_table(text.encode())) == [("1", "x"), ("", "y")]


@pytest.mark.parametrize(
    "number", ["12345678901234567890.10", "1", "1e3", "NaN", "true", "false"]
)
def test_json_values_that_are_no_texts_are_marked(number: str) -> None:
    (row,) = cells(read_table(f'[{{"a": {number}, "b": "{number}"}}]'.encode()))
    assert row == (number, number)
    assert [isinstance(cell, NotText) for cell in row] == [True, False]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "holds no rows"),
        *(
            (text, "not a list")
            for text in ("[", "[1]", "[" * 100_000, '[{"a":' * 100_000, "[{}]")
        ),
        *(
            (f'[{{"a":{value}}}]', "not a list")
            for value in ('["x"]', '{"b":"x"}', '"x\n"', '"x","a":"y"')
        ),
        *(
            (text, "not a list")
            for text in ('{"a":"x"}', '[["a"]]', '[{"":"x"}]', '[{"a":"ä"}]')
        ),
        *(
            (f'[{{"a":"x"}}{end}', "not a list")
            for end in (",1]", ',{"b":"x","b":"y"}]', ",{}]", "")
        ),
        ('[{"a":"x"},{"A":"y"}]', "Row 2 has 2 cells"),
        (json.dumps([{str(n): "x" for n in range(1_001)}]), "1,000 columns"),
        ("[" + '{"a":"x"},' * 200_000 + '{"a":"x"}]', "The limits are 200,000 rows"),
    ],
)
def test_json_that_is_no_list_of_rows_is_refused(text: str, words: str) -> None:
    with pytest.raises(FileError, match=words) as caught:
        read_table(text.encode("cp1252"))
    assert caught.value.advice.startswith("Nothing was changed.")


def test_a_huge_json_row_fills_no_memory() -> None:
    content = b'[{"a":[' + b"0," * 500_000 + b"0]}]"
    tracemalloc.start()
    with pytest.raises(FileError, match="not a list"):
        read_table(content)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 15 * len(content)


def test_columns_are_picked_by_name() -> None:
    rows = text_row(1, "note", "NAME", "recipient") + "<row><c/><c><v>4711</v></c>"
    content = workbook(rows + '<c t="str"><v>R1</v></c></row>')
    picked = list(
        pick(read_table(content), ("Recipient", "Market", "Name"), ids=("Recipient",))
    )
    assert picked == [TableRow(2, ("R1", "", "4711"))]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"name\nLaden\n", "one column called 'Recipient', but has 0"),
        (b"recipient,Recipient\nR1,R2\n", "one column called 'Recipient', but has 2"),
        (b"recipient,name\n,Laden\n", "Row 2: Recipient is empty"),
        (
            workbook(
                text_row(1, "Recipient") + '<row r="2" hidden="1"><c><v>1</v></c></row>'
            ),
            "hides row 2",
        ),
        (
            workbook(text_row(1, "Recipient") + "<row><c><v>12</v></c></row>"),
            "Row 2: Recipient is empty, or a number",
        ),
    ],
)
def test_columns_that_cannot_be_picked_are_refused(content: bytes, words: str) -> None:
    with pytest.raises(FileError, match=words):
        list(pick(read_table(content), HEADER, ids=("Recipient",)))


AWKWARD = (
    *(
        "a\rb",
        "\ufffe",
        "\uffff",
        "0012",
        "1e5",
        "=1+1",
        "x" * 32_767,
        "\U0001f600" * 16_383,
    ),
    *(
        "_x0041_",
        "_x005F_x0041_",
        "_x0041_x0042_",
        "__x0041__",
        "_x0041\x01",
        "\x01x0041_",
        "_x00e9_",
    ),
    *("<r>a</r>", "<r><t>a", "<r>&</r>"),
)
"""Texts that a workbook must encode, or cannot contain as they are."""


@pytest.mark.parametrize("text", LISTABLE.values(), ids=LISTABLE)
def test_csv_keeps_hostile_texts_unchanged(text: str) -> None:
    assert read_table(write_csv(HEADER, [(text, text)])).rows == (
        TableRow(2, (text, text)),
    )


@given(st.lists(st.tuples(st.text(min_size=1), st.text()), max_size=5))
def test_csv_keeps_any_text_unchanged(rows: list[tuple[str, str]]) -> None:
    assert [row.cells for row in read_table(write_csv(HEADER, rows)).rows] == rows


@pytest.mark.parametrize("text", [*SHOWABLE.values(), *AWKWARD])
def test_xlsx_keeps_any_text_unchanged(text: str) -> None:
    (row,) = read_table(write_xlsx(HEADER, [(text, text)])).rows
    assert row.cells == (text, text)
    assert not isinstance(row.cells[0], NotText)


def test_nothing_in_a_workbook_is_a_formula_or_a_link() -> None:
    content = write_xlsx(HEADER, [("=1+1", "http://192.0.2.1/")])
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        sheet = package.read("xl/worksheets/sheet1.xml")
    assert b"<f>" not in sheet
    assert b"hyperlink" not in sheet


@pytest.mark.parametrize(
    "rows",
    [
        [("x" * 32_768, "")],
        [("\U0001f600" * 16_384, "")],
        [("a", "b")] * 2,
        *([(text, "x")] for text in HALVES.values()),
    ],
)
def test_a_table_that_no_workbook_can_hold_is_refused(
    rows: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("item_visibility.lists.writer.ROWS_OF_A_SHEET", 1)
    with pytest.raises(
        FileError, match="too long for a spreadsheet, or a text contains half"
    ) as caught:
        write_xlsx(HEADER, rows)
    assert "CSV" in caught.value.advice


SUPPLIER, MARKET = "9521000010000", "276"
NUMBERS = ("09521000010017", "09521000010024", "09521000010031")
RECIPIENTS = ("9522000010007", "9522000020006", "9522000030005")
ACTION_HEADINGS = ("Action", "Actions", "to do", "Verfahren", "", "Status")
NOTES = ("", "", "call Anna", "urgent", "x", "remove", "please add", "ok", "2 boxes")
OTHER = text_row(1, "Supplier", "Item", "Recipient") + text_row(
    2, SUPPLIER, "OTHER-1", "OTHER-2"
)

Ask = tuple[str, str, str]
"""The item, the recipient and the action that a row requests."""


USUAL_ORDER = ("supplier", "item", "recipient", "action")


@dataclass(frozen=True)
class AnyList:
    """A file, the request of each row, the columns if they have no headings, and the hidden rows."""  # noqa: E501

    content: bytes
    asks: dict[int, Ask]
    columns: tuple[str, ...] = ()
    hidden: frozenset[int] = frozenset()
    sheet: str | None = None
    hides_column: bool = False


def one_of(*texts: str) -> st.SearchStrategy[str]:
    return st.sampled_from(texts)


@st.composite
def rows_of_lists(draw: st.DrawFn) -> list[tuple[list[str], Ask | None]]:
    """Draw the cells of each row with the row's request.

    Titles and headings have no request.
    """
    count = draw(st.integers(1, 4))

    def cells(*texts: str) -> list[str]:
        return draw(st.lists(one_of(*texts), min_size=count, max_size=count))

    numbers, recipients, actions = (
        cells(*NUMBERS),
        cells(*RECIPIENTS),
        cells("add", "remove"),
    )
    has_market, asks_actions = draw(st.booleans()), draw(st.integers(0, 2))
    has_headings = has_market or draw(st.booleans())
    items = [f"{number}:{MARKET}" for number in numbers]
    columns = [
        ["Supplier", *[SUPPLIER] * count],
        [draw(one_of("Item", "GTIN", "Artikel")), *(numbers if has_market else items)],
        [draw(one_of("Recipient", "Kunde")), *recipients],
    ]
    columns += [[draw(one_of(*ACTION_HEADINGS)), *actions] for _ in range(asks_actions)]
    if has_market:
        heading = draw(
            one_of("Zielmarkt", "Zielland", "target market", "Land", "Mercado")
        )
        columns.append([heading, *[MARKET] * count])
    if has_headings:
        columns = draw(st.permutations(columns))
    if (has_headings or asks_actions) and draw(
        st.booleans()
    ):  # else column 4 would be the action
        columns.append([draw(one_of("Name", "Colour", "")), *cells(*NOTES)])
    header, *filled = map(list, zip(*columns, strict=True))
    asks = zip(
        items, recipients, actions if asks_actions else ["add"] * count, strict=True
    )
    rows: list[tuple[list[str], Ask | None]] = list(zip(filled, asks, strict=True))
    if has_headings:
        first, more = (
            draw(st.sampled_from((0, 0, count // 2))),
            draw(st.lists(st.integers(0, count), max_size=2)),
        )
        for place in sorted({first, *more}, reverse=True):
            rows.insert(place, (header, None))
        if draw(st.booleans()):
            rows.insert(
                0,
                (
                    [
                        draw(one_of("Spring list", "2026-01-02")),
                        *[""] * (len(header) - 1),
                    ],
                    None,
                ),
            )
    return rows


@st.composite
def any_lists(draw: st.DrawFn) -> AnyList:
    """Draw a list as CSV, or as a workbook with hidden rows, a hidden column and other sheets."""  # noqa: E501
    rows = draw(rows_of_lists())
    texts = [cells for cells, _ in rows]
    asks = {
        number: ask for number, (_, ask) in enumerate(rows, start=1) if ask is not None
    }
    columns: tuple[str, ...] = ()
    if all(ask is not None for _, ask in rows):
        unused = len(texts[0]) - len(USUAL_ORDER)
        columns = USUAL_ORDER[: len(texts[0])] + ("",) * unused
    if draw(st.booleans()):
        return AnyList(write_csv(texts[0], texts[1:]), asks, columns)
    filled = [number for number, cells in enumerate(texts, start=1) if any(cells)]
    most = draw(st.sampled_from((0, min(2, len(filled) - 1))))
    hidden = draw(st.frozensets(st.sampled_from(filled), max_size=most))
    before = (
        hidden_column(draw(st.integers(1, len(texts[0]))))
        if draw(st.sampled_from((0, 0, 1)))
        else ""
    )
    xml = "".join(
        text_row(number, *cells).replace(
            "<row", '<row hidden="1"' if number in hidden else "<row"
        )
        for number, cells in enumerate(texts, start=1)
    )
    sheets = [("list", "visible", xml, before)]
    for state in draw(st.lists(one_of("visible", "hidden", "veryHidden"), max_size=2)):
        sheets.insert(
            draw(st.integers(0, len(sheets))),
            (f"{state} {len(sheets)}", state, OTHER, ""),
        )
    return AnyList(
        xlsx_sheets(sheets), asks, columns, hidden, "list", hides_column=bool(before)
    )


def read_or_refuse(brought: AnyList, **options: object) -> Understood | None:
    try:
        return read_list(
            lambda _: Names({}), brought.content, columns=brought.columns, **options
        )[0]
    except FileError:
        return None


@settings(max_examples=150, deadline=None)
@given(
    brought=any_lists(),
    hidden=st.none() | st.sampled_from(HiddenCells),
    is_named=st.booleans(),
)
def test_a_file_is_applied_exactly_or_refused(
    brought: AnyList,
    hidden: HiddenCells | None,
    is_named: bool,  # noqa: FBT001
) -> None:
    assume(hidden is not HiddenCells.SKIP or brought.hidden <= brought.asks.keys())
    wanted = read_or_refuse(
        brought, sheet=brought.sheet if is_named else None, hidden=hidden
    )
    if wanted is None or (brought.hides_column and hidden is HiddenCells.SKIP):
        return
    skipped = brought.hidden if hidden is HiddenCells.SKIP else frozenset()
    asked = {
        (one.item.supplier_item_id, who, "add")
        for one in wanted.items
        for who in one.add
    }
    asked |= {
        (one.item.supplier_item_id, who, "remove")
        for one in wanted.items
        for who in one.remove
    }
    assert asked == {
        ask for number, ask in brought.asks.items() if number not in skipped
    }
    assert skipped == {row.number for row in wanted.skipped}


@settings(max_examples=80, deadline=None)
@given(brought=any_lists())
def test_a_pruned_list_is_set_exactly_or_refused(brought: AnyList) -> None:
    wanted = read_or_refuse(
        brought, sheet=brought.sheet, hidden=HiddenCells.USE, prune=True
    )
    if wanted is not None:
        exactly = {
            (one.item.supplier_item_id, who)
            for one in wanted.items
            for who in one.exactly or ()
        }
        assert exactly == {ask[:2] for ask in brought.asks.values()}
