"""A sheet whose cells are formatted as people format them, as flat XML that LibreOffice reads."""

from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

_SPACES = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}"'
    for short, name in {
        "office": "office:1.0",
        "style": "style:1.0",
        "table": "table:1.0",
        "text": "text:1.0",
        "number": "datastyle:1.0",
        "of": "of:1.2",
    }.items()
)
_FORMATS = {
    "shortened": '<number:scientific-number number:decimal-places="5" number:min-exponent-digits="2"'
    ' number:min-integer-digits="1"/>',
    "thousands": '<number:number number:grouping="true" number:decimal-places="0"/>',
    "decimals": '<number:number number:decimal-places="2" number:min-decimal-places="2"'
    ' number:min-integer-digits="1"/>',
    "one_decimal": '<number:number number:decimal-places="1" number:min-decimal-places="1"'
    ' number:min-integer-digits="1"/>',
    "month": '<number:month number:textual="true"/><number:text>-</number:text><number:year/>',
    "day": '<number:day/><number:text>-</number:text><number:month number:textual="true"/>',
    "date": '<number:day number:style="long"/><number:text>.</number:text><number:month number:style="long"/>'
    '<number:text>.</number:text><number:year number:style="long"/>',
    "time": '<number:hours number:style="long"/><number:text>:</number:text>'
    '<number:minutes number:style="long"/>',
    "money": "<number:currency-symbol>€</number:currency-symbol><number:text> </number:text>"
    '<number:number number:decimal-places="2" number:min-decimal-places="2" number:min-integer-digits="1"/>',
    "percent": '<number:number number:decimal-places="0" number:min-integer-digits="1"/>'
    "<number:text>%</number:text>",
    "truth": "<number:boolean/>",
}
_ELEMENTS = {
    "month": "date-style",
    "day": "date-style",
    "date": "date-style",
    "time": "time-style",
    "money": "currency-style",
    "percent": "percentage-style",
    "truth": "boolean-style",
}
_NUMBER, _LONG_NUMBER = "9521000000117", "19521000000114276"

Cell = tuple[str, str, str, str, str]
"""Case, what is expected of XLSX and of CSV, how the cell is formatted, and what is in it."""

CELLS: tuple[Cell, ...] = (
    ("an item with its market is a text", "", "", "", "09521000000919:276"),
    ("another item is a text", "", "", "", "09521000001015:040"),
    ("shortened, English", "NUMBER_CELL", "SCIENTIFIC", "shortened en-US", _NUMBER),
    ("shortened, German", "NUMBER_CELL", "SCIENTIFIC", "shortened de-DE", _NUMBER),
    ("shortened, number and market", "DIGITS_CUT", "SCIENTIFIC", "shortened fr-FR", _LONG_NUMBER),
    ("thousands, English", "NUMBER_CELL", "THOUSANDS", "thousands en-US", _NUMBER),
    ("thousands, German", "NUMBER_CELL", "THOUSANDS", "thousands de-DE", _NUMBER),
    ("thousands, Swiss", "NUMBER_CELL", "THOUSANDS", "thousands de-CH", _NUMBER),
    ("thousands, French", "NUMBER_CELL", "THOUSANDS", "thousands fr-FR", _NUMBER),
    ("thousands, Swedish", "NUMBER_CELL", "THOUSANDS", "thousands sv-SE", _NUMBER),
    ("two decimals, English", "NUMBER_CELL", "DECIMALS", "decimals en-US", _NUMBER),
    ("two decimals, German", "NUMBER_CELL", "DECIMALS", "decimals de-DE", _NUMBER),
    ("one decimal", "NUMBER_CELL", "DECIMALS", "one_decimal en-US", _NUMBER),
    ("a month, English", "NUMBER_CELL", "DATE_OR_TIME", "month en-US", "date 2032-01-01"),
    ("a month, German", "NUMBER_CELL", "DATE_OR_TIME", "month de-DE", "date 2024-03-01"),
    ("a month, German, in December", "NUMBER_CELL", "DATE_OR_TIME", "month de-DE", "date 2024-12-01"),
    ("a day without its year", "NUMBER_CELL", "DATE_OR_TIME", "day en-US", "date 2024-03-04"),
    ("a date, German", "NUMBER_CELL", "DATE_OR_TIME", "date de-DE", "date 2024-03-01"),
    ("a time", "NUMBER_CELL", "DATE_OR_TIME", "time en-US", "time PT12H30M00S"),
    ("money", "NUMBER_CELL", "PERCENT_OR_CURRENCY", "money en-US", "400"),
    ("a percentage", "NUMBER_CELL", "PERCENT_OR_CURRENCY", "percent en-US", "4"),
    ("a truth, English", "NUMBER_CELL", "TRUTH", "truth en-US", "truth true"),
    ("a falsehood, German", "NUMBER_CELL", "TRUTH", "truth de-DE", "truth false"),
    ("a truth, French", "NUMBER_CELL", "TRUTH", "truth fr-FR", "truth true"),
    ("a value that is not there", "ERROR_VALUE", "ERROR_VALUE", "", "of:=NA()"),
    ("a division by nothing", "ERROR_VALUE", "ERROR_VALUE", "", "of:=1/0"),
    ("an unknown function", "ERROR_VALUE", "ERROR_VALUE", "", "of:=LOOKITUP(1)"),
    ("text that is added", "ERROR_VALUE", "ERROR_VALUE", "", 'of:="A"+1'),
    ("a cell that is gone", "ERROR_VALUE", "ERROR_VALUE", "", "of:=[.#REF!1]"),
    ("a sum", "NUMBER_CELL", "", "", "of:=9521000000200+16"),
    ("a line break behind", "LINE_BREAK", "LINE_BREAK", "", "KUND-0042\n"),
    ("a line break inside", "LINE_BREAK", "LINE_BREAK", "", "952100\n0000315"),
    ("a no-break space behind", "ODD_SPACES", "ODD_SPACES", "", "KUND-0043\u00a0"),
    ("a no-break space inside", "ODD_SPACES", "ODD_SPACES", "", "KUND\u00a00044"),
    ("a byte order mark inside", "INVISIBLE", "INVISIBLE", "", "KUND-\ufeff0045"),
    ("a soft hyphen", "INVISIBLE", "INVISIBLE", "", "KUND\u00ad0046"),
    ("a space of no width", "INVISIBLE", "INVISIBLE", "", "KUND-0047\u200b"),
    ("a mark of direction", "INVISIBLE", "INVISIBLE", "", "\u200eKUND-0048"),
    ("the text of a formula", "FORMULA", "FORMULA", "", "=KUND-0049"),
    ("a formula of a text", "FORMULA", "FORMULA", "", '="09521000000414"'),
)


def formatted_sheet(header: Iterable[str]) -> str:
    """The sheet: case, what is expected of XLSX and of CSV, and the cell."""
    formats = sorted({cell[3] for cell in CELLS} - {""})
    rows = "".join(f"<table:table-row>{_row(*cell)}</table:table-row>" for cell in CELLS)
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document {_SPACES} office:version="1.2"'
        ' office:mimetype="application/vnd.oasis.opendocument.spreadsheet">'
        f"<office:automatic-styles>{''.join(map(_style, formats))}</office:automatic-styles>"
        '<office:body><office:spreadsheet><table:table table:name="Items">'
        f"<table:table-row>{''.join(map(_text, header))}</table:table-row>{rows}"
        "</table:table></office:spreadsheet></office:body></office:document>"
    )


def _style(given: str) -> str:
    name, locale = given.split()
    language, country = locale.split("-")
    element = _ELEMENTS.get(name, "number-style")
    return (
        f'<number:{element} style:name="N_{name}_{language}_{country}" number:language="{language}"'
        f' number:country="{country}">{_FORMATS[name]}</number:{element}>'
        f'<style:style style:name="{name}_{language}_{country}" style:family="table-cell"'
        f' style:data-style-name="N_{name}_{language}_{country}"/>'
    )


def _row(case: str, in_xlsx: str, in_csv: str, given: str, content: str) -> str:
    style = given.replace(" ", "_").replace("-", "_")
    return f"{''.join(map(_text, (case, in_xlsx, in_csv)))}{_cell(style, content)}"


def _cell(style: str, content: str) -> str:
    if not style and not content.startswith("of:"):
        return _text(content)
    kind, _, value = content.rpartition(" ") if content[0].isalpha() and style else ("", "", content)
    values = {
        "": f'office:value-type="float" office:value="{value}"',
        "date": f'office:value-type="date" office:date-value="{value}"',
        "time": f'office:value-type="time" office:time-value="{value}"',
        "truth": f'office:value-type="boolean" office:boolean-value="{value}"',
    }
    if content.startswith("of:"):
        return f"<table:table-cell table:formula={quoteattr(content)}/>"
    return f'<table:table-cell table:style-name="{style}" {values[kind]}/>'


def _text(text: str) -> str:
    lines = "".join(f"<text:p>{escape(line)}</text:p>" for line in text.split("\n"))
    return f'<table:table-cell office:value-type="string">{lines}</table:table-cell>'
