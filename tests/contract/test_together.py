"""Six people on the same items, while one call in seven fails: nothing lost, doubled or harmed."""

import random
from collections import Counter
from pathlib import Path

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.save import Saver
from item_visibility.storage.database import open_records
from item_visibility.storage.saves import History
from tests.contract.people import BYSTANDERS, ITEMS, collateral, doubled, lost, save_together
from tests.contract.wiring import at_once, open_client, open_fault_service, utc_now
from tests.saving.saving import MemoryHistory
from tests.support.fake_visibilities import FakeCall, FakeVisibilities, Fault, refused, unknown_outcome
from tests.support.fault_service import EVERY_FAULT, Call, FaultKind, FaultService
from tests.support.thorough import how_many

SEEDS = range(how_many(usual=2, thorough=10))
FAILING_SHARE = 0.15
SAVES_ON_THE_FAKE = 1_000
SAVES_OVER_HTTP = 60
QUICK_FAULTS = [fault for fault in EVERY_FAULT if "hang" not in fault]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_thousand_saves_lose_double_and_harm_nothing(seed: int) -> None:
    fake = FakeVisibilities(dict.fromkeys(ITEMS, BYSTANDERS))
    chance = random.Random(seed)  # noqa: S311  (repeatable on purpose)
    accepted: Counter[tuple[ItemKey, str]] = Counter()

    def fail_some(call: FakeCall) -> None:
        if chance.random() < FAILING_SHARE:
            is_applied = chance.random() < 0.5
            error = (
                unknown_outcome(call.operation)
                if is_applied
                else chance.choice([unknown_outcome(call.operation), refused(call.operation)])
            )
            fake.faults.append(Fault(call.operation, error, is_applied=is_applied))
        elif call.recipient_id is not None:
            accepted[call.item, call.recipient_id] += 1

    fake.before_call = fail_some
    people = save_together(
        lambda: Saver(fake, MemoryHistory(), clock=utc_now, sleep=at_once),
        seed=seed,
        saves=SAVES_ON_THE_FAKE,
    )
    truth = {item: fake.recipients_of(item) for item in ITEMS}
    assert sum(len(person.results) for person in people) >= SAVES_ON_THE_FAKE
    assert lost(people, truth) == []
    assert collateral(truth) == {}
    assert doubled(people, accepted) == {}


@pytest.mark.contract
@pytest.mark.parametrize("seed", SEEDS)
def test_saves_over_http_lose_double_and_harm_nothing(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)  # noqa: S311  (repeatable on purpose)
    records = open_records(f"sqlite:///{tmp_path}/records.sqlite")
    history = History(records, service="default")

    def fail_some(_call: Call) -> FaultKind | None:
        return chance.choice(QUICK_FAULTS) if chance.random() < FAILING_SHARE else None

    with open_fault_service() as service:
        for item in ITEMS:
            service.fill(item.supplier, item.supplier_item_id, BYSTANDERS)
        service.choose_fault = fail_some
        with open_client(service.base_url, service.auth_url, read_timeout_s=60) as client:
            people = save_together(
                lambda: Saver(client, history, clock=utc_now, sleep=at_once), seed=seed, saves=SAVES_OVER_HTTP
            )
        truth = {item: service.recipients_of(item.supplier, item.supplier_item_id) for item in ITEMS}
        accepted = _accepted(service)
    still_open = history.unsettled()
    records.close()
    assert lost(people, truth) == []
    assert collateral(truth) == {}
    assert doubled(people, accepted) == {}
    assert still_open == ()


def _accepted(service: FaultService) -> Counter[tuple[ItemKey, str]]:
    """The single writes that the service answered well, by item and recipient."""
    return Counter(
        (ItemKey(logged.call.supplier, logged.call.supplier_item_id), logged.call.recipient_id)
        for logged in service.log
        if logged.fault in (None, FaultKind.BODY_204) and logged.call.recipient_id is not None
    )
