"""The saves that bulk jobs made, with the later changes to the same items."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from sqlalchemy import ColumnElement, Connection, and_, literal, not_, select, tuple_

from item_visibility.saving.history_entry import HistoryEntry
from item_visibility.saving.outcome import Outcome
from item_visibility.storage.database.connecting import Database
from item_visibility.storage.database.tables import history, history_step
from item_visibility.storage.database.types import ExactText
from item_visibility.storage.history.entry_rows import entries

PIECE = 500
"""The number of entries held in memory at once."""

_later = history.alias("later")


def saves_of_jobs(
    database: Database, *, service: str, job_keys: Sequence[str]
) -> Iterator[tuple[HistoryEntry, frozenset[str]]]:
    """Yield every save of these jobs, with the recipients of its item that others changed after it.

    They come job by job; the saves of one item in the order of its attempts.
    """
    for job_key in job_keys:
        yield from _saves_of_job(database, service, job_key, job_keys)


def _saves_of_job(
    database: Database, service: str, job_key: str, own_keys: Sequence[str]
) -> Iterator[tuple[HistoryEntry, frozenset[str]]]:
    after = f"{job_key}:"
    while True:
        is_next = and_(history.c.service == service, _is_of_job(history.c.key, job_key))
        keys = select(history.c.key).where(is_next, history.c.key > literal(after, ExactText))
        with database.read() as connection:
            some = connection.scalars(keys.order_by(history.c.key).limit(PIECE)).all()
            is_one = and_(history.c.service == service, history.c.key.in_(some))
            found = {entry.request.key: entry for entry in entries(connection, is_one)} if some else {}
            changed = _changed_since(connection, service, own_keys, some) if some else {}
        for key in some:
            yield found[key], changed.get(key, frozenset())
        if len(some) < PIECE:
            return
        after = some[-1]


def _is_of_job(key: ColumnElement[str], job_key: str) -> ColumnElement[bool]:
    """True for keys that begin with the job's key and a colon; a semicolon is the next code point."""
    return and_(key > literal(f"{job_key}:", ExactText), key < literal(f"{job_key};", ExactText))


def _changed_since(
    connection: Connection, service: str, own_keys: Sequence[str], keys: Sequence[str]
) -> dict[str, frozenset[str]]:
    """Return, by key of save, the recipients changed after it by anything but these jobs."""
    is_later = tuple_(_later.c.started_at, _later.c.id) > tuple_(history.c.started_at, history.c.id)
    rows = connection.execute(
        select(history.c.key, history_step.c.recipient_id)
        .join(_later, and_(_later.c.service == service, _later.c.item_digest == history.c.item_digest))
        .join(history_step, history_step.c.history_id == _later.c.id)
        .where(history.c.service == service, history.c.key.in_(keys))
        .where(is_later, *(not_(_is_of_job(_later.c.key, one)) for one in own_keys))
        .where(history_step.c.outcome == Outcome.DONE)
    )
    changed: defaultdict[str, set[str]] = defaultdict(set)
    for key, recipient_id in rows:
        changed[key].add(recipient_id)
    return {key: frozenset(recipients) for key, recipients in changed.items()}
