"""The scans of one service: one at a time for each supplier, seen by every process."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, and_, func, not_, or_, select, update

from item_visibility.client.identifiers import ItemKey
from item_visibility.storage.columns import (
    AnyRow,
    Values,
    digest,
    insert_new,
    item_digest,
    read_item_key,
    read_value,
)
from item_visibility.storage.database import Database
from item_visibility.storage.directory import known_item
from item_visibility.storage.history.tables import seen_list
from item_visibility.storage.scans.scan_state import UNDER_WAY, Scan, ScanState
from item_visibility.storage.scans.scan_tables import failed_read, scan
from item_visibility.timeouts import SCAN_DEAD_AFTER


@dataclass(frozen=True, slots=True)
class KnownItem:
    """A known item, its number in the order of a scan, and when its list was last seen."""

    number: int
    item: ItemKey
    seen_at: datetime | None


class Scans:
    """The last scan of each supplier, and of all: `supplier` is None for all.

    A scan belongs to one run. The run beats while it lives; when its beat stands still, another may go on.
    """

    def __init__(self, database: Database, *, service: str) -> None:
        self._database = database
        self._service = service

    def scan(self, supplier: str | None, *, at: datetime) -> Scan | None:
        """Return the last scan as it stands; None when there was none. Without a beat it is INTERRUPTED."""
        with self._database.read() as connection:
            return self._scan(connection, supplier, at=at)

    def begin(self, supplier: str | None, *, run: str, person: str, at: datetime) -> Scan | None:
        """Begin a new scan; None when one is under way."""
        begun: Values = {"person": person, "begun_at": at, "checked": 0, "failed": 0, **_claim(run, at=at)}
        with self._database.write() as connection:
            begun["total"] = self._count(connection, supplier)
            row = {"service": self._service, "scope": _scope(supplier), **begun}
            first = insert_new(connection, scan).values(row).returning(scan.c.scope)
            if connection.scalar(first) is None:
                free = update(scan).where(self._is_free(supplier, at=at))
                if not connection.execute(free.values(begun)).rowcount:
                    return None
            return self._scan(connection, supplier, at=at)

    def go_on(self, supplier: str | None, *, run: str, at: datetime) -> Scan | None:
        """Go on with the last scan, and return it; None when there is none, or one is under way."""
        with self._database.write() as connection:
            free = update(scan).where(self._is_free(supplier, at=at))
            if not connection.execute(free.values(_claim(run, at=at))).rowcount:
                return None
            return self._scan(connection, supplier, at=at)

    def beat(self, supplier: str | None, *, run: str, now: Scan, at: datetime) -> bool:
        """Record how far the scan is; False when it is no longer this run's: cancelled, or taken over."""
        is_ours = and_(self._is(supplier), scan.c.run == run, scan.c.state.in_(UNDER_WAY))
        values = {
            "state": now.state,
            "total": now.total,
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
        is_open = and_(self._is(supplier), scan.c.state.in_(UNDER_WAY))
        self._database.change(update(scan).where(is_open).values(cancelled))

    def items(self, supplier: str | None, *, after: int, limit: int) -> Sequence[KnownItem]:
        """Return the next known items, in the order in which they became known."""
        is_seen = and_(
            seen_list.c.service == known_item.c.service, seen_list.c.item_digest == known_item.c.digest
        )
        query = (
            select(
                known_item.c.number, known_item.c.supplier, known_item.c.supplier_item_id, seen_list.c.seen_at
            )
            .join(seen_list, is_seen, isouter=True)
            .where(is_known_item(self._service, supplier), known_item.c.number > after)
            .order_by(known_item.c.number)
            .limit(limit)
        )
        return [KnownItem(row.number, read_item_key(row), row.seen_at) for row in self._database.rows(query)]

    def note_failures(self, reasons: Mapping[ItemKey, str], *, at: datetime) -> None:
        """Save why these items could not be read."""
        rows = [
            {"service": self._service, "item_digest": item_digest(item), "reason": reason, "failed_at": at}
            for item, reason in reasons.items()
        ]
        self._database.put(failed_read, rows)

    def _scan(self, connection: Connection, supplier: str | None, *, at: datetime) -> Scan | None:
        row: AnyRow | None = connection.execute(select(scan).where(self._is(supplier))).first()
        if row is None:
            return None
        found = read_value(Scan, scan, row)
        is_dead = found.is_under_way and row.beat_at < at - SCAN_DEAD_AFTER
        return replace(found, state=ScanState.INTERRUPTED) if is_dead else found

    def _is_free(self, supplier: str | None, *, at: datetime) -> ColumnElement[bool]:
        """Return the condition for a scan that no living run has."""
        is_over = or_(not_(scan.c.state.in_(UNDER_WAY)), scan.c.beat_at < at - SCAN_DEAD_AFTER)
        return and_(self._is(supplier), is_over)

    def _count(self, connection: Connection, supplier: str | None) -> int:
        counted = select(func.count()).where(is_known_item(self._service, supplier))
        return connection.scalar(counted) or 0

    def _is(self, supplier: str | None) -> ColumnElement[bool]:
        return and_(scan.c.service == self._service, scan.c.scope == _scope(supplier))


def _claim(run: str, *, at: datetime) -> Values:
    """Return the values that make a scan this run's."""
    return {"run": run, "state": ScanState.RUNNING, "message": "", "next_try_at": None, "beat_at": at}


def is_known_item(service: str, supplier: str | None) -> ColumnElement[bool]:
    """Return the condition for the known items of a supplier, or of all."""
    if supplier is None:
        return known_item.c.service == service
    return and_(known_item.c.service == service, known_item.c.supplier == supplier)


def _scope(supplier: str | None) -> str:
    return digest() if supplier is None else digest(supplier)
