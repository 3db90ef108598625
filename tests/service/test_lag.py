"""Reads that stay behind changes. Note N11."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from item_visibility_service.http.accepted_ids import Item
from item_visibility_service.open_points.read_lag import LaggingReads
from item_visibility_service.storage.visibility_store import Store
from tests.service.conftest import FakeClock

ITEM = Item("S", "I")


@pytest.fixture
def reads(sqlite_store: Store, clock: FakeClock) -> LaggingReads:
    """Reads that lag by five seconds."""
    lagging = LaggingReads(sqlite_store, clock)
    lagging.set_lag(5)
    return lagging


def test_a_read_shows_the_state_of_five_seconds_ago(
    reads: LaggingReads, sqlite_store: Store, clock: FakeClock
) -> None:
    """Additions, removals and their order come back as they were."""
    seen = []
    reads.change(ITEM, lambda: sqlite_store.replace(ITEM, frozenset({"a", "b"})))
    clock.now += 2
    reads.change(ITEM, lambda: sqlite_store.replace(ITEM, frozenset({"b", "c"})))
    clock.now += 2
    reads.change(ITEM, lambda: sqlite_store.remove_all(ITEM))
    for _ in range(5):
        clock.now += 1
        seen.append(reads.recipients(ITEM))

    assert seen == [("a", "b"), ("a", "b"), ("b", "c"), ("b", "c"), ()]


def test_a_lag_shows_nothing_older_than_itself(sqlite_store: Store, clock: FakeClock) -> None:
    """Changes seen before the lag was set stay seen."""
    reads = LaggingReads(sqlite_store, clock)
    reads.change(ITEM, lambda: sqlite_store.add(ITEM, "a"))
    reads.set_lag(5)

    assert reads.recipients(ITEM) == ("a",)


def test_a_longer_lag_hides_nothing_that_was_seen(
    reads: LaggingReads, sqlite_store: Store, clock: FakeClock
) -> None:
    """Reads never go back."""
    reads.change(ITEM, lambda: sqlite_store.add(ITEM, "a"))
    clock.now += 5
    seen = reads.recipients(ITEM)
    reads.set_lag(60)

    assert (seen, reads.recipients(ITEM)) == (("a",), ("a",))


def test_without_a_lag_reads_are_of_now_again(reads: LaggingReads, sqlite_store: Store) -> None:
    """And a lag that comes back does not bring back the past."""
    reads.change(ITEM, lambda: sqlite_store.add(ITEM, "a"))
    reads.set_lag(0)
    now = reads.recipients(ITEM)
    reads.set_lag(5)

    assert (now, reads.recipients(ITEM)) == (("a",), ("a",))


def test_items_lag_each_for_themselves(reads: LaggingReads, sqlite_store: Store, clock: FakeClock) -> None:
    """A change of one item says nothing about another."""
    other = Item("S", "J")
    sqlite_store.add(other, "z")
    clock.now += 1
    reads.change(ITEM, lambda: sqlite_store.add(ITEM, "a"))

    assert (reads.recipients(ITEM), reads.recipients(other)) == ((), ("z",))


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
        self._reads.change(ITEM, lambda: self._store.add(ITEM, str(number)))
        self._states.append(self._store.recipients(ITEM))

    def remove(self, number: int) -> None:
        """Remove a recipient."""
        self._reads.change(ITEM, lambda: self._store.remove(ITEM, str(number)))
        self._states.append(self._store.recipients(ITEM))

    def read(self, _: int) -> None:
        """Fail (ValueError) unless the item was as it reads now, not before what was read last."""
        self._seen = self._states.index(self._reads.recipients(ITEM), self._seen)

    @property
    def is_up_to_date(self) -> bool:
        """True when the last read showed the newest state."""
        return self._states[self._seen] == self._states[-1]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(steps=st.lists(STEPS, max_size=40))
def test_reads_show_states_that_were_in_their_order(
    sqlite_store: Store, steps: list[tuple[str, int]]
) -> None:
    """They do so for all changes, and for all lags set meanwhile."""
    sqlite_store.clear()
    observer = Observer(sqlite_store)

    for name, value in steps:
        getattr(observer, name)(value)

    observer.lag(0)
    observer.read(0)
    assert observer.is_up_to_date
