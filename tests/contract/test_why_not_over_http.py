"""Why can they not see it? Asked of the bundled service itself, which is only read."""

import logging
from pathlib import Path

import pytest

from item_visibility import VisibilityClient
from item_visibility_service.server import EmbeddedService
from item_visibility_service.store import Item
from tests.support.bundled_service import (
    CLIENT_ID,
    CLIENT_SECRET,
    OperationLog,
    operation_log,
    service,
    shared_services,
)
from tests.support.fake_visibilities import FakeTime
from tests.use_cases.why_not_world import CASES, LISTS, answer_to, summary, why_not_world

__all__ = ["operation_log", "service", "shared_services"]

pytestmark = pytest.mark.contract

EXCHANGE_LOG = "item_visibility_service.application"


class ClientWithItsTime(VisibilityClient):
    """The client of the program, beside the clock by which the desk tells what happened when."""

    def __init__(self, service: EmbeddedService) -> None:
        super().__init__(service.base_url, service.auth_url, CLIENT_ID, CLIENT_SECRET)
        self.time = FakeTime()


def fill(service: EmbeddedService) -> None:
    """Give the service the lists of the world."""
    for item, recipients in LISTS.items():
        for one in recipients:
            service.service.store.add(Item(item.supplier, item.supplier_item_id), one)


def lists_of(service: EmbeddedService) -> list[set[str]]:
    """The lists of recipients, as the service has them."""
    store = service.service.store
    return [set(store.recipients(Item(one.supplier, one.supplier_item_id))) for one in LISTS]


def test_each_case_is_answered_by_reads_alone(
    service: EmbeddedService, operation_log: OperationLog, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    """The same words come first as in a world without a network; the service's log holds nothing else."""
    caplog.set_level(logging.DEBUG, EXCHANGE_LOG)
    fill(service)
    with ClientWithItsTime(service) as client, why_not_world(tmp_path, fake=client) as world:  # type: ignore[arg-type]  (a client and a clock, as a fake has)
        operation_log.operations.clear()
        found = [summary(answer_to(world, *case["question"])) for case in CASES]
    assert found == [case["answer"] for case in CASES]
    assert {one.operation_id for one in operation_log.operations} == {"getVisibilities"}
    assert len(CASES) <= len(operation_log.operations) < 3 * len(CASES)
    exchanges = {one.getMessage() for one in caplog.records if one.name == EXCHANGE_LOG}
    assert exchanges == {"GET: 200", "GET: 404", "POST: 200"}  # the POST is for the token
    assert lists_of(service) == list(LISTS.values())
