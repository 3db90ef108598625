"""How soon does the coverage page show what a scan has read, in a browser?

`python -m benchmarks.scan_pages` starts the dashboard as people do, on a service that answers after 20 ms,
and opens it in Chromium. It measures, in the page:

    first       from the press of "Read all items now" to the first items that were read, of 5,000
    cancel      from the press of "Cancel the scan" until the page says that it was cancelled
    map         from the press of Enter in the address bar to the map of 100 items by 50 recipients
    alone       from the press of "Load again" on the item page until its script has run
    beside      the same while a scan runs, whose page another person looks at: between two halves of those
                alone, so that a machine that becomes slower or faster meets both

It prints the medians, and ends with 1 when the first items come later than a second, or the read beside a
scan takes more than 1.3 times as long as the one alone.
"""

import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Page, sync_playwright

from benchmarks.latency_server import RECIPIENTS, open_latency_server
from item_visibility.client.identifiers import ItemKey
from item_visibility.storage.database import open_records
from item_visibility.storage.directory import Directory
from item_visibility.storage.history.saves import History
from item_visibility.storage.history.sightings import Sighting
from item_visibility_service.sample import with_check_digit
from tests.support.browser import find_browser
from tests.support.dashboard import Dashboard

DELAY_S = 0.02
ROUNDS = 5
ITEMS = 5_000
MAP_ITEMS, MAP_COLUMNS = 100, 50
MAPPED = "9521100000016"
COLUMNS = [with_check_digit(f"9523{number:08}") for number in range(MAP_COLUMNS)]
WANTED_FIRST_MS, WANTED_BESIDE = 1_000, 1.3
READS = 8
PATIENCE_MS = 120_000

TIMED = """([selector, words]) => {
    const is_there = () => [...document.querySelectorAll(selector)].some(one => one.textContent.match(words))
    window.__took = new Promise(resolve => {
        let begun
        addEventListener("pointerdown", () => { begun = performance.now() }, { capture: true, once: true })
        const look = () => begun !== undefined && is_there()
            ? resolve(performance.now() - begun) : requestAnimationFrame(look)
        look()
    })
}"""
"""Prepares to time the next press until an element says what is looked for."""

RAN = """() => {
    const app = document.querySelector('[data-testid="stApp"]')
    const is_running = () => app.dataset.testScriptState === "running"
    window.__took = new Promise(resolve => {
        let begun, has_run = false
        addEventListener("pointerdown", () => { begun = performance.now() }, { capture: true, once: true })
        const look = () => {
            has_run ||= begun !== undefined && is_running()
            if (has_run && !is_running()) resolve(performance.now() - begun)
            else requestAnimationFrame(look)
        }
        look()
    })
}"""
"""Prepares to time the next press until the script that it starts has run."""

TOOK = """most => Promise.race([
    window.__took,
    new Promise((_, refuse) => setTimeout(() => refuse(new Error("What was timed never came.")), most)),
])"""
"""Resolves with the milliseconds of the prepared press; an error after `most` of them."""

DRAWN = """selector => new Promise(resolve => {
    const look = () => document.querySelector(selector)
        ? requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())))
        : requestAnimationFrame(look)
    look()
})"""
"""Resolves with the milliseconds since the page was requested, once the map is drawn."""


def main() -> None:
    """Measure and print; return exit status 1 if the first items come too late."""
    program = find_browser()
    if program is None:
        sys.exit("There is no Chromium, Chrome or Edge here.")
    with (
        tempfile.TemporaryDirectory() as folder,
        open_latency_server(DELAY_S) as address,
        sync_playwright() as playwright,
    ):
        url = f"sqlite:///{Path(folder, 'records.sqlite')}"
        variables = {
            "ITEM_VISIBILITY_BASE_URL": f"{address}/v1",
            "ITEM_VISIBILITY_AUTH_URL": address,
            "ITEM_VISIBILITY_CLIENT_ID": "client",
            "ITEM_VISIBILITY_CLIENT_SECRET": "secret",
            "ITEM_VISIBILITY_DATABASE_URL": url,
        }
        fill(url, service=variables["ITEM_VISIBILITY_BASE_URL"])
        dashboard = Dashboard(Path(folder, "home"), variables)
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            dashboard.start()
            taken: dict[str, list[float]] = {}
            for number in range(-1, ROUNDS):  # the first one warms up
                page = browser.new_page(viewport={"width": 1440, "height": 900})
                page.set_default_timeout(PATIENCE_MS)
                samples = use_scan(page, dashboard.url, number) | use_map(page, dashboard.url)
                samples |= use_item(page, dashboard.url, number)
                page.close()
                if number >= 0:
                    for name, value in samples.items():
                        taken.setdefault(name, []).append(value)
        finally:
            browser.close()
            dashboard.stop()
    medians = {name: statistics.median(values) for name, values in taken.items()}
    for name, value in medians.items():
        print(f"{name:12}{value:>8.0f} ms   {' '.join(f'{one:.0f}' for one in sorted(taken[name]))}")
    ratio = statistics.median(
        beside / alone for alone, beside in zip(taken["alone"], taken["beside"], strict=True)
    )
    print(f"beside a scan a read takes {ratio:.2f} times as long")
    sys.exit(medians["first"] > WANTED_FIRST_MS or ratio > WANTED_BESIDE)


def fill(url: str, *, service: str) -> None:
    """Make the items known, and keep what was seen of those of the map: each recipient sees half of them."""
    records = open_records(url)
    directory = Directory(records, service=service)
    for number in range(-1, ROUNDS):
        items = [ItemKey(scanned(number), f"{one:014}:276") for one in range(ITEMS)]
        directory.remember(items, RECIPIENTS)
    mapped = [ItemKey(MAPPED, f"{number:014}:276") for number in range(MAP_ITEMS)]
    directory.remember(mapped, COLUMNS)
    now = datetime.now(UTC)
    History(records, service=service).note_every_read(
        [
            Sighting(item=item, recipients=frozenset(COLUMNS[row % 2 :: 2]), asked_at=now, seen_at=now)
            for row, item in enumerate(mapped)
        ]
    )
    records.close()


def scanned(number: int) -> str:
    """Return the supplier of a round: its items were never read before."""
    return with_check_digit(f"95211001{number + 1:04}")


def use_scan(page: Page, url: str, number: int) -> dict[str, float]:
    """Start a scan in a recipient's view, wait for its first items, and cancel it."""
    page.goto(f"{url}/coverage?recipient={RECIPIENTS[0]}&supplier={scanned(number)}")
    page.get_by_text("0 of 0 read items").wait_for()
    settle(page)
    page.evaluate(TIMED, ['[data-testid="stMarkdown"]', "of [1-9][0-9,]* read items?"])
    page.get_by_role("button", name="Read all items now").click()
    first = took(page)
    page.evaluate(TIMED, ['[data-testid="stCaptionContainer"]', "The scan was cancelled"])
    page.get_by_role("button", name="Cancel the scan").click()
    cancel = took(page)
    settle(page)
    return {"first": first, "cancel": cancel}


def use_map(page: Page, url: str) -> dict[str, float]:
    """Open the coverage of 50 chosen recipients."""
    recipients = urlencode({"recipient": COLUMNS}, doseq=True)
    page.goto(f"{url}/coverage?supplier={MAPPED}&{recipients}", wait_until="commit")
    drawn = float(page.evaluate(DRAWN, '[data-testid="stVegaLiteChart"] canvas'))
    settle(page)
    return {"map": drawn}


def use_item(page: Page, url: str, number: int) -> dict[str, float]:
    """Load an item again and again, without and with a scan that another window follows."""
    page.goto(f"{url}/?supplier={MAPPED}&item={0:014}:276")
    page.get_by_text("can see this item").first.wait_for()
    settle(page)
    alone = [load_again(page) for _ in range(READS // 2)]
    with watched_scan(page, url, number):
        beside = [load_again(page) for _ in range(READS)]
    alone += [load_again(page) for _ in range(READS // 2)]
    return {"alone": statistics.median(alone), "beside": statistics.median(beside)}


@contextmanager
def watched_scan(page: Page, url: str, number: int) -> Iterator[None]:
    """Run a scan, which another person follows in a window of the same browser."""
    assert page.context.browser is not None
    other = page.context.browser.new_page(viewport={"width": 1440, "height": 900})
    other.set_default_timeout(PATIENCE_MS)
    other.goto(f"{url}/coverage?recipient={RECIPIENTS[0]}&supplier={scanned(number)}")
    other.get_by_role("button", name="Read all items now").click()
    other.get_by_text("of 5,000 items checked").wait_for()
    yield
    other.get_by_role("button", name="Cancel the scan").click()
    other.get_by_text("The scan was cancelled").wait_for()
    other.close()


def load_again(page: Page) -> float:
    """Return the milliseconds from the press until the script has run."""
    page.evaluate(RAN)
    page.get_by_role("button", name="Load again").click()
    took_ms = took(page)
    settle(page)
    return took_ms


def took(page: Page) -> float:
    """Return the milliseconds of what was timed last; an error, and no endless wait, if it never came."""
    return float(page.evaluate(TOOK, PATIENCE_MS))


def settle(page: Page) -> None:
    """Return when the script has run to its end."""
    page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')


if __name__ == "__main__":
    main()
