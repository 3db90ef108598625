"""Small files that would be large: refused, before they take the room."""

import io
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from item_visibility.errors import FileError
from item_visibility.lists import table
from item_visibility.lists.reader import read_table
from tests.lists.workbooks import RELATIONS, WORKBOOK, swollen, text_row, workbook

MEGABYTE = 1024 * 1024
X = text_row(1, "x")
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


@pytest.mark.skipif(sys.platform != "linux", reason="counts memory as Linux does")
@pytest.mark.parametrize(
    ("name", "begin", "declared", "words"),
    [
        ("xl/workbook.xml", b"<workbook>", None, "too much room"),
        ("xl/workbook.xml", b"<workbook>", 150 * MEGABYTE, "cannot be read as XLSX"),
        ("xl/workbook.xml", b"<workbook><comment ", 150 * MEGABYTE, "cannot be read as XLSX"),
    ],
)
def test_a_file_of_2_mb_that_is_1_gb_takes_no_room(
    name: str, begin: bytes, declared: int | None, words: str, tmp_path: Path
) -> None:
    """A process of its own takes less than 50 MB, for any declared size."""
    path = tmp_path / "bomb"
    path.write_bytes(swollen(name, begin=begin, megabytes=1024, declared=declared))
    ended = subprocess.run(
        [sys.executable, "-c", READ_IT, str(path)], capture_output=True, text=True, check=True
    )
    message, megabytes = ended.stdout.splitlines()
    assert path.stat().st_size < 2 * MEGABYTE
    assert words in message
    assert int(megabytes) < 50


def test_a_swollen_file_is_a_zip_file(tmp_path: Path) -> None:
    """The test above is refused for its size, not for how it was made."""
    path = tmp_path / "small"
    path.write_bytes(swollen("part.xml", begin=b"x", megabytes=1))
    with zipfile.ZipFile(path) as opened:
        assert opened.getinfo("part.xml").file_size == MEGABYTE + 1


def packed(packing: int) -> bytes:
    """A package of one part in this packing."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", packing) as target:
        target.writestr("xl/workbook.xml", "x")
    return content.getvalue()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (packed(zipfile.ZIP_LZMA), "cannot be read as XLSX"),
        (packed(zipfile.ZIP_BZIP2), "cannot be read as XLSX"),
        (b"PK\x03\x04" + b"PK\x01\x02" * 10_001, "too much room"),
        (workbook(f"<row><c><v>{'1' * 300_000}</v></c></row>"), "A cell holds a text of more than 32,767"),
        (workbook("", shared=f"<si><t>{'x' * 300_000}</t></si>"), "A cell holds a text of more than 32,767"),
        (workbook(f"<row>{'<!--' + 'x' * 2 * MEGABYTE + '-->'}</row>"), "cannot be read as XLSX"),
    ],
)
def test_what_no_spreadsheet_program_writes_is_refused(content: bytes, words: str) -> None:
    """It would ask for memory or time of its own."""
    with pytest.raises(FileError, match=words):
        read_table(content)


def test_as_many_tags_as_a_table_needs_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Empty cells take time, too."""
    content = workbook("<row>" + "<c/>" * 1_000 + "</row>" + text_row(2, "a"))
    assert read_table(content).header == ("a",)
    monkeypatch.setattr("item_visibility.lists.xlsx_reader.MAX_TAGS", 1_000)
    with pytest.raises(FileError, match="too many cells, most of them empty"):
        read_table(content)


@pytest.mark.parametrize(
    "content",
    [
        workbook(X, workbook_xml=WORKBOOK.replace("<sheets>", "<sheets>" + '<sheet r:id="a"/>' * 10_000)),
        workbook(X, relations=RELATIONS.replace("</", f"{''.join(map(RELATION.format, range(9_999)))}</")),
    ],
)
def test_the_names_of_sheets_and_parts_are_counted(content: bytes) -> None:
    """A small file could hold a million."""
    with pytest.raises(FileError, match="cannot be read as XLSX"):
        read_table(content)


def test_shared_texts_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those that no cell shows."""
    monkeypatch.setattr("item_visibility.lists.xlsx_reader.MAX_CHARACTERS", 10)
    with pytest.raises(FileError, match="too much text"):
        read_table(workbook(text_row(1, "a"), shared="<si><t>sixsix</t></si>" * 2))


@pytest.mark.parametrize("last", [1, 3])
def test_the_cells_of_the_whole_rectangle_are_counted(last: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One far to the right makes every row as long."""
    monkeypatch.setattr(table, "MAX_CELLS", 11)
    rows = [text_row(number, "a") for number in range(1, 5)]
    rows[last] = text_row(last + 1, "a", "", "", "b")
    with pytest.raises(FileError, match="too many columns"):
        read_table(workbook("".join(rows)))
