"""Is an item with 5,000 recipients as quick to edit as one with ten?

`python -m benchmarks.edit_large_item` drives a browser: it unticks one recipient and saves, on a small
and a large item in turn, and prints medians and their ratios. Only the ratios are meaningful: a browser,
a dashboard and a service share this machine. The service counts the changes that were sent.
"""

import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from item_visibility.api.operations import GET_VISIBILITIES
from item_visibility_service.http.accepted_ids import Item
from item_visibility_service.sample.load import with_check_digit
from tests.support.browser import find_browser
from tests.support.bundled_service import OperationLog, run_bundled, sqlite_url
from tests.support.dashboard import Place, run_configured
from tests.support.pages import Person, Watch

SMALL, LARGE = 10, 5_000
ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Sample:
    """One edit of one item: its seconds and the changes sent."""

    to_open_s: float
    to_bar_s: float
    to_verified_s: float
    changes: int


def main() -> None:
    """Measure, check every answer, print."""
    program = find_browser()
    if program is None:
        sys.exit("There is no Chromium, Chrome or Edge here.")
    log = OperationLog()
    with (
        tempfile.TemporaryDirectory() as folder,
        run_bundled(sqlite_url(Path(folder)), log) as service,
        run_configured(Path(folder, "home"), service) as place,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        samples: dict[int, list[Sample]] = {SMALL: [], LARGE: []}
        edit(browser, place, log, count=SMALL)  # warms up
        for number in range(ROUNDS):
            for count in (SMALL, LARGE) if number % 2 else (LARGE, SMALL):
                samples[count].append(edit(browser, place, log, count=count))
        browser.close()
    show(samples)


def edit(browser: Browser, place: Place, log: OperationLog, *, count: int) -> Sample:
    """Untick the second recipient of a new item and save, in a new browser window."""
    recipients = [with_check_digit(f"9523{number:08}") for number in range(count)]
    item = place.new_item(*recipients)
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    person = Person(context.new_page(), Watch())
    started = time.perf_counter()
    person.open(place.address(item)).reads("recipients can see this item", timeout_s=60)
    person.place_of_tick(1)
    opened = time.perf_counter()
    person.tick(1)
    person.reads_staged()
    staged = time.perf_counter()
    person.press("Save")
    person.reads_saved(f"Removed {recipients[1]}")
    verified = time.perf_counter()
    assert place.recipients(item) == set(recipients) - {recipients[1]}
    context.close()
    return Sample(opened - started, staged - opened, verified - staged, changes(log, item))


def changes(log: OperationLog, item: Item) -> int:
    """Return the number of changes to this item that the service received."""
    return sum(
        one.operation_id != GET_VISIBILITIES.name and one.supplier_item_id == item.supplier_item_id
        for one in log.operations
    )


def show(samples: dict[int, list[Sample]]) -> None:
    """Print medians side by side, and the ratio of large to small."""
    print(f"{'median of ' + str(ROUNDS):28}{SMALL:>10}{LARGE:>10}{'ratio':>10}")
    for words, name in (
        ("open to table, s", "to_open_s"),
        ("tick to updated bar, s", "to_bar_s"),
        ("Save to verified, s", "to_verified_s"),
        ("changes sent", "changes"),
    ):
        small, large = (statistics.median(getattr(one, name) for one in samples[count]) for count in samples)
        print(f"{words:28}{small:>10.2f}{large:>10.2f}{large / small:>10.2f}")


if __name__ == "__main__":
    main()
