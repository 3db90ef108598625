"""Six people save the same items, each with their own recipients, while one call in
seven fails.
"""

import random
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from item_visibility.access.people import Role
from item_visibility.client.identifiers import ItemKey
from item_visibility.model.change import ChangeRequest, ChangeStep, is_met
from item_visibility.model.outcome import Outcome, SaveResult
from item_visibility.saving.save import Saver
from item_visibility.saving.save_worker import SaveWorker
from item_visibility.storage.history import History
from item_visibility.storage.open_records import open_records
from tests.contract.wiring import at_once, open_client, open_fault_service, utc_now
from tests.support.desk import ended_save
from tests.support.fault_service import EVERY_FAULT, Call, FaultKind, FaultService
from tests.support.thorough import how_many
from tests.support.waiting import HeldItems

PEOPLE = 6
OWN_RECIPIENTS = 8
SAVES = 120
SEEDS = range(how_many(usual=2, thorough=10))
FAILING_SHARE = 0.15
QUICK_FAULTS = [fault for fault in EVERY_FAULT if "hang" not in fault]
ITEMS = tuple(
    ItemKey("4000001000005", f"0401234567890{number}:276") for number in range(3)
)
BYSTANDERS = frozenset(f"bystander-{number}" for number in range(20))
CERTAIN = frozenset({Outcome.DONE, Outcome.IN_PLACE})


@dataclass(slots=True)
class Person:
    """Saves random changes, each twice, and remembers outcomes that were reported as
    certain.
    """

    name: str
    worker: SaveWorker
    chance: random.Random
    base: dict[ItemKey, frozenset[str]] = field(default_factory=dict)
    believed: dict[tuple[ItemKey, str], ChangeStep] = field(default_factory=dict)
    sent: Counter[tuple[ItemKey, str]] = field(default_factory=Counter)
    results: list[SaveResult] = field(default_factory=list)

    def save_times(self, saves: int) -> None:
        for number in range(saves):
            self._save_once(f"{self.name}-{number}")

    def _save_once(self, key: str) -> None:
        item = self.chance.choice(ITEMS)
        own = [f"{self.name}-{number}" for number in range(OWN_RECIPIENTS)]
        touched = self.chance.sample(own, self.chance.randint(1, 4))
        added = frozenset(touched[: self.chance.randint(0, len(touched))])
        request = ChangeRequest(
            key=key,
            item=item,
            base=self.base.get(item, BYSTANDERS),
            add=added,
            remove=frozenset(touched) - added,
            person=self.name,
            role=Role.EDITOR,
        )
        self.worker.submit(request)
        self.worker.submit(request)
        status = ended_save(self.worker, key)
        assert status.result is not None
        self._learn(item, status.result)

    def _learn(self, item: ItemKey, result: SaveResult) -> None:
        self.results.append(result)
        if result.after is not None:
            self.base[item] = result.after
        for step in result.steps:
            key = (item, step.step.recipient_id)
            self.sent[key] += step.outcome is not Outcome.IN_PLACE
            self.believed.pop(key, None)
            if step.outcome in CERTAIN:
                self.believed[key] = step.step


def save_together(new_saver: Callable[[], Saver], seed: int) -> list[Person]:
    """Let all people save at the same time.

    Each has their own save worker, as in their own process.
    """
    people = [
        Person(
            f"person-{number}",
            SaveWorker(new_saver(), HeldItems().hold, clock=utc_now),
            random.Random(f"{seed}-{number}"),  # noqa: S311  (repeatable on purpose)
        )
        for number in range(PEOPLE)
    ]
    with ThreadPoolExecutor(PEOPLE) as pool:
        futures = [pool.submit(person.save_times, SAVES // PEOPLE) for person in people]
        for future in futures:
            future.result()
    for person in people:
        person.worker.close()
    return people


def lost(
    people: list[Person], truth: dict[ItemKey, frozenset[str]]
) -> list[tuple[ItemKey, ChangeStep]]:
    steps = []
    for person in people:
        steps += [
            (item, step)
            for (item, _), step in person.believed.items()
            if not is_met(step, truth[item])
        ]
    return steps


def collateral(truth: dict[ItemKey, frozenset[str]]) -> dict[ItemKey, frozenset[str]]:
    """Return recipients that disappeared although nobody removed them."""
    return {
        item: BYSTANDERS - recipients
        for item, recipients in truth.items()
        if BYSTANDERS - recipients
    }


def doubled(
    people: list[Person], accepted: Counter[tuple[ItemKey, str]]
) -> dict[tuple[ItemKey, str], int]:
    sent: Counter[tuple[ItemKey, str]] = Counter()
    for person in people:
        sent += person.sent
    return {key: count for key, count in accepted.items() if count > sent[key]}


def accepted_by(service: FaultService) -> Counter[tuple[ItemKey, str]]:
    """Count the calls for one recipient that the service answered with success, by item
    and recipient.
    """
    return Counter(
        (logged.item, logged.recipient_id)
        for logged in service.log
        if logged.fault in (None, FaultKind.BODY_204)
        and logged.recipient_id is not None
    )


@pytest.mark.contract
@pytest.mark.parametrize("seed", SEEDS)
def test_concurrent_saves_neither_lose_nor_repeat_changes(
    seed: int, tmp_path: Path
) -> None:
    # Let one call in seven fail.
    chance = random.Random(seed)  # noqa: S311  (repeatable on purpose)
    records = open_records(f"sqlite:///{tmp_path}/records.sqlite")
    history = History(records, service="default")

    def fail_some(_call: Call) -> FaultKind | None:
        return chance.choice(QUICK_FAULTS) if chance.random() < FAILING_SHARE else None

    with open_fault_service() as service:
        for item in ITEMS:
            service.fake.put(item, BYSTANDERS)
        service.choose_fault = fail_some
        with open_client(
            service.base_url, service.auth_url, read_timeout_s=60
        ) as client:
            people = save_together(
                lambda: Saver(client, history, clock=utc_now, sleep=at_once), seed
            )
        truth = {item: service.fake.recipients_of(item) for item in ITEMS}
        accepted = accepted_by(service)
    still_open = history.open_saves()
    records.close()

    assert lost(people, truth) == []
    assert collateral(truth) == {}
    assert doubled(people, accepted) == {}
    assert still_open == ()
