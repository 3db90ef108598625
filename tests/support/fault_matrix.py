"""Every failure of one step of a change or another, combined with how reads behave afterwards."""

from collections.abc import Iterable, Mapping
from itertools import product

from item_visibility.client.identifiers import ItemKey
from item_visibility.client.operations import (
    ADD_VISIBILITY,
    GET_VISIBILITIES,
    REMOVE_VISIBILITIES,
    REMOVE_VISIBILITY,
    REQUEST_TOKEN,
    SET_VISIBILITIES,
)
from tests.support.fake_visibilities import FakeVisibilities
from tests.support.thorough import this_is_thorough
from tests.support.wire import FOR_EVER, Wire, WireFault, WireKind

GET, ADD, REMOVE = GET_VISIBILITIES.name, ADD_VISIBILITY.name, REMOVE_VISIBILITY.name
SET, ALL, TOKEN = SET_VISIBILITIES.name, REMOVE_VISIBILITIES.name, REQUEST_TOKEN.name
LONGER_THAN_ANYBODY_WAITS_S = 86_400.0

APPLIED = (WireKind.TIMEOUT, WireKind.BROKEN, WireKind.ERROR_500, WireKind.GARBAGE_200)
WAYS = [(kind, False) for kind in WireKind] + [(kind, True) for kind in APPLIED]
A_WHOLE_CALL = 4
"""A call and its retries."""
HOW_OFTEN = (1, A_WHOLE_CALL, FOR_EVER) if this_is_thorough() else (1, FOR_EVER)
"""Once and for ever; with `--thorough` also a call with all its retries."""

READS_AFTER: dict[str, tuple[WireFault, ...]] = {
    "right": (),
    "late": (),
    "lost": (WireFault(GET, WireKind.TIMEOUT, is_after_a_write=True),),
    "first lost": (WireFault(GET, WireKind.ERROR_500, A_WHOLE_CALL, is_after_a_write=True),),
    "another's": (WireFault(GET, WireKind.PAGE_404, is_after_a_write=True),),
    "garbage": (WireFault(GET, WireKind.GARBAGE_200, is_after_a_write=True),),
}
ONE_STEP = {
    operation: [
        (WireFault(operation, kind, times, is_applied=is_applied),)
        for (kind, is_applied), times in product(WAYS, HOW_OFTEN)
    ]
    for operation in (ADD, REMOVE, SET, ALL)
}
TWO_STEPS = [
    (WireFault(ADD, WireKind.REFUSED_400), WireFault(REMOVE, WireKind.BROKEN, is_applied=True)),
    (WireFault(ADD, WireKind.REFUSED_400), WireFault(REMOVE, WireKind.REFUSED_409)),
    (WireFault(ADD, WireKind.TIMEOUT, 1, is_applied=True), WireFault(ADD, WireKind.REFUSED_409)),
    (WireFault(ADD, WireKind.TIMEOUT, 4, is_applied=True), WireFault(ADD, WireKind.REFUSED_400)),
    (WireFault(REMOVE, WireKind.TIMEOUT, 1, is_applied=True), WireFault(REMOVE, WireKind.REFUSED_404)),
    (WireFault(REMOVE, WireKind.REFUSED_401), WireFault(TOKEN, WireKind.REFUSED_401, is_after_a_write=True)),
    (WireFault(REMOVE, WireKind.REFUSED_401), WireFault(TOKEN, WireKind.ERROR_500, is_after_a_write=True)),
    (WireFault(ADD, WireKind.REFUSED_401), WireFault(TOKEN, WireKind.ERROR_500, is_after_a_write=True)),
]
UNREAD = [(WireFault(GET, kind),) for kind in WireKind]
NO_TOKEN = [(WireFault(TOKEN, kind),) for kind in WireKind]
BEFORE_ANY_WRITE = [(), *UNREAD, *NO_TOKEN]


def for_ever(operation: str, kind: WireKind, *, is_applied: bool = False) -> tuple[WireFault, ...]:
    """Return faults that make every call of the operation fail in this way."""
    return (WireFault(operation, kind, is_applied=is_applied),)


def named_fault(part: object) -> str:
    if not isinstance(part, tuple):
        return str(part)
    told = [
        f"{one.operation} {one.kind.name} {'made' if one.is_applied else 'lost'} x{min(one.times, 9)}"
        for one in part
    ]
    return ", ".join(told) or "no fault"


def wired(items: Mapping[ItemKey, Iterable[str]], faults: Iterable[WireFault], reads: str = "right") -> Wire:
    """Return a service with these faults; late reads show the old state for longer than anybody waits."""
    lag_s = LONGER_THAN_ANYBODY_WAITS_S if reads == "late" else 0
    return Wire(FakeVisibilities(items, lag_s=lag_s), *faults, *READS_AFTER[reads])
