"""Reads XML in chunks, as far as workbooks need it."""

from collections.abc import Mapping
from functools import lru_cache
from xml.parsers import expat

from item_visibility.errors import FileError
from item_visibility.files.table import NOTHING_CHANGED

MAX_TAGS = 8_000_000
"""The limit for one part. It is enough for any allowed table, and limits the reading time."""

_MAX_TAG_BYTES = 1024 * 1024
"""The limit for one tag or comment, because expat 2.5 rereads it from its start for every chunk."""


class XmlReader:
    """Reads XML in chunks. Namespaces of elements are ignored, because workbooks come in several dialects."""

    def __init__(self) -> None:
        self._tags = self._bytes = 0
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = _refuse_entities
        self._parser.StartElementHandler = lambda name, given: self.on_start(own(name), given)
        self._parser.EndElementHandler = lambda name: self.on_end(own(name))
        self._parser.CharacterDataHandler = self.on_text

    def feed(self, chunk: bytes) -> None:
        """Read a chunk. Raise FileError when there are more tags than any allowed table needs."""
        self._tags += chunk.count(b"<")
        if self._tags > MAX_TAGS:
            raise FileError(
                "The file holds too many cells, most of them empty.",
                advice=f"{NOTHING_CHANGED} Copy what is needed into a new file.",
            )
        self._parser.Parse(chunk, False)  # noqa: FBT003  (expat's)
        self._bytes += len(chunk)
        if self._bytes - self._parser.CurrentByteIndex > _MAX_TAG_BYTES:
            raise ValueError("a tag without an end")

    def end(self) -> None:
        """End the document."""
        self._parser.Parse(b"", True)  # noqa: FBT003  (expat's)

    def on_start(self, name: str, given: Mapping[str, str]) -> None:
        """Handle the start of an element. Attribute names include their namespace, if they have one."""

    def on_end(self, name: str) -> None:
        """Handle the end of an element."""

    def on_text(self, text: str) -> None:
        """Handle text."""


@lru_cache(maxsize=256)
def own(name: str) -> str:
    """Return the name of an element or attribute without its namespace."""
    return name.rpartition(" ")[2]


def _refuse_entities(*_: object) -> None:
    raise FileError(
        "The file declares XML entities, which no workbook needs.",
        advice=f"{NOTHING_CHANGED} Save it again with a spreadsheet program.",
    )
