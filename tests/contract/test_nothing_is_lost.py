"""2,000 additions over HTTP while another program adds one: nothing is lost."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from item_visibility import ItemKey, VisibilityClient
from item_visibility.saving.outcome import Verdict
from item_visibility.saving.save import Saver
from tests.contract.wiring import at_once, utc_now
from tests.saving.saving import MemoryHistory, ask
from tests.support.bundled_service import (
    CLIENT_ID,
    CLIENT_SECRET,
    OperationLog,
    SharedServices,
    operation_log,
    shared_services,
)

__all__ = ["operation_log", "shared_services"]

pytestmark = pytest.mark.contract

ITEM = ItemKey("4000001000005", "04012345678901:276")
MANY = frozenset(f"r{number:04}" for number in range(2_000))
HELD = 1_000
PATIENCE_S = 60


class HoldingClient(VisibilityClient):
    """A client that holds one of its additions, until it may go on."""

    def __init__(self, base_url: str, auth_url: str) -> None:
        super().__init__(base_url, auth_url, CLIENT_ID, CLIENT_SECRET)
        self.is_held, self.may_go_on = threading.Event(), threading.Event()
        self._additions = 0
        self._lock = threading.Lock()

    def add_visibility(self, item: ItemKey, recipient_id: str) -> None:
        with self._lock:
            self._additions += 1
            is_the_one = self._additions == HELD
        if is_the_one:
            self.is_held.set()
            assert self.may_go_on.wait(PATIENCE_S)
        super().add_visibility(item, recipient_id)


def test_2_000_additions_lose_nothing_that_another_program_adds_meanwhile(
    shared_services: SharedServices, operation_log: OperationLog
) -> None:
    service = shared_services.fresh()
    with (
        HoldingClient(service.base_url, service.auth_url) as ours,
        VisibilityClient(service.base_url, service.auth_url, CLIENT_ID, CLIENT_SECRET) as theirs,
        ThreadPoolExecutor(1) as pool,
    ):
        theirs.add_visibility(ITEM, "before")
        saver = Saver(ours, MemoryHistory(), clock=utc_now, sleep=at_once)
        save = pool.submit(saver.save, ask(item=ITEM, base={"before"}, add=MANY))
        assert ours.is_held.wait(PATIENCE_S)
        theirs.add_visibility(ITEM, "meanwhile")
        ours.may_go_on.set()
        result = save.result()
        after = theirs.get_visibilities(ITEM)
    assert after == MANY | {"before", "meanwhile"}
    assert (result.verdict, result.others.added) == (Verdict.VERIFIED, frozenset({"meanwhile"}))
    assert "setVisibilities" not in {one.operation_id for one in operation_log.operations}
