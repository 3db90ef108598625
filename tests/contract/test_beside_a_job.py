"""A person's save while a job runs: it waits for no job on other items."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from item_visibility.bootstrap.open_desk import open_desk
from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.job import JobState
from item_visibility.use_cases.desk import Desk
from tests.contract.bulk import BEFORE, ITEMS, apply_and_wait, previewed
from tests.contract.processes import settings_for
from tests.contract.wiring import open_fault_service
from tests.support.desk import a_request, saved_on, wait_until
from tests.support.fault_service import Call, FaultKind, FaultService
from tests.support.quick_queue import quick_queue

__all__ = ["quick_queue"]

pytestmark = pytest.mark.contract

ELSEWHERE = ItemKey("4000001000005", "an item of nobody's job")


@pytest.fixture
def service() -> Iterator[FaultService]:
    """A service where the same people can see every item."""
    with open_fault_service() as running:
        for item in ITEMS:
            running.fill(item.supplier, item.supplier_item_id, BEFORE)
        yield running


@pytest.fixture
def desk(service: FaultService, tmp_path: Path) -> Iterator[Desk]:
    records = f"sqlite:///{tmp_path}/records.sqlite"
    opened = open_desk(settings_for(service.base_url, service.auth_url, str(tmp_path), records))
    yield opened
    opened.close()


def test_a_save_of_another_item_does_not_wait_for_a_job(service: FaultService, desk: Desk) -> None:
    may_write = threading.Event()

    def hold_the_job(call: Call) -> FaultKind | None:
        if call.operation != "getVisibilities" and call.supplier_item_id != ELSEWHERE.supplier_item_id:
            may_write.wait(60)
        return None

    key = previewed(desk)
    service.choose_fault = hold_the_job
    apply_and_wait(desk, key, JobState.RUNNING)
    status = saved_on(desk, a_request(ELSEWHERE, add={"r"}))
    state = desk.bulk.store.job(key)
    may_write.set()
    wait_until(lambda: desk.bulk.store.job(key).state is JobState.ENDED)  # type: ignore[union-attr]  (it is there)
    assert status.result is not None
    assert status.result.is_saved
    assert state is not None
    assert state.state is JobState.RUNNING
