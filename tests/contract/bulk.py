"""A bulk job of 24 items: how it is run, and what it must leave behind."""

import time
from collections import Counter

from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.job import BulkItem, ItemPreview, JobState
from item_visibility.saving.outcome import Outcome
from item_visibility.use_cases.desk import Desk
from tests.support.fake_visibilities import START
from tests.support.fault_service import FaultService

PATIENCE_S = 90.0
SUPPLIER = "4000001000005"
BEFORE = frozenset({"a", "b", "c", "d", "e"})
ITEMS = tuple(ItemKey(SUPPLIER, f"item-{number}") for number in range(24))


def intent_for(number: int) -> BulkItem:
    """Additions and removals, a whole list, a withdrawal, and nothing to do, in turn."""
    item = ITEMS[number]
    kinds = (
        BulkItem(item=item, add=frozenset({"new-1", "new-2"}), remove=frozenset({"a"})),
        BulkItem(item=item, exactly=frozenset({"a", "new-1"})),
        BulkItem(item=item, exactly=frozenset()),
        BulkItem(item=item, add=frozenset({"a"}), remove=frozenset({"nobody"})),
    )
    return kinds[number % len(kinds)]


def previewed(desk: Desk) -> str:
    """The key of a new job of all items, once its preview is whole."""
    key = desk.bulk.start_preview([intent_for(number) for number in range(len(ITEMS))], title="a list")
    return wait_for_preview(desk, key)


def wait_for(desk: Desk, key: str, state: JobState) -> None:
    """Return when the job is so far; fail with the job as it stands when that takes too long."""
    ends_at = time.monotonic() + PATIENCE_S
    while (job := desk.bulk.store.job(key)) and job.state is not state and time.monotonic() < ends_at:
        time.sleep(0.02)
    assert job is not None
    assert job.state is state, job


def wait_for_preview(desk: Desk, key: str) -> str:
    """Return when every item was read, however often a read failed."""
    wait_for(desk, key, JobState.PREVIEWED)
    while desk.bulk.job(key).unread:
        desk.bulk.reread(key)
        wait_for(desk, key, JobState.PREVIEWED)
    return key


def apply_and_wait(desk: Desk, key: str, state: JobState) -> None:
    """Have the job done, and return when it is so far."""
    desk.bulk.apply(key, confirmed_count=desk.bulk.job(key).removals_to_confirm)
    wait_for(desk, key, state)


def preview_of(number: int) -> ItemPreview:
    return ItemPreview.of(intent_for(number), BEFORE, read_at=START)


def after(number: int) -> frozenset[str]:
    """The recipients of an item once the job is done."""
    changes = preview_of(number)
    return (BEFORE | changes.add) - changes.remove


def wrong_items(service: FaultService, expected: dict[int, frozenset[str]]) -> list[int]:
    """The items that are not as they should be."""
    truth = {
        number: service.recipients_of(item.supplier, item.supplier_item_id)
        for number, item in enumerate(ITEMS)
    }
    return [number for number, recipients in expected.items() if truth[number] != recipients]


def wrong_rows(desk: Desk, key: str) -> list[str]:
    """Rows that are missing, too many, or say what is not so."""
    said = Counter((row.position, row.recipient_id, row.outcome) for row in desk.bulk.store.rows(key))
    expected = Counter(
        (number, recipient_id, outcome)
        for number in range(len(ITEMS))
        for outcome, recipients in rows_of(number).items()
        for recipient_id in recipients
    )
    return [str(row) for row in (said - expected) + (expected - said)]


def rows_of(number: int) -> dict[Outcome, frozenset[str]]:
    """The rows that an item must end with."""
    changes = preview_of(number)
    return {
        Outcome.DONE: changes.add | changes.remove,
        Outcome.IN_PLACE: changes.in_place,
    }
