"""Writes the corpus of damaged ids again: `python -m tests.lists.damage_corpus.make`.

LibreOffice Calc damages what is typed into it here, by its own rules; the corpus was made with
version 7.4. Damage that no program does by itself, such as letters typed for digits, is in the
files that are called `by_hand`: those are not touched by any program. Each row names its case, the
kind of damage that is expected of it in XLSX and in CSV (empty for an undamaged id), and the id.

The name of a file begins with what its ids name.
"""

import csv
import io
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.lists.damage_corpus.formatted import formatted_sheet
from tests.lists.damage_corpus.typed import BY_HAND, ENGLISH, MISREAD, TYPED, Rows

HERE = Path(__file__).parent
HEADER = ("Case", "In XLSX", "In CSV", "Id")
_UTF_8, _WINDOWS = 76, 1
_STANDARD = "CSV:44,34,{charset},1,1/2/2/2/3/2/4/1,{language},false,true"
"""Columns of texts, and the last as typed: numbers, dates and truths are recognised."""
_TEXT = "CSV:44,34,{charset},1,1/2/2/2/3/2/4/2,{language},false,false"
_FILTERS = {
    "csv": "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true",
    "xlsx": "xlsx:Calc MS Excel 2007 XML",
}


def main() -> None:
    """Write every file of the corpus beside this one."""
    program = shutil.which("soffice")
    if program is None:
        sys.exit("LibreOffice Calc is needed: there is no soffice on this machine.")
    with TemporaryDirectory() as folder:
        office = _Office(program, Path(folder))
        for name, rows in BY_HAND.items():
            (HERE / f"{name}.csv").write_bytes(_csv(rows))
        for name, (language, rows) in TYPED.items():
            typed = office.write(name, _csv(rows))
            office.convert(typed, to="xlsx", reading=_STANDARD.format(charset=_UTF_8, language=language))
            office.convert(HERE / f"{name}.xlsx", to="csv")
        misread = office.write("item_misread", _csv(MISREAD))
        office.convert(misread, to="csv", reading=_TEXT.format(charset=_WINDOWS, language=ENGLISH))
        misread = office.write("item_misread_windows", _csv(MISREAD).decode().encode("cp1252"))
        office.convert(misread, to="csv", reading=_TEXT.format(charset=_UTF_8, language=ENGLISH))
        formatted = Path(folder) / "item_formatted.fods"
        formatted.write_text(formatted_sheet(HEADER), encoding="utf-8")
        for kind in ("xlsx", "csv"):
            office.convert(formatted, to=kind)


class _Office:
    """LibreOffice without a window, with a profile of its own."""

    def __init__(self, program: str, folder: Path) -> None:
        self._program = program
        self._folder = folder

    def write(self, name: str, content: bytes) -> Path:
        """A CSV file to open."""
        path = self._folder / f"{name}.csv"
        path.write_bytes(content)
        return path

    def convert(self, source: Path, *, to: str, reading: str = "") -> None:
        """Open a file as a person does, and save it as another kind beside this module, as it is shown."""
        profile = f"-env:UserInstallation={(self._folder / 'profile').as_uri()}"
        command = [self._program, profile, "--headless", "--convert-to", _FILTERS[to], "--outdir", str(HERE)]
        how = [f"--infilter={reading}"] if reading else []
        subprocess.run([*command, *how, str(source)], check=True, capture_output=True)


def _csv(rows: Rows) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([HEADER, *rows])
    return text.getvalue().encode("utf-8")


if __name__ == "__main__":
    main()
