"""Processes that stage, save, undo and withdraw until they are killed.

`python -m tests.contract.remembering_process` reads lines "BASE_URL AUTH_URL FOLDER DATABASE_URL SEED".
For each it forks a process that works, answers with its id once the first save is over, and again with
how it ended.
"""

import random
from pathlib import Path

from item_visibility.api.identifiers import ItemKey
from item_visibility.api.token.renewal import ClientCredentials
from item_visibility.changes.draft import Draft
from item_visibility.changes.request import SaveRequest
from item_visibility.desk.history.undo_saves import undo_of
from item_visibility.desk.use_cases import Desk
from item_visibility.settings.values import Environment, Settings
from item_visibility.wiring.open_desk import open_desk
from tests.support.desk import saved_on
from tests.support.fault_service import CLIENT_ID, CLIENT_SECRET
from tests.support.nursery import fork_for_each_line, tell_that_it_works

ITEM = ItemKey("4000001000005", "04012345678901:276")
EVERYBODY = tuple(f"recipient-{number}" for number in range(6))
MOST_SAVES = 60
KINDS = ("edit", "undo", "withdraw")


def settings_for(base_url: str, auth_url: str, folder: str, database_url: str) -> Settings:
    """One environment on the service of the test."""
    environment = Environment(
        name="default",
        base_url=base_url,
        auth_url=auth_url,
        credentials=ClientCredentials(CLIENT_ID, CLIENT_SECRET),
    )
    return Settings(environments=(environment,), database_url=database_url, data_folder=Path(folder))


def request_of(draft: Draft, *, key: str, person: str) -> SaveRequest:
    """The save of all that is staged, with its count typed."""
    return draft.request(key=key, person=person, owner=person)


def opened(desk: Desk) -> Draft:
    """The draft of the item as a new window has it."""
    reading = desk.read(ITEM)
    resumed = desk.drafts.resume(
        ITEM, reading.recipients, owner=desk.doorkeeper.person().name, read_at=reading.read_at
    )
    return resumed.draft if resumed else Draft(ITEM, reading.recipients, reading.read_at)


def staged(desk: Desk, draft: Draft, kind: str, chance: random.Random) -> Draft:
    """The draft with something to save, of this kind where there is anything of it."""
    latest = desk.latest_save(ITEM)
    if kind == "undo" and latest is not None:
        return undo_of(desk.records.search, draft, latest).draft
    if kind == "withdraw" and draft.recipients:
        return draft.with_wanted(dict.fromkeys(draft.recipients, False))
    return draft.with_wanted({one: chance.random() < 0.5 for one in EVERYBODY})


def work_and_work(base_url: str, auth_url: str, folder: str, database_url: str, seed: str) -> None:
    """Stage and save, and tell when the first save is over."""
    chance = random.Random(seed)  # noqa: S311  (repeatable on purpose)
    desk = open_desk(settings_for(base_url, auth_url, folder, database_url))
    for number in range(MOST_SAVES):
        before = opened(desk)
        kind = "edit" if number == 0 else chance.choice(KINDS)
        after = staged(desk, before, kind, chance)
        desk.drafts.keep(before, after, owner=desk.doorkeeper.person().name)
        if not after.is_empty:
            saved_on(desk, request_of(after, key=f"{seed}-{number}", person=desk.doorkeeper.person().name))
        if number == 0:
            tell_that_it_works()


if __name__ == "__main__":
    fork_for_each_line(work_and_work)
