"""The directory as tables, on either database."""

import pytest

from item_visibility.api.identifiers import ItemKey
from item_visibility.records.directory.known import Directory, KnownItem
from item_visibility.records.directory.named_rows import DirectoryRows, Kind, NamedRow
from item_visibility.records.ground.connecting import Database
from item_visibility.records.ground.upsert import CHUNK
from tests.support.hostile_texts import LISTABLE

SAMPLES = {
    Kind.SUPPLIER: [NamedRow(("1",), "Łódź"), NamedRow(("2",)), NamedRow(("20",), "Zwei")],
    Kind.ITEM: [
        NamedRow(("1", "a"), "Łódź", "276"),
        NamedRow(("1", "b2")),
        NamedRow(("2", "a"), "Zwei", "040"),
    ],
    Kind.RECIPIENT: [NamedRow(("1",), "Łódź"), NamedRow(("2",)), NamedRow(("20",), "Zwei")],
}


@pytest.fixture(params=Kind)
def rows(records: Database, request: pytest.FixtureRequest) -> DirectoryRows:
    """The rows of one kind."""
    return DirectoryRows(records, service="default", kind=request.param)


@pytest.fixture
def samples(rows: DirectoryRows) -> list[NamedRow]:
    """Three rows of the kind, kept."""
    found = SAMPLES[rows._kind]  # noqa: SLF001  (the kind that this run of the test is about)
    rows.put(found)
    return found


def test_rows_read_as_they_were_put(rows: DirectoryRows, samples: list[NamedRow]) -> None:
    """All of them, by id."""
    assert list(rows.all()) == samples
    assert rows.page("", limit=9, offset=0) == tuple(samples)
    assert rows.count("", limit=9) == 3


def test_rows_are_found_by_id_and_by_name(rows: DirectoryRows, samples: list[NamedRow]) -> None:
    """Ids exactly, names as people type them; no character is a wildcard."""
    assert rows.page("2", limit=9, offset=0) == tuple(samples[1:])
    assert rows.page("LODZ", limit=9, offset=0) == (samples[0],)
    assert (rows.count("2", limit=9), rows.count("lodz", limit=9), rows.count("%", limit=9)) == (2, 1, 0)


def test_rows_come_in_pages(rows: DirectoryRows, samples: list[NamedRow]) -> None:
    """One after the other, and none after the last."""
    pages = [rows.page("", limit=2, offset=offset) for offset in (0, 2, 4)]
    assert pages == [tuple(samples[:2]), (samples[2],), ()]


def test_known_rows_are_told_from_others(rows: DirectoryRows, samples: list[NamedRow]) -> None:
    """Also when there are more than one statement can name."""
    kept = samples[0]
    others = [tuple(f"{number}" for _ in kept.ids) for number in range(CHUNK, 2 * CHUNK + 1)]
    assert rows.known([*others, kept.ids]) == {kept.ids: kept}


def test_rows_are_put_in_place_of_older_ones_and_forgotten(
    rows: DirectoryRows, samples: list[NamedRow]
) -> None:
    """The others stay."""
    renamed = NamedRow(samples[0].ids, "Neu")
    rows.put([renamed])
    rows.put([])
    rows.forget([samples[1].ids, samples[1].ids])
    assert list(rows.all()) == [renamed, samples[2]]


def test_any_text_is_kept_exactly(rows: DirectoryRows) -> None:
    """As an id and as a name."""
    width = len(SAMPLES[rows._kind][0].ids)  # noqa: SLF001  (the kind that this run of the test is about)
    odd = {NamedRow((text,) * width, text) for text in LISTABLE.values()}
    rows.put(sorted(odd, key=lambda row: row.ids))
    assert set(rows.all()) == odd


def test_environments_do_not_mix(records: Database, rows: DirectoryRows, samples: list[NamedRow]) -> None:
    """Neither found, nor known, nor forgotten from elsewhere."""
    elsewhere = DirectoryRows(records, service="test", kind=rows._kind)  # noqa: SLF001  (the same kind)
    elsewhere.forget([samples[0].ids])
    assert (elsewhere.count("", limit=9), elsewhere.known([samples[0].ids]), list(elsewhere.all())) == (
        0,
        {},
        [],
    )
    assert rows.count("", limit=9) == 3


def test_the_pickers_find_what_the_tables_hold(records: Database) -> None:
    """They are the same rows."""
    DirectoryRows(records, service="default", kind=Kind.ITEM).put([NamedRow(("S", "I"), "Käse", "276")])
    found = Directory(records, service="default").find_items("S", "kase", limit=9)
    assert found == (KnownItem(ItemKey("S", "I"), "276", "Käse"),)
