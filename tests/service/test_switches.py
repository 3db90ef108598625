"""The points that the specification leaves open, in each of their readings."""

from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from item_visibility_service.sample import invented_names
from item_visibility_service.server import EmbeddedService
from item_visibility_service.store import Change, Item, Store
from item_visibility_service.switches import Failure, LaggingReads, Switches
from tests.service.conftest import FakeClock
from tests.support.bundled_service import OperationLog, open_client

contract = pytest.mark.contract

ITEM = "/S/I"
KEY = Item("S", "I")


@contract
@pytest.mark.parametrize(("put_merges", "expected"), [(False, ["b", "c"]), (True, ["a", "b", "c"])])
def test_a_set_replaces_or_merges(service: EmbeddedService, expected: list[str], *, put_merges: bool) -> None:
    """Note N3."""
    service.service.switches = Switches(put_merges=put_merges)
    with open_client(service) as client:
        client.put(ITEM, json=["a", "b"])
        client.put(ITEM, json=["b", "c"])

        assert client.get(ITEM).json() == expected


@contract
@pytest.mark.parametrize(("is_not_found", "expected"), [(True, (404, b"")), (False, (200, b"[]"))])
def test_an_empty_item_is_404_or_an_empty_list(
    service: EmbeddedService, expected: tuple[int, bytes], *, is_not_found: bool
) -> None:
    """Note N4."""
    service.service.switches = Switches(empty_is_not_found=is_not_found)
    with open_client(service) as client:
        answer = client.get(ITEM)

    assert (answer.status_code, answer.content) == expected


@contract
@pytest.mark.parametrize("path", [ITEM, "/S/I/recipient/r"])
@pytest.mark.parametrize("is_not_found", [False, True])
def test_removing_a_missing_recipient_is_204_or_404(
    service: EmbeddedService, path: str, *, is_not_found: bool
) -> None:
    """Removing a present one is always 204: Note N5. The 404 has a problem detail. Spec: "Errors"."""
    service.service.switches = Switches(removing_missing_is_not_found=is_not_found)
    with open_client(service) as client:
        client.put("/S/I/recipient/r")
        present, missing = client.delete(path), client.delete(path)

    problem = b'{"status":404,"title":"Not Found","detail":"There was nothing to remove."}'
    assert present.status_code == 204
    assert (missing.status_code, missing.content) == ((404, problem) if is_not_found else (204, b""))


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
    """A client cannot tell from the answer whether a 500 was applied."""
    service.service.switches = Switches(failing_share=1, failures=(failure,))
    with open_client(service) as client:
        answer = client.put("/S/I/recipient/r")

    assert (answer.status_code, answer.headers.get("retry-after")) == answered
    assert answer.json()["status"] == answer.status_code
    assert (service.service.store.recipients(KEY), len(operation_log.operations)) == (applied, len(applied))


@contract
def test_a_share_of_the_changes_can_be_refused_once(service: EmbeddedService) -> None:
    """The first one among them; sent again, each is applied, until the failures are switched off and on."""
    failing = Switches(failing_share=0.3, failures=(Failure.BROKEN_OFF,), refuses_once=True)
    service.service._failures._chance = lambda: 1.0  # noqa: SLF001  (no other failure)
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
def test_an_answer_can_break_off_after_the_call_was_applied(parsed_service: EmbeddedService) -> None:
    """The client sees a connection that ends too early, with each parser."""
    parsed_service.service.switches = Switches(failing_share=1, failures=(Failure.BROKEN_OFF,))
    with open_client(parsed_service) as client, pytest.raises(httpx.RemoteProtocolError):
        client.put("/S/I/recipient/r")

    assert parsed_service.service.store.recipients(KEY) == ("r",)


@contract
def test_only_the_five_operations_fail(service: EmbeddedService) -> None:
    """Tokens, health and the OpenAPI document keep working in a demo of failures."""
    service.service.switches = Switches(failing_share=1)

    with open_client(service) as client:
        statuses = [
            client.get(f"{service.auth_url}{path}").status_code for path in ("/healthz", "/v1/openapi.json")
        ]

    assert statuses == [200, 200]


@contract
def test_switches_change_while_calls_run(service: EmbeddedService) -> None:
    """A call sees one set of switches or the next, never a mixture."""
    readings = [Switches(empty_is_not_found=value) for value in (True, False)] * 20

    def set_switches(switches: Switches) -> None:
        service.service.switches = switches

    with open_client(service) as client, ThreadPoolExecutor(4) as pool:
        setting = pool.map(set_switches, readings)
        answers = list(pool.map(lambda _: client.get(ITEM), range(100)))

    assert list(setting) == [None] * 40
    assert {(answer.status_code, answer.content) for answer in answers} <= {(404, b""), (200, b"[]")}


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
    """One recipient is added and one removed, if there is one."""
    service.service.store.replace(KEY, frozenset(present))

    change = service.service.someone_else_edits(KEY)

    assert change == Change(added=frozenset({newcomer}), removed=frozenset(present[:1]))
    assert service.service.store.recipients(KEY) == tuple(sorted([*present[1:], newcomer]))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"read_lag_s": -1}, "between 0 and 3600"),
        ({"read_lag_s": float("nan")}, "between 0 and 3600"),
        ({"token_lifetime_s": 0}, "at least one second"),
        ({"failing_share": 1.1}, "between 0 and 1"),
        ({"failing_share": -0.1}, "between 0 and 1"),
        ({"failures": ()}, "at least one way"),
    ],
)
def test_invalid_switches_are_refused(wrong: dict[str, object], message: str) -> None:
    """The message says what is allowed."""
    with pytest.raises(ValueError, match=message):
        Switches(**wrong)  # type: ignore[arg-type]  # what a caller may not give


@contract
def test_reads_can_lag_behind_changes(service: EmbeddedService) -> None:
    """Each change is applied at once and seen later: Note N11."""
    service.service.switches = Switches(read_lag_s=3600)
    with open_client(service) as client:
        client.put(ITEM, json=["a", "b"])
        client.put("/S/I/recipient/c")
        client.delete("/S/I/recipient/a")
        lagging = client.get(ITEM).status_code
        service.service.switches = Switches()

        assert (lagging, client.get(ITEM).json()) == (404, ["b", "c"])


def test_a_lagging_read_shows_the_state_of_five_seconds_ago(sqlite_store: Store, clock: FakeClock) -> None:
    """Of this item; a change of one item has no effect on another."""
    reads, other, seen = LaggingReads(sqlite_store, clock), Item("S", "J"), []
    reads.set_lag(5)
    sqlite_store.add(other, "z")
    reads.change(KEY, lambda: sqlite_store.replace(KEY, frozenset({"a", "b"})))
    clock.now += 2
    reads.change(KEY, lambda: sqlite_store.replace(KEY, frozenset({"b", "c"})))
    clock.now += 2
    reads.change(KEY, lambda: sqlite_store.remove_all(KEY))
    for _ in range(5):
        clock.now += 1
        seen.append(reads.recipients(KEY))

    assert seen == [("a", "b"), ("a", "b"), ("b", "c"), ("b", "c"), ()]
    assert reads.recipients(other) == ("z",)


STEPS = st.one_of(
    st.tuples(st.just("lag"), st.sampled_from([0, 1, 3, 10])),
    st.tuples(st.just("wait"), st.sampled_from([0, 1, 2, 5])),
    st.tuples(st.just("add"), st.integers(0, 3)),
    st.tuples(st.just("remove"), st.integers(0, 3)),
    st.tuples(st.just("read"), st.just(0)),
)


class Observer:
    """Changes one item and reads it, and knows every state that it was in."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._clock = FakeClock()
        self._reads = LaggingReads(store, self._clock)
        self._states: list[tuple[str, ...]] = [()]
        self._seen = 0

    def lag(self, seconds: int) -> None:
        """Set the lag."""
        self._reads.set_lag(seconds)

    def wait(self, seconds: int) -> None:
        """Let time pass."""
        self._clock.now += seconds

    def add(self, number: int) -> None:
        """Add a recipient."""
        self._reads.change(KEY, lambda: self._store.add(KEY, str(number)))
        self._states.append(self._store.recipients(KEY))

    def remove(self, number: int) -> None:
        """Remove a recipient."""
        self._reads.change(KEY, lambda: self._store.remove(KEY, str(number)))
        self._states.append(self._store.recipients(KEY))

    def read(self, _: int) -> None:
        """Fail (ValueError) unless the item was once as it reads now, and not before the last read."""
        self._seen = self._states.index(self._reads.recipients(KEY), self._seen)

    @property
    def is_up_to_date(self) -> bool:
        """True if the last read showed the newest state."""
        return self._states[self._seen] == self._states[-1]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(steps=st.lists(STEPS, max_size=40))
def test_lagging_reads_never_go_back(sqlite_store: Store, steps: list[tuple[str, int]]) -> None:
    """They show past states in their order, whatever lags are set meanwhile."""
    sqlite_store.clear()
    observer = Observer(sqlite_store)

    for name, value in steps:
        getattr(observer, name)(value)

    observer.lag(0)
    observer.read(0)
    assert observer.is_up_to_date
