"""States that support meets: answers and their reasons, scans, coverage, tickets, and no answer.

`STATES` are all that a demo shows, `UNANSWERED` what a dashboard shows whose service has gone.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import expect

from item_visibility_service.store import Item
from tests.support.bundled_service import run_bundled, sqlite_url
from tests.support.dashboard import SUPPLIER, Place, run_configured
from tests.support.pages import Person
from tests.support.screen_states import (
    ANNA,
    BERTA,
    PAGES,
    WORK,
    State,
    choose_first_row,
    open_page,
)

SAMPLE = "supplier=9521000010000"
KNOWN, ALSO_KNOWN = Item(SUPPLIER, "item"), Item("another supplier", "another item")
RECIPIENT = f"/coverage?{SAMPLE}&recipient=9522000010007"
COMPARED = f"{RECIPIENT}&recipient=9522000020006"


def ask_yes(place: Place, person: Person) -> None:
    """A question whose answer is yes."""
    person.open(place.address(place.new_item(ANNA), "/check", recipient=ANNA)).reads(re.compile("^Yes"))


def ask_no(place: Place, person: Person) -> None:
    """A question whose answer is no."""
    person.open(place.address(place.new_item(ANNA), "/check", recipient=BERTA)).reads(re.compile("^No"))


def ask_too_little(place: Place, person: Person) -> None:
    """A question that cannot be answered."""
    person.open(f"{place.dashboard.url}/check?supplier=9521000010000").reads("names no item")


def ask_unclearly(place: Place, person: Person) -> None:
    """A question with names that several have."""
    person.open(f"{place.dashboard.url}/check")
    person.enter("Question", "Can Sonnenhof see the rye crackers in Germany?")
    person.reads("Which recipient is")


def ask_several(place: Place, person: Person) -> None:
    """A number without its market is answered for each market; a row is opened."""
    person.open(f"{place.dashboard.url}/check")
    person.enter("Question", "Can Marktplatz Supermarkets see 9521000010017?")
    person.reads("Choose a row")
    person.settles()
    choose_first_row(person.page)
    person.reads("To send to the customer")


def ask_why_not(place: Place, person: Person) -> None:
    """A question whose answer is no, because somebody took it away."""
    person.open(f"{place.dashboard.url}/check")
    person.enter("Question", "Can Villa Verde Supermarkets see Goat cheese 500 g in France?")
    person.reads(re.compile("^Marie Blanc removed Villa Verde"))


def ask_nearly(place: Place, person: Person) -> None:
    """A question with a digit that was mistyped: who was meant is offered."""
    item = place.new_item(ANNA, BERTA)
    person.open(place.address(item)).reads("2 recipients can see this item")
    person.open(place.address(item, "/check", recipient=f"{ANNA[:-1]}0"))
    person.reads(re.compile("^The list has a nearly equal number"))


def show_ticket(place: Place, person: Person) -> None:
    """The ticket of an item."""
    person.open(place.address(place.new_item(ANNA, BERTA))).reads("2 recipients can see this item")
    person.press("More")
    person.press("Copy for ticket")
    person.reads("The same requests as cURL")


def show_ticket_of_answer(place: Place, person: Person) -> None:
    """The ticket of an answer."""
    ask_no(place, person)
    person.settles()
    person.press("Copy for ticket")
    person.reads("Requests")


def tick_a_missing_item(place: Place, person: Person) -> None:
    """Two recipients compared; one item is ticked."""
    person.open(f"{place.dashboard.url}{COMPARED}").reads(re.compile("[1-9] missing, "))
    person.settles()
    choose_first_row(person.page)
    expect(person.button("Preview adding Marktplatz Supermarkets to 1 item")).to_be_enabled()


def scan_in_vain(place: Place, person: Person) -> None:
    """A scan that waits for the service."""
    person.open(f"{place.dashboard.url}/coverage?recipient={ANNA}&supplier={KNOWN.supplier}")
    person.press("Read all items now")
    person.reads("The service does not answer.")


def cover_in_vain(place: Place, person: Person) -> None:
    """The coverage of a supplier whose scan waits for the service."""
    person.open(f"{place.dashboard.url}/coverage?supplier={ALSO_KNOWN.supplier}")
    person.press("Read all items now")
    person.reads("The service does not answer.")


def cancel_a_scan(place: Place, person: Person) -> None:
    """A scan of all suppliers that was cancelled."""
    person.open(f"{place.dashboard.url}/coverage?recipient={ANNA}")
    person.press("Read all items now")
    person.press("Cancel the scan")
    person.reads("The scan was cancelled: 0 of 2 items checked.")


def open_known(page: str, words: str | re.Pattern[str]) -> State:
    """Return the state of a page about an item that was read when the service still answered."""

    def open_it(place: Place, person: Person) -> None:
        person.open(place.address(KNOWN, page, recipient=ANNA)).reads(words)

    return open_it


@contextmanager
def run_unanswered(folder: Path, person: Person) -> Iterator[Place]:
    """Run a dashboard that knows two items, and whose service has gone."""
    with (
        run_bundled(sqlite_url(folder)) as service,
        run_configured(folder / "home", service) as place,
    ):
        for item in (KNOWN, ALSO_KNOWN):
            place.store.merge(item, frozenset({ANNA, BERTA}))
            person.open(place.address(item)).reads("2 recipients can see this item")
        service.stop()
        yield place


SUPPORT: dict[str, State] = {
    "item-ticket": show_ticket,
    "check-yes": ask_yes,
    "check-no": ask_no,
    "check-why-not": ask_why_not,
    "check-near": ask_nearly,
    "check-not-known": ask_too_little,
    "check-asked-back": ask_unclearly,
    "check-several": ask_several,
    "check-ticket": show_ticket_of_answer,
    "coverage-recipient": open_page(RECIPIENT, re.compile("of [1-9][0-9]* read items")),
    "coverage-ticked": tick_a_missing_item,
    "coverage-sets": open_page(f"{RECIPIENT}&set=Online+shops", "compared with Online shops"),
    "coverage-nothing": open_page("/coverage?supplier=1", "This supplier has no known items here."),
}

STATES: dict[str, State] = PAGES | WORK | SUPPORT
"""Each page, and what people meet on it."""

UNANSWERED: dict[str, State] = {
    "item-unanswered": open_known("/", "The recipients could not be read."),
    "check-unanswered": open_known("/check", re.compile("^Not known")),
    "coverage-waiting": cover_in_vain,
    "coverage-recipient-waiting": scan_in_vain,
    "coverage-cancelled": cancel_a_scan,
    "connection-unanswered": open_page("/connection", "no connection could be made"),
}
"""States that people meet while the service is away."""
