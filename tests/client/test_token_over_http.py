"""A hundred calls at once ask for one token. Spec: "Authentication"; Note N8."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from item_visibility import ItemKey, ItemVisibilityError, VisibilityClient, timeouts
from tests.support.fault_service import CLIENT_ID, CLIENT_SECRET, Answer, FaultService

pytestmark = pytest.mark.contract

ITEM = ItemKey("S", "I")
CALLS = 100


@pytest.fixture
def service() -> Iterator[FaultService]:
    """A service that knows one item."""
    with FaultService() as service:
        service.fill("S", "I", ["r"])
        yield service


@pytest.fixture
def client(service: FaultService, monkeypatch: pytest.MonkeyPatch) -> Iterator[VisibilityClient]:
    """A client on it, on a machine that may be slow: a failure counts for a minute."""
    monkeypatch.setattr(timeouts, "TOKEN_FAILURE_PAUSE_S", 60.0)
    with VisibilityClient(service.base_url, service.auth_url, CLIENT_ID, CLIENT_SECRET) as client:
        yield client


def outcome_of(call: Callable[[], object]) -> str:
    """The name of what a call ends with."""
    try:
        call()
    except ItemVisibilityError as error:
        return type(error).__name__
    return "done"


def at_once(client: VisibilityClient) -> Counter[str]:
    """A hundred calls that begin together, and how they end."""
    barrier = threading.Barrier(CALLS)

    def one(_number: int) -> str:
        barrier.wait(60)
        return outcome_of(lambda: client.get_visibilities(ITEM))

    with ThreadPoolExecutor(CALLS) as threads:
        return Counter(threads.map(one, range(CALLS)))


def test_a_cold_client_asks_once(service: FaultService, client: VisibilityClient) -> None:
    """All wait for the same token."""
    service.tokens.delay_s = 0.05
    assert at_once(client) == {"done": CALLS}
    assert len(service.tokens.requests) == 1


def test_an_expired_token_is_replaced_once(service: FaultService, client: VisibilityClient) -> None:
    """The endpoint did not say how long it lives, and it died."""
    service.tokens.sends_expires_in = False
    client.get_visibilities(ITEM)
    service.tokens.revoke_all()
    assert at_once(client) == {"done": CALLS}
    assert len(service.tokens.requests) == 1 + 1


def test_an_old_token_is_renewed_once(service: FaultService) -> None:
    """The client knows that it is too old to be sent."""
    service.tokens.delay_s = 0.05
    late = [0.0]
    with VisibilityClient(
        service.base_url,
        service.auth_url,
        CLIENT_ID,
        CLIENT_SECRET,
        clock=lambda: time.monotonic() + late[0],
    ) as client:
        client.get_visibilities(ITEM)
        late[0] = 280.0
        assert at_once(client) == {"done": CALLS}
    assert (len(service.tokens.requests), service.tokens.refused) == (2, [])


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Answer(500, b"never-shown"), "TokenUnavailableError"),
        (Answer(401, b'{"error": "invalid_client"}'), "TokenRefusedError"),
        (Answer(200, b"<html>never-shown</html>", "text/html"), "TokenUnavailableError"),
        (Answer(302, b"", headers={"Location": "http://127.0.0.1:1/"}), "TokenUnavailableError"),
    ],
)
def test_a_failing_endpoint_is_asked_once(
    service: FaultService, client: VisibilityClient, answer: Answer, error: str
) -> None:
    """All share its failure, and no call is made."""
    service.tokens.always = answer
    service.tokens.delay_s = 0.05
    assert at_once(client) == {error: CALLS}
    assert (len(service.tokens.requests), service.log) == (1, [])


def test_a_service_that_refuses_every_token_costs_two(
    service: FaultService, client: VisibilityClient
) -> None:
    """Once for a first, once for another; then it is not the token."""
    service.tokens.refuses_all = True
    assert at_once(client) == {"NotAllowedError": CALLS}
    assert at_once(client) == {"NotAllowedError": CALLS}
    assert len(service.tokens.requests) == 2
