"""Fifteen faults, five operations, four readings of the specification: no word of a save is untrue."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest

from item_visibility import ItemKey
from item_visibility.saving.outcome import SaveResult, Verdict
from item_visibility.saving.request import ChangeRequest, Operation
from item_visibility.saving.save import Saver
from tests.contract.nursery import wait_until_quiet
from tests.contract.wiring import at_once, open_client, utc_now
from tests.saving.saving import MemoryHistory, ask, broken_promises
from tests.support.fake_visibilities import FOUR_SEMANTICS, Semantics
from tests.support.fault_service import EVERY_FAULT, FaultKind, FaultService, fail_times

pytestmark = pytest.mark.contract

ITEM = ItemKey("4000001000005", "04012345678901:276")
BEFORE = "ABCDEFGH"
FOR_GOOD = 99
ALL = frozenset(BEFORE)
SINGLES = ask(base=BEFORE, add="X", remove="A")
SEVERAL = ask(base=BEFORE, add="WXYZ", remove="AB")
LIST = replace(SEVERAL, operation=Operation.SET)
EVERYBODY = ask(base=BEFORE, remove=BEFORE, confirmed_count=len(BEFORE), operation=Operation.REMOVE_ALL)
SINGLE_WRITES = ("addVisibility", "removeVisibility")
REQUEST_OF = {
    "getVisibilities": SINGLES,
    "addVisibility": SINGLES,
    "removeVisibility": SINGLES,
    "setVisibilities": LIST,
    "removeVisibilities": EVERYBODY,
}
CASES = [
    (operation, fault, FOUR_SEMANTICS[number % len(FOUR_SEMANTICS)])
    for number, (operation, fault) in enumerate(product(REQUEST_OF, EVERY_FAULT))
]
"""Every fault of every operation, under the readings of the specification in turn."""


@pytest.fixture
def service(shared_fault_service: FaultService) -> Iterator[FaultService]:
    """A service with eight recipients of one item; nothing that was sent to it reaches the next test."""
    shared_fault_service.begin(Semantics())
    shared_fault_service.fake.put(ITEM, BEFORE)
    yield shared_fault_service
    wait_until_quiet(shared_fault_service)


@pytest.fixture
def saver(service: FaultService) -> Iterator[Saver]:
    """A saver whose client soon stops waiting; where the machine is at fault, words must be true as well."""
    with open_client(service.base_url, service.auth_url) as client:
        yield Saver(client, MemoryHistory(), clock=utc_now, sleep=at_once)


@pytest.fixture
def patient_saver(service: FaultService) -> Iterator[Saver]:
    """A saver whose client waits until the service answers or hangs up."""
    with open_client(service.base_url, service.auth_url, read_timeout_s=60) as client:
        yield Saver(client, MemoryHistory(), clock=utc_now, sleep=at_once)


def assert_no_word_is_untrue(service: FaultService, result: SaveResult, request: ChangeRequest) -> None:
    truth = service.fake.recipients_of(ITEM)
    assert broken_promises(result, truth) == []
    assert (truth ^ ALL) <= request.add | request.remove
    assert result.verdict is not Verdict.NOTHING_SENT or truth == ALL


@pytest.mark.parametrize("times", [2, FOR_GOOD], ids=["a while", "for good"])
@pytest.mark.parametrize(("operation", "fault", "semantics"), CASES, ids=str)
def test_a_fault_leaves_no_untrue_word(  # noqa: PLR0913, PLR0917  (a case has four parts)
    service: FaultService, saver: Saver, operation: str, fault: FaultKind, semantics: Semantics, times: int
) -> None:
    service.fake.semantics = semantics
    service.choose_fault = fail_times(fault, times, operation=operation)
    request = REQUEST_OF[operation]
    assert_no_word_is_untrue(service, saver.save(request), request)


@pytest.mark.parametrize("operation", SINGLE_WRITES)
@pytest.mark.parametrize("fault", [fault for fault in EVERY_FAULT if fault is not FaultKind.BAD_REQUEST_400])
def test_one_fault_is_no_reason_to_bother_the_person(
    service: FaultService, patient_saver: Saver, fault: FaultKind, operation: str
) -> None:
    service.choose_fault = fail_times(fault, 1, operation=operation)
    result = patient_saver.save(SEVERAL)
    assert result.verdict is Verdict.VERIFIED
    wanted = (ALL | SEVERAL.add) - SEVERAL.remove
    assert service.fake.recipients_of(ITEM) == wanted


@pytest.mark.parametrize("fault", EVERY_FAULT)
@pytest.mark.parametrize("semantics", FOUR_SEMANTICS, ids=str)
@pytest.mark.parametrize("request_", [SEVERAL, LIST], ids=["singly", "as a list"])
def test_faults_on_every_operation_at_once_leave_no_untrue_word(
    service: FaultService, saver: Saver, semantics: Semantics, fault: FaultKind, request_: ChangeRequest
) -> None:
    service.fake.semantics = semantics
    service.choose_fault = fail_times(fault, 1)
    assert_no_word_is_untrue(service, saver.save(request_), request_)
