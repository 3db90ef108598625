"""The last scan of each supplier's known items, and of all of them: one at a time, seen by every process."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Integer,
    Table,
    and_,
    false,
    func,
    not_,
    or_,
    select,
    update,
)

from item_visibility.client.identifiers import ItemKey
from item_visibility.storage.columns import (
    DIGEST,
    AnyRow,
    ExactText,
    UtcTime,
    Values,
    digest,
    filled,
    insert_new,
    keys,
    metadata,
    one_of,
    optional,
    read_item_key,
    read_value,
)
from item_visibility.storage.database import Database
from item_visibility.storage.directory import known_item
from item_visibility.storage.history.tables import seen_list
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

    `checked` of the `total` items were read since `begun_at`; `failed` could not be read, for a reason of
    their own. While the scan is WAITING, `message` says why, and `next_try_at` when it tries again. `run`
    names who works on it: one that was not heard of for a while may be replaced by another.
    """

    supplier: str | None
    state: ScanState
    begun_at: datetime
    run: str = ""
    person: str = ""
    total: int = 0
    checked: int = 0
    failed: int = 0
    message: str = ""
    next_try_at: datetime | None = None

    @property
    def is_under_way(self) -> bool:
        """True while items are read."""
        return self.state in _UNDER_WAY

    @property
    def is_resumable(self) -> bool:
        """True when it stopped before it was through, or some items could not be read."""
        return not self.is_under_way and (self.failed > 0 or self.checked < self.total)


scan = Table(
    "scan",
    metadata,
    *keys(ExactText, "service"),
    *keys(DIGEST, "scope"),
    *filled(ExactText, "run", "person", "message", default=""),
    Column("state", one_of(ScanState), nullable=False),
    *filled(Integer, "total", "checked", "failed", default=0),
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

    def begin(self, supplier: str | None, *, run: str, person: str, at: datetime) -> Scan | None:
        """Begin a new scan; None when one is under way."""
        return self._claim(supplier, run=run, at=at, begun={"person": person, "begun_at": at})

    def resume(self, supplier: str | None, *, run: str, at: datetime) -> Scan | None:
        """Continue the last scan, and return it; None when there is none, or one is under way."""
        return self._claim(supplier, run=run, at=at)

    def beat(self, now: Scan, *, at: datetime) -> bool:
        """Record how far the scan is; False when it is no longer this run's: cancelled, or taken over."""
        is_ours = and_(self._is(now.supplier), scan.c.run == now.run, scan.c.state.in_(_UNDER_WAY))
        values = {
            "state": now.state,
            "total": max(now.total, now.checked + now.failed),
            "checked": now.checked,
            "failed": now.failed,
            "message": now.message,
            "next_try_at": now.next_try_at,
            "beat_at": at,
        }
        return bool(self._database.change(update(scan).where(is_ours).values(values)))

    def cancel(self, supplier: str | None) -> None:
        """Cancel the scan that is under way; its reads stay."""
        cancelled = {"state": ScanState.CANCELLED, "message": "", "next_try_at": None}
        is_open = and_(self._is(supplier), scan.c.state.in_(_UNDER_WAY))
        self._database.change(update(scan).where(is_open).values(cancelled))

    def read_items(self, supplier: str | None) -> int:
        """Return how many of the known items were read since the scan began, by whatever run."""
        with self._database.read() as connection:
            return self._counts(connection, supplier)["checked"]

    def unread(
        self, supplier: str | None, *, since: datetime | None, after: int, limit: int
    ) -> Mapping[int, ItemKey]:
        """Return the next known items by number: those not read `since` then, or all for None."""
        query = (
            select(known_item.c.number, known_item.c.supplier, known_item.c.supplier_item_id)
            .join(seen_list, is_same_item(), isouter=True)
            .where(is_known_item(self._service, supplier), known_item.c.number > after)
            .where(not_(_is_seen(since)))
            .order_by(known_item.c.number)
            .limit(limit)
        )
        return {row.number: read_item_key(row) for row in self._database.rows(query)}

    def _claim(
        self, supplier: str | None, *, run: str, at: datetime, begun: Values | None = None
    ) -> Scan | None:
        """Make the scan this run's, with the counts of its items, unless a living run has it."""
        claim: Values = {"run": run, "state": ScanState.RUNNING, "message": "", "next_try_at": None}
        claim |= {"beat_at": at, "failed": 0, **(begun or {})}
        with self._database.write() as connection:
            if begun is not None:
                row = {"service": self._service, "scope": _scope(supplier), **claim, "run": ""}
                connection.execute(insert_new(connection, scan).values(row))
            is_dead = or_(scan.c.beat_at < at - SCAN_DEAD_AFTER, scan.c.run == "")
            is_free = and_(self._is(supplier), or_(not_(scan.c.state.in_(_UNDER_WAY)), is_dead))
            if not connection.execute(update(scan).where(is_free).values(claim)).rowcount:
                return None
            counts = self._counts(connection, supplier)
            connection.execute(update(scan).where(self._is(supplier)).values(counts))
            return self._scan(connection, supplier, at=at)

    def _counts(self, connection: Connection, supplier: str | None) -> dict[str, int]:
        """Return how many items are known, and how many of them were read since the scan began."""
        begun_at = select(scan.c.begun_at).where(self._is(supplier)).scalar_subquery()
        counted = (
            select(func.count().label("total"), func.count().filter(_is_seen(begun_at)).label("checked"))
            .select_from(known_item)
            .join(seen_list, is_same_item(), isouter=True)
            .where(is_known_item(self._service, supplier))
        )
        row = connection.execute(counted).one()
        return {"total": row.total, "checked": row.checked}

    def _scan(self, connection: Connection, supplier: str | None, *, at: datetime) -> Scan | None:
        row: AnyRow | None = connection.execute(select(scan).where(self._is(supplier))).first()
        if row is None:
            return None
        found = read_value(Scan, scan, row, supplier=supplier)
        is_dead = found.is_under_way and row.beat_at < at - SCAN_DEAD_AFTER
        return replace(found, state=ScanState.INTERRUPTED) if is_dead else found

    def _is(self, supplier: str | None) -> ColumnElement[bool]:
        return and_(scan.c.service == self._service, scan.c.scope == _scope(supplier))


def is_known_item(service: str, supplier: str | None) -> ColumnElement[bool]:
    """Return the condition for the known items of a supplier, or of all."""
    if supplier is None:
        return known_item.c.service == service
    return and_(known_item.c.service == service, known_item.c.supplier == supplier)


def is_same_item() -> ColumnElement[bool]:
    """Return the condition that joins a known item with its last list."""
    return and_(seen_list.c.service == known_item.c.service, seen_list.c.item_digest == known_item.c.digest)


def _is_seen(since: "datetime | ColumnElement[datetime] | None") -> ColumnElement[bool]:
    if since is None:
        return false()
    return and_(seen_list.c.seen_at.is_not(None), seen_list.c.seen_at >= since)


def _scope(supplier: str | None) -> str:
    return digest() if supplier is None else digest(supplier)
