"""Client, service and faults always agree with a model, in any order of events."""

import itertools
from contextlib import ExitStack
from dataclasses import replace
from unittest.mock import Mock

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from item_visibility import ItemKey
from item_visibility.access.people import Role
from item_visibility.model.change import ChangeOperation, ChangeRequest, Goal
from item_visibility.model.outcome import Outcome, SaveResult, Verdict
from item_visibility.model.read_item import ReadItem
from item_visibility.saving.save import Saver
from item_visibility.use_cases.undo import undo_request
from tests.contract.wiring import at_once, open_client, open_fault_service, utc_now
from tests.saving.saving import MemoryHistory, broken_promises
from tests.support.fake_visibilities import EVERY_SEMANTICS, Semantics
from tests.support.fault_service import EVERY_FAULT, Call, FaultKind
from tests.support.thorough import how_many

pytestmark = pytest.mark.contract

HARD_IDS = ("..", "a/b?c#d", "a\tb", "é", "e\u0301", "%2e%2e", "recipient/x")
IDS = st.sampled_from([*"ABCDEF", *HARD_IDS])
ID_SETS = st.frozensets(IDS, max_size=5)
ITEMS = (ItemKey("S", "I"), ItemKey("S", "I/recipient/A"), ItemKey("S/I", "é%2F"))
QUICK_FAULTS = [fault for fault in EVERY_FAULT if "hang" not in fault]
CERTAIN = {Outcome.DONE, Outcome.IN_PLACE}


class Saving(RuleBasedStateMachine):
    """A person saves and undoes, others change the same items, and calls fail.

    A model predicts the lists.
    """

    def __init__(self) -> None:
        super().__init__()
        self.open = ExitStack()
        self.service = self.open.enter_context(open_fault_service())
        self.service.choose_fault = self.next_fault
        client = self.open.enter_context(
            open_client(self.service.base_url, self.service.auth_url, read_timeout_s=60)
        )

        self.history = MemoryHistory()
        self.saver = Saver(client, self.history, clock=utc_now, sleep=at_once)
        self.model: dict[ItemKey, frozenset[str]] = dict.fromkeys(ITEMS, frozenset())
        self.base = dict(self.model)
        self.faults: list[FaultKind | None] = []
        self.last: tuple[ChangeRequest, SaveResult] | None = None
        self.keys = itertools.count()

    def teardown(self) -> None:
        self.open.close()

    def next_fault(self, _call: Call) -> FaultKind | None:
        return self.faults.pop(0) if self.faults else None

    @initialize(semantics=st.sampled_from(EVERY_SEMANTICS))
    def choose_semantics(self, semantics: Semantics) -> None:
        self.service.fake.semantics = semantics

    @rule(faults=st.lists(st.none() | st.sampled_from(QUICK_FAULTS), max_size=12))
    def plan_faults(self, faults: list[FaultKind | None]) -> None:
        self.faults = faults

    @rule(item=st.sampled_from(ITEMS), recipients=ID_SETS)
    def somebody_else_changes(self, item: ItemKey, recipients: frozenset[str]) -> None:
        self.service.fake.put(item, recipients)
        self.model[item] = recipients

    @rule(
        item=st.sampled_from(ITEMS),
        add=ID_SETS,
        remove=ID_SETS,
        typed=st.none() | st.integers(0, 5),
    )
    def save(
        self,
        item: ItemKey,
        add: frozenset[str],
        remove: frozenset[str],
        typed: int | None,
    ) -> None:
        """Save changes to the list that the person has seen last."""
        self.run(
            ChangeRequest(
                key=f"{next(self.keys)}",
                item=item,
                base=self.base[item],
                add=add - remove,
                remove=remove,
                person="ada",
                role=Role.EDITOR,
                confirmed_count=typed,
            )
        )

    @rule()
    def save_the_same_again(self) -> None:
        """Save the last request again: nothing more is written."""
        if self.last is None:
            return
        request, result = self.last
        if result.steps and result.verdict is not Verdict.NOTHING_SENT:
            writes = len(self.writes())
            assert self.saver.save(request) == result
            assert len(self.writes()) == writes

    @rule(item=st.sampled_from(ITEMS), wanted=ID_SETS)
    def set_exactly(self, item: ItemKey, wanted: frozenset[str]) -> None:
        base = self.base[item]
        self.run(
            ChangeRequest(
                key=f"{next(self.keys)}",
                item=item,
                base=base,
                add=wanted - base,
                remove=base - wanted,
                person="ada",
                role=Role.EDITOR,
                confirmed_count=len(base - wanted),
                operation=ChangeOperation.SET if wanted else ChangeOperation.REMOVE_ALL,
            )
        )

    @rule()
    def undo(self) -> None:
        """Undo the last save, except what others have changed since."""
        entry = None if self.last is None else self.history.entry(self.last[0].key)
        if entry is None:
            return
        item = entry.request.item
        now = utc_now()
        reading = ReadItem(
            item=item, recipients=self.model[item], asked_at=now, read_at=now
        )
        search = Mock(
            changed_since=Mock(return_value=frozenset()),
            count_undos=Mock(return_value=0),
        )
        undo = undo_request(search, entry, reading).request
        self.run(
            replace(
                undo,
                person="ada",
                role=Role.EDITOR,
                confirmed_count=len(undo.remove),
            )
        )

    def run(self, request: ChangeRequest) -> None:
        """Save, and compare the result with the service.

        Update the model where the outcome is uncertain.
        """
        result = self.saver.save(request)
        truth = self.truth(request.item)
        assert broken_promises(result, truth) == []

        expected = set(self.model[request.item])
        for step in result.steps:
            recipient = step.step.recipient_id
            if step.outcome in CERTAIN:
                is_visible = step.step.goal is Goal.VISIBLE
            else:
                is_visible = recipient in truth
            if is_visible:
                expected.add(recipient)
            else:
                expected.discard(recipient)
        self.model[request.item] = frozenset(expected)
        self.base[request.item] = (
            frozenset(expected) if result.after is None else result.after
        )
        self.last = (request, result)

    def truth(self, item: ItemKey) -> frozenset[str]:
        return self.service.fake.recipients_of(item)

    def writes(self) -> list[str]:
        called = [logged.operation for logged in self.service.log]
        return [operation for operation in called if operation != "getVisibilities"]

    @invariant()
    def service_and_model_agree(self) -> None:
        """They agree on every item, also on items that were not changed."""
        assert {item: self.truth(item) for item in ITEMS} == self.model


Saving.TestCase.settings = settings(
    max_examples=how_many(usual=30, thorough=600),
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestSaving = Saving.TestCase
