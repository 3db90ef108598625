"""Fifteen faults never lead to a false report; and the same cases against the fake and
both real services.
"""

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from itertools import product

import pytest

from item_visibility import ItemKey, NotFoundError, VisibilityClient
from item_visibility.model.change import ChangeOperation, ChangeRequest
from item_visibility.model.outcome import SaveResult, Verdict
from item_visibility.saving.save import Saver
from item_visibility_service.switches import Switches
from tests.contract.quick_processes import wait_until_quiet
from tests.contract.wiring import at_once, open_client, utc_now
from tests.saving.saving import MemoryHistory, ask, broken_promises
from tests.support.bundled_service import (
    CLIENT_ID,
    CLIENT_SECRET,
    OperationLog,
    SharedServices,
)
from tests.support.fake_visibilities import (
    EVERY_SEMANTICS,
    FOUR_SEMANTICS,
    FakeVisibilities,
    Semantics,
)
from tests.support.fault_service import EVERY_FAULT, FaultKind, FaultService, fail_times

pytestmark = pytest.mark.contract

ITEM = ItemKey("4000001000005", "04012345678901:276")
BEFORE = "ABCDEFGH"
FOR_GOOD = 99
ALL = frozenset(BEFORE)
SINGLES = ask(base=BEFORE, add="X", remove="A")
SEVERAL = ask(base=BEFORE, add="WXYZ", remove="AB")
LIST = replace(SEVERAL, operation=ChangeOperation.SET)
EVERYBODY = ask(
    base=BEFORE,
    remove=BEFORE,
    confirmed_count=len(BEFORE),
    operation=ChangeOperation.REMOVE_ALL,
)
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
"""Each operation with each fault.

The semantics of the service vary from case to case.
"""


@pytest.fixture
def service(shared_fault_service: FaultService) -> Iterator[FaultService]:
    """A service with one item that eight recipients can see.

    It waits until all requests have ended.
    """
    shared_fault_service.begin(Semantics())
    shared_fault_service.fake.put(ITEM, BEFORE)
    yield shared_fault_service
    wait_until_quiet(shared_fault_service)


@pytest.fixture
def saver(service: FaultService) -> Iterator[Saver]:
    """A saver whose client stops waiting soon.

    Even if this machine is slow, its reports must be true.
    """
    with open_client(service.base_url, service.auth_url) as client:
        yield Saver(client, MemoryHistory(), clock=utc_now, sleep=at_once)


@pytest.fixture
def patient_saver(service: FaultService) -> Iterator[Saver]:
    """A saver whose client waits until the service answers or closes the connection."""
    with open_client(service.base_url, service.auth_url, read_timeout_s=60) as client:
        yield Saver(client, MemoryHistory(), clock=utc_now, sleep=at_once)


def assert_no_word_is_untrue(
    service: FaultService, result: SaveResult, request: ChangeRequest
) -> None:
    truth = service.fake.recipients_of(ITEM)
    assert broken_promises(result, truth) == []
    assert (truth ^ ALL) <= request.add | request.remove
    assert result.verdict is not Verdict.NOTHING_SENT or truth == ALL


@pytest.mark.parametrize("times", [2, FOR_GOOD], ids=["a while", "for good"])
@pytest.mark.parametrize(("operation", "fault", "semantics"), CASES, ids=str)
def test_a_fault_never_causes_a_false_report(  # noqa: PLR0913, PLR0917  (a case has four parts)
    service: FaultService,
    saver: Saver,
    operation: str,
    fault: FaultKind,
    semantics: Semantics,
    times: int,
) -> None:
    service.fake.semantics = semantics
    service.choose_fault = fail_times(fault, times, operation=operation)
    request = REQUEST_OF[operation]
    assert_no_word_is_untrue(service, saver.save(request), request)


@pytest.mark.parametrize("operation", SINGLE_WRITES)
@pytest.mark.parametrize(
    "fault", [fault for fault in EVERY_FAULT if fault is not FaultKind.BAD_REQUEST_400]
)
def test_a_single_fault_is_handled_without_the_person(
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
def test_simultaneous_faults_never_cause_a_false_report(
    service: FaultService,
    saver: Saver,
    semantics: Semantics,
    fault: FaultKind,
    request_: ChangeRequest,
) -> None:
    service.fake.semantics = semantics
    service.choose_fault = fail_times(fault, 1)
    assert_no_word_is_untrue(service, saver.save(request_), request_)


NEIGHBOUR = ItemKey("4000001000005", "04012345678901:040")


@pytest.fixture(params=EVERY_SEMANTICS, ids=str)
def semantics(request: pytest.FixtureRequest) -> Semantics:
    chosen: Semantics = request.param
    return chosen


@pytest.fixture
def fake(semantics: Semantics) -> FakeVisibilities:
    return FakeVisibilities(semantics=semantics)


@pytest.fixture
def on_fault_service(
    semantics: Semantics, shared_fault_service: FaultService
) -> Iterator[VisibilityClient]:
    service = shared_fault_service
    service.begin(semantics)
    with open_client(service.base_url, service.auth_url, read_timeout_s=60) as client:
        yield client


@pytest.fixture
def on_bundled_service(
    semantics: Semantics, shared_services: SharedServices, operation_log: OperationLog
) -> Iterator[VisibilityClient]:
    switches = Switches(
        put_merges=semantics.put_merges,
        empty_is_not_found=semantics.empty_is_404,
        removing_missing_is_not_found=semantics.missing_is_404,
    )
    running = shared_services.fresh(switches=switches)
    with VisibilityClient(
        running.base_url, running.auth_url, CLIENT_ID, CLIENT_SECRET
    ) as client:
        yield client
    operation_log.assert_as_asked()


@pytest.fixture(params=["fake", "on_fault_service", "on_bundled_service"])
def visibilities(
    request: pytest.FixtureRequest,
    semantics: Semantics,  # noqa: ARG001  (the three fixtures use it)
) -> VisibilityClient:
    """The five operations, by the fake and by a client on each of the two services."""
    chosen: VisibilityClient = request.getfixturevalue(request.param)
    return chosen


def test_an_item_without_recipients_is_read_as_the_service_defines(
    visibilities: VisibilityClient, semantics: Semantics
) -> None:
    """A 404 is read as None, and `[]` as an empty set. Note N4."""
    assert visibilities.get_visibilities(ITEM) == (
        None if semantics.empty_is_404 else frozenset()
    )


def test_adding_twice_is_adding_once(visibilities: VisibilityClient) -> None:
    visibilities.add_visibility(NEIGHBOUR, "N")
    visibilities.add_visibility(ITEM, "A")
    visibilities.add_visibility(ITEM, "A")
    visibilities.add_visibility(ITEM, "B")
    assert visibilities.get_visibilities(ITEM) == frozenset("AB")
    assert visibilities.get_visibilities(NEIGHBOUR) == frozenset("N")


def test_a_set_replaces_or_merges(
    visibilities: VisibilityClient, semantics: Semantics
) -> None:
    """Each service does what its semantics say. Note N3."""
    visibilities.add_visibility(ITEM, "A")
    visibilities.set_visibilities(ITEM, ["C", "B", "B"])
    assert visibilities.get_visibilities(ITEM) == frozenset(
        "ABC" if semantics.put_merges else "BC"
    )


def test_removing_leaves_the_others(visibilities: VisibilityClient) -> None:
    visibilities.set_visibilities(ITEM, ["A", "B", "C"])
    visibilities.add_visibility(NEIGHBOUR, "N")
    visibilities.remove_visibility(ITEM, "B")
    assert visibilities.get_visibilities(ITEM) == frozenset("AC")
    visibilities.remove_visibilities(ITEM)
    assert not visibilities.get_visibilities(ITEM)
    assert visibilities.get_visibilities(NEIGHBOUR) == frozenset("N")


def test_removing_a_missing_recipient_is_answered_as_the_service_defines(
    visibilities: VisibilityClient, semantics: Semantics
) -> None:
    """A 404 is a NotFoundError, with a certain outcome.

    A 204 raises nothing. Note N5.
    """
    is_not_found = (
        pytest.raises(NotFoundError, check=lambda error: not error.is_outcome_unknown)
        if semantics.missing_is_404
        else nullcontext()
    )
    with is_not_found:
        visibilities.remove_visibility(ITEM, "A")
    with is_not_found:
        visibilities.remove_visibilities(ITEM)


def test_a_save_ends_the_same_on_the_fake_and_the_real_service(
    visibilities: VisibilityClient,
) -> None:
    visibilities.set_visibilities(ITEM, ["A", "B", "C", "é/?#"])
    saver = Saver(visibilities, MemoryHistory(), clock=utc_now, sleep=at_once)
    request = ask(
        base=["A", "B", "C", "é/?#"], add=["D", "%2e%2e"], remove=["A", "gone"]
    )
    result = saver.save(request)
    assert result.verdict is Verdict.VERIFIED
    assert visibilities.get_visibilities(ITEM) == frozenset(
        {"B", "C", "D", "é/?#", "%2e%2e"}
    )


def test_removing_the_last_recipient_is_the_same_on_both_services(
    visibilities: VisibilityClient, semantics: Semantics
) -> None:
    visibilities.add_visibility(ITEM, "A")
    saver = Saver(visibilities, MemoryHistory(), clock=utc_now, sleep=at_once)
    result = saver.save(ask(base="A", remove="A", confirmed_count=1))
    assert result.verdict is Verdict.VERIFIED
    assert result.after == frozenset()
    assert visibilities.get_visibilities(ITEM) == (
        None if semantics.empty_is_404 else frozenset()
    )
