"""Compares the time to find one of 100,000 names with that of a nearly empty app.

`python -m benchmarks.find_by_name` puts 100,000 recipients into a directory, on SQLite
and, if it is installed, on PostgreSQL. Chromium alternately searches by name in the
dashboard and presses a button in the other app. Each measurement ends when the answer
is drawn, and does not include the pause in typing. The table shows the medians and 95th
percentiles of both, their ratios, and whether the percentiles differ by at most two
frames. Only the ratios are meaningful. Each answer is checked.
"""

import statistics
import tempfile
from itertools import cycle
from pathlib import Path

from playwright.sync_api import Page

from benchmarks.servers import in_turn, name_recipients, print_table, run_bare
from tests.support.bundled_service import run_bundled, sqlite_url
from tests.support.chromium import run_chromium
from tests.support.dashboard import run_configured
from tests.support.postgres import run_postgres

COUNT = 100_000
ROUNDS = 8
TWO_FRAMES_S = 2 / 60
TOWNS = (
    "Sonnenhof",
    "Le Panier",
    "Blue Door",
    "Kornblume",
    "Marktplatz",
    "Villa Verde",
    "Café Łódź",
)
KINDS = ("Supermarkets", "Wholesale", "Catering", "Online Shop", "Convenience")
QUERIES = (
    "sonn",
    "wholesale panier",
    "kornblume",
    "lodz cafe",
    "villa 220",
    "sonenhof",
    "95220000999",
    "super marktpl",
)
BARE = """import streamlit as st
@st.fragment
def bare():
    st.session_state["count"] = st.session_state.get("count", 0) + 1
    st.button("Again", key="again")
    st.text(str(st.session_state["count"]))
bare()
"""
FIND = """(input, query) => new Promise(resolve => {
    const list = input.getRootNode().querySelector("[role=listbox]")
    const put = (text) => {
        input.value = text
        const dropped = { bubbles: true, inputType: "insertFromDrop" }
        input.dispatchEvent(new InputEvent("input", dropped))
    }
    put("")
    const observer = new MutationObserver(() => {
        if (list.hidden) return
        observer.disconnect()
        requestAnimationFrame(() => resolve(performance.now() - begun))
    })
    observer.observe(list, { attributes: true, childList: true })
    const begun = performance.now()
    put(query)
})"""
ECHO = """button => new Promise(resolve => {
    const count = () => document.querySelector("[data-testid=stText]").textContent
    const before = count()
    const observer = new MutationObserver(() => {
        if (count() === before) return
        observer.disconnect()
        requestAnimationFrame(() => resolve(performance.now() - begun))
    })
    const all = { subtree: true, childList: true, characterData: true }
    observer.observe(document.body, all)
    const begun = performance.now()
    button.click()
})"""
PAUSE_S = 0.120
"""The field searches after this pause in typing."""


def main() -> None:
    with run_postgres() as server:
        measure("SQLite", {})
        if server is not None:
            url = server.create_database()
            measure("PostgreSQL", {"ITEM_VISIBILITY_DATABASE_URL": url})


def measure(database: str, variables: dict[str, str]) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        run_bundled(sqlite_url(Path(folder))) as service,
        run_configured(Path(folder, "home"), service, **variables) as place,
        run_bare(Path(folder), BARE) as bare_url,
        run_chromium() as browser,
    ):
        # Open the dashboard and the other app.
        names = {f"{9522000000000 + number}": name(number) for number in range(COUNT)}
        name_recipients(place, names)
        ours = browser.new_page()
        ours.goto(place.address(place.new_item("9522000000001")))
        other = browser.new_page()
        other.goto(bare_url)

        # Search and press in turn. The first turns warm both up.
        queries = cycle(QUERIES)
        again = other.get_by_role("button", name="Again")
        measures = {
            "found": lambda: find(ours, next(queries)),
            "bare": lambda: float(again.evaluate(ECHO)) / 1000,
        }
        in_turn(measures, len(QUERIES))
        samples = in_turn(measures, ROUNDS * len(QUERIES))

    rows = {}
    for title, figure in (("median", statistics.median), ("95th percentile", most)):
        found_s = figure(samples["found"])
        bare_s = figure(samples["bare"])
        rows[title] = (found_s * 1_000, bare_s * 1_000, found_s / bare_s)
    print_table(f"{COUNT:,} names on {database}, ms", ("found", "bare", "ratio"), rows)
    is_kept = most(samples["found"]) <= most(samples["bare"]) + TWO_FRAMES_S
    answer = "yes" if is_kept else "no"
    print(f"The 95th percentiles differ by at most two frames: {answer}")


def name(number: int) -> str:
    return f"{TOWNS[number % 7]} {KINDS[number // 7 % 5]} {number // 35}"


def find(page: Page, query: str) -> float:
    """Search, and return the seconds until the list of matches is drawn.

    They begin at the end of the pause in typing.
    """
    field = page.get_by_role("combobox", name="Add recipients", exact=True)
    took_s = float(field.evaluate(FIND, query)) / 1000 - PAUSE_S
    assert page.get_by_role("option").count() > 0
    return took_s


def most(times: list[float]) -> float:
    """Return the 95th percentile."""
    return statistics.quantiles(times, n=20)[-1]


if __name__ == "__main__":
    main()
