"""The demo: the bundled service in this process, with sample data and a history.

The changes in the history are sent to the bundled service, but their dates are
invented.
"""

import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import NamedTuple

from item_visibility.access.people import Role
from item_visibility.client.client import VisibilityClient
from item_visibility.client.http_calls import utc_now
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import SettingsError
from item_visibility.model.change import ChangeKind, ChangeRequest
from item_visibility.model.known_ids import Kind, NameRow
from item_visibility.saving.item_reader import ItemReader
from item_visibility.saving.save import Saver
from item_visibility.settings import sqlite_url
from item_visibility.storage.directory import Directory
from item_visibility.storage.history import HistoryFilter
from item_visibility.storage.recipient_sets import StoredSet
from item_visibility.storage.service_records import ServiceRecords
from item_visibility.use_cases.demo import DemoControls
from item_visibility.use_cases.desk import Desk
from item_visibility_service.sample_data import SHOWCASE, invented_names
from item_visibility_service.server import EmbeddedService
from item_visibility_service.settings import ServiceSettingsError, demo_settings

SHOWN_FIRST = ItemKey(*SHOWCASE)

_VERY_MANY = 1_000
_JANA = "Jana Peters"
_MARIE = "Marie Blanc"
_TOMASZ = "Tomasz Lis"
_SUPERMARKETS = (
    "Marktplatz Supermarkets",
    "Sonnenhof Supermarkets",
    "Tramway Supermarkets",
)
_SHOPS = ("Marktplatz Online Shop", "Sonnenhof Online Shop", "Tramway Online Shop")
_BUTTER = ("Farm butter 250 g", "756")
_OIL = ("Olive oil 500 g", "756")
_CHEESE = ("Goat cheese 500 g", "250")
_HAY = ("Hay for rabbits 500 g", "756")
_YOGHURT = ("Mild yoghurt 250 g", "756")
_VILLA = "Villa Verde Supermarkets"


class _Change(NamedTuple):
    """An invented change of an item. If `remove` is None, it removes everybody."""

    days_ago: int
    person: str
    reason: str
    item: tuple[str, str]
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] | None = ()
    undoes_previous: bool = False


_SETS = (
    (34, _JANA, "Supermarkets", _SUPERMARKETS),
    (33, _MARIE, "Online shops", _SHOPS),
)
_CHANGES = (
    _Change(29, _JANA, "SUP-1982: spring listing", _BUTTER, _SUPERMARKETS),
    _Change(
        27, _TOMASZ, "SUP-1990: contract ended", _OIL, remove=("Northgate Convenience",)
    ),
    _Change(23, _MARIE, "SUP-2007: new partner", _CHEESE, (_VILLA,)),
    _Change(
        23, _MARIE, "Wrong company", _CHEESE, remove=(_VILLA,), undoes_previous=True
    ),
    _Change(23, _MARIE, "SUP-2007: new partner", _CHEESE, ("Villa Verde Wholesale",)),
    _Change(15, _JANA, "QA-311: recall of one batch", _HAY, remove=None),
    _Change(
        6,
        _TOMASZ,
        "SUP-2040",
        _YOGHURT,
        ("Le Panier Wholesale",),
        ("Marktplatz Wholesale",),
    ),
    _Change(
        2, _JANA, "SUP-2052: asked for by phone", _OIL, ("Northgate Supermarkets",)
    ),
    _Change(1, _MARIE, "SUP-2058", _BUTTER, remove=("Kornblume Supermarkets",)),
)
_NOT_READ = ("Wholemeal flour", "Rolled oats 1 kg")


def start_demo(folder: Path, closing: ExitStack) -> EmbeddedService:
    """Start the bundled service with its sample data.

    `closing` stops it. Raises SettingsError.
    """
    try:
        embedded = EmbeddedService(
            demo_settings(sqlite_url(folder / "demo-service.sqlite"))
        )
        closing.callback(embedded.stop)
    except (ServiceSettingsError, OSError) as error:
        raise SettingsError(
            f"The bundled service of the demo could not be started: {error}",
            advice=(
                f"Check demo-service.sqlite in {folder}. If you delete that file, the"
                " demo starts afresh."
            ),
        ) from None
    return embedded


def set_up_demo(desk: Desk, embedded: EmbeddedService) -> None:
    """Give the desk of a demo its names, its controls and its first item."""
    put_invented_names(desk.records.directory)
    desk.demo_controls = DemoControls(embedded.service, desk.access)
    desk.showcase = SHOWN_FIRST


def put_invented_names(directory: Directory) -> None:
    """Store the names of the sample data in the directory."""
    names = invented_names()
    suppliers = [NameRow((supplier,), name) for supplier, name in names.suppliers]
    items = [
        NameRow((supplier, item), name, market)
        for supplier, item, name, market in names.items
    ]
    recipients = [
        NameRow((recipient_id,), name) for recipient_id, name in names.recipients
    ]
    directory[Kind.SUPPLIER].put(suppliers)
    directory[Kind.ITEM].put(items)
    directory[Kind.RECIPIENT].put(recipients)


def put_past(records: ServiceRecords, client: VisibilityClient) -> None:
    """Save the invented history if there is no history yet. Raises RecordsError."""
    if records.history.lines(HistoryFilter(), limit=1) or records.sets.all():
        return
    for days_ago, person, name, members in _SETS:
        records.sets.make(
            StoredSet(name, _ids(records, members), _clock(days_ago)(), person)
        )
    for number, change in enumerate(_CHANGES):
        _save(records, client, change, number)
    _read_items(ItemReader(client, records, clock=_clock(1, len(_CHANGES))))


def _clock(days_ago: int, number: int = 0) -> Callable[[], datetime]:
    """Return a clock that starts this many days ago in the morning.

    Each reading advances the clock.
    """
    day = (utc_now() - timedelta(days=days_ago)).replace(hour=8, minute=0, second=0)
    start = day + timedelta(minutes=17 * number)
    ticks = count()
    return lambda: start + timedelta(milliseconds=40 * next(ticks))


def _save(
    records: ServiceRecords, client: VisibilityClient, change: _Change, number: int
) -> None:
    # Find the item by its name and market.
    name, market = change.item
    rows = records.directory[Kind.ITEM].current().called(name)
    item = ItemKey(*next(row.ids for row in rows if row.market == market))

    # Change it as the invented person did.
    base = client.get_visibilities(item) or frozenset()
    removed = base if change.remove is None else _ids(records, change.remove)
    request = ChangeRequest(
        f"demo-past-{number}",
        item,
        base,
        _ids(records, change.add),
        removed,
        change.person,
        change.reason,
        kind=ChangeKind.UNDO if change.undoes_previous else ChangeKind.EDIT,
        undo_of=f"demo-past-{number - 1}" if change.undoes_previous else None,
        role=Role.EDITOR,
        confirmed_count=len(removed),
    )
    saver = Saver(
        client, records.history, clock=_clock(change.days_ago, number), sleep=time.sleep
    )
    saver.save(request)


def _read_items(reader: ItemReader) -> None:
    """Read items of the supplier shown first; store all but the longest lists."""
    items = [
        ItemKey(*row.ids)
        for row in reader.records.directory[Kind.ITEM].current().rows
        if row.ids[0] == SHOWN_FIRST.supplier and not row.name.startswith(_NOT_READ)
    ]
    reads = [reader.fetch(item) for item in items]
    reader.store([read for read in reads if len(read.listed) < _VERY_MANY])


def _ids(records: ServiceRecords, names: Iterable[str]) -> frozenset[str]:
    recipients = records.directory[Kind.RECIPIENT].current()
    return frozenset(recipients.called(name)[0].id for name in names)
