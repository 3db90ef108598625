"""Processes that save, undo and remove all until they are killed.

`python -m tests.contract.remembering_process` reads lines "BASE_URL AUTH_URL FOLDER DATABASE_URL SEED".
For each it forks a process that works, answers with its id once the first save is over, and again with
how it ended.
"""

import random
from dataclasses import replace
from pathlib import Path

from item_visibility.bootstrap.open_desk import open_desk
from item_visibility.client.identifiers import ItemKey
from item_visibility.client.token import ClientCredentials
from item_visibility.saving.request import ChangeRequest, Operation
from item_visibility.settings.settings import Environment, Settings
from item_visibility.use_cases.desk import Desk
from tests.support.desk import saved_on
from tests.support.fault_service import CLIENT_ID, CLIENT_SECRET
from tests.support.nursery import fork_for_each_line, tell_that_it_works

ITEM = ItemKey("4000001000005", "04012345678901:276")
EVERYBODY = tuple(f"recipient-{number}" for number in range(6))
MOST_SAVES = 60
KINDS = ("edit", "undo", "remove all")
HALF = 0.5


def settings_for(base_url: str, auth_url: str, folder: str, database_url: str) -> Settings:
    """One environment on the service of the test."""
    environment = Environment(
        name="default",
        base_url=base_url,
        auth_url=auth_url,
        credentials=ClientCredentials(CLIENT_ID, CLIENT_SECRET),
    )
    return Settings(environments=(environment,), database_url=database_url, data_folder=Path(folder))


def request_of(desk: Desk, kind: str, chance: random.Random, *, key: str) -> ChangeRequest:
    """A request of this kind against the list as it is now, with its number typed."""
    reading, latest = desk.read(ITEM), desk.records.history.latest(ITEM)
    base = reading.recipients or frozenset()
    add = frozenset(one for one in EVERYBODY if chance.random() < HALF) - base
    remove = frozenset(one for one in EVERYBODY if chance.random() < HALF) & base
    request = ChangeRequest(key, ITEM, base, add, remove, person="")
    if kind == "undo" and latest is not None:
        request = desk.undo(latest.request.key, reading).request
    if kind == "remove all" and base:
        request = replace(request, add=frozenset(), remove=base, operation=Operation.REMOVE_ALL)
    return replace(request, confirmed_count=len(request.remove))


def work_and_work(base_url: str, auth_url: str, folder: str, database_url: str, seed: str) -> None:
    """Save and undo, and tell when the first save is over."""
    chance = random.Random(seed)  # noqa: S311  (repeatable on purpose)
    desk = open_desk(settings_for(base_url, auth_url, folder, database_url))
    for number in range(MOST_SAVES):
        kind = "edit" if number == 0 else chance.choice(KINDS)
        request = request_of(desk, kind, chance, key=f"{seed}-{number}")
        if not request.is_empty:
            saved_on(desk, request)
        if number == 0:
            tell_that_it_works()


if __name__ == "__main__":
    fork_for_each_line(work_and_work)
