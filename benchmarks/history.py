"""Is a history of 1,000,000 entries as quick to search as one of 1,000?

`python -m benchmarks.history` fills two databases and asks both for the same pages, in turn, in one process.
It prints the median of each and their ratio. `python -m benchmarks.history postgresql` does so on a server
that it starts. Only the ratios are meaningful. Every answer is checked.

Last result on PostgreSQL 15 (two busy cores, November 2026): 0.6 to 1.5. For a person and a recipient
together 1.9 to 2.8, because all entries of the recipient are read and those of other persons skipped.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, Table, insert, text

from item_visibility.saving.outcome import Outcome, Verdict
from item_visibility.saving.plan import Goal
from item_visibility.saving.request import ChangeKind
from item_visibility.storage.columns import digest
from item_visibility.storage.database import open_records
from item_visibility.storage.history.search import HistoryFilter, HistorySearch
from item_visibility.storage.history.tables import history, history_step
from tests.support.postgres import run_postgres

SMALL, LARGE = 1_000, 1_000_000
PIECE = 10_000
ROUNDS = 15
LINES = 50
START = datetime(2020, 1, 1, tzinfo=UTC)
KINDS = (ChangeKind.EDIT, ChangeKind.EDIT, ChangeKind.EDIT, ChangeKind.UNDO, ChangeKind.OBSERVED)
VERDICTS = (Verdict.VERIFIED,) * 9 + (Verdict.DIFFERS,)
WANTED = {
    "everything": HistoryFilter(),
    "person": HistoryFilter(person="person-3"),
    "supplier": HistoryFilter(supplier="supplier-3"),
    "item": HistoryFilter(supplier="supplier-3", supplier_item_id="item-3"),
    "recipient": HistoryFilter(recipient_id="recipient-3"),
    "outcome": HistoryFilter(verdict=Verdict.DIFFERS),
    "kind": HistoryFilter(kind=ChangeKind.UNDO),
    "time": HistoryFilter(since=START + timedelta(minutes=100), until=START + timedelta(minutes=400)),
    "person and recipient": HistoryFilter(person="person-3", recipient_id="recipient-3"),
}


def main() -> None:
    """Fill, measure, print."""
    with ExitStack() as stack:
        if sys.argv[1:] == ["postgresql"]:
            server = stack.enter_context(run_postgres())
            assert server is not None, "there is no PostgreSQL on this machine"
            urls = {count: server.create_database() for count in (SMALL, LARGE)}
        else:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            urls = {count: f"sqlite:///{folder}/{count}.sqlite" for count in (SMALL, LARGE)}
        searches = {count: fill(stack, url, count) for count, url in urls.items()}
        for name, wanted in WANTED.items():
            for page in ("newest", "older"):
                show(f"{name}, {page}", searches, wanted, page)


def show(name: str, searches: dict[int, HistorySearch], wanted: HistoryFilter, page: str) -> None:
    """Ask both in turn, and print the medians and their ratio."""
    samples: dict[int, list[float]] = {SMALL: [], LARGE: []}
    for number in range(ROUNDS):
        for count in (SMALL, LARGE) if number % 2 else (LARGE, SMALL):
            samples[count].append(seconds(searches[count], wanted, page, middle=f"key-{count // 2}"))
    small, large = (statistics.median(samples[count]) * 1_000 for count in (SMALL, LARGE))
    print(f"{name:32} {small:8.2f} ms {large:8.2f} ms   ratio {large / small:5.2f}")


def seconds(search: HistorySearch, wanted: HistoryFilter, page: str, *, middle: str) -> float:
    """Return the seconds that one page takes, after checking its contents."""
    begun_at = time.perf_counter()
    found = (
        search.newest(wanted, limit=LINES)
        if page == "newest"
        else search.older(wanted, than=middle, limit=LINES)
    )
    took = time.perf_counter() - begun_at
    assert len(found.lines) <= LINES
    assert all(wanted.person in (None, line.person) for line in found.lines)
    assert [line.started_at for line in found.lines] == sorted(
        (line.started_at for line in found.lines), reverse=True
    )
    return took


def fill(stack: ExitStack, url: str, count: int) -> HistorySearch:
    """Create a history of this many entries, spread over all items, persons and recipients."""
    database = open_records(url)
    stack.callback(database.close)
    for first in range(0, count, PIECE):
        with database.write() as connection:
            put(connection, range(first, min(first + PIECE, count)))
    with database.write() as connection:
        connection.execute(text("ANALYZE"))  # PostgreSQL would do so itself a minute later
    return HistorySearch(database, service="default")


def put(connection: Connection, numbers: range) -> None:
    """Insert entries as saves write them, a minute apart, with two recipients each."""
    insert_all(connection, history, [entry(number) for number in numbers])
    insert_all(connection, history_step, [step for number in numbers for step in steps(number)])


def insert_all(connection: Connection, table: Table, rows: list[dict[str, object]]) -> None:
    """Insert rows that all have the same columns; PostgreSQL takes them as one copy."""
    if connection.dialect.name != "postgresql":
        connection.execute(insert(table), rows)
        return
    names = list(rows[0])
    types = [table.c[name].type.dialect_impl(connection.dialect) for name in names]
    as_stored = [one.bind_processor(connection.dialect) or as_it_is for one in types]
    cursor = connection.connection.cursor()
    with cursor.copy(f"COPY {table.name} ({', '.join(names)}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row([change(row[name]) for change, name in zip(as_stored, names, strict=True)])


def as_it_is(value: object) -> object:
    """Return the value unchanged."""
    return value


def entry(number: int) -> dict[str, object]:
    """Return one entry."""
    supplier, item_id = f"supplier-{number % 20}", f"item-{number % 20}"
    at = START + timedelta(minutes=number)
    return {
        "id": number + 1,
        "service": "default",
        "key": f"key-{number}",
        "supplier": supplier,
        "supplier_item_id": item_id,
        "item_digest": digest(supplier, item_id),
        "person": f"person-{number % 10}",
        "reason": "",
        "kind": KINDS[number % len(KINDS)].value,
        "started_at": at,
        "ended_at": at,
        "verdict": VERDICTS[number % len(VERDICTS)].value,
        "others_added": frozenset(),
        "others_removed": frozenset(),
        "message": "",
        "advice": "",
    }


def steps(number: int) -> Iterator[dict[str, object]]:
    """Yield the two steps of an entry."""
    for position in range(2):
        recipient_id = f"recipient-{(number + position * 7) % 50}"
        yield {
            "history_id": number + 1,
            "position": position,
            "recipient_id": recipient_id,
            "recipient_digest": digest(recipient_id),
            "goal": Goal.VISIBLE.value,
            "outcome": Outcome.DONE.value,
            "attempts": 1,
            "message": "",
            "started_at": START + timedelta(minutes=number),
        }


if __name__ == "__main__":
    main()
