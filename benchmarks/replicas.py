"""Do two replicas on one PostgreSQL keep every promise while one is killed every 20 seconds?

`python -m benchmarks.replicas` starts a PostgreSQL, the bundled service and two processes with a desk each.
Six people save on the same ten items, of up to 3,000 recipients, singly and now and then 1,000 at once. A
person whose replica dies goes on with the other one. It prints what was lost, doubled, harmed or called
verified though it is not so: all must be 0. `python -m benchmarks.replicas 100 5` makes 100 saves, and kills
every 5 seconds.
"""

import random
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from benchmarks.replica_process import PEOPLE, SUPPLIER, Replica, opened
from item_visibility.saving.history_entry import HistoryEntry
from item_visibility.saving.outcome import Outcome, Verdict
from item_visibility.saving.plan import Goal
from item_visibility.use_cases.desk import Desk
from item_visibility_service.server import EmbeddedService
from item_visibility_service.store import Item
from tests.support.bundled_service import run_bundled, sqlite_url
from tests.support.postgres import run_postgres

SAVES, KILL_EVERY_S = 1_000, 20.0
ITEMS, OWN, MANY = 10, 12, 1_000
ONE_IN = 25
"""How often a person who may saves MANY changes at once."""
SETTLED_WITHIN_S = 120
CERTAIN = (Outcome.DONE, Outcome.IN_PLACE)


def main(saves: int = SAVES, kill_every_s: float = KILL_EVERY_S) -> None:
    """Let them save, and print how it ended."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = stack.enter_context(run_postgres())
        assert server is not None, "there is no PostgreSQL on this machine"
        service = stack.enter_context(run_bundled(sqlite_url(folder)))
        line = [service.base_url, service.auth_url, str(folder), server.create_database()]
        before = fill(service)
        replicas = [Replica(line) for _ in range(2)]
        stack.callback(lambda: [replica.close() for replica in replicas])
        started_s = time.monotonic()
        with killing(replicas, line, kill_every_s) as kills:
            people = save_all(service, replicas, saves)
        took_s = time.monotonic() - started_s
        desk = stack.enter_context(closing(opened(line)))
        entries = settled_entries(desk, people)
        told = sum(person.verdicts.total() for person in people)
        verified = sum(person.verdicts[Verdict.VERIFIED] for person in people)
        print(
            f"{told} saves told, {verified} of them verified; {len(kills)} kills in {took_s:.0f} s;", end=" "
        )
        print(f"{sum(person.untold for person in people)} broken off by one, {len(entries)} in the history")
        for word in [word for person in people for word in person.other_words]:
            print(word)
        faults = {
            "lost": lost(service, entries),
            "doubled": doubled(entries),
            "collateral": collateral(service, before),
            "false verified": [fault for person in people for fault in person.false],
        }
        print(", ".join(f"{len(found)} {name}" for name, found in faults.items()))
        assert not any(faults.values()), faults


@dataclass(slots=True)
class Person:
    """Saves recipients of their own on any item, one save after the other; nobody else touches them."""

    name: str
    replicas: list[Replica]
    home: int
    service: EmbeddedService
    chance: random.Random
    may_save_many: bool
    keys: list[str] = field(default_factory=list)
    verdicts: Counter[str] = field(default_factory=Counter)
    untold: int = 0
    false: list[str] = field(default_factory=list)
    other_words: list[str] = field(default_factory=list)

    def save_times(self, saves: int) -> None:
        """Save this often; when a replica dies, go to the other one."""
        for number in range(saves):
            item = f"item-{self.chance.randrange(ITEMS)}"
            add, remove = self._choose(item)
            key = f"{self.name}-{number}"
            self.keys.append(key)
            facts = {"key": key, "item": item, "add": sorted(add), "remove": sorted(remove)}
            told = self.replicas[self.home].save(facts)
            if told is None:
                self.untold += 1
                self.home = 1 - self.home
                continue
            self.verdicts[told.verdict] += 1
            there = recipients(self.service, item)
            is_so = add <= there and there.isdisjoint(remove)
            if told.verdict != Verdict.VERIFIED:
                self.other_words.append(f"{key} of {item}, {is_so=}: {told.verdict}: {told.message}")
            elif not is_so:
                self.false.append(key)

    def _choose(self, item: str) -> tuple[frozenset[str], frozenset[str]]:
        if self.may_save_many and self.chance.randrange(ONE_IN) == 0:
            many = frozenset(f"{self.name}-many-{number:04}" for number in range(MANY))
            is_there = not many.isdisjoint(recipients(self.service, item))
            return (frozenset(), many) if is_there else (many, frozenset())
        touched = self.chance.sample(range(OWN), self.chance.randint(1, 4))
        names = [f"{self.name}-{number}" for number in touched]
        added = frozenset(names[: self.chance.randint(0, len(names))])
        return added, frozenset(names) - added


def save_all(service: EmbeddedService, replicas: list[Replica], saves: int) -> list[Person]:
    """Let six people save at once, three at each replica."""
    people = [
        Person(
            f"person{number}",
            replicas,
            number % 2,
            service,
            random.Random(number),  # noqa: S311  (repeatable on purpose)
            may_save_many=number < len(replicas),
        )
        for number in range(PEOPLE)
    ]
    with ThreadPoolExecutor(PEOPLE) as pool:
        for done in [pool.submit(person.save_times, -(-saves // PEOPLE)) for person in people]:
            done.result()
    return people


@contextmanager
def killing(replicas: list[Replica], line: list[str], every_s: float) -> Iterator[list[int]]:
    """Kill one replica after the other in this block, and start a new one in its place. Yields which."""
    kills: list[int] = []
    is_over = threading.Event()

    def kill_them() -> None:
        begun_s = time.monotonic()
        while not is_over.wait(begun_s + every_s * (len(kills) + 1) - time.monotonic()):
            victim = len(kills) % len(replicas)
            replicas[victim].kill()
            kills.append(victim)
            replicas[victim] = Replica(line)

    thread = threading.Thread(target=kill_them)
    thread.start()
    try:
        yield kills
    finally:
        is_over.set()
        thread.join()


def fill(service: EmbeddedService) -> dict[str, frozenset[str]]:
    """Give the items lists of up to a thousand recipients, whom nobody touches."""
    lists = {
        f"item-{number}": frozenset(f"bystander-{name:04}" for name in range(100 * (number + 1)))
        for number in range(ITEMS)
    }
    for item, names in lists.items():
        service.service.store.replace(Item(SUPPLIER, item), names)
    return lists


def recipients(service: EmbeddedService, item: str) -> frozenset[str]:
    """Return the recipients that can see the item in truth."""
    return frozenset(service.service.store.recipients(Item(SUPPLIER, item)))


def settled_entries(desk: Desk, people: list[Person]) -> list[HistoryEntry]:
    """Every save in the history, oldest first, once none is open any more."""
    ends_at_s = time.monotonic() + SETTLED_WITHIN_S
    while desk.records.history.unsettled():
        assert time.monotonic() < ends_at_s, "a save stays open"
        time.sleep(0.5)
    found = (desk.records.history.entry(key) for person in people for key in person.keys)
    return sorted(filter(None, found), key=lambda entry: entry.started_at)


def lost(service: EmbeddedService, entries: list[HistoryEntry]) -> list[tuple[str, str]]:
    """Return the items and recipients whose last certain entry in the history is not so."""
    last = {
        (entry.request.item.supplier_item_id, step.step.recipient_id): step
        for entry in entries
        for step in entry.steps
    }
    return [
        (item, name)
        for (item, name), step in last.items()
        if step.outcome in CERTAIN
        and (name in recipients(service, item)) is not (step.step.goal is Goal.VISIBLE)
    ]


def doubled(entries: list[HistoryEntry]) -> list[tuple[str, str]]:
    """Return the recipients that two saves in a row added, or removed: two claim one change."""
    claims: defaultdict[tuple[str, str], list[tuple[Goal, Outcome]]] = defaultdict(list)
    for entry in entries:
        for step in entry.steps:
            where = (entry.request.item.supplier_item_id, step.step.recipient_id)
            claims[where].append((step.step.goal, step.outcome))
    return [
        where
        for where, made in claims.items()
        for earlier, later in pairwise(one for one in made if one[1] is not Outcome.IN_PLACE)
        if earlier == later == (earlier[0], Outcome.DONE)
    ]


def collateral(service: EmbeddedService, before: dict[str, frozenset[str]]) -> list[tuple[str, str]]:
    """Return the recipients gone though nobody removed them, or there though nobody added them."""
    return [
        (item, name)
        for item, bystanders in before.items()
        for name in bystanders.symmetric_difference(
            name for name in recipients(service, item) if not name.startswith("person")
        )
    ]


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]), *map(float, sys.argv[2:3]))
