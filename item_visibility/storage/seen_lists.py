"""The list that the last read or save of each item showed. Note N13."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import sqlalchemy as sa

from item_visibility.client.identifiers import ItemKey
from item_visibility.model.change import ChangeKind, steps_for
from item_visibility.model.known_ids import Kind
from item_visibility.model.outcome import Outcome, SaveResult, StepResult, Verdict
from item_visibility.model.read_item import ReadItem, SeenItem
from item_visibility.storage.database import Database
from item_visibility.storage.history_entries import put_entry
from item_visibility.storage.recipient_lists import put_lists, read_lists
from item_visibility.storage.rows import (
    AnyRow,
    Values,
    digest,
    insert_or_update,
    item_digest,
    item_values,
    list_digest,
    read_item_key,
)
from item_visibility.storage.schema import (
    history,
    known_id,
    recipient_list,
    seen_list,
)
from item_visibility.timeouts import LAGGING_REPLICA, READ_LAG, SEEN_LIST_FRESH

_AT_ONCE = 500
"""Lists are read in batches: those of 100,000 items can have millions of ids."""

KNOWN_ITEM = (known_id.c.supplier, known_id.c.own_id.label("supplier_item_id"))
IS_SAME_ITEM = sa.and_(
    known_id.c.kind == Kind.ITEM,
    seen_list.c.service == known_id.c.service,
    seen_list.c.item_digest == known_id.c.digest,
)
"""Joins a known item with its list last seen."""


def is_known_item(service: str, supplier: str | None) -> sa.ColumnElement[bool]:
    """Return the condition for the known items of this supplier, or of all for None."""
    is_here = sa.and_(known_id.c.service == service, known_id.c.kind == Kind.ITEM)
    if supplier is None:
        return is_here
    return sa.and_(is_here, known_id.c.supplier == supplier)


class SeenLists:
    """The lists last seen at one service.

    In all methods, `supplier` can be None for all suppliers.

    If a read differs from the list last seen, the list was changed elsewhere. The
    history records such a change as OBSERVED, with the times of both reads. These reads
    are ignored:

    - A read during our own save of the item or shortly after it, and a read older than
      the list last seen.
    - A read that shows the list as it was before the last change, because a replica of
      the service can lag behind. Such a read is accepted if the newer list was last
      seen a while ago.

    If the outcome of our last change to a recipient is unknown, a difference in this
    recipient is ignored.
    """

    def __init__(self, database: Database, *, service: str) -> None:
        self._database = database
        self._service = service

    def record_reads(self, reads: Sequence[ReadItem]) -> None:
        """Record reads, at most one for each item.

        If the same list was seen a moment ago, write nothing.
        """
        with self._database.read() as connection:
            rows = self._rows(connection, [item_digest(read.item) for read in reads])
        new = [
            read
            for read in reads
            if not _is_fresh(rows.get(item_digest(read.item)), read)
        ]
        if new:
            with self._database.write() as connection:
                self.record_reads_in(connection, new)

    def record_reads_in(
        self, connection: sa.Connection, reads: Sequence[ReadItem]
    ) -> None:
        """Record reads, and the changes made elsewhere that they show.

        The rows are locked in one order, to prevent a deadlock between two
        transactions.
        """
        by_item = {item_digest(read.item): read for read in reads}
        rows = self._rows(connection, by_item, is_locking=True)

        # Ignore old reads, and the reads of items that are being saved.
        open_saves = sa.select(history.c.item_digest).where(
            history.c.service == self._service,
            history.c.ended_at.is_(None),
            history.c.item_digest.in_(by_item),
        )
        being_saved = frozenset(connection.scalars(open_saves))
        new = {
            key: read
            for key, read in sorted(by_item.items())
            if key not in being_saved and _is_newer(rows.get(key), read)
        }

        # Find the reads that differ from the list last seen.
        changed = [
            (new[key], row)
            for key, row in rows.items()
            if key in new and not _is_same(row, new[key])
        ]
        lists = read_lists(connection, (row.list_digest for _, row in changed))
        lists_before = [
            _agreeing(lists[row.list_digest], read.listed, on=row.unsure)
            for read, row in changed
        ]

        # Record the changes made elsewhere, and the new lists.
        put_lists(connection, [*lists_before, *(read.listed for read in new.values())])
        for (read, row), before in zip(changed, lists_before, strict=True):
            self._put_observed(connection, read, before, seen_before_at=row.seen_at)
        if new:
            values = [self._values(read, rows.get(key)) for key, read in new.items()]
            connection.execute(insert_or_update(connection, seen_list), values)

    def record_failures(self, failures: Mapping[ItemKey, str]) -> None:
        """Save the reasons why items could not be read."""
        values = [
            item_values(self._service, item) | {"failure": failures[item]}
            for item in sorted(failures, key=item_digest)
        ]
        if values:
            with self._database.write() as connection:
                statement = insert_or_update(connection, seen_list, "failure")
                connection.execute(statement, values)

    def all(
        self, supplier: str | None = None, *, among: frozenset[str] | None = None
    ) -> tuple[SeenItem, ...]:
        """Return the known items, sorted by id.

        With `among`, the lists contain only those recipients.
        """
        is_wanted = is_known_item(self._service, supplier)
        digests = (
            sa.select(seen_list.c.list_digest)
            .join(known_id, IS_SAME_ITEM)
            .where(is_wanted)
        )
        list_query = sa.select(recipient_list).where(
            recipient_list.c.digest.in_(digests)
        )
        columns = [
            *KNOWN_ITEM,
            known_id.c.name,
            known_id.c.market,
            seen_list.c.list_digest,
            seen_list.c.seen_at,
            seen_list.c.unsure,
            seen_list.c.failure,
        ]
        item_query = (
            sa.select(*columns)
            .join(seen_list, IS_SAME_ITEM, isouter=True)
            .where(is_wanted)
            .order_by(known_id.c.supplier, known_id.c.own_id)
        )

        with self._database.read() as connection:
            # Keep each distinct list once.
            lists: dict[str, frozenset[str]] = {}
            equal: dict[frozenset[str], frozenset[str]] = {}
            list_query = list_query.execution_options(yield_per=_AT_ONCE)
            for row in connection.execute(list_query):
                recipients = row.recipients if among is None else row.recipients & among
                lists[row.digest] = equal.setdefault(recipients, recipients)

            items = connection.execute(item_query)
            return tuple(
                _seen_item(row, lists, name=row.name, market=row.market)
                for row in items
            )

    def lists(self, items: Collection[ItemKey]) -> dict[ItemKey, SeenItem]:
        """Map each of these items to its list last seen.

        Items that were never read are missing.
        """
        digests = [item_digest(item) for item in items]
        with self._database.read() as connection:
            rows = self._rows(connection, digests).values()
            lists = read_lists(connection, (row.list_digest for row in rows))
        return {read_item_key(row): _seen_item(row, lists) for row in rows}

    def count(self, supplier: str | None = None) -> Counter[str]:
        """Count for each recipient the known items whose list last seen names it."""
        query = (
            sa.select(recipient_list.c.recipients, sa.func.count().label("items"))
            .join(seen_list, seen_list.c.list_digest == recipient_list.c.digest)
            .join(known_id, IS_SAME_ITEM)
            .where(is_known_item(self._service, supplier))
            .group_by(recipient_list.c.digest)
        )
        counts = Counter[str]()
        with self._database.read() as connection:
            for row in connection.execute(query.execution_options(yield_per=_AT_ONCE)):
                for recipient_id in row.recipients:
                    counts[recipient_id] += row.items
        return counts

    def lock(self, connection: sa.Connection, item: ItemKey) -> None:
        """Lock the list of this item until the transaction ends.

        Call it before writing recipient lists, to prevent a deadlock between two
        transactions.
        """
        self._rows(connection, [item_digest(item)], is_locking=True)

    def record_save(self, connection: sa.Connection, result: SaveResult) -> None:
        """Record the list after a save of ours, and changes elsewhere meanwhile."""
        # The list that this save left behind, and the list that was read afterwards.
        before = result.before or frozenset()
        left = (before | frozenset(result.added)) - frozenset(result.removed)
        seen = left if result.after is None else result.after

        # Record the changes made elsewhere during the save.
        read = ReadItem(
            item=result.item,
            recipients=seen,
            asked_at=result.ended_at,
            read_at=result.ended_at,
        )
        ours = frozenset(step.step.recipient_id for step in result.steps)
        expected = _agreeing(left, seen, on=ours)
        put_lists(connection, [expected, seen])
        self._put_observed(connection, read, expected, seen_before_at=result.started_at)

        # Record the list.
        unsure = frozenset(
            step.step.recipient_id
            for step in result.steps
            if step.outcome is Outcome.UNKNOWN
        )
        values = self._values(read) | {
            "saved_at": result.ended_at,
            "unsure": unsure,
            "before_digest": list_digest(before),
        }
        connection.execute(insert_or_update(connection, seen_list), values)

    def _values(self, read: ReadItem, row: AnyRow | None = None) -> Values:
        """Return the row for this read. `row` is the stored row, if any."""
        before = None
        if row is not None:
            before = row.before_digest if _is_same(row, read) else row.list_digest
        return item_values(self._service, read.item) | {
            "list_digest": list_digest(read.listed),
            "before_digest": before,
            "seen_at": read.read_at,
            "saved_at": None,
            "unsure": frozenset(),
            "failure": "",
        }

    def _rows(
        self,
        connection: sa.Connection,
        digests: Collection[str],
        *,
        is_locking: bool = False,
    ) -> dict[str, AnyRow]:
        """Map the digests of items to their rows. Items without a list are missing."""
        query = sa.select(seen_list).where(
            seen_list.c.service == self._service,
            seen_list.c.item_digest.in_(digests),
            seen_list.c.list_digest.is_not(None),
        )
        query = query.order_by(seen_list.c.item_digest)
        if is_locking:
            query = query.with_for_update()
        return {row.item_digest: row for row in connection.execute(query)}

    def _put_observed(
        self,
        connection: sa.Connection,
        read: ReadItem,
        before: frozenset[str],
        *,
        seen_before_at: datetime,
    ) -> None:
        """Add the changes made elsewhere between two reads, if any, to the history."""
        seen = read.listed
        changes = steps_for(add=seen - before, remove=before - seen)
        if not changes:
            return

        before_digest = list_digest(before)
        after_digest = list_digest(seen)
        # Two processes that see the same change give it the same key.
        key = digest(
            "observed",
            item_digest(read.item),
            before_digest,
            after_digest,
            seen_before_at.isoformat(),
            read.read_at.isoformat(),
        )
        values = item_values(self._service, read.item) | {
            "key": key,
            "kind": ChangeKind.OBSERVED,
            "verdict": Verdict.VERIFIED,
            "started_at": read.read_at,
            "ended_at": read.read_at,
            "seen_before_at": seen_before_at,
            "before_digest": before_digest,
            "after_digest": after_digest,
        }
        put_entry(
            connection, values, [StepResult(step, Outcome.DONE) for step in changes]
        )


def _is_same(row: AnyRow, read: ReadItem) -> bool:
    return bool(row.list_digest == list_digest(read.listed))


def _is_fresh(row: AnyRow | None, read: ReadItem) -> bool:
    if row is None or row.failure or not _is_same(row, read):
        return False
    return bool(read.read_at - row.seen_at < SEEN_LIST_FRESH)


def _is_newer(row: AnyRow | None, read: ReadItem) -> bool:
    if row is None:
        return True
    if read.asked_at < row.seen_at:
        return False

    # A read shortly after a save can still show the list before the save.
    if row.saved_at is not None and read.asked_at < row.saved_at + READ_LAG:
        return False

    # A replica of the service that lags behind shows the list before the last change.
    is_back = not _is_same(row, read) and list_digest(read.listed) == row.before_digest
    return not (is_back and read.asked_at < row.seen_at + LAGGING_REPLICA)


def _agreeing(
    known: frozenset[str], seen: frozenset[str], *, on: frozenset[str]
) -> frozenset[str]:
    """Return `known`, but take the recipients in `on` from `seen`."""
    return (known - on) | (seen & on)


def _seen_item(
    row: AnyRow, lists: Mapping[str, frozenset[str]], **names: str
) -> SeenItem:
    return SeenItem(
        item=read_item_key(row),
        recipients=lists.get(row.list_digest),
        seen_at=row.seen_at,
        unsure=row.unsure or frozenset(),
        failure=row.failure or "",
        **names,
    )
