"""No result of a save is false, whatever fails: the whole fault matrix, through the real client.

Each step of a save fails in every way in which a call can fail, once, for a whole call with its repetitions,
and for good; reads afterwards are right, late, lost or another's.
"""

from itertools import product

import pytest

from item_visibility.errors import RecordsError
from item_visibility.saving.outcome import SaveResult
from item_visibility.saving.request import ChangeRequest, Operation
from item_visibility.saving.save import Saver
from tests.saving.saving import ITEM, MemoryHistory, ask, broken_promises
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
    for_ever,
    named_fault,
    wired,
)
from tests.support.wire import Wire, WireClient, WireFault, WireKind

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
    return ", ".join(sorted(part.add | part.remove)) if isinstance(part, ChangeRequest) else named_fault(part)


def saved(wire: Wire, request: ChangeRequest, history: MemoryHistory | None = None) -> SaveResult:
    """Save on this service, and return the result."""
    time = wire.fake.time
    saver = Saver(WireClient(wire), history or MemoryHistory(), clock=time.now, sleep=time.sleep)
    return saver.save(request)


@pytest.mark.parametrize(("request_", "faults", "reads"), CELLS, ids=named)
def test_a_result_says_only_what_is_so(
    request_: ChangeRequest, faults: tuple[WireFault, ...], reads: str
) -> None:
    wire = wired({ITEM: request_.base or ()}, faults, reads)
    result = saved(wire, request_)
    assert broken_promises(result, wire.fake.recipients_of(ITEM)) == []


def fail_at(history: MemoryHistory, wire: Wire, moment: str) -> None:
    """Let our own database fail before anything is sent, at the first write, or from the read-back on."""

    def before_call(call: FakeCall) -> None:
        is_now = {"first read": call.operation == GET, "first write": call.operation != GET}
        history.error = BROKEN if is_now.get(moment, wire.has_written) else history.error

    history.error = BROKEN if moment == "start" else None
    wire.fake.before_call = before_call


@pytest.mark.parametrize("moment", ["start", "first read", "first write", "read back"])
@pytest.mark.parametrize("faults", [(), for_ever(ADD, WireKind.REFUSED_400), ONE_STEP[REMOVE][-1]], ids=named)
def test_our_own_database_failing_makes_no_result_false(faults: tuple[WireFault, ...], moment: str) -> None:
    wire, history = wired({ITEM: BEFORE}, faults), MemoryHistory()
    fail_at(history, wire, moment)
    result = saved(wire, SINGLY, history)
    assert broken_promises(result, wire.fake.recipients_of(ITEM)) == []
