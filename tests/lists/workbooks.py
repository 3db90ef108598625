"""Workbooks made by hand: damaged or hostile ones, and ones that only some programs write."""  # noqa: E501

import io
import zipfile
import zlib
from collections.abc import Sequence

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
WORKBOOK = f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets><sheet name="1" r:id="a"/></sheets></workbook>'  # noqa: E501
RELATIONS = (
    "<Relationships "
    'xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    f'<Relationship Id="a" Type="{_OFFICE}/worksheet" Target="sheet.xml"/>'
    f'<Relationship Id="b" Type="{_OFFICE}/sharedStrings" '
    'Target="/xl/shared.xml"/></Relationships>'
)


def workbook(  # noqa: PLR0913
    rows: str,
    *,
    shared: str = "",
    doctype: str = "",
    workbook_xml: str = WORKBOOK,
    relations: str = RELATIONS,
    before: str = "",
) -> bytes:
    """Return a workbook with this XML for the rows, the shared texts and the part before the rows."""  # noqa: E501
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("xl/workbook.xml", workbook_xml)
        package.writestr("xl/_rels/workbook.xml.rels", relations)
        package.writestr("xl/shared.xml", f'<sst xmlns="{_MAIN}">{shared}</sst>')
        package.writestr("xl/sheet.xml", f"{doctype}{_sheet(rows, before=before)}")
    return content.getvalue()


def _sheet(rows: str, *, before: str = "") -> str:
    return (
        f'<worksheet xmlns="{_MAIN}">{before}<sheetData>{rows}</sheetData></worksheet>'
    )


def hidden_column(number: int) -> str:
    """Return the XML that hides this column, counted from 1.

    It belongs before the rows.
    """
    return f'<cols><col min="{number}" max="{number}" hidden="1"/></cols>'


def xlsx_sheets(sheets: Sequence[tuple[str, ...]]) -> bytes:
    """Return a workbook.

    A sheet is its name, `visible`, `hidden` or `veryHidden`, and its rows.

    An optional fourth text is XML before the rows.
    """
    content = io.BytesIO()
    names, relations = "", ""
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as package:
        for place, (name, state, rows, *before) in enumerate(sheets):
            names += f'<sheet name="{name}" state="{state}" r:id="s{place}"/>'
            relations += f'<Relationship Id="s{place}" Type="{_OFFICE}/worksheet" Target="{place}.xml"/>'  # noqa: E501
            package.writestr(f"xl/{place}.xml", _sheet(rows, before="".join(before)))
        package.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{_MAIN}" '
            f'xmlns:r="{_OFFICE}"><sheets>{names}</sheets></workbook>',
        )
        package.writestr(
            "xl/_rels/workbook.xml.rels", f"<Relationships>{relations}</Relationships>"
        )
    return content.getvalue()


def text_row(number: int, *texts: str) -> str:
    cells = "".join(f'<c t="inlineStr"><is><t>{text}</t></is></c>' for text in texts)
    return f'<row r="{number}">{cells}</row>'


def swollen(
    name: str, *, begin: bytes, megabytes: int, declared: int | None = None
) -> bytes:
    """Return a package with one part: `begin`, then spaces, of which 1,000 take one byte in the file.

    `declared` is the unpacked size that the package states, by default the true size.
    """  # noqa: E501
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    head = packer.compress(begin) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(b" " * 1024 * 1024) + packer.flush(zlib.Z_FULL_FLUSH)
    packed = head + block * megabytes + zlib.compressobj(9, zlib.DEFLATED, -15).flush()
    size = len(begin) + megabytes * 1024 * 1024 if declared is None else declared
    about = b"".join(
        number.to_bytes(length, "little")
        for number, length in (
            *((0, 2), (8, 2), (0, 4), (0, 4)),
            *((len(packed), 4), (size, 4), (len(name), 2), (0, 2)),
        )
    )
    local = b"PK\x03\x04\x14\0" + about + name.encode() + packed
    entry = b"PK\x01\x02\x14\0\x14\0" + about + b"\0" * 14 + name.encode()
    end = (
        b"PK\x05\x06\0\0\0\0\1\0\1\0"
        + len(entry).to_bytes(4, "little")
        + len(local).to_bytes(4, "little")
    )
    return local + entry + end + b"\0\0"
