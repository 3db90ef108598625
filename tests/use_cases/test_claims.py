"""No screen and no command claims a state that is not so, whatever fails: the whole fault matrix.

Each step of a save, a job, a check and an examination fails in every way in which a call can fail, once,
for a whole call with its repetitions, and for good; reads afterwards are right, late, lost or another's.
The words are taken as a person reads them, and compared with what the fake service holds.
"""

from datetime import UTC
from itertools import product
from types import ModuleType
from typing import Self
from unittest.mock import MagicMock

import pandas as pd
import pytest

from components import clock, notices, table
from components.item import save_result
from components.support import connection_report
from item_visibility.errors import RecordsError
from item_visibility.saving.outcome import SaveResult
from item_visibility.saving.request import ChangeRequest, Operation
from item_visibility.saving.save import Saver
from item_visibility.saving.save_worker import SaveStatus
from tests.saving.saving import MemoryHistory, ask, broken_promises
from tests.support.claims import Facts, claims, false_claims
from tests.support.desk import ITEM
from tests.support.fake_visibilities import FakeCall
from tests.support.fault_matrix import (
    ADD,
    ALL,
    BEFORE_ANY_WRITE,
    GET,
    ONE_STEP,
    READS_AFTER,
    REMOVE,
    SET,
    TWO_STEPS,
    UNREAD,
    for_ever,
    named_fault,
    wired,
)
from tests.support.wire import Wire, WireClient, WireFault, WireKind


class RecordedScreen:
    """A stand-in for `st` that accepts any call and keeps its texts and the cells of its tables."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __getattr__(self, _name: str) -> "RecordedScreen":
        return self

    def __call__(self, *given: object, **_named: object) -> Self:
        """Record a drawing call."""
        for one in given:
            cells = one.to_numpy().ravel().tolist() if isinstance(one, pd.DataFrame) else [one]
            self.texts += [cell for cell in cells if isinstance(cell, str)]
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        """Leave the container."""


def record(monkeypatch: pytest.MonkeyPatch, *components: ModuleType) -> RecordedScreen:
    """Return a screen on which these components draw from now on."""
    screen = RecordedScreen()
    for component in components:
        monkeypatch.setattr(component, "st", screen)
    return screen


BEFORE = frozenset("ABC")
BROKEN = RecordsError("The dashboard's own database could not be used.", advice="Ask.")

SINGLY = ask(base=BEFORE, add="N", remove="A")
AS_LIST = ask(base=[*BEFORE, "."], add=["N", ".."], remove=["."], operation=Operation.SET)
"""With ids that no path can address."""
WITHDRAWN = ask(base=[".", ".."], remove=[".", ".."], confirmed_count=2, operation=Operation.REMOVE_ALL)
CELLS = [
    *product([SINGLY], [*ONE_STEP[ADD], *ONE_STEP[REMOVE], *TWO_STEPS], READS_AFTER),
    *product([AS_LIST], ONE_STEP[SET], READS_AFTER),
    *product([WITHDRAWN], ONE_STEP[ALL], READS_AFTER),
    *product([SINGLY, AS_LIST, WITHDRAWN], BEFORE_ANY_WRITE, ["right"]),
]


def named(part: object) -> str:
    """One part of a case, for its name."""
    return ", ".join(sorted(part.add | part.remove)) if isinstance(part, ChangeRequest) else named_fault(part)


def saved(
    request: ChangeRequest, faults: tuple[WireFault, ...], reads: str
) -> tuple[SaveResult, frozenset[str]]:
    """The save's result on this service, and the item's recipients then."""
    wire = wired({ITEM: request.base or ()}, faults, reads)
    time = wire.fake.time
    saver = Saver(WireClient(wire), MemoryHistory(), clock=time.now, sleep=time.sleep)
    return saver.save(request), wire.fake.recipients_of(ITEM)


def shown(screen: RecordedScreen, request: ChangeRequest, result: SaveResult) -> list[str]:
    """The item page's words on a save."""
    status = SaveStatus(request, 1, 1, result)
    desk = MagicMock(**{"names.recipient_names.return_value": {}})
    save_result._show_result(desk, MagicMock(), status, result, is_locked=False)  # noqa: SLF001  (what is drawn of it)
    return screen.texts


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> RecordedScreen:
    """A place where the components draw, without Streamlit."""
    monkeypatch.setattr(clock, "local_zone", lambda: UTC)
    return record(monkeypatch, save_result, table, notices, connection_report)


@pytest.mark.parametrize(("request_", "faults", "reads"), CELLS, ids=named)
def test_the_item_page_claims_only_what_is_so(
    screen: RecordedScreen, request_: ChangeRequest, faults: tuple[WireFault, ...], reads: str
) -> None:
    """Recipients are added and removed, singly and with a list; one step or another fails."""
    result, now = saved(request_, faults, reads)
    facts = Facts(request_.add, request_.remove, request_.base or frozenset(), now)
    assert false_claims(shown(screen, request_, result), facts) == []
    assert broken_promises(result, now) == []


@pytest.mark.parametrize(
    ("request_", "faults", "reads", "said"),
    [
        (SINGLY, (), "right", {"all so", "named"}),
        (AS_LIST, (), "right", {"all so", "named"}),
        (SINGLY, (), "late", set()),
        (SINGLY, for_ever(ADD, WireKind.REFUSED_400), "right", {"named", "not all so"}),
        (SINGLY, TWO_STEPS[1], "right", {"unchanged"}),
        (SINGLY, UNREAD[0], "right", {"unchanged"}),
    ],
)
def test_what_is_known_is_claimed(
    screen: RecordedScreen, request_: ChangeRequest, faults: tuple[WireFault, ...], reads: str, said: set[str]
) -> None:
    """The matrix is not silent: what is so is said to be so, and what is unchanged, unchanged."""
    result, _ = saved(request_, faults, reads)
    assert claims(" ".join(shown(screen, request_, result))) == said


def fail_at(history: MemoryHistory, wire: Wire, moment: str) -> None:
    """Let our own database fail before anything is sent, at the first write, or from the read-back on."""

    def before_call(call: FakeCall) -> None:
        is_now = {"first read": call.operation == GET, "first write": call.operation != GET}
        history.error = BROKEN if is_now.get(moment, wire.has_written) else history.error

    history.error = BROKEN if moment == "start" else None
    wire.fake.before_call = before_call


@pytest.mark.parametrize("moment", ["start", "first read", "first write", "read back"])
@pytest.mark.parametrize("faults", [(), for_ever(ADD, WireKind.REFUSED_400), ONE_STEP[REMOVE][-1]], ids=named)
def test_our_own_database_failing_makes_no_claim_false(
    screen: RecordedScreen, faults: tuple[WireFault, ...], moment: str
) -> None:
    """Before the first write nothing is sent; after it the result is what was read."""
    wire, history = wired({ITEM: BEFORE}, faults), MemoryHistory()
    fail_at(history, wire, moment)
    time = wire.fake.time
    result = Saver(WireClient(wire), history, clock=time.now, sleep=time.sleep).save(SINGLY)
    facts = Facts(SINGLY.add, SINGLY.remove, BEFORE, wire.fake.recipients_of(ITEM))
    assert false_claims(shown(screen, SINGLY, result), facts) == []
