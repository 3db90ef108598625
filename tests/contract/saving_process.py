"""Processes that save until they are killed: `python -m tests.contract.saving_process`.

This one reads lines "BASE_URL AUTH_URL DATABASE_URL SEED". For each it forks a process that saves, undoes
that and saves again, answers with its id once the first save is over, and again with how it ended.
"""

import random
import time
from dataclasses import replace

from item_visibility import ItemKey, VisibilityClient
from item_visibility.access.access import Role
from item_visibility.saving.history_entry import HistoryEntry
from item_visibility.saving.request import ChangeRequest
from item_visibility.saving.save import Saver
from item_visibility.storage.database import open_records
from item_visibility.storage.history.saves import History
from item_visibility.storage.history.search import HistorySearch
from item_visibility.storage.seen_lists import ReadItem
from item_visibility.use_cases.history import undo_request
from tests.contract.wiring import utc_now
from tests.support.fault_service import CLIENT_ID, CLIENT_SECRET
from tests.support.nursery import fork_for_each_line, tell_that_it_works

ITEM = ItemKey("4000001000005", "04012345678901:276")
OTHERS = frozenset(f"other-{number}" for number in range(20))
OWN = tuple(f"own-{number}" for number in range(6))
MOST_SAVES = 300


def undo(
    saver: Saver, search: HistorySearch, entry: HistoryEntry | None, current: frozenset[str] | None
) -> None:
    """Undo the save, as the page does."""
    assert entry is not None
    now = utc_now()
    reading = ReadItem(item=ITEM, recipients=current, asked_at=now, read_at=now)
    request = undo_request(search, entry, reading).request
    saver.save(replace(request, person="ada", role=Role.EDITOR))


def save_and_save(base_url: str, auth_url: str, database_url: str, seed: str) -> None:
    """Save random changes of the own recipients and undo each, and tell when the first save is over."""
    chance = random.Random(seed)  # noqa: S311  (repeatable on purpose)
    records = open_records(database_url)
    history, search = History(records, service=seed), HistorySearch(records, service=seed)
    with VisibilityClient(base_url, auth_url, CLIENT_ID, CLIENT_SECRET) as client:
        saver = Saver(client, history, clock=utc_now, sleep=time.sleep)
        current = client.get_visibilities(ITEM)
        for number in range(MOST_SAVES):
            add = frozenset(OWN) if number == 0 else frozenset(chance.sample(OWN, chance.randint(0, 6)))
            request = ChangeRequest(
                key=f"{seed}-{number}",
                item=ITEM,
                base=current,
                add=add,
                remove=frozenset(OWN) - add,
                person="ada",
                role=Role.EDITOR,
            )
            saver.save(request)
            if number > 0:
                undo(saver, search, history.entry(request.key), client.get_visibilities(ITEM))
            current = client.get_visibilities(ITEM)
            if number == 0:
                tell_that_it_works()


if __name__ == "__main__":
    fork_for_each_line(save_and_save)
