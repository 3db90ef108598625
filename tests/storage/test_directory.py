"""Known ids and names on either database, as each process sees them."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.model.known_ids import Kind, NameRow
from item_visibility.storage.database import Database
from item_visibility.storage.directory import Directory, DirectoryRows
from item_visibility.storage.rows import CHUNK
from tests.support.hostile_texts import LISTABLE

ITEM = ItemKey("4000001000005", "04012345678901:276")
SAMPLES = {
    Kind.SUPPLIER: [NameRow(("1",), "Łódź"), NameRow(("2",)), NameRow(("20",), "Zwei")],
    Kind.ITEM: [
        NameRow(("1", "a"), "Łódź", "276"),
        NameRow(("1", "b2")),
        NameRow(("2", "a"), "Zwei", "040"),
    ],
    Kind.RECIPIENT: [
        NameRow(("1",), "Łódź"),
        NameRow(("2",)),
        NameRow(("20",), "Zwei"),
    ],
}


@pytest.fixture(params=Kind)
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


@pytest.fixture
def rows(records: Database, kind: Kind) -> DirectoryRows:
    return DirectoryRows(records, service="default", kind=kind)


@pytest.fixture
def samples(rows: DirectoryRows, kind: Kind) -> list[NameRow]:
    rows.put(SAMPLES[kind])
    return SAMPLES[kind]


@pytest.fixture
def recipients(records: Database) -> DirectoryRows:
    return DirectoryRows(records, service="default", kind=Kind.RECIPIENT)


def test_another_process_and_a_new_one_see_the_same_names(
    records: Database, rows: DirectoryRows, samples: list[NameRow], kind: Kind
) -> None:
    elsewhere = DirectoryRows(records, service="default", kind=kind)
    other = DirectoryRows(records, service="test", kind=kind)
    assert list(rows.current().rows) == samples
    assert list(elsewhere.current().rows) == samples
    assert other.current().rows == ()

    renamed = NameRow(samples[0].ids, "Neu")
    rows.put([renamed])
    assert elsewhere.current().called("neu") == (renamed,)

    rows.forget([samples[1].ids, samples[1].ids])
    rows.remember([samples[1].ids])
    elsewhere.forget([samples[2].ids])
    other.forget([samples[0].ids])
    left = [renamed, NameRow(samples[1].ids)]
    new = DirectoryRows(records, service="default", kind=kind)
    assert list(rows.current().rows) == left
    assert list(elsewhere.current().rows) == left
    assert list(new.current().rows) == left


def test_names_that_did_not_change_are_the_same_object(
    rows: DirectoryRows, samples: list[NameRow]
) -> None:
    before = rows.current()
    rows.put([])
    rows.forget([])
    assert rows.current() is before
    rows.put([samples[0]])
    after = rows.current()
    assert after.by_ids[samples[1].ids] is before.by_ids[samples[1].ids]


def test_names_are_read_again_after_a_restore(
    records: Database, recipients: DirectoryRows
) -> None:
    recipients.put([NameRow(("1",))])
    recipients.put([NameRow(("2",))])
    assert len(recipients.current().rows) == 2
    with records.write() as connection:
        connection.exec_driver_sql("DELETE FROM known_id WHERE own_id = '2'")
        connection.exec_driver_sql("UPDATE directory_version SET version = 1")
    assert list(recipients.current().rows) == [NameRow(("1",))]


def test_concurrent_changes_are_all_seen(
    records: Database, recipients: DirectoryRows
) -> None:
    writers = [
        DirectoryRows(records, service="default", kind=Kind.RECIPIENT) for _ in range(4)
    ]

    def write(number: int) -> None:
        writers[number % 4].put([NameRow((f"{number:02}",), f"Name {number}")])
        recipients.current()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(40)))
    assert [row.ids[0] for row in recipients.current().rows] == [
        f"{number:02}" for number in range(40)
    ]


def test_an_id_is_looked_up_exactly(
    rows: DirectoryRows, samples: list[NameRow]
) -> None:
    first = samples[0]
    others = [
        tuple(f"{own_id} " for own_id in first.ids),
        tuple(own_id.upper() + "0" for own_id in first.ids),
    ]
    by_ids = rows.current().by_ids
    assert [by_ids.get(ids) for ids in (*others, first.ids)] == [None, None, first]


def test_an_id_that_is_used_becomes_known_and_keeps_its_name(
    rows: DirectoryRows, samples: list[NameRow]
) -> None:
    first = samples[0]
    new = [tuple(f"new {number}" for _ in first.ids) for number in range(CHUNK + 1)]
    rows.remember([first.ids, *new, new[0]])
    rows.remember(new)
    by_ids = rows.current().by_ids
    assert [by_ids[ids] for ids in (first.ids, new[0], new[-1])] == [
        first,
        *map(NameRow, new[:: len(new) - 1]),
    ]
    assert len(rows.current().rows) == len(samples) + len(new)


def test_an_item_that_is_used_makes_its_supplier_known(records: Database) -> None:
    directory = Directory(records, service="default")
    directory.remember([ITEM], ["R1", "R2"])
    assert {
        kind: [row.ids for row in rows.current().rows]
        for kind, rows in directory.items()
    } == {
        Kind.SUPPLIER: [(ITEM.supplier,)],
        Kind.ITEM: [(ITEM.supplier, ITEM.supplier_item_id)],
        Kind.RECIPIENT: [("R1",), ("R2",)],
    }


def test_any_text_is_kept_exactly(rows: DirectoryRows, kind: Kind) -> None:
    width = len(SAMPLES[kind][0].ids)
    odd = {
        NameRow((text,) * width, text) for text in (*LISTABLE.values(), "", "x" * 5_000)
    }
    rows.put(odd)
    assert set(rows.current().rows) == odd
