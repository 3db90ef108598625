"""The known ids and names, on either database: what is known, and how it is found."""

from collections.abc import Iterable

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.storage.database.connecting import Database
from item_visibility.storage.database.folding import folded
from item_visibility.storage.database.upsert import CHUNK
from item_visibility.storage.directory.named_rows import Directory, DirectoryRows, Kind, NamedRow
from tests.support.hostile_texts import LISTABLE
from tests.support.known_names import put_names

ITEM = ItemKey("4000001000005", "04012345678901:276")
ODD_ITEM = ItemKey("\x00\ud800", "e\u0301%_\\")
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
def directory(records: Database) -> Directory:
    """The rows of every kind."""
    return Directory(records, service="default")


@pytest.fixture
def samples(rows: DirectoryRows) -> list[NamedRow]:
    """Three rows of the kind, kept."""
    found = SAMPLES[rows._kind]  # noqa: SLF001  (the kind that this run of the test is about)
    rows.put(found)
    return found


def test_rows_read_as_they_were_put(rows: DirectoryRows, samples: list[NamedRow]) -> None:
    """All of them, by id."""
    assert list(rows.all()) == samples
    assert rows.counted_page("", number=1, limit=9, most=9) == (3, tuple(samples))
    assert rows.count("", limit=9) == 3


def test_rows_are_found_by_id_and_by_name(rows: DirectoryRows, samples: list[NamedRow]) -> None:
    """Ids exactly, names as people type them; no character is a wildcard."""
    assert rows.counted_page("2", number=1, limit=9, most=9) == (2, tuple(samples[1:]))
    assert rows.counted_page("LODZ", number=1, limit=9, most=9) == (1, (samples[0],))
    assert (rows.count("2", limit=9), rows.count("lodz", limit=9), rows.count("%", limit=9)) == (2, 1, 0)


def test_rows_come_in_pages(rows: DirectoryRows, samples: list[NamedRow]) -> None:
    """One after the other, and the last again after it."""
    found = [rows.counted_page("", number=number, limit=2, most=9) for number in (1, 2, 3)]
    assert found == [(3, tuple(samples[:2])), (3, (samples[2],)), (3, (samples[2],))]


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


def ids_of(found: Iterable[NamedRow]) -> list[str]:
    """The last id of each row."""
    return [row.ids[-1] for row in found]


def test_what_was_used_is_known(directory: Directory) -> None:
    """Item, supplier and recipients, without names."""
    directory.remember([ITEM], ["R1", "R2"])
    found = {kind: list(rows.all()) for kind, rows in directory.items()}
    assert found == {
        Kind.SUPPLIER: [NamedRow((ITEM.supplier,))],
        Kind.ITEM: [NamedRow((ITEM.supplier, ITEM.supplier_item_id))],
        Kind.RECIPIENT: [NamedRow(("R1",)), NamedRow(("R2",))],
    }


def test_what_was_never_used_is_not_known(directory: Directory) -> None:
    """An id is looked up exactly: neither part of one nor another spelling."""
    directory.remember([ITEM], ["R1"])
    assert directory[Kind.SUPPLIER].known([(ITEM.supplier[:-1],)]) == {}
    assert directory[Kind.ITEM].known([(ITEM.supplier, ITEM.supplier_item_id[:-4])]) == {}
    assert directory[Kind.RECIPIENT].known([("r1",)]) == {}


def test_using_something_again_keeps_its_name(rows: DirectoryRows, samples: list[NamedRow]) -> None:
    """Only an import changes names; what is new has none."""
    kept = samples[0]
    new = tuple("new" for _ in kept.ids)
    rows.remember([kept.ids, new, new])
    assert rows.known([kept.ids, new]) == {kept.ids: kept, new: NamedRow(new)}


def test_rows_are_found_by_exactly_their_name(rows: DirectoryRows, samples: list[NamedRow]) -> None:
    """Without regard to case and diacritics; no name is the name of what has none."""
    called = rows.called(["LODZ", "Łódź", "Lod", "", "\u0301"])
    assert called == {"LODZ": (samples[0],), "Łódź": (samples[0],)}


def test_rows_of_the_same_name_come_by_id(directory: Directory) -> None:
    """Also when there are more than one statement can name."""
    put_names(directory, recipients=[("2", "Laden"), ("1", "LADEN")])
    called = directory[Kind.RECIPIENT].called([*(str(number) for number in range(CHUNK)), "laden"])
    assert {name: ids_of(found) for name, found in called.items()} == {"laden": ["1", "2"]}


def test_ids_that_begin_with_the_text_come_first(directory: Directory) -> None:
    """Then those that hold it, then names; each by id."""
    suppliers = [("9", "Number 40"), ("140", ""), ("402", ""), ("401", ""), ("7", "Nothing")]
    put_names(directory, suppliers=suppliers)
    assert ids_of(directory[Kind.SUPPLIER].find("40", limit=9)) == ["401", "402", "140", "9"]
    assert ids_of(directory[Kind.SUPPLIER].find("40", limit=2)) == ["401", "402"]


@pytest.mark.parametrize("text", ["łódź", "LODZ", "Lodz", "ódź m"])
def test_names_are_found_without_regard_to_case_and_diacritics(directory: Directory, text: str) -> None:
    """As a person types them."""
    put_names(directory, suppliers=[("1", "Łódź Młyn"), ("2", "Berlin")])
    assert ids_of(directory[Kind.SUPPLIER].find(text, limit=9)) == ["1"]


@pytest.mark.parametrize("text", ["%", "_", "\\", "é%", "\x1b"])
def test_a_search_takes_every_character_as_itself(directory: Directory, text: str) -> None:
    """No wildcards, no normalising of ids."""
    directory.remember([ITEM], ["plain", f"with {text}"])
    assert ids_of(directory[Kind.RECIPIENT].find(text, limit=9)) == [f"with {text}"]


def test_ids_are_searched_exactly_as_typed(directory: Directory) -> None:
    """Upper and lower case are different ids."""
    directory.remember([ITEM], ["abc", "ABC"])
    assert ids_of(directory[Kind.RECIPIENT].find("ab", limit=9)) == ["abc"]


def test_a_text_of_accents_alone_is_no_name(directory: Directory) -> None:
    """Nothing would be left of it, and nothing is in every name."""
    put_names(directory, recipients=[("R1", "Name")])
    assert directory[Kind.RECIPIENT].find("\u0301", limit=9) == ()


@pytest.mark.parametrize(("text", "found"), [("0401", 1), ("bergkase", 1), ("zzz", 0)])
def test_items_are_found_within_their_supplier(directory: Directory, text: str, found: int) -> None:
    """With market and name; another supplier's item of the same number is not found."""
    other = ItemKey("other", ITEM.supplier_item_id)
    put_names(directory, items=[(ITEM, "276", "Bergkäse"), (other, "040", "Bergkäse")])
    row = NamedRow((ITEM.supplier, ITEM.supplier_item_id), "Bergkäse", "276")
    assert directory[Kind.ITEM].find(text, limit=9, supplier=ITEM.supplier) == (row,) * found


def test_ids_of_any_content_are_kept_exactly(directory: Directory) -> None:
    """NUL, lone surrogates, 5,000 characters."""
    odd = ["\x00", "\ud800", "x" * 5_000, ""]
    directory.remember([ODD_ITEM], odd)
    assert [row.ids for row in directory[Kind.ITEM].all()] == [(ODD_ITEM.supplier, ODD_ITEM.supplier_item_id)]
    assert set(ids_of(directory[Kind.RECIPIENT].find("", limit=9))) == set(odd)


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("Straße", "strasse"),
        ("Ærø Œuvre", "aero oeuvre"),
        ("ĐURO", "duro"),
        ("İzmir \u0131", "izmir i"),
        ("", ""),
    ],
)
def test_names_are_folded_as_people_type_them(name: str, plain: str) -> None:
    """Also letters that no decomposition takes apart."""
    assert folded(name) == plain
