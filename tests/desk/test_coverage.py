"""Coverage of a supplier, as last seen."""

from dataclasses import replace
from pathlib import Path

import pytest

from item_visibility.api.identifiers import ItemKey
from item_visibility.desk.coverage.matrix import (
    MOST_CELLS_OF_A_FILE,
    MOST_COLUMNS,
    MOST_ITEMS,
    CellState,
    Coverage,
    MatrixColumn,
    cell_of,
)
from item_visibility.desk.coverage.spreadsheet_of_cells import write_coverage
from item_visibility.desk.coverage.wanted import Against, Wanted, read_coverage
from item_visibility.errors import SetError
from item_visibility.files.reading import read_table
from item_visibility.records.directory.named_rows import Kind, NamedRow
from item_visibility.records.directory.recipient_sets import StoredSet
from item_visibility.records.history.sightings import Sighting
from item_visibility.records.scans.seen_items import SeenItem
from tests.support.desk import DeskKit, open_kit
from tests.support.fake_visibilities import START
from tests.support.hostile_ids import HOSTILE_IDS

SEEN = SeenItem(item=ItemKey("S", "1"), name="Oats", market="276", recipients=frozenset("AB"), seen_at=START)
UNREAD = replace(SEEN, item=ItemKey("S", "2"), recipients=None, seen_at=None)
ANNA = MatrixColumn("A", "Anna", frozenset("A"))
SHOPS = MatrixColumn("Shops", "Shops", frozenset("ABC"), is_set=True)


def rows_of(content: bytes, sheet: str) -> list[tuple[str, ...]]:
    """The cells of a sheet, with its header."""
    table = read_table(content, sheet=sheet)
    return [table.header, *(row.cells for row in table.rows)]


def coverage_of(items: int, columns: int) -> Coverage:
    """A coverage with this many items, all read, and this many recipients."""
    return Coverage((SEEN,) * items, (ANNA,) * columns, known_items=items, seen_recipients=2)


@pytest.mark.parametrize(
    ("item", "column", "state", "words"),
    [
        (SEEN, ANNA, CellState.CAN, "can see"),
        (SEEN, MatrixColumn("C", "", frozenset("C")), CellState.CANNOT, "cannot see"),
        (SEEN, SHOPS, CellState.PARTLY, "2 of 3 can see"),
        (SEEN, replace(SHOPS, members=frozenset("AB")), CellState.CAN, "2 of 2 can see"),
        (SEEN, replace(SHOPS, members=frozenset("C")), CellState.CANNOT, "0 of 1 can see"),
        (SEEN, replace(SHOPS, members=frozenset()), CellState.CANNOT, "the set is empty"),
        (UNREAD, ANNA, CellState.NOT_KNOWN, "not read yet"),
        (UNREAD, SHOPS, CellState.NOT_KNOWN, "not read yet"),
        (replace(UNREAD, failure="403"), ANNA, CellState.NOT_KNOWN, "could not be read"),
        (replace(SEEN, failure="403"), ANNA, CellState.CAN, "can see"),
        (replace(SEEN, unsure=frozenset("A")), ANNA, CellState.NOT_KNOWN, "in doubt since a save"),
        (replace(SEEN, unsure=frozenset("A")), SHOPS, CellState.NOT_KNOWN, "in doubt since a save"),
        (replace(SEEN, recipients=frozenset()), ANNA, CellState.CANNOT, "cannot see"),
    ],
)
def test_each_cell_says_only_what_was_seen(
    item: SeenItem, column: MatrixColumn, state: CellState, words: str
) -> None:
    """Not read, or in doubt, is never a "no"; of a set it is said how many can see."""
    cell = cell_of(item, column)
    assert (cell.state, cell.words) == (state, words)


def test_more_than_fits_is_drawn_in_parts() -> None:
    """Each part holds the next items and columns, and together they are all."""
    coverage = coverage_of(MOST_ITEMS + 1, 2 * MOST_COLUMNS)
    assert (coverage.item_pages, coverage.column_pages) == (2, 2)
    sizes = [
        (len(part.items), len(part.columns))
        for part in (coverage.part(item_page=1, column_page=2), coverage.part(item_page=2, column_page=1))
    ]
    assert sizes == [(MOST_ITEMS, MOST_COLUMNS), (1, MOST_COLUMNS)]
    assert (coverage_of(0, 0).item_pages, coverage_of(0, 0).column_pages) == (1, 1)


def test_a_file_has_a_limit() -> None:
    """A choice of more cells is refused before it is written."""
    assert coverage_of(1, MOST_CELLS_OF_A_FILE).fits_a_file
    assert not coverage_of(1, MOST_CELLS_OF_A_FILE + 1).fits_a_file


def fill(kit: DeskKit) -> None:
    """Three items of a supplier, of which two were seen, and two sets."""
    directory = kit.records.directory
    directory[Kind.ITEM].put(
        [NamedRow(("S", "1"), "Oats", "276"), NamedRow(("S", "2"), "Äpfel", "040"), NamedRow(("S", "3"))]
    )
    directory[Kind.RECIPIENT].put([NamedRow(("A",), "Anna"), NamedRow(("B",), "Berta"), NamedRow(("C",))])
    seen = {"1": frozenset("AB"), "2": frozenset("BC")}
    kit.records.history.note_every_read(
        [
            Sighting(item=ItemKey("S", one), recipients=listed, asked_at=START, seen_at=START)
            for one, listed in seen.items()
        ]
    )
    kit.records.sets.make(StoredSet("Shops", frozenset("AC"), START, "ann"))
    kit.records.sets.make(StoredSet("All", frozenset("ABC"), START, "ann"))


def test_a_choice_says_which_recipients_and_which_items(tmp_path: Path) -> None:
    """Seen most first, a set's by name, chosen ones in their order, sets by name; unread items stay."""
    with open_kit(tmp_path) as kit:
        fill(kit)

        def columns(wanted: Wanted) -> list[str]:
            return [column.title for column in read_coverage(kit.records, wanted).columns]

        def items(text: str) -> list[str]:
            found = read_coverage(kit.records, Wanted("S", text=text))
            return [item.item.supplier_item_id for item in found.items]

        assert columns(Wanted("S")) == ["Berta", "Anna", "C"]
        assert columns(Wanted("S", Against.SET, set_name="Shops")) == ["Anna", "C"]
        assert columns(Wanted("S", Against.CHOSEN, recipients=("C", "A"))) == ["C", "Anna"]
        assert columns(Wanted("S", Against.SETS)) == ["All", "Shops"]
        assert columns(Wanted("other")) == []
        assert items("") == ["2", "1", "3"]
        assert [items(text) for text in ("apf", "germ", "Deutsch oats", "3", "oats austria")] == [
            ["2"],
            ["1"],
            ["1"],
            ["3"],
            [],
        ]
        whole = read_coverage(kit.records, Wanted("S", text="3"))
        assert (whole.known_items, whole.seen_recipients, whole.unread) == (3, 3, 1)
        assert (whole.oldest, whole.newest) == (None, None)
        seen = read_coverage(kit.records, Wanted("S"))
        assert (seen.oldest, seen.newest) == (START, START)


def test_a_set_that_is_gone_is_said_to_be(tmp_path: Path) -> None:
    """It is not shown as a set without recipients."""
    with open_kit(tmp_path) as kit, pytest.raises(SetError):
        read_coverage(kit.records, Wanted("S", Against.SET, set_name="gone"))


def test_the_file_holds_every_cell_its_age_and_a_legend(tmp_path: Path) -> None:
    """Names and numbers stand apart, and what was not read has no time."""
    with open_kit(tmp_path) as kit:
        fill(kit)
        wanted = Wanted("S", Against.CHOSEN, recipients=("A", "C"))
        content = write_coverage(read_coverage(kit.records, wanted))
    assert rows_of(content, "Coverage") == [
        ("Item", "Market", "Item number", "Supplier", "Last read (UTC)", "Anna (A)", "C"),
        ("Äpfel", "Austria", "2", "S", "2026-11-21 14:00:00", "cannot see", "can see"),
        ("Oats", "Germany", "1", "S", "2026-11-21 14:00:00", "can see", "cannot see"),
        ("", "", "3", "S", "", "not read yet", "not read yet"),
    ]
    assert rows_of(content, "Columns")[1:] == [("Anna (A)", "Anna", "A", ""), ("C", "", "C", "")]
    says = 'There is no read of the item yet. This is not "cannot see".'
    assert ("not read yet", says) in rows_of(content, "Legend")


def test_the_file_takes_any_text_and_says_what_failed_since() -> None:
    """No id is refused or run; of a set the number of its recipients stands there."""
    columns = tuple(MatrixColumn(one, "", frozenset({one})) for one in HOSTILE_IDS)
    item = replace(SEEN, name="=1+1", failure="403")
    coverage = Coverage((item,), (*columns, SHOPS), known_items=1, seen_recipients=2)
    content = write_coverage(coverage)
    row = rows_of(content, "Coverage")[1]
    assert row[:5] == ("=1+1", "Germany", "1", "S", "2026-11-21 14:00:00, could not be read since")
    assert rows_of(content, "Columns")[-1] == ("Shops", "Shops", "", "3")
