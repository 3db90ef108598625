"""A search finds what a look at every row would find, in the same order, whichever way it takes."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine, event

from item_visibility.client.identifiers import ItemKey
from item_visibility.storage.database.connecting import Database, open_database
from item_visibility.storage.database.folding import folded
from item_visibility.storage.database.migration import migrate
from item_visibility.storage.database.types import storable
from item_visibility.storage.directory import find
from item_visibility.storage.directory.named_rows import Directory, DirectoryRows, Kind, NamedRow
from tests.support.hostile_texts import LISTABLE
from tests.support.known_names import put_names

LONG = "l" * 1_500
NAMES = {
    **{f"04012345{number:05}:276": f"Käse {number}" for number in range(40)},
    **{text: f"Name {text}" for text in LISTABLE.values()},
    "zz": "",
    "end zz": "Öl",
    "ends in q": "Bergkäse",
    "\ud7ff1": "before",
    "\ue0001": "after",
    "\U0010ffff1": "last",
    LONG + "needle": "a long id",
    "a long name": LONG + "needle",
    '"': 'a "quoted" name',
    "AND OR NEAR*": "{curly} : ^",
}
TEXTS = (
    *("", "0", "04", "040", "0401", "12345", "39:276", "04012345", "0401234500017:276", "kase", "KÄSE 1"),
    *("z", "zz", "zzz", "q", "öl", "Ö", "needle", "\ud7ff", "\U0010ffff", '"', '"quo', "AND", "{", "*"),
    *("\x00", "\x1b", "\ud800", "\u0301", LONG, "l" * 150, "never there"),
)
SUPPLIER = "S" * 150
FIT = 1_000
WAYS = {"few are looked up": (1_000, 100), "many are met on a walk": (0, 0)}


class Plans:
    """SQLite's plans of a search."""

    def __init__(self, database: Database, engine: Engine) -> None:
        self._recipients = DirectoryRows(database, service="default", kind=Kind.RECIPIENT)
        self._database = database
        self._asked: list[tuple[str, tuple[object, ...]]] = []
        event.listen(engine, "before_cursor_execute", lambda *call: self._asked.append((call[2], call[3])))

    def of_last(self, typed: str) -> set[str]:
        """The steps of the last statement that asked for rows that begin with a text, or hold it."""
        self._recipients.find(typed, limit=6)
        return self._of_last()

    def of_words(self, typed: str) -> set[str]:
        """The steps of the statement that asked for rows with these words."""
        self._recipients.with_words([find.Word(word) for word in typed.split()], limit=6)
        return self._of_last()

    def _of_last(self) -> set[str]:
        asked = [one for one in self._asked if "known_recipient.name" in one[0].partition("FROM")[0]]
        statement, values = asked[-1]
        with self._database.read() as connection:
            return set(
                connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values).scalars("detail")
            )


def ranks(typed: str) -> dict[str, tuple[bool, bool, str]]:
    """Matches by a look at every row: how its id begins, whether its id holds the text, its id."""
    wanted, name = storable(typed), storable(folded(typed) or typed)
    stored = {storable(recipient_id): recipient_id for recipient_id in NAMES}
    return {
        recipient_id: (not one.startswith(wanted), wanted not in one, one)
        for one, recipient_id in stored.items()
        if wanted in one or name in storable(folded(NAMES[recipient_id]))
    }


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Either way of searching, also where there are not thousands of rows."""
    name: str = request.param
    few, most_begun = WAYS[name]
    monkeypatch.setattr(find, "FEW", few)
    monkeypatch.setattr(find, "MOST_BEGUN", most_begun)
    return name


@pytest.fixture
def directory(records: Database) -> Directory:
    """A directory with names of every kind."""
    made = Directory(records, service="default")
    put_names(
        made,
        suppliers=NAMES.items(),
        items=[(ItemKey(SUPPLIER, one), "", name) for one, name in NAMES.items()],
        recipients=NAMES.items(),
    )
    return made


@pytest.mark.usefixtures("way")
def test_a_search_finds_what_a_look_at_every_row_finds(directory: Directory) -> None:
    """Ids that begin with the text, ids that hold it, names; each by id."""
    wanted = {typed: sorted(found := ranks(typed), key=found.__getitem__) for typed in TEXTS}
    suppliers = {typed: directory[Kind.SUPPLIER].find(typed, limit=FIT) for typed in TEXTS}
    items = {typed: directory[Kind.ITEM].find(typed, limit=FIT, supplier=SUPPLIER) for typed in TEXTS}
    recipients = {typed: directory[Kind.RECIPIENT].find(typed, limit=FIT) for typed in TEXTS}
    assert {typed: [one.ids[0] for one in found] for typed, found in suppliers.items()} == wanted
    assert {typed: [one.ids[1] for one in found] for typed, found in items.items()} == wanted
    assert {typed: [one.ids[0] for one in found] for typed, found in recipients.items()} == wanted


@pytest.mark.usefixtures("way", "directory")
def test_a_table_counts_and_shows_the_same(records: Database) -> None:
    """By id, in pages, and no more is counted than asked for."""
    rows = DirectoryRows(records, service="default", kind=Kind.RECIPIENT)
    wanted = {typed: sorted(ranks(typed), key=storable) for typed in TEXTS}
    pages = {typed: rows.counted_page(typed, number=1, limit=FIT, most=20) for typed in TEXTS}
    counts = {typed: rows.count(typed, limit=20) for typed in TEXTS}
    assert {typed: [row.ids[0] for row in found] for typed, (_, found) in pages.items()} == wanted
    assert counts == {typed: count for typed, (count, _) in pages.items()}
    assert counts == {typed: min(len(found), 20) for typed, found in wanted.items()}


@pytest.mark.usefixtures("way")
def test_names_that_were_changed_or_forgotten_are_found_no_more(records: Database) -> None:
    """By no part of them; what took their place is found."""
    rows = DirectoryRows(records, service="default", kind=Kind.RECIPIENT)
    rows.put([NamedRow(("R1",), "Erster Name"), NamedRow(("R2",), "Zweiter")])
    rows.put([NamedRow(("R1",), "Anderer")])
    rows.put([NamedRow(("R1",), "Anderer")])
    rows.forget([("R2",)])
    counts = [rows.count(typed, limit=9) for typed in ("erster", "Er", "zweiter", "ander", "an")]
    assert counts == [0, 1, 0, 1, 1]


@pytest.fixture
def plans(sqlite_url: str) -> Iterator[Plans]:
    """3,000 known recipients on SQLite, which says how it goes about each statement."""
    database = open_database(sqlite_url)
    migrate(database)
    rows = DirectoryRows(database, service="default", kind=Kind.RECIPIENT)
    rows.put([NamedRow((f"{number:09}",), f"Name {number:05}") for number in range(3_000)])
    with database.read() as connection:
        yield Plans(database, connection.engine)
    database.close()


@pytest.mark.parametrize("typed", ["ame 02777", "2777", "never there"])
def test_what_few_rows_hold_is_looked_up(plans: Plans, typed: str) -> None:
    """No table is walked through."""
    steps = plans.of_last(typed)
    assert {step for step in steps if "known_recipient " in f"{step} " and "USING INDEX" not in step} == {
        "SEARCH known_recipient USING INTEGER PRIMARY KEY (rowid=?)"
    }


@pytest.mark.parametrize("typed", ["0", "00", "000", "name", "n", "ame 0"])
def test_what_many_rows_hold_is_met_in_order(plans: Plans, typed: str) -> None:
    """Nothing is sorted but ids that begin alike."""
    (step,) = (step for step in plans.of_last(typed) if step != "USE TEMP B-TREE FOR RIGHT PART OF ORDER BY")
    assert step.startswith("SEARCH known_recipient USING INDEX ix_known_recipient_start (service=?")


@pytest.mark.parametrize("typed", ["000", "name", "ame 000 0012"])
def test_a_search_by_words_ends_with_the_rows_that_it_wants(plans: Plans, typed: str) -> None:
    """The index is read as far as needed; the rows that it leads to are not listed first."""
    assert {step.partition(" VIRTUAL")[0] for step in plans.of_words(typed)} == {
        "SCAN known_recipient_gram",
        "SEARCH known_recipient USING INTEGER PRIMARY KEY (rowid=?)",
    }
