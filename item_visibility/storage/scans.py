"""The last scan of each supplier's known items, and of all of them: one at a time, seen by every process."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Table,
    and_,
    func,
    not_,
    or_,
    select,
    true,
    update,
)

from item_visibility.client.identifiers import ItemKey
from item_visibility.storage.columns import (
    DIGEST,
    ExactText,
    UtcTime,
    digest,
    filled,
    insert_new,
    keys,
    metadata,
    one_of,
    optional,
    read_item_key,
    read_value,
    values_of,
)
from item_visibility.storage.database import Database
from item_visibility.storage.directory import known_id
from item_visibility.storage.history.tables import seen_list
from item_visibility.storage.seen_lists import IS_SAME_ITEM, KNOWN_ITEM, is_known_item
from item_visibility.timeouts import SCAN_DEAD_AFTER


class ScanState(StrEnum):
    """The state of a scan. Only one that is RUNNING or WAITING reads items."""

    RUNNING = "running"
    WAITING = "waiting for the service"
    ENDED = "ended"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    """Its process ended, or our own database could not be used."""


_UNDER_WAY = frozenset({ScanState.RUNNING, ScanState.WAITING})


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """The last scan of a supplier's known items, or of all known items, when `supplier` is None.

    `checked` of the `total` known items were read since `begun_at`, whoever read them; `failed` could not be
    read, for a reason of their own. While the scan is WAITING, `message` says why, and `next_try_at` when it
    tries again. `run` names who works on it: without a heartbeat for a while, another may take its place.
    """

    supplier: str | None
    state: ScanState
    begun_at: datetime
    run: str
    total: int
    checked: int
    failed: int
    message: str = ""
    next_try_at: datetime | None = None

    @property
    def is_under_way(self) -> bool:
        """True while items are read."""
        return self.state in _UNDER_WAY

    @property
    def is_resumable(self) -> bool:
        """True when it stopped before every item was read."""
        return not self.is_under_way and self.checked < self.total


scan = Table(
    "scan",
    metadata,
    *keys(ExactText, "service"),
    *keys(DIGEST, "scope"),
    *filled(ExactText, "run", "message", default=""),
    Column("state", one_of(ScanState), nullable=False),
    *filled(UtcTime, "begun_at", "beat_at"),
    *optional(UtcTime, "next_try_at"),
    comment="The last scan of each supplier, and of all of them.",
)


class Scans:
    """The scans at one service. Each belongs to one run, which beats while it lives."""

    def __init__(self, database: Database, *, service: str) -> None:
        self._database = database
        self._service = service

    def scan(self, supplier: str | None, *, at: datetime) -> Scan | None:
        """Return the last scan as it stands; None when there was none. Without a beat it is INTERRUPTED."""
        with self._database.read() as connection:
            return self._scan(connection, supplier, at=at)

    def begin(self, supplier: str | None, *, run: str, at: datetime) -> Scan | None:
        """Begin a new scan; None when one is under way."""
        row = {"service": self._service, "scope": _scope(supplier), "state": ScanState.ENDED}
        with self._database.write() as connection:
            connection.execute(insert_new(connection, scan).values(row | {"begun_at": at, "beat_at": at}))
            return self._claim(connection, supplier, at=at, run=run, begun_at=at)

    def resume(self, supplier: str | None, *, run: str, at: datetime) -> Scan | None:
        """Continue the last scan, and return it; None when there is none, or one is under way."""
        with self._database.write() as connection:
            return self._claim(connection, supplier, at=at, run=run)

    def beat(self, now: Scan, *, at: datetime) -> bool:
        """Record the state of a scan; False when it is no longer this run's: cancelled, or taken over."""
        is_ours = and_(self._is(now.supplier), scan.c.run == now.run, scan.c.state.in_(_UNDER_WAY))
        values = values_of(now, scan) | {"beat_at": at}
        return bool(self._database.change(update(scan).where(is_ours).values(values)))

    def cancel(self, supplier: str | None) -> None:
        """Cancel the scan that is under way; its reads stay."""
        cancelled = {"state": ScanState.CANCELLED, "message": "", "next_try_at": None}
        is_open = and_(self._is(supplier), scan.c.state.in_(_UNDER_WAY))
        self._database.change(update(scan).where(is_open).values(cancelled))

    def unread(
        self, supplier: str | None, *, since: datetime | None, after: int, limit: int
    ) -> Mapping[int, ItemKey]:
        """Return the next known items by number: those not read `since` then, or all for None."""
        query = (
            select(known_id.c.number, *KNOWN_ITEM)
            .join(seen_list, IS_SAME_ITEM, isouter=True)
            .where(is_known_item(self._service, supplier), known_id.c.number > after)
            .where(true() if since is None else func.coalesce(seen_list.c.seen_at < since, true()))
            .order_by(known_id.c.number)
            .limit(limit)
        )
        return {row.number: read_item_key(row) for row in self._database.rows(query)}

    def _claim(
        self, connection: Connection, supplier: str | None, *, at: datetime, **values: object
    ) -> Scan | None:
        """Make the scan this run's, unless a living run has it."""
        is_dead = scan.c.beat_at < at - SCAN_DEAD_AFTER
        is_free = and_(self._is(supplier), or_(not_(scan.c.state.in_(_UNDER_WAY)), is_dead))
        claim = {"state": ScanState.RUNNING, "message": "", "next_try_at": None, "beat_at": at}
        is_claimed = connection.execute(update(scan).where(is_free).values(claim | values)).rowcount
        return self._scan(connection, supplier, at=at) if is_claimed else None

    def _scan(self, connection: Connection, supplier: str | None, *, at: datetime) -> Scan | None:
        row = connection.execute(select(scan).where(self._is(supplier))).first()
        if row is None:
            return None
        is_failed = and_(seen_list.c.failure != "", seen_list.c.failed_at >= row.begun_at)
        query = (
            select(
                func.count().label("total"),
                func.count().filter(seen_list.c.seen_at >= row.begun_at).label("checked"),
                func.count().filter(is_failed).label("failed"),
            )
            .select_from(known_id)
            .join(seen_list, IS_SAME_ITEM, isouter=True)
            .where(is_known_item(self._service, supplier))
        )
        counts = connection.execute(query).one()._asdict()
        found = read_value(Scan, scan, row, supplier=supplier, **counts)
        is_dead = found.is_under_way and row.beat_at < at - SCAN_DEAD_AFTER
        return replace(found, state=ScanState.INTERRUPTED) if is_dead else found

    def _is(self, supplier: str | None) -> ColumnElement[bool]:
        return and_(scan.c.service == self._service, scan.c.scope == _scope(supplier))


def _scope(supplier: str | None) -> str:
    return digest() if supplier is None else digest(supplier)
