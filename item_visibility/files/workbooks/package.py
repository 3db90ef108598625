"""Workbooks are ZIP files of XML files: what a small one can blow up to is bounded before it is unpacked."""

import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from xml.parsers import expat

from item_visibility.errors import FileError
from item_visibility.files.table import NOTHING_CHANGED, Watch
from item_visibility.files.workbooks.xml_reader import XmlReader

MAX_INFLATED_BYTES = 200 * 1024 * 1024
_MAX_PARTS = 10_000
_CHUNK_BYTES = 64 * 1024
_ENTRY = b"PK\x01\x02"
_PACKINGS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
"""All that spreadsheet programs write; the others can ask for memory of their own."""
_NOT_READABLE = (
    zipfile.BadZipFile,
    zlib.error,
    expat.ExpatError,
    LookupError,  # a part or a shared text that is not there
    ValueError,  # a number that is none
    RuntimeError,  # what zipfile says of a password; and of unknown packing
    EOFError,
)


@dataclass(slots=True)
class Package:
    """The parts of a workbook, and how many of their bytes were read."""

    parts: zipfile.ZipFile
    size: int
    watch: Watch
    read: int = 0

    def note(self, count: int) -> None:
        """Tell who looks that so many more bytes were read."""
        self.read += count
        self.watch(min(1.0, self.read / self.size))


@contextmanager
def opened(content: bytes, watch: Watch) -> Iterator[Package]:
    """The parts of a workbook. FileError when they cannot be read, or would take too much room."""
    if content.count(_ENTRY) > _MAX_PARTS:
        raise _too_much_room()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            members = package.infolist()
            # Python reads no more of a member than the size that is declared here.
            size = sum(member.file_size for member in members)
            if size > MAX_INFLATED_BYTES:
                raise _too_much_room()
            if any(member.compress_type not in _PACKINGS for member in members):
                raise zipfile.BadZipFile("packed as no workbook is")
            yield Package(package, size, watch)
    except _NOT_READABLE:
        raise FileError(
            "The file is no workbook that can be read: it is damaged, or protected by a password.",
            advice=f'{NOTHING_CHANGED} Save it again as "Excel workbook (.xlsx)", without a password.',
        ) from None


def reading(package: Package, part: str, reader: XmlReader) -> Iterator[None]:
    """Feed a part to its reader, and pause after every piece."""
    with package.parts.open(part) as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            reader.feed(chunk)
            package.note(len(chunk))
            yield
    reader.end()
    yield


def read_part(package: Package, part: str, reader: XmlReader) -> None:
    """Feed a part to its reader, all of it."""
    for _ in reading(package, part, reader):
        pass


def _too_much_room() -> FileError:
    return FileError(
        "The file would take too much room when it is unpacked.",
        advice=f"{NOTHING_CHANGED} Divide it into several files.",
    )
