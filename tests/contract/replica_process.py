"""Processes that make one save until they are killed: `python -m tests.contract.replica_process`.

This one reads lines "BASE_URL AUTH_URL FOLDER DATABASE_URL COUNT". For each it forks a process that opens a
desk, begins a save of that many additions and answers with its id, and again with how it ended.
"""

from item_visibility.bootstrap.open_desk import open_desk
from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.request import ChangeRequest
from tests.contract.remembering_process import settings_for
from tests.support.nursery import fork_for_each_line, tell_that_it_works

ITEM = ItemKey("4000001000005", "04012345678901:276")
BEFORE = frozenset({"before"})
KEY = "of the other process"


def additions(count: int) -> frozenset[str]:
    """The recipients that the process adds."""
    return frozenset(f"r{number:04}" for number in range(count))


def begin_a_save(base_url: str, auth_url: str, folder: str, database_url: str, count: str) -> None:
    """Begin a save, and tell."""
    desk = open_desk(settings_for(base_url, auth_url, folder, database_url))
    add = additions(int(count))
    desk.save(
        ChangeRequest(
            key=KEY,
            item=ITEM,
            base=BEFORE,
            add=add,
            remove=frozenset(),
            person="ada",
            confirmed_count=len(add),
        )
    )
    tell_that_it_works()


if __name__ == "__main__":
    fork_for_each_line(begin_a_save)
