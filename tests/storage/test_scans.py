"""Scans on record, on either database: one at a time, whoever asks."""

from dataclasses import replace
from datetime import timedelta

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.outcome import Outcome
from item_visibility.storage.database import Database
from item_visibility.storage.scans import Scan, ScanState
from item_visibility.storage.seen_lists import ReadItem, SeenItem
from item_visibility.storage.service_records import ServiceRecords
from tests.storage.entries import begin
from tests.support.fake_visibilities import START

ODD = ItemKey("s\x00\ud800", "x" * 1_900)
ITEM, OTHER, FOREIGN = ItemKey("S", "1"), ItemKey("S", "2"), ItemKey("T", "1")
LATER = START + timedelta(seconds=11)


@pytest.fixture
def of_service(records: Database) -> ServiceRecords:
    """The records of one service, where four items are known; and one item of another service."""
    elsewhere = ServiceRecords(records, service="elsewhere", environment="default")
    elsewhere.directory.remember([ItemKey("S", "9")])
    of_service = ServiceRecords(records, service="default", environment="default")
    of_service.directory.remember([ITEM, OTHER, FOREIGN, ODD])
    return of_service


def see(of_service: ServiceRecords, item: ItemKey, recipients: str, *, after_s: float) -> None:
    """A read that showed these recipients."""
    at = START + timedelta(seconds=after_s)
    seen = ReadItem(item=item, recipients=frozenset(recipients), asked_at=at, read_at=at)
    of_service.seen.note_every_read([seen])


@pytest.mark.parametrize(("supplier", "total"), [("S", 2), (None, 4), (ODD.supplier, 1), ("nobody's", 0)])
def test_a_scan_begins_once(of_service: ServiceRecords, supplier: str | None, total: int) -> None:
    """While it is under way, nobody else begins or resumes it."""
    scans = of_service.scans
    assert scans.resume(supplier, run="none", at=START) is None
    begun = Scan(
        supplier=supplier,
        state=ScanState.RUNNING,
        run="first",
        begun_at=START,
        total=total,
        checked=0,
        failed=0,
    )
    assert scans.begin(supplier, run="first", at=START) == begun
    assert scans.begin(supplier, run="second", at=START) is None
    assert scans.resume(supplier, run="second", at=START) is None
    assert scans.scan(supplier, at=START) == begun
    assert scans.scan("another", at=START) is None


def test_only_the_run_that_has_a_scan_changes_its_state(of_service: ServiceRecords) -> None:
    """A beat of another run, or after the end, changes nothing."""
    scans = of_service.scans
    begun = scans.begin("S", run="first", at=START)
    assert begun is not None
    waiting = replace(begun, state=ScanState.WAITING, message="Down.", next_try_at=LATER)
    assert scans.beat(waiting, at=START)
    assert not scans.beat(replace(begun, run="second", state=ScanState.ENDED), at=START)
    assert scans.scan("S", at=START) == waiting
    scans.cancel("S")
    assert not scans.beat(waiting, at=START)
    assert scans.scan("S", at=START) == replace(begun, state=ScanState.CANCELLED)


def test_a_scan_counts_what_was_read_since_it_began(of_service: ServiceRecords) -> None:
    """Whoever read it. What could not be read counts until it is read, and in the next scan no more."""
    scans = of_service.scans
    see(of_service, ITEM, "A", after_s=-1)
    scans.begin("S", run="first", at=START)
    see(of_service, OTHER, "A", after_s=1)
    of_service.seen.note_failures({ITEM: "Refused."}, at=START)
    counted = scans.scan("S", at=START)
    next_begun = scans.begin("S", run="second", at=LATER)
    assert counted is not None
    assert next_begun is not None
    assert (counted.total, counted.checked, counted.failed) == (2, 1, 1)
    assert (next_begun.total, next_begun.checked, next_begun.failed) == (2, 0, 0)


def test_a_scan_without_a_beat_is_free(of_service: ServiceRecords) -> None:
    """Its process is dead: another resumes it, and the first one, if it comes back, has lost it."""
    scans = of_service.scans
    scans.begin("S", run="first", at=START)
    dead = scans.scan("S", at=LATER)
    assert dead is not None
    assert (dead.state, dead.is_resumable) == (ScanState.INTERRUPTED, True)
    see(of_service, OTHER, "A", after_s=1)
    resumed = scans.resume("S", run="second", at=LATER)
    assert resumed is not None
    assert (resumed.begun_at, resumed.checked, resumed.total) == (START, 1, 2)
    assert not scans.beat(dead, at=LATER)
    assert scans.begin("S", run="third", at=LATER) is None


def test_items_to_read_are_listed_in_pages(of_service: ServiceRecords) -> None:
    """Without those that were read since then; one that could not be read is listed."""
    see(of_service, OTHER, "", after_s=1)
    of_service.seen.note_failures({ITEM: "Refused."}, at=START)
    scans = of_service.scans
    assert list(scans.unread("S", since=START, after=-1, limit=9).values()) == [ITEM]
    assert list(scans.unread("S", since=LATER, after=-1, limit=9).values()) == [ITEM, OTHER]
    first = scans.unread(None, since=None, after=-1, limit=1)
    rest = scans.unread(None, since=None, after=max(first), limit=9)
    assert [*first.values(), *rest.values()] == [ITEM, OTHER, FOREIGN, ODD]


def test_a_known_item_that_was_never_read_is_not_an_empty_one(of_service: ServiceRecords) -> None:
    """Nobody knows whether a recipient can see it."""
    see(of_service, OTHER, "", after_s=1)
    see(of_service, FOREIGN, "A", after_s=2)
    unread, empty = of_service.seen.all("S")
    assert (unread.recipients, empty.recipients) == (None, frozenset())
    assert [one.recipients for one in of_service.seen.all("T")] == [frozenset("A")]
    assert [one.item for one in of_service.seen.all()] == [ITEM, OTHER, FOREIGN, ODD]


def test_a_few_lists_are_read_with_what_is_in_doubt(of_service: ServiceRecords) -> None:
    """Not those of items that were never read."""
    result = begin(of_service.history, "k", item=ITEM, before="A", add="BC")
    unknown = replace(result.steps[1], outcome=Outcome.UNKNOWN)
    of_service.history.settle("k", replace(result, steps=(result.steps[0], unknown)))
    of_service.seen.note_failures({OTHER: "Refused."}, at=START)
    seen = SeenItem(item=ITEM, recipients=frozenset("ABC"), seen_at=START, unsure=frozenset("C"))
    assert of_service.seen.lists([ITEM, OTHER, FOREIGN]) == {ITEM: seen}


def test_lists_hold_only_those_who_are_asked_about(of_service: ServiceRecords) -> None:
    """They may be long; an item that was not read has none."""
    see(of_service, ITEM, "ABC", after_s=0)
    seen = of_service.seen.all("S", among=frozenset("BX"))
    assert [one.recipients for one in seen] == [frozenset("B"), None]


def test_recipients_are_counted_by_the_items_that_they_were_seen_on(of_service: ServiceRecords) -> None:
    """Also where several items have the same list."""
    for item, recipients in ((ITEM, "AB"), (OTHER, "AB"), (FOREIGN, "A")):
        see(of_service, item, recipients, after_s=0)
    assert of_service.seen.count("S") == {"A": 2, "B": 2}
    assert of_service.seen.count() == {"A": 3, "B": 2}


def test_a_failure_is_told_until_the_item_was_read_again(of_service: ServiceRecords) -> None:
    """The list as it was seen before stays, with its age."""
    see(of_service, ITEM, "A", after_s=0)
    of_service.seen.note_failures({ITEM: "Refused.", OTHER: "Broken."}, at=START)
    of_service.seen.note_failures({}, at=START)
    first, second = of_service.seen.all("S")
    assert (first.failure, first.recipients, first.seen_at) == ("Refused.", frozenset("A"), START)
    assert (second.failure, second.recipients) == ("Broken.", None)
    see(of_service, ITEM, "A", after_s=2)
    assert of_service.seen.all("S")[0].failure == ""
