"""A saver with a real client on the fault service, without real waits; and a job with
24 items.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import product

import pytest

from item_visibility import VisibilityClient, timeouts
from item_visibility.client import retry
from item_visibility.client.identifiers import ItemKey
from item_visibility.model.job import BulkItem, JobState
from item_visibility.model.outcome import Outcome
from item_visibility.use_cases.desk import Desk
from tests.support.desk import wait_until
from tests.support.fake_visibilities import Semantics
from tests.support.fault_service import CLIENT_ID, CLIENT_SECRET, FaultService

HANG_S = 0.15
READ_TIMEOUT_S = 0.05
MAX_ATTEMPTS = 2


def utc_now() -> datetime:
    return datetime.now(UTC)


def at_once(_delay_s: float) -> None:
    """Do not wait."""


@contextmanager
def open_fault_service(semantics: Semantics | None = None) -> Iterator[FaultService]:
    with FaultService(semantics or Semantics(), hang_s=HANG_S) as service:
        yield service


@contextmanager
def open_client(
    base_url: str, auth_url: str, *, read_timeout_s: float = READ_TIMEOUT_S
) -> Iterator[VisibilityClient]:
    """Open a real client with short pauses between attempts and this timeout for each
    answer.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(retry, "CALL_ATTEMPTS", MAX_ATTEMPTS)
        patch.setattr(timeouts, "NEXT_BYTES_S", read_timeout_s)
        with VisibilityClient(
            base_url, auth_url, CLIENT_ID, CLIENT_SECRET, sleep=at_once
        ) as client:
            yield client


BEFORE = frozenset({"a", "b", "c", "d", "e"})
ITEMS = tuple(ItemKey("4000001000005", f"item-{number}") for number in range(24))
ADD = frozenset({"new-1", "new-2"})
REMOVE = frozenset({"a"})
AFTER = (BEFORE | ADD) - REMOVE
ROWS = Counter(product(range(len(ITEMS)), ADD | REMOVE, [Outcome.DONE]))
"""Each row once: the position of its item, the recipient, and the outcome."""


def previewed(desk: Desk) -> str:
    rows = [BulkItem(item=item, add=ADD, remove=REMOVE) for item in ITEMS]
    key = desk.bulk.start_preview(rows, title="a list")
    return wait_for_preview(desk, key)


def wait_for(desk: Desk, key: str, state: JobState) -> None:
    def is_in_state() -> bool:
        job = desk.bulk.store.job(key)
        return job is not None and job.state is state

    wait_until(is_in_state)


def wait_for_preview(desk: Desk, key: str) -> str:
    """Wait until every item has been read, even if some reads fail, and return the
    job's key.
    """
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
    results = desk.bulk.store.results(key)
    return Counter(
        (item.position, step.step.recipient_id, step.outcome) for item, step in results
    )
