"""Fifteen faults, five operations, every reading of the specification: what the client says is true."""

from collections.abc import Callable, Iterator
from itertools import count

import pytest

from item_visibility import (
    ItemKey,
    ItemVisibilityError,
    NotSentError,
    RefusedError,
    TokenError,
    VisibilityClient,
)
from tests.contract.wiring import MAX_ATTEMPTS, open_client, open_fault_service
from tests.support.fake_visibilities import EVERY_SEMANTICS, Semantics
from tests.support.fault_service import FaultKind, FaultService, fail_times, faults_in_turn

pytestmark = pytest.mark.contract

BEFORE = frozenset({"here", "other"})
CALLS: dict[str, Callable[[VisibilityClient, ItemKey], object]] = {
    "getVisibilities": lambda client, item: client.get_visibilities(item),
    "setVisibilities": lambda client, item: client.set_visibilities(item, ["here", "new"]),
    "removeVisibilities": lambda client, item: client.remove_visibilities(item),
    "addVisibility": lambda client, item: client.add_visibility(item, "new"),
    "removeVisibility": lambda client, item: client.remove_visibility(item, "here"),
}
NUMBERS = count()
CASES = faults_in_turn(EVERY_SEMANTICS, one_in=8)
BLIND_REPEATS_FORBIDDEN = {"setVisibilities", "removeVisibilities"}


def expected_after(operation: str, semantics: Semantics) -> frozenset[str]:
    """The item's recipients once the operation was applied."""
    return {
        "getVisibilities": BEFORE,
        "setVisibilities": BEFORE | {"new"} if semantics.put_merges else frozenset({"here", "new"}),
        "removeVisibilities": frozenset[str](),
        "addVisibility": BEFORE | {"new"},
        "removeVisibility": BEFORE - {"here"},
    }[operation]


@pytest.fixture(scope="module")
def service() -> Iterator[FaultService]:
    """One service for all cases; each case has an item of its own."""
    with open_fault_service() as service:
        yield service


@pytest.fixture
def item(service: FaultService) -> ItemKey:
    service.begin(EVERY_SEMANTICS[0])
    item = ItemKey("S/1", f"I {next(NUMBERS)}")
    service.fill(item.supplier, item.supplier_item_id, BEFORE)
    return item


@pytest.mark.parametrize("times", [1, 99], ids=["once", "always"])
@pytest.mark.parametrize(("operation", "fault", "semantics"), CASES, ids=str)
def test_what_the_client_says_is_true(  # noqa: PLR0913, PLR0917  (a case has four parts)
    service: FaultService, item: ItemKey, operation: str, fault: FaultKind, semantics: Semantics, times: int
) -> None:
    service.semantics, service.choose_fault = semantics, fail_times(fault, times)
    value, error = None, None
    with open_client(service.base_url, service.auth_url) as client:
        try:
            value = CALLS[operation](client, item)
        except ItemVisibilityError as caught:
            error = caught
    after = service.recipients_of(item.supplier, item.supplier_item_id)
    sent = [one for one in service.asked(operation) if one.call.supplier_item_id == item.supplier_item_id]
    applied = sum(one.is_applied for one in sent)
    says_nothing_changed = isinstance(error, TokenError) or (
        isinstance(error, RefusedError | NotSentError) and not error.was_ambiguous
    )
    assert error is not None or after == expected_after(operation, semantics)
    assert error is not None or value == (BEFORE if operation == "getVisibilities" else None)
    assert not says_nothing_changed or applied == 0
    assert not (operation in BLIND_REPEATS_FORBIDDEN and applied > 1)
    assert len(sent) <= MAX_ATTEMPTS
