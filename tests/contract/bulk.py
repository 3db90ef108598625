"""A bulk job of 24 items: how it is run, and what it must leave behind."""

from collections import Counter
from itertools import product

from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.job import BulkItem, JobState
from item_visibility.saving.outcome import Outcome
from item_visibility.use_cases.desk import Desk
from tests.support.desk import wait_until
from tests.support.fault_service import FaultService

BEFORE = frozenset({"a", "b", "c", "d", "e"})
ITEMS = tuple(ItemKey("4000001000005", f"item-{number}") for number in range(24))
ADD, REMOVE = frozenset({"new-1", "new-2"}), frozenset({"a"})
AFTER = (BEFORE | ADD) - REMOVE
ROWS = Counter(product(range(len(ITEMS)), ADD | REMOVE, [Outcome.DONE]))
"""Each row once: the position of its item, the recipient, and how it ended."""


def previewed(desk: Desk) -> str:
    """The key of a new job of all items, once its preview is whole."""
    intents = [BulkItem(item=item, add=ADD, remove=REMOVE) for item in ITEMS]
    return wait_for_preview(desk, desk.bulk.start_preview(intents, title="a list"))


def wait_for(desk: Desk, key: str, state: JobState) -> None:
    wait_until(lambda: (job := desk.bulk.store.job(key)) and job.state is state)


def wait_for_preview(desk: Desk, key: str) -> str:
    """Return when every item was read, however often a read failed."""
    wait_for(desk, key, JobState.PREVIEWED)
    while desk.bulk.job(key).unread:
        desk.bulk.resume(key)
        wait_for(desk, key, JobState.PREVIEWED)
    return key


def apply_and_wait(desk: Desk, key: str, state: JobState) -> None:
    desk.bulk.apply(key, confirmed_count=desk.bulk.job(key).removals_to_confirm)
    wait_for(desk, key, state)


def lists(service: FaultService) -> list[frozenset[str]]:
    return [service.fake.recipients_of(item) for item in ITEMS]


def rows(desk: Desk, key: str) -> Counter[tuple[int, str, Outcome]]:
    return Counter((row.position, row.recipient_id, row.outcome) for row in desk.bulk.store.rows(key))
