"""Are the pickers as quick among 100,000 items and 50,000 recipients as among ten?

`python -m benchmarks.pickers` fills two directories, with all items of one supplier. It draws the same
screens on both in turn, in one process without a browser. Each time is the processor time of a whole run of
the page, as any click causes it. It prints medians, and the ratio of large to small. Only the ratios are
meaningful. Every answer is checked, and also that no long list of options leaves the server.

Last result with SQLite on two quiet cores, November 2026: ratios 1.0 to 1.2, and 1.6 for an item by its last
digits. Scanning all rows had 2.2 to 5.5.
A part of a number or name is found by its trigrams, or by walking the rows in order of their ids.
"""

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from components import wiring
from item_visibility.api.identifiers import ItemKey
from item_visibility.desk.directory import PAGE_ROWS, Kind, NamedRow
from item_visibility.desk.finder.find_by_name import SHOWN
from tests.support.desk import DeskKit, open_kit
from tests.support.screens import DIRECTORY_PAGE, Window

SMALL, LARGE = (10, 10), (100_000, 50_000)
ROUNDS = 9
SUPPLIER = "9521000990008"
NAMES = ("Käse", "Brot", "Łódź Butter", "Öl", "Wein")


class Search(NamedTuple):
    """A text, the place to enter it, and the maximum number of results on the screen."""

    page: str
    part: str
    field: str
    text: str
    shown: Callable[[Window], int]
    most: int


def suggestions(window: Window) -> int:
    """Return the number of items offered."""
    return len(window.found("item")["options"])


def rows(window: Window) -> int:
    """Return the number of directory rows shown."""
    return len(window.editor.value)


SEARCHES = {
    "an item, by part of its number": Search("", "", "item", "0000000", suggestions, SHOWN),
    "an item, by its last digits": Search("", "", "item", "0000009:276", suggestions, SHOWN),
    "an item, by part of its name": Search("", "", "item", "lodz", suggestions, SHOWN),
    "directory, items by name": Search(DIRECTORY_PAGE, "Items", "directory_text", "kase", rows, PAGE_ROWS),
    "directory, recipients by number": Search(
        DIRECTORY_PAGE, "Recipients", "directory_text", "000", rows, PAGE_ROWS
    ),
    "directory, recipients by name": Search(
        DIRECTORY_PAGE, "Recipients", "directory_text", "wein", rows, PAGE_ROWS
    ),
}


def main() -> None:
    """Measure, check every answer, print."""
    with (
        tempfile.TemporaryDirectory() as small,
        tempfile.TemporaryDirectory() as large,
        open_kit(Path(small)) as few,
        open_kit(Path(large)) as many,
    ):
        fill(few, SMALL)
        fill(many, LARGE)
        print(f"{'median of ' + str(ROUNDS) + ', ms':36}{'ten':>10}{'many':>10}{'ratio':>10}")
        for words, search in SEARCHES.items():
            samples: dict[bool, list[float]] = {False: [], True: []}
            windows = {is_large: opened(kit, search) for is_large, kit in ((False, few), (True, many))}
            for number in range(ROUNDS):
                for is_large in (False, True) if number % 2 else (True, False):
                    show(many if is_large else few)
                    samples[is_large].append(searched(windows[is_large], search))
            ten, most = (statistics.median(samples[is_large]) for is_large in (False, True))
            print(f"{words:36}{ten:>10.1f}{most:>10.1f}{most / ten:>10.2f}")


def fill(kit: DeskKit, counts: tuple[int, int]) -> None:
    """Store this many items of one supplier, and recipients, all with names."""
    items, recipients = counts
    tables = kit.records.directory
    tables[Kind.SUPPLIER].put([NamedRow((SUPPLIER,), "Molkerei Nord")])
    for first in range(0, items, 10_000):
        numbers = range(first, min(first + 10_000, items))
        tables[Kind.ITEM].put([NamedRow((SUPPLIER, f"{n:014}:276"), name(n), "276") for n in numbers])
    for first in range(0, recipients, 10_000):
        numbers = range(first, min(first + 10_000, recipients))
        tables[Kind.RECIPIENT].put([NamedRow((f"{n:013}",), name(n)) for n in numbers])
    kit.fake.put(ItemKey(SUPPLIER, "open"), ["R1"])


def name(number: int) -> str:
    """Return a name that some others share."""
    return f"{NAMES[number % len(NAMES)]} {number}"


def show(kit: DeskKit) -> None:
    """Make the screens use this desk."""
    wiring.get_desk = lambda: kit.desk  # type: ignore[assignment]  # what the cache would give


def opened(kit: DeskKit, search: Search) -> Window:
    """Return a window ready for the search."""
    show(kit)
    if not search.page:
        return Window(supplier=SUPPLIER)
    window = Window()
    window.go_to(search.page)
    window.switch("directory_part", search.part)
    return window


def searched(window: Window, search: Search) -> float:
    """Return the milliseconds that a run of the page takes with the text entered."""
    if search.page:
        window.enter(search.field, search.text)
    else:
        window.type_half(search.text, key=search.field)
    started = time.process_time()
    window.leave()
    took = (time.process_time() - started) * 1000
    assert 0 < search.shown(window) <= search.most
    return took


if __name__ == "__main__":
    main()
