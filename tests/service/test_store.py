"""The store's lists, on SQLite and on PostgreSQL."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from item_visibility_service.http.accepted_ids import Item
from item_visibility_service.storage.service_database import open_database
from item_visibility_service.storage.visibility_store import Change, Store, StoreUnavailableError
from item_visibility_service.storage.visibility_tables import VISIBILITY
from tests.support.postgres import PostgresServer

ITEM = Item("S", "I")
OTHER_ITEM = Item("S", "J")


def test_an_item_that_nobody_wrote_has_no_recipients(store: Store) -> None:
    """There is no such thing as an item without recipients: Note N14."""
    assert store.recipients(ITEM) == ()


def test_recipients_are_sorted_by_their_bytes(store: Store) -> None:
    """No language of the database decides the order: Note N10."""
    store.replace(ITEM, frozenset({"b", "B", "ä", "a", "10", "9", "\N{SHOPPING BAGS}"}))

    assert store.recipients(ITEM) == ("10", "9", "B", "a", "b", "ä", "\N{SHOPPING BAGS}")


def test_ids_that_look_alike_stay_apart(store: Store) -> None:
    """Case, accents, spaces and ways to compose a letter make different recipients."""
    alike = frozenset({"e\u0301", "\u00e9", "E\u0301", "e", "e ", " e", "0e"})

    store.replace(ITEM, alike)

    assert frozenset(store.recipients(ITEM)) == alike


def test_replace_leaves_only_the_list(store: Store) -> None:
    """A set that replaces removes what is not in the list, and tells what changed: Note N3."""
    store.replace(ITEM, frozenset({"a", "b"}))

    change = store.replace(ITEM, frozenset({"b", "c"}))

    assert store.recipients(ITEM) == ("b", "c")
    assert change == Change(added=frozenset({"c"}), removed=frozenset({"a"}))


def test_merge_leaves_what_is_there(store: Store) -> None:
    """A set that merges removes nothing: Note N3."""
    store.replace(ITEM, frozenset({"a", "b"}))

    change = store.merge(ITEM, frozenset({"b", "c"}))

    assert store.recipients(ITEM) == ("a", "b", "c")
    assert change == Change(added=frozenset({"c"}))


def test_add_adds_once(store: Store) -> None:
    """The second add finds the recipient there, and changes nothing."""
    changes = [store.add(ITEM, "a"), store.add(ITEM, "a")]

    assert store.recipients(ITEM) == ("a",)
    assert changes == [Change(added=frozenset({"a"})), Change()]


def test_remove_removes_once(store: Store) -> None:
    """The second removal finds nothing, and changes nothing."""
    store.replace(ITEM, frozenset({"a", "b"}))

    changes = [store.remove(ITEM, "a"), store.remove(ITEM, "a")]

    assert store.recipients(ITEM) == ("b",)
    assert changes == [Change(removed=frozenset({"a"})), Change()]


def test_remove_all_tells_what_was_there(store: Store) -> None:
    """Every recipient of the item goes, and none of another item."""
    store.replace(ITEM, frozenset({"a", "b"}))
    store.replace(OTHER_ITEM, frozenset({"a"}))

    change = store.remove_all(ITEM)

    assert (store.recipients(ITEM), store.recipients(OTHER_ITEM)) == ((), ("a",))
    assert change == Change(removed=frozenset({"a", "b"}))


def test_load_fills_an_empty_store_only(store: Store) -> None:
    """Lists that somebody wrote are never mixed with a sample."""
    store.load({ITEM: frozenset({"a", "b"})})

    store.load({OTHER_ITEM: frozenset({"c"})})

    assert (store.recipients(ITEM), store.recipients(OTHER_ITEM)) == (("a", "b"), ())


def test_clear_removes_everything(store: Store) -> None:
    """After it a sample can be loaded again."""
    store.load({ITEM: frozenset({"a"}), OTHER_ITEM: frozenset({"b"})})

    store.clear()

    assert (store.recipients(ITEM), store.recipients(OTHER_ITEM)) == ((), ())


def test_the_signing_key_is_kept(store: Store) -> None:
    """All processes on a database sign with the same key."""
    assert store.signing_key() == store.signing_key() != ""


def test_sets_at_the_same_time_leave_one_of_the_lists(store: Store) -> None:
    """The last one has written the whole list, never half of it."""
    lists = [frozenset(f"{writer}-{number}" for number in range(20)) for writer in range(8)]

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda recipients: store.replace(ITEM, recipients), lists * 4))

    assert frozenset(store.recipients(ITEM)) in lists


def test_removals_of_all_during_sets_leave_everything_or_nothing(store: Store) -> None:
    """A removal of all is before a set or after it."""
    recipients = frozenset(str(number) for number in range(20))
    calls = [lambda: store.replace(ITEM, recipients), lambda: store.remove_all(ITEM)] * 20

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda call: call(), calls))

    assert frozenset(store.recipients(ITEM)) in {recipients, frozenset()}


def test_additions_at_the_same_time_are_all_there(store: Store) -> None:
    """Nobody's addition is lost, also when two add the same."""
    names = [str(number % 40) for number in range(80)]

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: store.add(ITEM, name), names))

    assert frozenset(store.recipients(ITEM)) == frozenset(names)


def test_a_change_that_fails_changes_nothing(store: Store) -> None:
    """The store is as it was when a transaction breaks in the middle."""
    store.replace(ITEM, frozenset({"a"}))

    with pytest.raises(TypeError):
        store.replace(ITEM, frozenset({"b", 5}))  # type: ignore[arg-type]  # what no caller may give

    assert store.recipients(ITEM) == ("a",)


def test_a_file_that_cannot_be_read_any_more_is_said(sqlite_store: Store) -> None:
    """In the same words as a server that is away: the driver reads the file, and its errors are no others."""
    sqlite_store.add(ITEM, "a")
    VISIBILITY.drop(sqlite_store._engine)  # noqa: SLF001  (somebody damages the file)

    with pytest.raises(StoreUnavailableError):
        sqlite_store.recipients(ITEM)


@pytest.mark.peer
def test_a_database_that_went_away_is_said(postgres_server: PostgresServer) -> None:
    """The caller learns that the store is not there, not which driver said so."""
    server, _, name = postgres_server.create_database().rpartition("/")
    store = Store(open_database(f"{server}/{name}"))
    other = Store(open_database(f"{server}/postgres"))
    store.close()
    with other._engine.connect() as connection:  # noqa: SLF001  (as the operator of the server)
        connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
    other.close()

    with pytest.raises(StoreUnavailableError):
        store.recipients(ITEM)
