"""Is an item with 50,000 recipients as quick to open, to edit and to come back to as a bare table?

`python -m benchmarks.edit_large_item` opens an item and a bare `st.data_editor` app of as many rows in one
Chromium, in turn, each time in a new window: the first table, a tick, a look at another page and back. Times
are taken in the page, from the click to the answer that is drawn. It prints medians and their ratios. Only
ratios are meaningful. Each answer is checked: the tick is there, and the service was asked to change nothing.

Last result on two quiet cores, November 2026, medians of five with 12, 5,000 and 50,000 rows: first table
1.11, 1.12 and 1.19 times, edit 1.22, 1.05 and 1.15, to another page 0.28, 0.30 and 0.41, back to the table
1.08, 1.08 and 1.37. Each other window of an item that was read a minute ago needs no names again.
"""

import statistics
import sys
import tempfile
from dataclasses import dataclass, fields
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.bare_app import run_bare
from item_visibility.api.operations import GET_VISIBILITIES
from item_visibility.records.directory.named_rows import Directory, Kind, NamedRow
from item_visibility.records.opening import open_records
from item_visibility_service.sample.load import with_check_digit
from tests.support.browser import find_browser
from tests.support.bundled_service import OperationLog, run_bundled, sqlite_url
from tests.support.dashboard import Place, run_configured

SIZES = (12, 5_000, 50_000)
ROUNDS = 5
BARE = """import pandas as pd
import streamlit as st

@st.cache_resource
def rows(count):
    return pd.DataFrame(
        {
            "visible": pd.Series([True] * count, dtype=bool),
            "name": pd.Series([f"Sonnenhof Supermarkets {n}" for n in range(count)], dtype=str),
            "recipient": pd.Series([f"9523{n:09}" for n in range(count)], dtype=str),
        }
    )

def table():
    st.session_state.setdefault("count", int(st.query_params.get("count", 0)))
    count = st.session_state["count"]
    columns = {"visible": st.column_config.CheckboxColumn("Can see", width=92, pinned=True)}
    st.data_editor(
        rows(count), key="rows", hide_index=True, column_config=columns, height=min(count, 12) * 35 + 38
    )
    st.text(str(st.session_state["rows"]["edited_rows"]))

def other():
    st.text_input("Another page")

st.set_page_config(layout="wide")
pages = [st.Page(table, title="Item", default=True), st.Page(other, title="Check", url_path="check")]
st.navigation(pages, position="top").run()
"""
TABLE = '[data-testid="data-grid-canvas"] tbody tr'
DRAWN = """selector => new Promise(resolve => {
    const look = () => document.querySelector(selector)
        ? requestAnimationFrame(() => resolve(performance.now())) : requestAnimationFrame(look)
    look()
})"""
"""Resolves with the milliseconds since the page was asked for."""

WATCH = """([selector, words]) => {
    const told = () => document.querySelector(selector)?.textContent
    window.__took = new Promise(resolve => {
        let begun
        addEventListener("pointerdown", () => { begun = performance.now() }, { capture: true, once: true })
        const look = () => begun !== undefined && told()?.includes(words)
            ? resolve(performance.now() - begun) : requestAnimationFrame(look)
        look()
    })
}"""
"""Prepares to time the next press until an element is there and says these words."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One window: the milliseconds to its first table, from a tick to its answer, and to other pages."""

    first_table: float
    edit: float
    to_another_page: float
    back_to_the_table: float


@dataclass(frozen=True, slots=True)
class App:
    """The page to open, its answer to a tick, and the other page."""

    address: str
    answer: str
    answer_says: str
    ticked: str
    ticked_says: str
    other_page: str


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
        run_bare(Path(folder), BARE) as bare_url,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        apps = {count: both(place, bare_url, count) for count in SIZES}
        samples: dict[tuple[int, int], list[Sample]] = {}
        for number in range(-1, ROUNDS):  # the first one warms up
            for count, pair in apps.items():
                for which in (0, 1) if number % 2 else (1, 0):
                    sample = use(browser, pair[which])
                    if number >= 0:
                        samples.setdefault((count, which), []).append(sample)
        browser.close()
    assert {one.operation_id for one in log.operations} == {GET_VISIBILITIES.name}
    show(samples)


def both(place: Place, bare_url: str, count: int) -> tuple[App, App]:
    """Return an item with `count` recipients, all with names, and a bare table of as many rows."""
    ids = [with_check_digit(f"9523{number:08}") for number in range(count)]
    records = open_records(place.dashboard.records_url)
    rows = Directory(records, service=place.dashboard.service)[Kind.RECIPIENT]
    for first in range(0, count, 10_000):
        chunk = enumerate(ids[first : first + 10_000], start=first)
        rows.put([NamedRow((one,), f"Sonnenhof Supermarkets {number}") for number, one in chunk])
    records.close()
    ours = App(
        place.address(place.new_item(*ids)),
        answer=".st-key-save_bar",
        answer_says="Save: remove 1",
        ticked=".st-key-changes",
        ticked_says="Sonnenhof Supermarkets 1",
        other_page='[aria-label="Paste a question"]',
    )
    bare = App(
        f"{bare_url}/?count={count}",
        answer='[data-testid="stText"]',
        answer_says="{1: {'visible': False}}",
        ticked='[data-testid="stText"]',
        ticked_says="{1: {'visible': False}}",
        other_page='[aria-label="Another page"]',
    )
    return ours, bare


def use(browser: Browser, app: App) -> Sample:
    """Open the table in a new window, untick its second row, look at another page, and come back."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(120_000)
    page = context.new_page()
    page.goto(app.address, wait_until="commit")
    first_table = float(page.evaluate(DRAWN, TABLE))
    settle(page)
    page.evaluate(WATCH, [app.answer, app.answer_says])
    tick(page)
    edit = float(page.evaluate("window.__took"))
    settle(page)
    assert app.ticked_says in page.locator(app.ticked).inner_text()
    away = go(page, "Check", app.other_page)
    back = go(page, "Item", TABLE)
    settle(page)
    for discard in page.get_by_role("button", name="Discard", exact=True).all():
        discard.click()  # else the next window would be told of this one's draft
        settle(page)
    context.close()
    return Sample(first_table, edit, away, back)


def tick(page: Page) -> None:
    """Click the tick of the second row."""
    canvas = page.get_by_test_id("data-grid-canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 46, box["y"] + 35 * 2.5)


def go(page: Page, name: str, found: str) -> float:
    """Follow the navigation; return the milliseconds until the other page is there."""
    page.evaluate(WATCH, [found, ""])
    page.get_by_role("navigation").get_by_role("link", name=name, exact=True).click()
    return float(page.evaluate("window.__took"))


def settle(page: Page) -> None:
    """Return when the script has run to its end."""
    page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')


def show(samples: dict[tuple[int, int], list[Sample]]) -> None:
    """Print medians side by side, and the ratio of ours to the bare app."""
    print(f"{f'median of {ROUNDS}, ms':32}{'rows':>8}{'ours':>8}{'bare':>8}{'ratio':>8}")
    for field in fields(Sample):
        for count in SIZES:
            ours, bare = (
                statistics.median(getattr(one, field.name) for one in samples[count, which])
                for which in (0, 1)
            )
            words = field.name.replace("_", " ")
            print(f"{words:32}{count:>8,}{ours:>8.0f}{bare:>8.0f}{ours / bare:>8.2f}")


if __name__ == "__main__":
    main()
