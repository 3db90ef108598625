"""One token for all calls, renewed in time, never asked for without need. Spec: "Authentication"; Note N8."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from item_visibility.client.token import AccessToken, Grant, NoToken, TokenSource, useful_s
from item_visibility.errors import TokenRefusedError, TokenUnavailableError
from tests.support.waiting import HandClock

REFUSED = NoToken(TokenRefusedError, "Refused.", "Ask.")
BUSY = NoToken(TokenUnavailableError, "Busy.", "Wait.", pause_s=20.0)


class Endpoint:
    """A token endpoint that gives `t1`, `t2`, ... or what is scripted, and takes `duration_s`."""

    def __init__(self, clock: HandClock, *, expires_in: float | None = 300.0) -> None:
        self.clock = clock
        self.expires_in = expires_in
        self.duration_s = 0.0
        self.scripted: list[NoToken] = []
        self.meanwhile: Callable[[], object] = lambda: None
        self.requests = 0

    def __call__(self) -> Grant | NoToken:
        """Answer one token request."""
        self.requests += 1
        self.clock.move(self.duration_s)
        self.meanwhile()
        return self.scripted.pop(0) if self.scripted else Grant(f"t{self.requests}", self.expires_in)


@pytest.fixture
def clock() -> HandClock:
    """Time that stands still."""
    return HandClock()


@pytest.fixture
def endpoint(clock: HandClock) -> Endpoint:
    """An endpoint whose tokens live 300 s."""
    return Endpoint(clock)


@pytest.fixture
def source(clock: HandClock, endpoint: Endpoint) -> TokenSource:
    """A source on that endpoint."""
    return TokenSource(endpoint, clock=clock)


def replaced(source: TokenSource, refused: AccessToken) -> AccessToken:
    """The token in place of a refused one, which must be had."""
    assert source.may_replace(refused)
    return source.newer_than(refused)


@pytest.mark.parametrize(
    ("expires_in", "seconds"),
    [(3, 1.5), (4, 2), (10, 8), (20, 18), (60, 54), (300, 270), (3600, 3570), (None, 270), (0.5, 0.25)],
)
def test_a_token_is_renewed_before_it_expires(expires_in: float | None, seconds: float) -> None:
    """min(30 s, max(2 s, 10 %), half the lifetime) before; an unknown lifetime is 300 s."""
    assert useful_s(expires_in) == seconds


def test_one_token_serves_until_it_is_old(source: TokenSource, endpoint: Endpoint, clock: HandClock) -> None:
    """The same token for 270 of 300 s, then another."""
    values = [source.current().value]
    clock.move(269.9)
    values.append(source.current().value)
    clock.move(0.1)
    values.append(source.current().value)
    assert (values, endpoint.requests) == (["t1", "t1", "t2"], 2)


def test_a_lifetime_counts_from_the_start_of_the_request(
    source: TokenSource, endpoint: Endpoint, clock: HandClock
) -> None:
    """The endpoint may have issued it as soon as it was asked."""
    endpoint.duration_s = 10.0
    source.current()
    clock.move(260.0)
    assert source.current().value == "t2"


def test_a_token_without_a_lifetime_has_no_end_that_is_known(clock: HandClock) -> None:
    """It is used for 300 s less the leeway. Note N8."""
    source = TokenSource(Endpoint(clock, expires_in=None), clock=clock)
    token = source.current()
    assert (token.expires_in, token.serial) == (None, 1)


def test_a_repr_does_not_show_the_token(source: TokenSource) -> None:
    """Neither of the token nor of the grant."""
    assert "t1" not in f"{source.current()!r}{Grant('t1', None)!r}{source!r}"


def test_a_failure_speaks_for_all_calls_for_a_second(
    source: TokenSource, endpoint: Endpoint, clock: HandClock
) -> None:
    """Then the endpoint is asked again."""
    endpoint.scripted = [REFUSED]
    for _ in range(3):
        with pytest.raises(TokenRefusedError, match="Refused"):
            source.current()
    clock.move(1.0)
    assert (source.current().value, endpoint.requests) == ("t2", 2)


def test_a_busy_endpoint_is_left_alone_for_as_long_as_it_asks(
    source: TokenSource, endpoint: Endpoint, clock: HandClock
) -> None:
    """Its Retry-After is kept."""
    endpoint.scripted = [BUSY]
    with pytest.raises(TokenUnavailableError):
        source.current()
    clock.move(19.9)
    with pytest.raises(TokenUnavailableError):
        source.current()
    assert endpoint.requests == 1


@pytest.fixture
def latecomer(
    source: TokenSource, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> Iterator[list[Future[AccessToken]]]:
    """A second call for a token, which comes while the endpoint is asked, and waits before it answers."""
    is_waiting, has_settled = threading.Event(), TokenSource._has_settled  # noqa: SLF001  (who waits looks there)
    calls: list[Future[AccessToken]] = []

    def look(source: TokenSource, flight: int) -> bool:
        is_waiting.set()
        return has_settled(source, flight)

    with ThreadPoolExecutor(1) as other:

        def come() -> None:
            calls.append(other.submit(source.current))
            assert is_waiting.wait(60)

        monkeypatch.setattr(TokenSource, "_has_settled", look)
        endpoint.meanwhile = come
        yield calls


def test_who_comes_during_a_request_gets_its_token(
    source: TokenSource, endpoint: Endpoint, latecomer: list[Future[AccessToken]]
) -> None:
    """Nobody asks a second time."""
    token = source.current()
    assert (latecomer[0].result(60), endpoint.requests) == (token, 1)


def test_who_comes_during_a_request_gets_its_error(
    source: TokenSource, endpoint: Endpoint, latecomer: list[Future[AccessToken]]
) -> None:
    """The failure speaks for both."""
    endpoint.scripted = [REFUSED]
    with pytest.raises(TokenRefusedError):
        source.current()
    assert isinstance(latecomer[0].exception(60), TokenRefusedError)
    assert endpoint.requests == 1


def test_a_refused_token_is_replaced_once_for_all_who_used_it(
    source: TokenSource, endpoint: Endpoint
) -> None:
    """Many calls may come back with the same 401."""
    token = source.current()
    values = [replaced(source, token).value for _ in range(3)]
    assert (values, endpoint.requests) == (["t2"] * 3, 2)


def test_no_call_begins_with_a_refused_token(
    source: TokenSource, endpoint: Endpoint, clock: HandClock
) -> None:
    """Not even while its replacement cannot be had."""
    token = source.current()
    endpoint.scripted = [REFUSED]
    with pytest.raises(TokenRefusedError):
        replaced(source, token)
    clock.move(1.0)
    assert source.current().value == "t3"


def test_a_service_that_refuses_every_token_is_not_helped_by_more(
    source: TokenSource, endpoint: Endpoint, clock: HandClock
) -> None:
    """When the replacement is refused too, none is asked for within 30 s; then one."""
    second = replaced(source, source.current())
    source.refused(second)
    within = [source.may_replace(source.current()) for _ in range(3)]
    clock.move(30.0)
    later = replaced(source, source.current())
    assert (within, later.value, endpoint.requests) == ([False] * 3, "t3", 3)


def test_a_new_call_that_meets_a_useless_replacement_asks_for_no_more(
    source: TokenSource, endpoint: Endpoint
) -> None:
    """Although nobody has reported yet that the replacement was refused."""
    replaced(source, source.current())
    assert not source.may_replace(source.current())
    assert endpoint.requests == 2


def test_an_accepted_replacement_may_be_replaced_again(
    source: TokenSource, endpoint: Endpoint, clock: HandClock
) -> None:
    """Tokens of 3 s whose lifetime is not told are replaced each time they die. Note N8."""
    token = source.current()
    for _ in range(5):
        source.accepted(token)
        clock.move(3.0)
        token = replaced(source, token)
    assert (token.value, endpoint.requests) == ("t6", 6)


def test_news_of_an_old_token_mean_nothing(source: TokenSource, endpoint: Endpoint) -> None:
    """A slow call reports late."""
    first = source.current()
    second = replaced(source, first)
    source.accepted(first)
    source.refused(first)
    assert replaced(source, first).value == second.value
    assert not source.may_replace(second)
    assert endpoint.requests == 2


def test_a_requested_token_is_new(source: TokenSource, endpoint: Endpoint) -> None:
    """A test of the connection asks the endpoint, and later calls use what it gave."""
    source.current()
    assert (source.requested().value, source.current().value, endpoint.requests) == ("t2", "t2", 2)


def test_a_failed_test_of_the_connection_leaves_the_token_in_use(
    source: TokenSource, endpoint: Endpoint
) -> None:
    """Other people's calls go on."""
    source.current()
    endpoint.scripted = [REFUSED]
    with pytest.raises(TokenRefusedError):
        source.requested()
    assert source.current().value == "t1"


def test_an_interrupted_request_is_told_as_such(clock: HandClock) -> None:
    """Ctrl-C in one thread leaves the source in order for the others."""

    def interrupted() -> Grant:
        raise KeyboardInterrupt

    source = TokenSource(interrupted, clock=clock)
    with pytest.raises(KeyboardInterrupt):
        source.current()
    with pytest.raises(TokenUnavailableError, match="interrupted"):
        source.current()
