"""Opens workbooks, which are ZIP files of XML files. The unpacked size is checked before unpacking."""

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
"""The only compression methods that spreadsheet programs write. The others can need extra memory."""
_NOT_READABLE = (
    zipfile.BadZipFile,
    zlib.error,
    expat.ExpatError,
    LookupError,  # a missing part or shared text
    ValueError,  # an invalid number
    RuntimeError,  # zipfile's error for a password, or for unknown packing
    EOFError,
)


@dataclass(slots=True)
class Package:
    """The parts of a workbook, and the count of bytes read so far."""

    parts: zipfile.ZipFile
    size: int
    watch: Watch
    read: int = 0

    def note(self, count: int) -> None:
        """Count more bytes as read, and report the progress to `watch`."""
        self.read += count
        self.watch(min(1.0, self.read / self.size))


@contextmanager
def opened(content: bytes, watch: Watch) -> Iterator[Package]:
    """Open the parts of a workbook. Raise FileError when they are unreadable or too large when unpacked."""
    if content.count(_ENTRY) > _MAX_PARTS:
        raise _too_much_room()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            members = package.infolist()
            # Python reads no more of a member than its declared size.
            size = sum(member.file_size for member in members)
            if size > MAX_INFLATED_BYTES:
                raise _too_much_room()
            if any(member.compress_type not in _PACKINGS for member in members):
                raise zipfile.BadZipFile("packed as no workbook is")
            yield Package(package, size, watch)
    except _NOT_READABLE:
        raise FileError(
            "The file cannot be read as XLSX: it has another format, is damaged or has a password.",
            advice=f'{NOTHING_CHANGED} Save it again as "Excel workbook (.xlsx)", without a password.',
        ) from None


def reading(package: Package, part: str, reader: XmlReader) -> Iterator[None]:
    """Feed a part to its reader, and yield after every chunk."""
    with package.parts.open(part) as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            reader.feed(chunk)
            package.note(len(chunk))
            yield
    reader.end()
    yield


def read_part(package: Package, part: str, reader: XmlReader) -> None:
    """Feed a whole part to its reader."""
    for _ in reading(package, part, reader):
        pass


def _too_much_room() -> FileError:
    return FileError(
        "The file would take too much room when it is unpacked.",
        advice=f"{NOTHING_CHANGED} Divide it into several files.",
    )
