"""Every damage of the corpus is found, under its name, and no undamaged id of it is suspected."""

from pathlib import Path

import pytest

from item_visibility.files.reading import read_table
from item_visibility.files.table import Table
from item_visibility.lists.damage.detector import find_damage
from item_visibility.lists.layout import Layout, LayoutKind
from tests.lists.damage_known import NOTHING_KNOWN

CORPUS = Path(__file__).parent / "damage_corpus"
FILES = sorted(path.name for kind in ("csv", "xlsx") for path in CORPUS.glob(f"*.{kind}"))
ID = 3
EXPECTED = {"xlsx": 1, "csv": 2}
LAYOUTS = {
    "item": Layout(kind=LayoutKind.ROWS, item=ID),
    "market": Layout(kind=LayoutKind.ROWS, market=ID),
    "recipient": Layout(kind=LayoutKind.ROWS, recipients=(ID,)),
}


def table(name: str) -> Table:
    """A list of the corpus."""
    return read_table((CORPUS / name).read_bytes())


def cases() -> list[tuple[str, str, str]]:
    """File, case and expected kind of each row."""
    return [
        (name, row.cells[0], row.cells[EXPECTED[name.rpartition(".")[2]]])
        for name in FILES
        for row in table(name).rows
    ]


def kinds_found(name: str) -> dict[str, str]:
    """The kind that is found for each case of a list; empty for none."""
    read = table(name)
    layout = LAYOUTS[name.partition("_")[0]]
    found = {finding.row: finding.kind.name for finding in find_damage(read, layout, known=NOTHING_KNOWN)}
    return {row.cells[0]: found.get(row.number, "") for row in read.rows}


FOUND = {name: kinds_found(name) for name in FILES}


@pytest.mark.parametrize(("name", "case", "kind"), cases())
def test_the_damage_is_found(name: str, case: str, kind: str) -> None:
    """Each row is judged as what was done to it."""
    assert FOUND[name][case] == kind


def test_the_corpus_holds_many_kinds_of_damage() -> None:
    """At least forty cases were damaged by a real spreadsheet program, and 25 kinds are in it."""
    damaged = [(name, kind) for name, _case, kind in cases() if kind]
    by_program = {case for name, case, kind in cases() if kind and "by_hand" not in name}
    assert len(by_program) >= 40
    assert len({kind for _name, kind in damaged}) >= 25
