"""Workbooks made by hand: what no honest program would write, and what only some write."""

import io
import zipfile

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
WORKBOOK = (
    f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets><sheet name="1" r:id="a"/></sheets></workbook>'
)
RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    f'<Relationship Id="a" Type="{_OFFICE}/worksheet" Target="sheet.xml"/>'
    f'<Relationship Id="b" Type="{_OFFICE}/sharedStrings" Target="/xl/shared.xml"/></Relationships>'
)


def workbook(
    rows: str,
    *,
    shared: str = "",
    doctype: str = "",
    workbook_xml: str = WORKBOOK,
    relations: str = RELATIONS,
) -> bytes:
    """A workbook with this XML for rows and shared texts."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("xl/workbook.xml", workbook_xml)
        package.writestr("xl/_rels/workbook.xml.rels", relations)
        package.writestr("xl/shared.xml", f'<sst xmlns="{_MAIN}">{shared}</sst>')
        package.writestr(
            "xl/sheet.xml", f'{doctype}<worksheet xmlns="{_MAIN}"><sheetData>{rows}</sheetData></worksheet>'
        )
    return content.getvalue()


def text_row(number: int, *texts: str) -> str:
    """A row of texts that stand in their cells."""
    cells = "".join(f'<c t="inlineStr"><is><t>{text}</t></is></c>' for text in texts)
    return f'<row r="{number}">{cells}</row>'
