"""Six people who change the same items at once, each their own recipients, and how it ended."""

import random
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from item_visibility.access.access import Role
from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.outcome import Outcome, SaveResult
from item_visibility.saving.plan import ChangeStep, is_met
from item_visibility.saving.request import ChangeRequest
from item_visibility.saving.save import Saver
from item_visibility.saving.save_worker import SaveWorker
from tests.contract.wiring import utc_now
from tests.support.desk import ended_save
from tests.support.held_items import HeldItems

PEOPLE = 6
OWN_RECIPIENTS = 8
ITEMS = tuple(ItemKey("4000001000005", f"0401234567890{number}:276") for number in range(3))
BYSTANDERS = frozenset(f"bystander-{number}" for number in range(20))
CERTAIN = frozenset({Outcome.DONE, Outcome.IN_PLACE})


@dataclass(slots=True)
class Person:
    """Saves what they like, twice each time, and believes only what is said for certain."""

    name: str
    worker: SaveWorker
    chance: random.Random
    base: dict[ItemKey, frozenset[str]] = field(default_factory=dict)
    believed: dict[tuple[ItemKey, str], ChangeStep] = field(default_factory=dict)
    sent: Counter[tuple[ItemKey, str]] = field(default_factory=Counter)
    results: list[SaveResult] = field(default_factory=list)

    def save_times(self, saves: int) -> None:
        """Save this many times, one after the other."""
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
            where = (item, step.step.recipient_id)
            self.sent[where] += step.outcome is not Outcome.IN_PLACE
            self.believed.pop(where, None)
            if step.outcome in CERTAIN:
                self.believed[where] = step.step


def save_together(new_saver: Callable[[], Saver], *, seed: int, saves: int) -> list[Person]:
    """Let everybody save at once, each from a process of their own as far as saving goes."""
    people = [
        Person(
            f"person-{number}",
            SaveWorker(new_saver(), HeldItems().hold, clock=utc_now),
            random.Random(f"{seed}-{number}"),  # noqa: S311  (repeatable on purpose)
        )
        for number in range(PEOPLE)
    ]
    with ThreadPoolExecutor(PEOPLE) as pool:
        for done in [pool.submit(person.save_times, saves // PEOPLE + 1) for person in people]:
            done.result()
    for person in people:
        person.worker.close()
    return people


def lost(people: list[Person], truth: dict[ItemKey, frozenset[str]]) -> list[tuple[ItemKey, ChangeStep]]:
    """Steps that somebody was told for certain, and that are not so."""
    return [
        (item, step)
        for person in people
        for (item, _), step in person.believed.items()
        if not is_met(step, truth[item])
    ]


def collateral(truth: dict[ItemKey, frozenset[str]]) -> dict[ItemKey, frozenset[str]]:
    """Recipients taken away although nobody asked for it."""
    return {item: BYSTANDERS - recipients for item, recipients in truth.items() if BYSTANDERS - recipients}


def doubled(people: list[Person], accepted: Counter[tuple[ItemKey, str]]) -> dict[tuple[ItemKey, str], int]:
    sent = sum((person.sent for person in people), Counter[tuple[ItemKey, str]]())
    return {where: count for where, count in accepted.items() if count > sent[where]}
