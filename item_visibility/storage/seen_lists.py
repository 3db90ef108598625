"""The list of each item as last seen: coverage shows it, and the next read reveals changes made elsewhere.

Every read and every save writes it. Note N13.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, Select, and_, exists, func, select

from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.outcome import Outcome, SaveResult, StepResult, Verdict
from item_visibility.saving.plan import plan_changes
from item_visibility.saving.request import ChangeKind
from item_visibility.storage.columns import (
    AnyRow,
    Values,
    digest,
    insert_new,
    insert_or_update,
    item_digest,
    item_values,
    list_digest,
    read_item_key,
)
from item_visibility.storage.database import Database
from item_visibility.storage.directory import known_item
from item_visibility.storage.history.entries import put_list, put_steps
from item_visibility.storage.history.tables import history, recipient_list, seen_list
from item_visibility.storage.scans import is_known_item, is_same_item
from item_visibility.timeouts import LAGGING_REPLICA, READ_LAG, SIGHTING_FRESH

_AT_ONCE = 500
"""The limit of lists fetched at once: of 100,000 items they may hold millions of ids."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadItem:
    """The result of reading one item, requested at `asked_at` and received at `read_at`.

    `recipients` is None when nothing is recorded. Note N4.
    """

    item: ItemKey
    recipients: frozenset[str] | None
    asked_at: datetime
    read_at: datetime

    @property
    def listed(self) -> frozenset[str]:
        """The recipients; none when nothing is recorded."""
        return self.recipients or frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenItem:
    """A known item, with the list that a read or a save showed last.

    `recipients` and `seen_at` are None when it was never read: that is not an empty list. Recipients in
    `unsure` are those whose last change has an unknown outcome. `failure` says why a read failed since then.
    """

    item: ItemKey
    name: str
    market: str
    recipients: frozenset[str] | None
    seen_at: datetime | None
    unsure: frozenset[str] = frozenset()
    failure: str = ""


class SeenLists:
    """The list of each item at one service, as the last read or save showed it.

    If a later read differs, the list was changed elsewhere. The change goes into the history as OBSERVED,
    with the two times between which it happened. A read counts for nothing while a save of ours
    is open, shortly after one, and if it is older than the known list. Nor does it count for a recipient
    whose change by us is in doubt. A list as before the last change may come from a replica that lags: two
    replicas that answer in turn show one change, not many. Such a list is accepted and recorded once the
    last recorded list has not been seen for a while.
    `supplier` is None for the known items of all suppliers.
    """

    def __init__(self, database: Database, *, service: str) -> None:
        self._database = database
        self._service = service

    def note_reads(self, reads: Sequence[ReadItem]) -> None:
        """Record reads, each item once; write nothing if nothing is new."""
        with self._database.read() as connection:
            known = self._known(connection, reads)
        new = [one for one in reads if not _is_fresh(known.get(item_digest(one.item)), one)]
        if new:
            self.note_every_read(new)

    def note_every_read(self, reads: Sequence[ReadItem]) -> None:
        """Record the same, and for each item that it was seen now: its age is shown."""
        with self._database.write() as connection:
            self._note_reads(connection, reads)

    def note_failures(self, failures: Mapping[ItemKey, str]) -> None:
        """Save why these items could not be read. The lists that were seen before stay."""
        if not failures:
            return
        rows = [
            item_values(item)
            | {"service": self._service, "item_digest": item_digest(item), "failure": failure}
            for item, failure in failures.items()
        ]
        with self._database.write() as connection:
            insert = insert_or_update(connection, seen_list, "failure")
            connection.execute(insert, sorted(rows, key=lambda row: str(row["item_digest"])))

    def all(
        self, supplier: str | None = None, *, among: frozenset[str] | None = None
    ) -> tuple[SeenItem, ...]:
        """Return the known items, by id; `among` limits the lists to these recipients.

        Each distinct list is read once, however many items have it.
        """
        columns = ("supplier", "supplier_item_id", "name", "market")
        query: Select[tuple[object, ...]] = (
            select(
                *(known_item.c[name] for name in columns),
                *(seen_list.c[name] for name in ("list_digest", "seen_at", "unsure", "failure")),
            )
            .join(seen_list, is_same_item(), isouter=True)
            .where(is_known_item(self._service, supplier))
            .order_by(known_item.c.supplier, known_item.c.supplier_item_id)
        )
        with self._database.read() as connection:
            lists = self._lists(connection, supplier, among=among)
            return tuple(_seen_item(row, lists) for row in connection.execute(query))

    def count(self, supplier: str | None = None) -> Counter[str]:
        """Return on how many of the known items each recipient was seen last."""
        query = (
            select(recipient_list.c.recipients, func.count().label("items"))
            .join(seen_list, seen_list.c.list_digest == recipient_list.c.digest)
            .join(known_item, is_same_item())
            .where(is_known_item(self._service, supplier))
            .group_by(recipient_list.c.digest)
        )
        counts = Counter[str]()
        with self._database.read() as connection:
            for row in connection.execute(query.execution_options(yield_per=_AT_ONCE)):
                for recipient_id in row.recipients:
                    counts[recipient_id] += row.items
        return counts

    def sizes(self, items: Collection[ItemKey]) -> dict[ItemKey, int]:
        """Return how many recipients each of a few items had when it was read last."""
        digests = [item_digest(item) for item in items]
        columns = (seen_list.c.supplier, seen_list.c.supplier_item_id, recipient_list.c.recipients)
        query: Select[tuple[object, ...]] = (
            select(*columns)
            .join(recipient_list, seen_list.c.list_digest == recipient_list.c.digest)
            .where(seen_list.c.service == self._service, seen_list.c.item_digest.in_(digests))
        )
        with self._database.read() as connection:
            return {read_item_key(row): len(row.recipients) for row in connection.execute(query)}

    def _lists(
        self, connection: Connection, supplier: str | None, *, among: frozenset[str] | None
    ) -> Mapping[str, frozenset[str]]:
        """Return the lists of the items by digest; equal lists are the same object."""
        digests = (
            select(seen_list.c.list_digest)
            .join(known_item, is_same_item())
            .where(is_known_item(self._service, supplier))
        )
        query = select(recipient_list.c.digest, recipient_list.c.recipients)
        lists: dict[str, frozenset[str]] = {}
        equal: dict[frozenset[str], frozenset[str]] = {}
        wanted = query.where(recipient_list.c.digest.in_(digests))
        for row in connection.execute(wanted.execution_options(yield_per=_AT_ONCE)):
            recipients = row.recipients if among is None else row.recipients & among
            lists[row.digest] = equal.setdefault(recipients, recipients)
        return lists

    def note_read(self, connection: Connection, read: ReadItem) -> None:
        """Save the list, and any changes made elsewhere since it was last seen."""
        row = self._row(connection, read.item)
        if self._is_telling(connection, row, read):
            before_digest = None
            if row is not None:
                known = _agreeing(row.recipients, read.listed, row.unsure)
                self._put_observed(connection, read, known, seen_before_at=row.seen_at)
                is_as_told = row.list_digest == list_digest(read.listed)
                before_digest = row.before_digest if is_as_told else row.list_digest
            self._put(connection, read, before_digest=before_digest)

    def _note_reads(self, connection: Connection, reads: Sequence[ReadItem]) -> None:
        """Save many lists and changes made elsewhere; one by one only for lists that may have changed.

        In one order, whoever saves: of two that lock the same rows in turn, PostgreSQL ends one.
        """
        known = self._known(connection, reads)
        open_items = self._open_items(connection, reads)
        plain: list[ReadItem] = []
        for one in sorted(reads, key=lambda one: item_digest(one.item)):
            key = item_digest(one.item)
            if key not in open_items and _is_as_before(known.get(key), one):
                plain.append(one)
            else:
                self.note_read(connection, one)
        if plain:
            lists = {list_digest(one.listed): one.listed for one in plain}
            new_lists = [
                {"digest": key, "recipients": recipients} for key, recipients in sorted(lists.items())
            ]
            connection.execute(insert_new(connection, recipient_list), new_lists)
            rows = [self._seen_again(one, known.get(item_digest(one.item))) for one in plain]
            connection.execute(insert_or_update(connection, seen_list), rows)

    def lock(self, connection: Connection, item: ItemKey) -> None:
        """Keep others from noting this item until the transaction ends.

        Call it before you write lists and note an item: of two that wait for each other, one fails.
        """
        connection.execute(select(seen_list.c.seen_at).where(self._is(item)).with_for_update())

    def note_save(self, connection: Connection, result: SaveResult) -> None:
        """Save the list that a save of ours left, and any changes made elsewhere while it ran."""
        ours = frozenset(step.step.recipient_id for step in result.steps)
        before = result.before or frozenset()
        left = (before | frozenset(result.added)) - frozenset(result.removed)
        seen = left if result.after is None else result.after
        read = ReadItem(item=result.item, recipients=seen, asked_at=result.ended_at, read_at=result.ended_at)
        self._put_observed(connection, read, _agreeing(left, seen, ours), seen_before_at=result.started_at)
        unsure = frozenset(step.step.recipient_id for step in result.steps if step.outcome is Outcome.UNKNOWN)
        before_digest = list_digest(before)
        self._put(connection, read, saved_at=result.ended_at, unsure=unsure, before_digest=before_digest)

    def _is(self, item: ItemKey) -> ColumnElement[bool]:
        is_item = seen_list.c.item_digest == item_digest(item)
        return and_(seen_list.c.service == self._service, is_item)

    def _row(self, connection: Connection, item: ItemKey) -> AnyRow | None:
        """Return the known list, locked: no other process changes it until the transaction ends."""
        return connection.execute(
            select(seen_list, recipient_list.c.recipients)
            .join(recipient_list, recipient_list.c.digest == seen_list.c.list_digest)
            .where(self._is(item))
            .with_for_update(of=seen_list)
        ).first()

    def _is_telling(self, connection: Connection, row: AnyRow | None, read: ReadItem) -> bool:
        """True when the list can be compared with the known one."""
        is_item = history.c.item_digest == item_digest(read.item)
        is_open = and_(history.c.service == self._service, is_item, history.c.ended_at.is_(None))
        if connection.scalar(select(exists().where(is_open))):
            return False
        if row is None:
            return True
        is_older = read.asked_at < row.seen_at
        return (
            not is_older
            and not _is_back(row, read)
            and (row.saved_at is None or read.asked_at >= row.saved_at + READ_LAG)
        )

    def _put(self, connection: Connection, read: ReadItem, **columns: object) -> None:
        put_list(connection, read.listed)
        connection.execute(insert_or_update(connection, seen_list), self._values(read) | columns)

    def _seen_again(self, read: ReadItem, row: AnyRow | None) -> Values:
        return self._values(read) | {"before_digest": None if row is None else row.before_digest}

    def _values(self, read: ReadItem) -> Values:
        return item_values(read.item) | {
            "service": self._service,
            "item_digest": item_digest(read.item),
            "list_digest": list_digest(read.listed),
            "seen_at": read.read_at,
            "saved_at": None,
            "unsure": frozenset(),
            "failure": "",
        }

    def _known(self, connection: Connection, reads: Sequence[ReadItem]) -> dict[str, AnyRow]:
        """Return the known lists of these items, by item digest."""
        is_one = seen_list.c.item_digest.in_([item_digest(one.item) for one in reads])
        is_here = and_(seen_list.c.service == self._service, seen_list.c.list_digest.is_not(None))
        rows = connection.execute(select(seen_list).where(is_here, is_one))
        return {row.item_digest: row for row in rows}

    def _open_items(self, connection: Connection, reads: Sequence[ReadItem]) -> set[str]:
        """Return the digests of the items with an open save."""
        is_one = history.c.item_digest.in_([item_digest(one.item) for one in reads])
        is_open = and_(history.c.service == self._service, history.c.ended_at.is_(None))
        return set(connection.scalars(select(history.c.item_digest).where(is_open, is_one)))

    def _put_observed(
        self,
        connection: Connection,
        read: ReadItem,
        known: frozenset[str],
        *,
        seen_before_at: datetime,
    ) -> None:
        """Add an entry for changes made elsewhere between two reads; none if nothing changed."""
        item, seen = read.item, read.listed
        plan = plan_changes(item, current=known, add=seen - known, remove=known - seen)
        if plan.is_empty:
            return
        before_digest, after_digest = put_list(connection, known), put_list(connection, seen)
        times = (seen_before_at.isoformat(), read.read_at.isoformat())
        row = item_values(item) | {
            "service": self._service,
            "key": digest("observed", item_digest(item), before_digest, after_digest, *times),
            "item_digest": item_digest(item),
            "kind": ChangeKind.OBSERVED,
            "verdict": Verdict.VERIFIED,
            "started_at": read.read_at,
            "ended_at": read.read_at,
            "seen_before_at": seen_before_at,
            "before_digest": before_digest,
            "after_digest": after_digest,
        }
        row_id = connection.scalar(insert_new(connection, history).values(row).returning(history.c.id))
        if row_id is not None:
            steps = [StepResult(step, Outcome.DONE) for step in plan.steps]
            put_steps(connection, row_id, steps, started_at=read.read_at)


def _is_fresh(row: AnyRow | None, read: ReadItem) -> bool:
    """True when nothing new is seen, and the known list is fresh."""
    if row is None or row.failure or row.list_digest != list_digest(read.listed):
        return False
    return bool(read.read_at - row.seen_at < SIGHTING_FRESH)


def _is_back(row: AnyRow, read: ReadItem) -> bool:
    """True when the list is again as before the last change, and was seen as changed a short while ago."""
    seen = list_digest(read.listed)
    is_again = seen == row.before_digest and seen != row.list_digest
    return bool(is_again and read.asked_at < row.seen_at + LAGGING_REPLICA)


def _is_as_before(row: AnyRow | None, read: ReadItem) -> bool:
    """True when the list is new, or the same as in the last read: nothing was changed elsewhere."""
    if row is None:
        return True
    was_read = row.saved_at is None and not row.unsure and read.asked_at >= row.seen_at
    return bool(was_read and row.list_digest == list_digest(read.listed))


def _agreeing(known: frozenset[str], seen: frozenset[str], on: frozenset[str]) -> frozenset[str]:
    """Return the known list, but take these recipients from the seen list."""
    return (known - on) | (seen & on)


def _seen_item(row: AnyRow, lists: Mapping[str, frozenset[str]]) -> SeenItem:
    return SeenItem(
        item=read_item_key(row),
        name=row.name,
        market=row.market,
        recipients=None if row.list_digest is None else lists[row.list_digest],
        seen_at=row.seen_at,
        unsure=row.unsure or frozenset(),
        failure=row.failure or "",
    )
