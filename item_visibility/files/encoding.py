"""Decodes the bytes of a text file."""

import codecs
from enum import StrEnum

from item_visibility.errors import FileError
from item_visibility.files.table import NOTHING_CHANGED

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


class Encoding(StrEnum):
    """The encodings of a text file. Only a person can know that it is not UTF-8."""

    UTF_8 = "utf-8"
    CP1252 = "cp1252"
    """Western European, called "ANSI" by spreadsheets on Windows."""


def decode(content: bytes, encoding: Encoding) -> str:
    """Return the text without its byte order mark. Raise FileError when it has another encoding."""
    if content.startswith(_OLD_OFFICE):
        raise FileError(
            "The file is a workbook of an old kind (.xls), or protected by a password.",
            advice=f'{NOTHING_CHANGED} Save it as "Excel workbook (.xlsx)", without a password.',
        )
    if content.startswith(_UTF_16):
        raise FileError(
            "The file is text in UTF-16, which is not read.",
            advice=f'{NOTHING_CHANGED} Save it as "Excel workbook (.xlsx)" or as "CSV UTF-8".',
        )
    return _decode_utf8(content) if encoding is Encoding.UTF_8 else _decode_cp1252(content)


def _decode_utf8(content: bytes) -> str:
    try:
        return content.decode("utf-8", "surrogatepass").removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise FileError(
            "The file is neither XLSX nor a text in UTF-8.",
            advice=f'{NOTHING_CHANGED} Save it as "Excel workbook (.xlsx)" or as "CSV UTF-8", or choose '
            "cp1252 as its encoding if a program on Windows wrote it.",
        ) from None


def _decode_cp1252(content: bytes) -> str:
    try:
        text = content.decode("cp1252")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text or content.startswith(codecs.BOM_UTF8):
        raise FileError(
            "The file is not in cp1252.",
            advice=f'{NOTHING_CHANGED} Choose UTF-8, or save it as "Excel workbook (.xlsx)".',
        )
    return text
