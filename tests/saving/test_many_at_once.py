"""Saves of many changes: single calls, eight at a time, and nothing of others is lost."""

import random
import threading
from collections.abc import Callable

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.client.transport import ClosedError
from item_visibility.saving.outcome import Verdict
from item_visibility.saving.writing import CALLS_AT_ONCE
from tests.saving.saving import ITEM, OTHER_ITEM, Bench, ask
from tests.support.fake_visibilities import (
    FakeCall,
    FakeVisibilities,
)

PATIENCE_S = 60
ADD = "addVisibility"
MANY = frozenset(f"r{number:04}" for number in range(2_000))


class Gate(FakeVisibilities):
    """A service whose additions all wait until `together` of them have arrived, then end as `answer` says."""

    def __init__(self, together: int, answer: Callable[[str], None] = lambda _recipient_id: None) -> None:
        super().__init__({ITEM: "Z", OTHER_ITEM: "Z"})
        self.answer = answer
        self.under_way = self.most_under_way = 0
        self._counting = threading.Lock()
        self._all_there = threading.Barrier(together)

    def add_visibility(self, item: ItemKey, recipient_id: str) -> None:
        with self._counting:
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)
        self._all_there.wait(PATIENCE_S)
        with self._counting:
            self.under_way -= 1
        self.answer(recipient_id)
        super().add_visibility(item, recipient_id)


def test_eight_calls_are_under_way_at_once() -> None:
    gate = Gate(CALLS_AT_ONCE)
    wanted = [f"r{number}" for number in range(3 * CALLS_AT_ONCE)]
    result = Bench(gate, calls_at_once=CALLS_AT_ONCE).save(ask(base="Z", add=wanted))
    assert (result.verdict, gate.most_under_way) == (Verdict.VERIFIED, CALLS_AT_ONCE)


def test_two_saves_of_one_saver_share_the_eight() -> None:
    gate = Gate(CALLS_AT_ONCE)
    desk = Bench(gate, calls_at_once=CALLS_AT_ONCE)
    wanted = [f"r{number}" for number in range(2 * CALLS_AT_ONCE)]
    requests = [
        ask(key=item.supplier_item_id, item=item, base="Z", add=wanted) for item in (ITEM, OTHER_ITEM)
    ]
    threads = [threading.Thread(target=desk.save, args=[request]) for request in requests]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert gate.most_under_way == CALLS_AT_ONCE
    assert gate.recipients_of(ITEM) == gate.recipients_of(OTHER_ITEM) == frozenset("Z").union(wanted)


def test_the_end_of_the_program_ends_every_call_of_a_save() -> None:
    def end(_recipient_id: str) -> None:
        raise ClosedError

    gate = Gate(CALLS_AT_ONCE, end)
    desk = Bench(gate, calls_at_once=CALLS_AT_ONCE)
    with pytest.raises(ClosedError):
        desk.save(ask(base="Z", add=sorted(MANY)[:100]))
    assert (gate.writes, len(desk.history.unsettled())) == ([], 1)


@pytest.mark.parametrize("seed", range(10))
def test_2_000_additions_lose_nothing_that_another_program_adds_meanwhile(seed: int) -> None:
    moment = random.Random(seed).randrange(len(MANY))  # noqa: S311  (repeatable on purpose)
    fake = FakeVisibilities({ITEM: "Z"})

    def add_meanwhile(call: FakeCall) -> None:
        if call.operation == ADD and len(fake.writes) == moment + 1:
            fake.put(ITEM, fake.recipients_of(ITEM) | {"theirs"})

    fake.before_call = add_meanwhile
    result = Bench(fake, calls_at_once=CALLS_AT_ONCE).save(ask(base="Z", add=MANY))
    assert fake.recipients_of(ITEM) == MANY | {"Z", "theirs"}
    assert (result.verdict, result.others.added) == (Verdict.VERIFIED, frozenset({"theirs"}))
    assert {call.operation for call in fake.writes} == {ADD}
