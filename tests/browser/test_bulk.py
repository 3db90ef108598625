"""Journeys with many items in a browser: B4, B5 and D3."""

import re
from collections.abc import Iterable
from contextlib import closing
from datetime import UTC, datetime
from itertools import product
from uuid import uuid4

from playwright.sync_api import expect

from item_visibility.storage.open_records import open_records
from item_visibility.storage.recipient_sets import RecipientSets, StoredSet
from item_visibility_service.sample_data import EMPTY_ITEM, with_check_digit
from item_visibility_service.store import Item
from tests.browser.windows import Windows, in_every_way
from tests.support.dashboard import Place
from tests.support.pages import Person
from tests.support.screen_states import ANNA, BERTA, CLARA, DORA
from tests.support.thorough import how_many

ROWS = how_many(usual=100, thorough=10_000, variable="ROWS")
"""The rows of the long list.

With `--thorough` or `ROWS=10000`, it has 500 items with 20 recipients each.
"""

RECIPIENTS_AN_ITEM = 20
ENDS_WITHIN_S = 120 + ROWS / 5


def as_csv(rows: Iterable[tuple[str, ...]]) -> bytes:
    lines = [",".join(row) for row in [("Supplier", "Item", "Recipient"), *rows]]
    return "\n".join(lines).encode()


def rows_of(items: list[Item], recipients: list[str]) -> list[tuple[str, ...]]:
    return [
        (item.supplier, item.supplier_item_id, recipient)
        for item, recipient in product(items, recipients)
    ]


def make_set(place: Place) -> str:
    """Store a set of four recipients under a new name."""
    made = StoredSet(
        f"Shops {uuid4()}",
        frozenset({ANNA, BERTA, CLARA, DORA}),
        datetime.now(UTC),
        "ann",
    )
    with closing(open_records(place.dashboard.records_url)) as records:
        RecipientSets(records, service=place.dashboard.service).make(made)
    return made.name


@in_every_way()
def test_adding_recipients_to_many_items_takes_four_actions(
    demo: Place, person: Person
) -> None:
    items = [demo.new_item(ANNA) for _ in range(6)]
    name = make_set(demo)
    person.open(f"{demo.dashboard.url}/bulk").reads("Or paste rows")

    lines = [f"{item.supplier}\t{item.supplier_item_id}" for item in items]
    person.paste("Or paste rows", "\n".join(["Supplier\tItem", *lines]))
    person.choose("Recipient set", name)
    person.press("Preview")
    person.reads("6 items · 6 unchanged")

    person.press("Apply")
    person.reads("18 verified", timeout_s=ENDS_WITHIN_S)
    assert person.actions == 4

    for item in items:
        assert demo.recipients(item) == {ANNA, BERTA, CLARA, DORA}


@in_every_way()
def test_applying_an_excel_file_takes_three_actions(
    demo: Place, person: Person
) -> None:
    item = Item(*EMPTY_ITEM)
    without_zero = item.supplier_item_id.removeprefix("0")
    rows = [
        (item.supplier, without_zero, BERTA),
        (item.supplier, without_zero, f"{CLARA}\N{NO-BREAK SPACE}"),
    ]
    person.open(f"{demo.dashboard.url}/bulk")
    person.drop("Upload", as_csv(rows))
    person.reads(re.compile("may be wrong"))

    person.press("Accept all")
    person.reads("1 item · 0 unchanged")

    person.press("Apply")
    person.reads("2 verified", timeout_s=ENDS_WITHIN_S)
    assert person.actions == 3
    assert demo.recipients(item) == {BERTA, CLARA}

    demo.store.replace(item, frozenset())


def test_a_long_job_continues_after_its_window_is_closed(
    demo: Place, windows: Windows
) -> None:
    gtins = [
        with_check_digit(f"0952177{number:06}")
        for number in range(ROWS // RECIPIENTS_AN_ITEM)
    ]
    items = [Item("9521000990001", f"{gtin}:276") for gtin in gtins]
    recipients = [
        with_check_digit(f"95220{number:07}") for number in range(RECIPIENTS_AN_ITEM)
    ]
    content = as_csv(rows_of(items, recipients))

    with windows.lend() as first:
        first.open(f"{demo.dashboard.url}/bulk")
        first.drop("Upload", content)
        first.reads(f"{len(items)} items · 0 unchanged", timeout_s=ENDS_WITHIN_S)

        first.press("Apply")
        first.reads(
            re.compile("Waiting its turn|Running|Ended"), timeout_s=ENDS_WITHIN_S
        )

        link = first.page.url

    with windows.lend() as second:
        second.open(link).reads(f"{ROWS:,} verified", timeout_s=ENDS_WITHIN_S)
        expect(second.button("Undo this job")).to_be_enabled()
        second.press("Download")
        with second.page.expect_download() as download:
            second.press("All rows (CSV, exact, for programs)")

    lines = download.value.path().read_text("utf-8").splitlines()
    assert len(lines) == 1 + ROWS

    for item in items:
        assert demo.recipients(item) == set(recipients)
