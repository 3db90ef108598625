"""The demo: the bundled service in this process, with sample data and an invented history.

The changes in that history are really sent to the bundled service. Only their dates are invented.
"""

import time
from collections.abc import Iterable
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path

from item_visibility.access.access import Role
from item_visibility.client.client import VisibilityClient, utc_now
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import SettingsError
from item_visibility.jobs.preview_and_scan import ItemReader
from item_visibility.saving.request import ChangeKind, ChangeRequest
from item_visibility.saving.save import Saver
from item_visibility.settings import sqlite_url
from item_visibility.storage.directory import Directory, Kind, StoredSet
from item_visibility.storage.history import HistoryFilter
from item_visibility.storage.name_index import NameRow
from item_visibility.storage.seen_lists import ReadItem
from item_visibility.storage.service_records import ServiceRecords
from item_visibility_service.sample_data import SHOWCASE, invented_names
from item_visibility_service.server import EmbeddedService
from item_visibility_service.settings import ServiceSettingsError, demo_settings

SHOWN_FIRST = ItemKey(*SHOWCASE)

_TICK = timedelta(milliseconds=40)
"""The invented clock advances by this each time it is read."""
_VERY_MANY = 1_000
_JANA, _MARIE, _TOMASZ = "Jana Peters", "Marie Blanc", "Tomasz Lis"
_SUPERMARKETS = ("Marktplatz Supermarkets", "Sonnenhof Supermarkets", "Tramway Supermarkets")
_SHOPS = ("Marktplatz Online Shop", "Sonnenhof Online Shop", "Tramway Online Shop")
_BUTTER, _OIL = ("Farm butter 250 g", "756"), ("Olive oil 500 g", "756")
_CHEESE, _HAY = ("Goat cheese 500 g", "250"), ("Hay for rabbits 500 g", "756")
_YOGHURT = ("Mild yoghurt 250 g", "756")
_VILLA = "Villa Verde Supermarkets"


def start_demo(folder: Path, closing: ExitStack) -> EmbeddedService:
    """Start the bundled service with its sample data. `closing` stops it. Raises SettingsError."""
    try:
        embedded = EmbeddedService(demo_settings(sqlite_url(folder / "demo-service.sqlite")))
        closing.callback(embedded.stop)
    except (ServiceSettingsError, OSError) as error:
        raise SettingsError(
            f"The bundled service of the demo could not be started: {error}",
            advice=f"Check demo-service.sqlite in {folder}. If you delete that file, the demo starts afresh.",
        ) from None
    return embedded


def put_invented_names(directory: Directory) -> None:
    """Store the names of the sample data in the directory."""
    names = invented_names()
    directory[Kind.SUPPLIER].put([NameRow((supplier,), name) for supplier, name in names.suppliers])
    directory[Kind.ITEM].put(
        [NameRow((supplier, item), name, market) for supplier, item, name, market in names.items]
    )
    directory[Kind.RECIPIENT].put([NameRow((recipient_id,), name) for recipient_id, name in names.recipients])


def put_past(records: ServiceRecords, client: VisibilityClient) -> None:
    """Save the invented history if there is no history yet. Raises RecordsError."""
    if records.search.lines(HistoryFilter(), limit=1) or records.sets.all():
        return
    past = _Past(records, client, now=utc_now())
    past.on(34, _JANA).make_set("Supermarkets", _SUPERMARKETS)
    past.on(33, _MARIE).make_set("Online shops", _SHOPS)
    past.on(29, _JANA, "SUP-1982: spring listing").save(_BUTTER, add=_SUPERMARKETS)
    past.on(27, _TOMASZ, "SUP-1990: contract ended").save(_OIL, remove=["Northgate Convenience"])
    mistake = past.on(23, _MARIE, "SUP-2007: new partner").save(_CHEESE, add=[_VILLA])
    past.on(23, _MARIE, "Wrong company").save(_CHEESE, remove=[_VILLA], undo_of=mistake)
    past.on(23, _MARIE, "SUP-2007: new partner").save(_CHEESE, add=["Villa Verde Wholesale"])
    past.on(15, _JANA, "QA-311: recall of one batch").save(_HAY, remove=None)
    past.on(6, _TOMASZ, "SUP-2040").save(
        _YOGHURT, add=["Le Panier Wholesale"], remove=["Marktplatz Wholesale"]
    )
    past.on(4, _TOMASZ).look_at(SHOWN_FIRST.supplier, without=("Wholemeal flour", "Rolled oats 1 kg"))
    past.on(2, _JANA, "SUP-2052: asked for by phone").save(_OIL, add=["Northgate Supermarkets"])
    past.on(1, _MARIE, "SUP-2058").save(_BUTTER, remove=["Kornblume Supermarkets"])


class _Past:
    """Saves the invented history, each event with its own date."""

    def __init__(self, records: ServiceRecords, client: VisibilityClient, *, now: datetime) -> None:
        self._now = self._at = now
        self._events = 0
        self._person = self._reason = ""
        self._records = records
        self._client = client
        self._saver = Saver(client, records.history, clock=self._tick, sleep=time.sleep)
        self._items = ItemReader(client, records, clock=self._tick)

    def on(self, days_ago: int, person: str, reason: str = "") -> "_Past":
        """Set the date, person and reason of the next event."""
        day = (self._now - timedelta(days=days_ago)).replace(hour=8, minute=0, second=0)
        self._events += 1
        self._at = day + timedelta(seconds=977 * self._events)
        self._person, self._reason = person, reason
        return self

    def make_set(self, name: str, recipients: Iterable[str]) -> None:
        """Make a recipient set."""
        self._records.sets.make(StoredSet(name, self._ids(recipients), self._tick(), self._person))

    def look_at(self, supplier: str, *, without: tuple[str, ...]) -> None:
        """Read the supplier's items except those with these names. Store lists that are not very long."""
        items = [
            ItemKey(*row.ids)
            for row in self._records.directory[Kind.ITEM].all()
            if row.ids[0] == supplier and not row.name.startswith(without)
        ]
        reads = [
            ReadItem(item=item, recipients=self._list(item), asked_at=self._tick(), read_at=self._tick())
            for item in items
        ]
        self._items.store([read for read in reads if len(read.listed) < _VERY_MANY])

    def save(
        self,
        item: tuple[str, str],
        *,
        add: Iterable[str] = (),
        remove: Iterable[str] | None = (),
        undo_of: str = "",
    ) -> str:
        """Save a change of one item and return its key. With `remove=None`, all recipients are removed."""
        key = self._item(item)
        base = self._list(key)
        removed = base if remove is None else self._ids(remove)
        request = ChangeRequest(
            f"demo-past-{self._events}",
            key,
            base,
            self._ids(add),
            removed,
            self._person,
            self._reason,
            kind=ChangeKind.UNDO if undo_of else ChangeKind.EDIT,
            undo_of=undo_of or None,
            role=Role.EDITOR,
            confirmed_count=len(removed),
        )
        self._saver.save(request)
        return request.key

    def _list(self, item: ItemKey) -> frozenset[str]:
        return self._client.get_visibilities(item) or frozenset()

    def _item(self, item: tuple[str, str]) -> ItemKey:
        name, market = item
        rows = self._records.directory[Kind.ITEM].current().called([name])[name]
        return ItemKey(*next(one.ids for one in rows if one.market == market))

    def _ids(self, names: Iterable[str]) -> frozenset[str]:
        rows = self._records.directory[Kind.RECIPIENT].current().called(tuple(names))
        return frozenset(found[0].ids[0] for found in rows.values())

    def _tick(self) -> datetime:
        self._at += _TICK
        return self._at
