"""Finds the sheets of an XLSX workbook and their names."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from item_visibility.files.workbooks.xml_reader import XmlReader, own

_MAX_RELATIONS = 10_000


@dataclass(frozen=True, slots=True)
class SheetPart:
    """The name of a sheet, and the part that holds its cells."""

    name: str
    target: str
    is_hidden: bool


class RelationReader(XmlReader):
    """Finds the parts that hold a workbook's sheets and shared texts."""

    def __init__(self) -> None:
        super().__init__()
        self.is_from_1904 = False
        self._sheets: list[tuple[str, str, bool]] = []
        self._targets: dict[str, tuple[str, str]] = {}

    def end(self) -> None:
        """Finish a part, and prepare for the second one."""
        super().end()
        sheets, targets = self._sheets, self._targets
        XmlReader.__init__(self)
        self._sheets, self._targets = sheets, targets

    def on_start(self, name: str, given: Mapping[str, str]) -> None:
        """Note a sheet of the workbook, the location of a part, or from when days count."""
        if name == "sheet":
            key = next(value for key, value in given.items() if own(key) == "id")
            is_hidden = given.get("state", "visible") != "visible"
            self._sheets.append((given.get("name", ""), key, is_hidden))
        elif name == "workbookPr":
            self.is_from_1904 = given.get("date1904", "0") in {"1", "true", "on"}
        elif name == "Relationship":
            self._targets[given["Id"]] = (given["Type"], given["Target"])
        if len(self._sheets) + len(self._targets) > _MAX_RELATIONS:
            raise ValueError("too many parts")

    def target_of_type(self, kind: re.Pattern[str]) -> str | None:
        """Return the location of the part of this type, or None."""
        return next((target for type_, target in self._targets.values() if kind.search(type_)), None)

    def sheets(self, kind: re.Pattern[str]) -> list[SheetPart]:
        """Return the sheets of cells, in order. Raise KeyError for none, or for one without a part."""
        kept = [(name, self._targets[key], is_hidden) for name, key, is_hidden in self._sheets]
        sheets = [
            SheetPart(name, target, is_hidden)
            for name, (type_, target), is_hidden in kept
            if kind.search(type_)
        ]
        if not sheets:
            raise KeyError("sheet")
        return sheets
