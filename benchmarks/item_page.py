"""Compares the speed of the item page with that of a bare app with the same form.

`python -m benchmarks.item_page` opens the item page and the bare app in turn in
Chromium, with 12, 5,000 and 50,000 rows. It measures the time until the table is drawn,
and the time from the click on Save to the result. The time that the calls to the
service take is subtracted. The table shows the medians and their ratios. Only the
ratios are meaningful. Every result is checked. The benchmark fails if unticking a row
runs the script.
"""

import tempfile
import time
from functools import partial
from pathlib import Path

from playwright.sync_api import Browser, Page

from benchmarks.servers import (
    Numbers,
    in_turn,
    medians,
    name_recipients,
    print_table,
    run_bare,
)
from item_visibility import ItemKey, VisibilityClient
from item_visibility_service.sample_data import with_check_digit
from item_visibility_service.server import EmbeddedService
from tests.support.bundled_service import (
    CLIENT_ID,
    CLIENT_SECRET,
    run_bundled,
    sqlite_url,
)
from tests.support.chromium import run_chromium
from tests.support.dashboard import Place, run_configured
from tests.support.mouse_and_keyboard import place_of_tick

SIZES = (12, 5_000, 50_000)
ROUNDS = 5
TICKS = 3
BARE = """import uuid
import pandas as pd
import streamlit as st

@st.cache_resource
def rows(count):
    names = [f"Sonnenhof Supermarkets {n}" for n in range(count)]
    return pd.DataFrame(
        {
            "visible": pd.Series([True] * count, dtype=bool),
            "name": pd.Series(names, dtype=str),
            "recipient": pd.Series([f"9523{n:09}" for n in range(count)], dtype=str),
        }
    )

def submit():
    edits = st.session_state[f"table-{st.session_state.form}"]["edited_rows"]
    table = st.session_state.table.drop(index=list(edits))
    st.session_state.table = table.reset_index(drop=True)
    st.session_state.result = f"Removed {len(edits)} · verified"
    st.session_state.form = uuid.uuid4().hex

st.set_page_config(layout="wide")
state = st.session_state
state.setdefault("form", uuid.uuid4().hex)
state.setdefault("runs", 0)
state.runs += 1
count = int(st.query_params.get("count", 0))
state.setdefault("table", rows(count))
with st.container(key="save_result"):
    st.text(state.get("result", ""))
with st.form(f"form-{state.form}", border=False):
    can_see = st.column_config.CheckboxColumn("Can see", width=80, pinned=True)
    st.data_editor(
        state.table,
        key=f"table-{state.form}",
        hide_index=True,
        height=min(count, 12) * 35 + 38,
        disabled=["name", "recipient"],
        alt="Recipients of a bare app",
        column_config={"visible": can_see},
    )
    st.text_input("Reason (optional)")
    st.form_submit_button("Save", key=f"save-{state.form}", on_click=submit)
"""
TABLE = '[data-testid="data-grid-canvas"] tbody tr'
DRAWN = """selector => new Promise(resolve => {
    const look = () => document.querySelector(selector)
        ? requestAnimationFrame(() => resolve(performance.now()))
        : requestAnimationFrame(look)
    look()
})"""
"""Wait for the element, and return the milliseconds since the page was opened."""

WATCH = """([selector, words]) => {
    window.__took = new Promise(resolve => {
        let begun
        const begin = () => { begun = performance.now() }
        addEventListener("pointerdown", begin, { capture: true, once: true })
        const text = () => document.querySelector(selector)?.textContent
        const isShown = () => text()?.includes(words)
        const look = () => begun !== undefined && isShown()
            ? resolve(performance.now() - begun) : requestAnimationFrame(look)
        look()
    })
}"""
"""Measure the time from the next click until an element contains these words."""

COUNT_RUNS = """() => {
    const app = document.querySelector('[data-testid="stApp"]')
    window.__runs = 0
    const count = () => { window.__runs += app.dataset.testScriptState === "running" }
    new MutationObserver(count)
        .observe(app, { attributes: true, attributeFilter: ["data-test-script-state"] })
}"""
"""Start to count the runs of the script."""


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        run_bundled(sqlite_url(Path(folder))) as service,
        run_configured(Path(folder, "home"), service) as place,
        run_bare(Path(folder), BARE) as bare_url,
        run_chromium() as browser,
    ):
        ids = [with_check_digit(f"9523{number:08}") for number in range(max(SIZES))]
        names = {
            recipient_id: f"Sonnenhof Supermarkets {number}"
            for number, recipient_id in enumerate(ids)
        }
        name_recipients(place, names)

        # Use both in turn. The first turn warms both up.
        measures: dict[tuple[int, str], partial[Numbers]] = {}
        for count in SIZES:
            measures[count, "ours"] = partial(
                use_ours, browser, place, service, ids[:count]
            )
            measures[count, "bare"] = partial(
                use, browser, f"{bare_url}/?count={count}"
            )
        in_turn(measures, 1)
        typical = {
            app: medians(samples) for app, samples in in_turn(measures, ROUNDS).items()
        }

    rows = {}
    for part in ("first table", "save"):
        for count in SIZES:
            ours = typical[count, "ours"][part]
            bare = typical[count, "bare"][part]
            rows[f"{part}, {count:,} rows"] = (ours, bare, ours / bare)
    print_table(f"median of {ROUNDS}, ms", ("ours", "bare", "ratio"), rows)


def use_ours(
    browser: Browser, place: Place, service: EmbeddedService, ids: list[str]
) -> Numbers:
    """Use the item page with a new item.

    Subtract the time that the same calls take without the page.
    """
    item = place.new_item(*ids)
    sample = use(browser, place.address(item))
    assert len(place.recipients(item)) == len(ids) - TICKS

    with VisibilityClient(
        service.base_url, service.auth_url, CLIENT_ID, CLIENT_SECRET
    ) as client:
        key = ItemKey(item.supplier, item.supplier_item_id)
        client.get_visibilities(key)
        begun = time.perf_counter()
        client.get_visibilities(key)
        for number in range(TICKS):
            client.add_visibility(key, ids[number])
        client.get_visibilities(key)
        alone_ms = (time.perf_counter() - begun) * 1000
    return sample | {"save": sample["save"] - alone_ms}


def use(browser: Browser, address: str) -> Numbers:
    """Open the table in a new window and save, and return the ms that each took."""
    # Wait for the table.
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(120_000)
    page = context.new_page()
    page.goto(address, wait_until="commit")
    first_table = float(page.evaluate(DRAWN, TABLE))
    wait_until_idle(page)

    # Untick rows, which must not run the script.
    page.evaluate(COUNT_RUNS)
    table = page.get_by_role("region", name="Recipients of")
    for row in range(TICKS):
        page.mouse.click(*place_of_tick(table, row))
    # Streamlit sends an edit to the form 150 ms after it was made.
    page.wait_for_timeout(500)
    assert page.evaluate("window.__runs") == 0

    page.evaluate(WATCH, [".st-key-save_result", "verified"])
    page.get_by_role("button", name="Save").click()
    save = float(page.evaluate("window.__took"))
    wait_until_idle(page)
    context.close()
    return {"first table": first_table, "save": save}


def wait_until_idle(page: Page) -> None:
    page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')


if __name__ == "__main__":
    main()
