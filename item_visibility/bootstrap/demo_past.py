"""The past of a new demo: what invented people did in the last weeks, by the ordinary use cases.

Each change is really made at the bundled service, and recorded on its day: only the clock is another.
"""

import threading
import time
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime, timedelta

from item_visibility.access.access import Access, Person, Role
from item_visibility.bootstrap.embedded_demo import SHOWN_FIRST
from item_visibility.bootstrap.open_service import open_client
from item_visibility.client.call_records import ignore
from item_visibility.client.client import VisibilityClient, utc_now
from item_visibility.client.identifiers import ItemKey
from item_visibility.jobs.dispatcher import JobRunner
from item_visibility.jobs.engine import Engine
from item_visibility.jobs.item_saver import Tools
from item_visibility.jobs.reading import PreviewTask
from item_visibility.jobs.throttle import Throttle
from item_visibility.saving.bulk import BulkItem
from item_visibility.saving.job import Job, JobState, SkippedRow
from item_visibility.saving.locks import ItemLocks
from item_visibility.saving.request import BY_HAND, ChangeKind, ChangeRequest, Origin
from item_visibility.saving.save import Saver
from item_visibility.settings.settings import Environment
from item_visibility.storage.directory import Kind
from item_visibility.storage.history.search import HistoryFilter
from item_visibility.storage.seen_lists import ReadItem
from item_visibility.storage.service_records import ServiceRecords
from item_visibility.use_cases.item_reader import ItemReader
from item_visibility.use_cases.sets import SetDesk

_TICK = timedelta(milliseconds=40)
"""A look at the clock moves the past on by this: the service answers in a few of these."""
_VERY_MANY = 1_000
_JANA, _MARIE, _TOMASZ = "Jana Peters", "Marie Blanc", "Tomasz Lis"


def put_past(environment: Environment, records: ServiceRecords) -> None:
    """Give a demo whose records are empty its past; leave any other unchanged. Raises RecordsError."""
    if records.search.newest(HistoryFilter(), limit=1).lines or records.sets.all():
        return
    with ExitStack() as closing:
        client = open_client(environment, closing, on_call=ignore)
        _live(_Past(records, client, now=utc_now()))


def _live(past: "_Past") -> None:
    """Do what was done, in its order."""
    butter, oil, cheese = (
        ("Farm butter 250 g", "756"),
        ("Olive oil 500 g", "756"),
        ("Goat cheese 500 g", "250"),
    )
    loaf, rolls, rusks = (
        ("Sourdough loaf 500 g", "616"),
        ("Cinnamon rolls 500 g", "616"),
        ("Rusks 500 g", "616"),
    )
    hay, yoghurt = ("Hay for rabbits 500 g", "756"), ("Mild yoghurt 250 g", "756")
    supermarkets = ("Marktplatz Supermarkets", "Sonnenhof Supermarkets", "Tramway Supermarkets")
    shops = ("Marktplatz Online Shop", "Sonnenhof Online Shop", "Tramway Online Shop")
    past.on(34, _JANA).make_set("Supermarkets", supermarkets)
    past.on(33, _MARIE).make_set("Online shops", shops)
    past.on(29, _JANA, "SUP-1982: spring listing").save(butter, add=supermarkets)
    past.on(27, _TOMASZ, "SUP-1990: contract ended").save(oil, remove=["Northgate Convenience"])
    mistake = past.on(23, _MARIE, "SUP-2007: new partner").save(cheese, add=["Villa Verde Supermarkets"])
    past.on(23, _MARIE, "Wrong company").save(cheese, remove=["Villa Verde Supermarkets"], undo_of=mistake)
    past.on(23, _MARIE, "SUP-2007: new partner").save(cheese, add=["Villa Verde Wholesale"])
    past.on(20, _TOMASZ, "SUP-2015: bakery for the online shops").run_job(
        "bakery-online-shops.xlsx", [loaf, rolls, rusks], add=shops
    )
    past.on(15, _JANA, "QA-311: recall of one batch").withdraw(hay)
    past.on(9, _MARIE, "SUP-2031: bakery for all supermarkets").run_job(
        "bakery-supermarkets.xlsx",
        [loaf, rolls, rusks],
        add=supermarkets,
        taken_away=[(rolls, "Lindenallee Supermarkets"), (rusks, "Westend Pharmacy Supply")],
        skipped="The row names no recipient.",
    )
    past.on(6, _TOMASZ, "SUP-2040").save(
        yoghurt, add=["Le Panier Wholesale"], remove=["Marktplatz Wholesale"]
    )
    past.on(4, _TOMASZ).look_at(SHOWN_FIRST.supplier, without=("Wholemeal flour", "Rolled oats 1 kg"))
    past.on(2, _JANA, "SUP-2052: asked for by phone").save(oil, add=["Northgate Supermarkets"])
    past.on(1, _MARIE, "SUP-2058").save(butter, remove=["Kornblume Supermarkets"])


class _Past:
    """The days that are gone, at one service and in our records of it. It is also their clock."""

    def __init__(
        self,
        records: ServiceRecords,
        client: VisibilityClient,
        *,
        now: datetime,
    ) -> None:
        self._now, self._at = now, now - timedelta(days=99)
        self._person = self._reason = ""
        self._keys = 0
        self._records = records
        self._client = client
        self._saver = Saver(client, records.history, clock=self._look, sleep=time.sleep)
        self._sets = SetDesk(records.sets, access=Access(self._editor, clock=self._look), clock=self._look)
        self._items = ItemReader(client, records, clock=self._look)
        self._engine = Engine(client, Throttle(1), clock=self._look)
        tools = Tools(
            store=records.jobs,
            service=client,
            saver=self._saver,
            history=records.history,
            locks=ItemLocks(),
        )
        self._runner = JobRunner(self._engine, tools, clock=self._look, stopping=threading.Event())

    def on(self, days_ago: int, person: str, reason: str = "") -> "_Past":
        """Go to a later hour of this day, with the person who works now."""
        day = (self._now - timedelta(days=days_ago)).replace(hour=0, minute=0, second=0)
        self._at = max(self._at, day + timedelta(hours=8)) + timedelta(seconds=2_711 + 977 * (self._keys % 4))
        self._person, self._reason = person, reason
        return self

    def _editor(self) -> Person:
        return Person(subject=self._person, name=self._person, role=Role.EDITOR)

    def make_set(self, name: str, recipients: Iterable[str]) -> None:
        """Make a recipient set."""
        self._sets.make(name, self._ids(recipients))

    def look_at(self, supplier: str, *, without: tuple[str, ...]) -> None:
        """Read the supplier's items, but not those of these names, nor the one of thousands of recipients."""
        items = (
            ItemKey(*row.ids)
            for row in self._records.directory[Kind.ITEM].all()
            if row.ids[0] == supplier and not row.name.startswith(without)
        )
        reads = [
            ReadItem(item=item, recipients=self._list(item), asked_at=self._look(), read_at=self._look())
            for item in list(items)
        ]
        self._items.keep_scanned([read for read in reads if len(read.recipients or ()) < _VERY_MANY])

    def save(
        self,
        item: tuple[str, str],
        *,
        add: Iterable[str] = (),
        remove: Iterable[str] = (),
        undo_of: str = "",
    ) -> str:
        """Save a change of one item, by hand or as an undo. Return its key."""
        origin = BY_HAND
        if undo_of:
            origin = Origin(kind=ChangeKind.UNDO, undo_of=undo_of)
        request = self._request(item, add=self._ids(add), remove=self._ids(remove), origin=origin)
        self._saver.save(request)
        return request.key

    def withdraw(self, item: tuple[str, str]) -> None:
        """Remove all recipients of the item."""
        everybody = self._list(self._item(item))
        request = self._request(item, remove=everybody, origin=BY_HAND)
        self._saver.save(replace(request, confirmed_count=len(everybody)))

    def run_job(
        self,
        title: str,
        items: Iterable[tuple[str, str]],
        *,
        add: Iterable[str],
        taken_away: Iterable[tuple[tuple[str, str], str]] = (),
        skipped: str = "",
    ) -> None:
        """Preview and apply a list of everybody who shall see the items: those who do, and some more.

        After its preview somebody at another screen takes some away: their rows fail, and are left alone.
        """
        jobs, key, more = self._records.jobs, self._new_key(), self._ids(add)
        intents = [BulkItem(item=one, exactly=self._list(one) | more) for one in map(self._item, items)]
        aside = [_without_recipient(intents[-1].item, reason=skipped)] if skipped else []
        job = Job(
            key=key,
            title=title,
            person=self._person,
            reason=self._reason,
            state=JobState.READING,
            created_at=self._look(),
            item_count=len(intents),
        )
        jobs.create(job, intents, aside)
        self._engine.run(
            key, PreviewTask(key, jobs, self._client, remember=self._items.keep, clock=self._look)
        )
        for item, name in taken_away:
            self._client.remove_visibility(self._item(item), self._recipient(name))
        jobs.move(
            key, JobState.QUEUED, expected={JobState.PREVIEWED}, at=self._look(), applied_role=Role.EDITOR
        )
        self._runner.run_chunk(key)

    def _request(
        self,
        item: tuple[str, str],
        *,
        add: frozenset[str] = frozenset(),
        remove: frozenset[str] = frozenset(),
        origin: Origin,
    ) -> ChangeRequest:
        return ChangeRequest(
            self._new_key(),
            self._item(item),
            self._list(self._item(item)),
            add,
            remove,
            self._person,
            self._reason,
            origin=origin,
            role=Role.EDITOR,
        )

    def _list(self, item: ItemKey) -> frozenset[str]:
        return self._client.get_visibilities(item) or frozenset()

    def _item(self, item: tuple[str, str]) -> ItemKey:
        """Return the item of this name and market: a demo knows the names of its sample."""
        name, market = item
        called = self._records.directory[Kind.ITEM].called([name])[name]
        return ItemKey(*next(one.ids for one in called if one.market == market))

    def _recipient(self, name: str) -> str:
        return self._records.directory[Kind.RECIPIENT].called([name])[name][0].ids[0]

    def _ids(self, names: Iterable[str]) -> frozenset[str]:
        return frozenset(map(self._recipient, names))

    def _new_key(self) -> str:
        self._keys += 1
        return f"demo-past-{self._keys}"

    def _look(self) -> datetime:
        self._at += _TICK
        return self._at


def _without_recipient(item: ItemKey, *, reason: str) -> SkippedRow:
    return SkippedRow(
        number=10,
        supplier=item.supplier,
        supplier_item_id=item.supplier_item_id,
        recipients="",
        action="set exactly",
        reason=reason,
    )
