"""Checks the saves of two replicas, while one of them is killed every 20 seconds.

`python -m benchmarks.replicas` starts PostgreSQL, the bundled service and two replicas,
which share the database. In each replica, three people save changes of the same ten
items. Most saves change a few recipients, some change 1,000. A killed replica is
replaced. The last line has four numbers, which must all be 0: lost changes, changes
that were recorded twice, recipients that changed without a request, and saves wrongly
called verified. `python -m benchmarks.replicas 100 5` makes 100 saves and kills a
replica every 5 seconds.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path

from item_visibility.bootstrap.open_desk import open_desk
from item_visibility.client.identifiers import ItemKey
from item_visibility.model.change import ChangeRequest, Goal
from item_visibility.model.outcome import HistoryEntry, Outcome, SaveResult, Verdict
from item_visibility.settings import read_settings
from item_visibility.storage.history import HistoryFilter
from item_visibility.use_cases.desk import Desk
from item_visibility_service.server import EmbeddedService
from item_visibility_service.store import Item
from tests.support.bundled_service import run_bundled, sqlite_url
from tests.support.dashboard import DATABASE, variables_for
from tests.support.desk import saved_on, wait_until
from tests.support.postgres import run_postgres

SAVES = 1_000
KILL_EVERY_S = 20.0
SUPPLIER = "4000001000005"
ITEMS = 10
PEOPLE = 3
OWN = 12
MANY = 1_000
ONE_IN = 25
"""The first person of each replica changes MANY recipients in one of 25 saves."""
CERTAIN = (Outcome.DONE, Outcome.IN_PLACE)


@dataclass(frozen=True, slots=True)
class Report:
    """What a replica reports about a save.

    `is_so` is True if a read right afterwards showed the changes.
    """

    key: str
    verdict: str
    message: str
    is_so: bool


def main(saves: int = SAVES, kill_every_s: float = KILL_EVERY_S) -> None:
    with ExitStack() as stack:
        # Start everything.
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        server = stack.enter_context(run_postgres())
        assert server is not None, "there is no PostgreSQL on this machine"
        service = stack.enter_context(run_bundled(sqlite_url(Path(folder))))
        os.environ.update(variables_for(service) | {DATABASE: server.create_database()})
        before = fill(service)
        reports: list[Report] = []
        replicas = [start(folder, f"person{number}", reports) for number in range(2)]

        # Kill the replicas in turn until there are enough saves.
        kills = 0
        while len(reports) < saves:
            time.sleep(kill_every_s)
            replicas[kills % 2].kill()
            replicas[kills % 2] = start(folder, f"person{kills + 2}", reports)
            kills += 1
        for replica in replicas:
            replica.communicate()

        # Wait until the saves that a kill interrupted are settled.
        desk = stack.enter_context(closing(opened(folder)))
        wait_until(lambda: not desk.records.history.open_saves())
        entries = [*desk.records.history.all(HistoryFilter())][::-1]

        others = [report for report in reports if report.verdict != Verdict.VERIFIED]
        print(
            f"{len(reports)} saves, {len(others)} of them not verified; "
            f"{kills} kills; {len(entries)} history entries",
            *others,
            sep="\n",
        )
        faults = {
            "lost": lost(service, entries),
            "doubled": doubled(entries),
            "collateral": collateral(service, before),
            "false verified": [
                report
                for report in reports
                if report.verdict == Verdict.VERIFIED and not report.is_so
            ],
        }
        print(", ".join(f"{len(cases)} {name}" for name, cases in faults.items()))
        assert not any(faults.values()), faults


def start(folder: str, name: str, reports: list[Report]) -> "subprocess.Popen[str]":
    """Start a replica, and collect its reports."""
    command = [sys.executable, "-m", "benchmarks.replicas", "replica", folder, name]
    process = subprocess.Popen(  # noqa: S603  (this file)
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    output = process.stdout
    assert output is not None

    def collect() -> None:
        # A kill can cut the last line.
        whole_lines = (line for line in output if line.endswith("\n"))
        reports.extend(Report(**json.loads(line)) for line in whole_lines)

    threading.Thread(target=collect, daemon=True).start()
    return process


def be_replica(folder: str, name: str) -> None:
    is_over = threading.Event()
    with closing(opened(folder)) as desk, ThreadPoolExecutor(PEOPLE) as pool:
        people = [
            pool.submit(save_until, is_over, desk, f"{name}-{number}")
            for number in range(PEOPLE)
        ]
        sys.stdin.read()
        is_over.set()
        for person in people:
            person.result()


def opened(folder: str) -> Desk:
    return open_desk(read_settings(os.environ, data_folder=Path(folder)))


def save_until(is_over: threading.Event, desk: Desk, person: str) -> None:
    """Make one save after the other.

    Each person has their own recipients, which no other person changes.
    """
    chance = random.Random(person)  # noqa: S311  (repeatable on purpose)
    number = 0
    while not is_over.is_set():
        item = ItemKey(SUPPLIER, f"item-{chance.randrange(ITEMS)}")
        key = f"{person}-{number}"
        empty = ChangeRequest(key, item, None, frozenset(), frozenset(), person=person)
        request = request_of(desk, person, chance, empty)
        result = save(desk, request)

        present = desk.read(item).recipients or frozenset()
        is_so = request.add <= present and present.isdisjoint(request.remove)
        report = Report(request.key, result.verdict, result.message, is_so)
        print(f"{json.dumps(asdict(report))}\n", end="", flush=True)
        number += 1


def request_of(
    desk: Desk, person: str, chance: random.Random, empty: ChangeRequest
) -> ChangeRequest:
    if person.endswith("-0") and chance.randrange(ONE_IN) == 0:
        # Add all of many recipients, or remove them if they are there.
        names = [f"{person}-many-{number:04}" for number in range(MANY)]
        present = desk.read(empty.item).recipients or frozenset()
        added = frozenset(names) if present.isdisjoint(names) else frozenset[str]()
    else:
        numbers = chance.sample(range(OWN), chance.randint(1, 4))
        names = [f"{person}-{number}" for number in numbers]
        added = frozenset(names[: chance.randint(0, len(names))])
    return replace(
        empty, add=added, remove=frozenset(names) - added, confirmed_count=len(names)
    )


def save(desk: Desk, request: ChangeRequest) -> SaveResult:
    """Save, and confirm the number of removals.

    An interrupted save may have made some of them already. Then save again, and confirm
    the number that is left.
    """
    result = saved_on(desk, request).result
    assert result is not None
    if result.verdict is Verdict.NOTHING_SENT and not result.steps and result.before:
        removed = len(result.before & request.remove)
        result = saved_on(desk, replace(request, confirmed_count=removed)).result
        assert result is not None
    return result


def fill(service: EmbeddedService) -> dict[str, frozenset[str]]:
    """Give each item up to a thousand recipients that nobody changes."""
    lists = {
        f"item-{number}": frozenset(
            f"bystander-{name:04}" for name in range(100 * (number + 1))
        )
        for number in range(ITEMS)
    }
    for item, names in lists.items():
        service.service.store.replace(Item(SUPPLIER, item), names)
    return lists


def recipients(service: EmbeddedService, item: str) -> frozenset[str]:
    return frozenset(service.service.store.recipients(Item(SUPPLIER, item)))


def lost(
    service: EmbeddedService, entries: list[HistoryEntry]
) -> list[tuple[str, str]]:
    """Return where the service differs from the last known outcome."""
    last_steps = {}
    for entry in entries:
        item = entry.request.item.supplier_item_id
        for step in entry.steps:
            last_steps[item, step.step.recipient_id] = step

    present = {item: recipients(service, item) for item, _ in last_steps}
    cases = []
    for (item, name), step in last_steps.items():
        is_visible = name in present[item]
        is_wanted = step.step.goal is Goal.VISIBLE
        if step.outcome in CERTAIN and is_visible is not is_wanted:
            cases.append((item, name))
    return cases


def doubled(entries: list[HistoryEntry]) -> list[tuple[str, str]]:
    """Return where two saves in a row report the same change."""
    steps: defaultdict[tuple[str, str], list[tuple[Goal, Outcome]]] = defaultdict(list)
    for entry in entries:
        item = entry.request.item.supplier_item_id
        for step in entry.steps:
            if step.outcome is not Outcome.IN_PLACE:
                key = (item, step.step.recipient_id)
                steps[key].append((step.step.goal, step.outcome))

    cases = []
    for key, steps_of_one in steps.items():
        for earlier, later in pairwise(steps_of_one):
            if earlier == later and later[1] is Outcome.DONE:
                cases.append(key)
    return cases


def collateral(
    service: EmbeddedService, before: dict[str, frozenset[str]]
) -> list[tuple[str, str]]:
    """Return the recipients that disappeared or appeared without a change."""
    cases = []
    for item, bystanders in before.items():
        present = {
            name for name in recipients(service, item) if not name.startswith("person")
        }
        cases += [(item, name) for name in bystanders ^ present]
    return cases


if __name__ == "__main__":
    if sys.argv[1:2] == ["replica"]:
        be_replica(*sys.argv[2:])
    else:
        main(*map(int, sys.argv[1:2]), *map(float, sys.argv[2:3]))
