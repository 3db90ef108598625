"""The same cases against the fake and the real client on both services: a fake that drifts fails here."""

from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from item_visibility import ItemKey, NotFoundError, VisibilityClient
from item_visibility.saving.outcome import Verdict
from item_visibility.saving.save import Saver
from item_visibility_service.switches import Switches
from tests.contract.wiring import at_once, open_client, utc_now
from tests.saving.saving import MemoryHistory, ask
from tests.support.bundled_service import (
    CLIENT_ID,
    CLIENT_SECRET,
    OperationLog,
    SharedServices,
)
from tests.support.fake_visibilities import EVERY_SEMANTICS, FakeVisibilities, Semantics
from tests.support.fault_service import FaultService

pytestmark = pytest.mark.contract

ITEM = ItemKey("4000001000005", "04012345678901:276")
NEIGHBOUR = ItemKey("4000001000005", "04012345678901:040")


@pytest.fixture(params=EVERY_SEMANTICS, ids=str)
def semantics(request: pytest.FixtureRequest) -> Semantics:
    chosen: Semantics = request.param
    return chosen


@pytest.fixture
def fake(semantics: Semantics) -> FakeVisibilities:
    return FakeVisibilities(semantics=semantics)


@pytest.fixture
def on_fault_service(semantics: Semantics, shared_fault_service: FaultService) -> Iterator[VisibilityClient]:
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
    with VisibilityClient(running.base_url, running.auth_url, CLIENT_ID, CLIENT_SECRET) as client:
        yield client
    operation_log.assert_as_asked()


@pytest.fixture(params=["fake", "on_fault_service", "on_bundled_service"])
def visibilities(request: pytest.FixtureRequest, semantics: Semantics) -> VisibilityClient:  # noqa: ARG001  (the three are made with it)
    """The five operations, by each of the three."""
    chosen: VisibilityClient = request.getfixturevalue(request.param)
    return chosen


def test_an_item_without_recipients_reads_as_the_semantics_say(
    visibilities: VisibilityClient, semantics: Semantics
) -> None:
    """None for 404, the empty set for `[]`. Note N4."""
    assert visibilities.get_visibilities(ITEM) == (None if semantics.empty_is_404 else frozenset())


def test_adding_twice_is_adding_once(visibilities: VisibilityClient) -> None:
    visibilities.add_visibility(NEIGHBOUR, "N")
    visibilities.add_visibility(ITEM, "A")
    visibilities.add_visibility(ITEM, "A")
    visibilities.add_visibility(ITEM, "B")
    assert visibilities.get_visibilities(ITEM) == frozenset("AB")
    assert visibilities.get_visibilities(NEIGHBOUR) == frozenset("N")


def test_a_set_replaces_or_merges(visibilities: VisibilityClient, semantics: Semantics) -> None:
    """As the semantics say. Note N3."""
    visibilities.add_visibility(ITEM, "A")
    visibilities.set_visibilities(ITEM, ["C", "B", "B"])
    assert visibilities.get_visibilities(ITEM) == frozenset("ABC" if semantics.put_merges else "BC")


def test_removing_leaves_the_others(visibilities: VisibilityClient) -> None:
    visibilities.set_visibilities(ITEM, ["A", "B", "C"])
    visibilities.add_visibility(NEIGHBOUR, "N")
    visibilities.remove_visibility(ITEM, "B")
    assert visibilities.get_visibilities(ITEM) == frozenset("AC")
    visibilities.remove_visibilities(ITEM)
    assert not visibilities.get_visibilities(ITEM)
    assert visibilities.get_visibilities(NEIGHBOUR) == frozenset("N")


def test_removing_what_is_not_there_is_as_the_semantics_say(
    visibilities: VisibilityClient, semantics: Semantics
) -> None:
    """404 is a NotFoundError without any doubt; 204 is nothing. Note N5."""
    is_not_found = (
        pytest.raises(NotFoundError, check=lambda error: not error.was_ambiguous)
        if semantics.missing_is_404
        else nullcontext()
    )
    with is_not_found:
        visibilities.remove_visibility(ITEM, "A")
    with is_not_found:
        visibilities.remove_visibilities(ITEM)


def test_a_save_is_the_same_everywhere(visibilities: VisibilityClient) -> None:
    visibilities.set_visibilities(ITEM, ["A", "B", "C", "é/?#"])
    saver = Saver(visibilities, MemoryHistory(), clock=utc_now, sleep=at_once)
    result = saver.save(ask(base=["A", "B", "C", "é/?#"], add=["D", "%2e%2e"], remove=["A", "gone"]))
    assert result.verdict is Verdict.VERIFIED
    assert visibilities.get_visibilities(ITEM) == frozenset({"B", "C", "D", "é/?#", "%2e%2e"})


def test_taking_the_last_away_is_the_same_everywhere(
    visibilities: VisibilityClient, semantics: Semantics
) -> None:
    visibilities.add_visibility(ITEM, "A")
    saver = Saver(visibilities, MemoryHistory(), clock=utc_now, sleep=at_once)
    result = saver.save(ask(base="A", remove="A", confirmed_count=1))
    assert (result.verdict, result.after) == (Verdict.VERIFIED, frozenset())
    assert visibilities.get_visibilities(ITEM) == (None if semantics.empty_is_404 else frozenset())
