"""Wires the parts of one service: a client, its records, and a saver on both."""

import time
from collections.abc import Callable
from contextlib import ExitStack

from item_visibility.api.client import MAX_CONNECTIONS, VisibilityClient, utc_now
from item_visibility.api.observing import Observer
from item_visibility.changes.saving.listing import SetMeaning
from item_visibility.changes.saving.save import Saver
from item_visibility.desk.use_cases import DeskRecords
from item_visibility.records.directory.named_rows import Directory
from item_visibility.records.directory.recents import RecentItems
from item_visibility.records.directory.recipient_sets import RecipientSets
from item_visibility.records.facts import ServiceFacts
from item_visibility.records.fallback import or_else
from item_visibility.records.ground.connecting import Database
from item_visibility.records.history.recorded_saves import History
from item_visibility.records.history.search import HistorySearch
from item_visibility.records.jobs.job_store import Jobs
from item_visibility.records.parked_items import Parks
from item_visibility.records.stored_drafts import Drafts
from item_visibility.settings.values import Environment


def open_client(
    environment: Environment,
    closing: ExitStack,
    *,
    on_call: Observer,
    sleep: Callable[[float], None] = time.sleep,
    max_connections: int = MAX_CONNECTIONS,
) -> VisibilityClient:
    """Return a client with connections of its own, which `closing` closes."""
    credentials = environment.credentials
    client = VisibilityClient(
        environment.base_url,
        environment.auth_url,
        credentials.client_id,
        credentials.client_secret,
        on_call=on_call,
        sleep=sleep,
        max_connections=max_connections,
    )
    closing.callback(client.close)
    return client


def records_of(records: Database, environment: Environment) -> DeskRecords:
    """Return our own records of the environment's service, and of no other."""
    service = environment.service
    return DeskRecords(
        history=History(records, service=service),
        search=HistorySearch(records, service=service),
        directory=Directory(records, service=service),
        drafts=Drafts(records, service=service),
        parks=Parks(records, service=service),
        sets=RecipientSets(records, service=service),
        recents=RecentItems(records, service=service),
        facts=ServiceFacts(records, service=service),
        jobs=Jobs(records, service=service, environment=environment.name),
    )


def saver_on(
    client: VisibilityClient, records: DeskRecords, *, sleep: Callable[[float], None] = time.sleep
) -> Saver:
    """Return a saver that keeps what it learns of the service."""

    def keep_fact(meaning: SetMeaning) -> None:
        fact, _, value = meaning.value.partition(" ")
        or_else(None, lambda: records.facts.observe(fact, value, observed_at=utc_now()))

    return Saver(client, records.history, clock=utc_now, sleep=sleep, on_fact=keep_fact)
