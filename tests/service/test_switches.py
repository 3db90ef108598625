"""Failures and delays on demand. tests/contract tries the other switches with the client."""

import httpx
import pytest

from item_visibility_service.sample import invented_names
from item_visibility_service.server import EmbeddedService
from item_visibility_service.store import Change, Item, Store
from item_visibility_service.switches import Failure, LaggingReads, Switches
from tests.support.bundled_service import OperationLog, open_client
from tests.support.waiting import HandClock

contract = pytest.mark.contract

ITEM = "/S/I"
KEY = Item("S", "I")


@contract
@pytest.mark.parametrize("path", [ITEM, "/S/I/recipient/r"])
def test_removing_what_is_missing_can_be_a_404_with_a_problem(service: EmbeddedService, path: str) -> None:
    """Note N5. Spec: "Errors"."""
    service.service.switches = Switches(removing_missing_is_not_found=True)
    with open_client(service) as client:
        answer = client.delete(path)
    assert answer.json() == {"status": 404, "title": "Not Found", "detail": "There was nothing to remove."}


@contract
@pytest.mark.parametrize(
    ("failure", "answered", "applied"),
    [
        (Failure.ERROR_BEFORE, (500, None), ()),
        (Failure.ERROR_AFTER, (500, None), ("r",)),
        (Failure.UNAVAILABLE, (503, "1"), ()),
    ],
)
def test_calls_can_fail_before_and_after_they_are_applied(
    service: EmbeddedService,
    operation_log: OperationLog,
    failure: Failure,
    answered: tuple[int, str | None],
    applied: tuple[str, ...],
) -> None:
    service.service.switches = Switches(failing_share=1, failures=(failure,))
    with open_client(service) as client:
        answer = client.put("/S/I/recipient/r")
    assert (answer.status_code, answer.headers.get("retry-after")) == answered
    assert answer.json()["status"] == answer.status_code
    assert (service.service.store.recipients(KEY), len(operation_log.operations)) == (applied, len(applied))


@contract
def test_a_share_of_the_changes_can_be_refused_once(
    service: EmbeddedService, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = Switches(failing_share=0.3, failures=(Failure.BROKEN_OFF,), refuses_once=True)
    monkeypatch.setattr(service.service._failures, "_chance", lambda: 1.0)  # noqa: SLF001  (no other failure)
    paths = [f"/S/I/recipient/{number}" for number in range(7)]
    with open_client(service) as client:
        service.service.switches = failing
        first = [client.put(path).status_code for path in paths]
        again = client.put(paths[0]).status_code
        service.service.switches = Switches()
        service.service.switches = failing
        afresh = client.put(paths[0]).status_code
    assert (first, again, afresh) == ([409, 204, 204, 409, 204, 204, 409], 204, 409)


@contract
def test_an_answer_can_break_off_after_the_call_was_applied(service: EmbeddedService) -> None:
    service.service.switches = Switches(failing_share=1, failures=(Failure.BROKEN_OFF,))
    with open_client(service) as client, pytest.raises(httpx.RemoteProtocolError):
        client.put("/S/I/recipient/r")
    assert service.service.store.recipients(KEY) == ("r",)


@contract
@pytest.mark.parametrize(
    ("present", "newcomer"),
    [
        ([], "9522000010007"),
        (["a", "b"], "9522000010007"),
        (["9522000010007"], "9522000020006"),
        (sorted(recipient_id for recipient_id, _ in invented_names().recipients), "someone-else-1"),
    ],
)
def test_somebody_else_can_edit(service: EmbeddedService, present: list[str], newcomer: str) -> None:
    service.service.store.replace(KEY, frozenset(present))
    change = service.service.someone_else_edits(KEY)
    assert change == Change(added=frozenset({newcomer}), removed=frozenset(present[:1]))
    assert service.service.store.recipients(KEY) == tuple(sorted([*present[1:], newcomer]))


def test_a_lagging_read_shows_the_state_of_five_seconds_ago(sqlite_store: Store, clock: HandClock) -> None:
    reads, other, seen = LaggingReads(sqlite_store, clock), Item("S", "J"), []
    reads.set_lag(5)
    sqlite_store.add(other, "z")
    reads.change(KEY, lambda: sqlite_store.replace(KEY, frozenset({"a", "b"})))
    clock.move(2)
    reads.change(KEY, lambda: sqlite_store.replace(KEY, frozenset({"b", "c"})))
    clock.move(2)
    reads.change(KEY, lambda: sqlite_store.remove_all(KEY))
    for _ in range(5):
        clock.move(1)
        seen.append(reads.recipients(KEY))
    assert seen == [("a", "b"), ("a", "b"), ("b", "c"), ("b", "c"), ()]
    assert reads.recipients(other) == ("z",)
