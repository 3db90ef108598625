"""After ordinary use the facts page is right for every combination of the bundled service's switches."""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import fields, replace
from datetime import datetime, timedelta
from itertools import permutations, product
from typing import TYPE_CHECKING

import pytest

from item_visibility.api.client import VisibilityClient
from item_visibility.api.observing import EndObserver, ignore
from item_visibility.api.operations import (
    ADD_VISIBILITY,
    GET_VISIBILITIES,
    REMOVE_VISIBILITY,
    REQUEST_TOKEN,
    SET_VISIBILITIES,
)
from item_visibility.changes.request import Operation
from item_visibility.changes.saving.save import Saver
from item_visibility.desk.connection import fact_words as words
from item_visibility.desk.connection.fact_book import FactBook
from item_visibility.desk.connection.learner import Learner
from item_visibility.errors import ItemVisibilityError
from item_visibility_service.embedded import EmbeddedService
from item_visibility_service.http.accepted_ids import Item
from item_visibility_service.open_points.switches import Failure, Switches
from tests.changes.saving import ITEM, OTHER_ITEM, MemoryHistory, ask
from tests.contract.wiring import at_once, utc_now
from tests.support.bundled_service import (
    CLIENT_ID,
    CLIENT_SECRET,
    OperationLog,
    SharedServices,
    operation_log,
    shared_services,
)
from tests.support.thorough import sample
from tests.support.waiting import START

if TYPE_CHECKING:
    from item_visibility.records.facts import ServiceFact

__all__ = ["operation_log", "shared_services"]

pytestmark = pytest.mark.contract

EXCHANGE_LOG = "item_visibility_service.http.exchange_log"
OPERATIONS = (GET_VISIBILITIES, SET_VISIBILITIES, ADD_VISIBILITY, REMOVE_VISIBILITY, REQUEST_TOKEN)

Sent = Callable[[], set[tuple[str, str]]]
LATE_S = 3600.0
"""Reads show no change until the switch is turned back: no test waits for them."""

YES_NO = (False, True)
TROUBLES = (
    {},
    *({"failing_share": 1.0, "failures": (one,)} for one in Failure),
    {"refuses_tokens": True},
    {"failing_share": 0.3},
    {"failing_share": 0.4, "refuses_once": True, "failures": (Failure.ERROR_AFTER,)},
)
EVERY_COMBINATION = [
    Switches(
        put_merges=merges,
        empty_is_not_found=is_404,
        removing_missing_is_not_found=missing_is_404,
        read_lag_s=lag_s,
        token_lifetime_s=lifetime_s,
        sends_expires_in=is_said,
        **trouble,  # type: ignore[arg-type]  (each is a switch)
    )
    for trouble, merges, is_404, missing_is_404, lag_s, is_said, lifetime_s in product(
        TROUBLES, YES_NO, YES_NO, YES_NO, (0.0, LATE_S), YES_NO, (3, 300)
    )
]
WITHOUT_TROUBLE = [one for one in EVERY_COMBINATION if not one.failing_share and not one.refuses_tokens]
IN_TROUBLE = [one for one in EVERY_COMBINATION if one not in WITHOUT_TROUBLE]


def named(switches: Switches) -> str:
    """The switches that are not as usual, for the name of a case."""
    usual = Switches()
    others = (one.name for one in fields(Switches) if getattr(switches, one.name) != getattr(usual, one.name))
    return ", ".join(f"{name}={getattr(switches, name)}" for name in others) or "as usual"


class Facts:
    """The learned facts: the last value of each."""

    def __init__(self) -> None:
        self.kept: list[ServiceFact] = []
        self.learner = Learner(FactBook(self.kept.append).note)
        self._now = START

    def tick(self) -> datetime:
        """A clock that is not in a hurry: each look at it takes ten milliseconds."""
        self._now += timedelta(seconds=0.01)
        return self._now

    def wait(self, duration: timedelta) -> None:
        """Let time pass."""
        self._now += duration

    @property
    def told(self) -> tuple[words.ToldFact, ...]:
        """The page's words: of each value that was seen the last call that showed it, the newest first."""
        last = {(one.fact, one.value): one for one in self.kept}
        return words.told_facts(sorted(last.values(), key=lambda seen: seen.observed_at, reverse=True))

    def answers(self) -> dict[str, str]:
        """Each question with its answer, as the page shows it; how late a read was is taken away."""
        return {one.question: one.answer.partition(" (still")[0].partition(". ")[0] for one in self.told}


@contextmanager
def client_of(
    service: EmbeddedService, facts: Facts, on_end: EndObserver | None = None
) -> Iterator[VisibilityClient]:
    """The client of the program, which learns, and does not wait before it tries again."""
    with VisibilityClient(
        service.base_url,
        service.auth_url,
        CLIENT_ID,
        CLIENT_SECRET,
        sleep=at_once,
        on_call=facts.learner.observe,
        on_end=on_end or facts.learner.ended,
        clock=lambda: 0.0,
        now=facts.tick,
    ) as client:
        yield client


def use(service: EmbeddedService, facts: Facts, on_end: EndObserver | None = None) -> None:
    """A morning's work: open two items, add, change many at once, remove, and again what reads still show."""
    there = Item(OTHER_ITEM.supplier, OTHER_ITEM.supplier_item_id)
    for recipient_id in "XYZ":
        service.service.store.add(there, recipient_id)
    steps = [
        ask(key="1", add="AB"),
        ask(key="2", base="AB", add="CDEFG", remove="A", operation=Operation.SET),
        ask(key="3", base="BCDEFG", remove="B"),
        ask(key="4", item=OTHER_ITEM, base="XYZ", remove="Z"),
        ask(key="5", item=OTHER_ITEM, base="XYZ", remove="Z"),
    ]
    with client_of(service, facts, on_end) as client:
        saver = Saver(client, MemoryHistory(), clock=utc_now, sleep=at_once, calls_at_once=1)
        for item in (ITEM, OTHER_ITEM):
            with suppress(ItemVisibilityError):
                client.get_visibilities(item)
        for step in steps:
            saver.save(step)
        service.service.switches = replace(service.service.switches, read_lag_s=0.0)
        with suppress(ItemVisibilityError):
            client.get_visibilities(ITEM)


def truth(switches: Switches) -> dict[str, str]:
    """The answers that are true with these switches."""
    return {
        "A whole list that is set": words.MERGES if switches.put_merges else words.REPLACES,
        "A read of an item that no recipient can see": (
            words.NOT_FOUND if switches.empty_is_not_found else words.EMPTY_LIST
        ),
        "Order of a list": words.SORTED,
        "Recipients in a list": words.ONCE,
        "A read just after a change shows": words.LATE if switches.read_lag_s else words.AT_ONCE,
        "Removing who cannot see the item": "404" if switches.removing_missing_is_not_found else "204",
        "Adding who can see the item already": "204",
        "Lifetime of a token": (
            f"{words.SAID} ({switches.token_lifetime_s} s)" if switches.sends_expires_in else words.NOT_SAID
        ),
    }


ALWAYS_SEEN = {
    "A read of an item that no recipient can see",
    "A read just after a change shows",
    "Lifetime of a token",
    "Recipients in a list",
}
SEEN_WITHOUT_LAG = {"A whole list that is set", "Order of a list"}
SEEN_WITH_LAG = {"Removing who cannot see the item"}


@pytest.fixture
def sent(caplog: pytest.LogCaptureFixture) -> Sent:
    """Tells method and status of what the service answered, by its own log."""
    caplog.set_level(logging.DEBUG, EXCHANGE_LOG)
    caplog.clear()

    def read_log() -> set[tuple[str, str]]:
        lines = [one.getMessage() for one in caplog.records if one.name == EXCHANGE_LOG]
        return {(method, status) for method, _, status in (line.partition(": ") for line in lines)}

    return read_log


def told_statuses(answers: Mapping[str, str]) -> set[tuple[str, str]]:
    """The statuses that the page tells, each with the method of its operation."""
    told = ((one.method, answers[f"Statuses of {one.name}"].split(", ")) for one in OPERATIONS)
    return {(method, status) for method, statuses in told for status in statuses if status.isdecimal()}


def wrong(answers: Mapping[str, str], switches: Switches) -> Mapping[str, str]:
    """Answers that are told, and are not so."""
    expected = truth(switches)
    right = {(question, words.NOT_SEEN) for question in expected} | set(expected.items())
    return {
        question: answers[question] for question in expected if (question, answers[question]) not in right
    }


def not_seen(answers: Mapping[str, str], switches: Switches) -> set[str]:
    """Facts that these saves show, and that were not seen."""
    wanted = ALWAYS_SEEN | (SEEN_WITH_LAG if switches.read_lag_s else SEEN_WITHOUT_LAG)
    return {question for question in wanted if answers[question] == words.NOT_SEEN}


@pytest.mark.parametrize("switches", sample(WITHOUT_TROUBLE, 8), ids=named)
def test_after_ordinary_use_each_fact_is_right(
    shared_services: SharedServices, sent: Sent, switches: Switches
) -> None:
    """Or not seen yet; what these saves show is seen, and each status that the service sent."""
    facts = Facts()
    use(shared_services.fresh(switches=switches), facts)
    answers = facts.answers()
    assert (wrong(answers, switches), not_seen(answers, switches)) == ({}, set())
    assert told_statuses(answers) == sent()


@pytest.mark.parametrize("switches", sample(IN_TROUBLE, 6), ids=named)
def test_in_trouble_nothing_wrong_is_learned(
    shared_services: SharedServices, sent: Sent, switches: Switches
) -> None:
    """Each fact is right, or not seen yet, whatever fails; no status is told that was not sent."""
    facts = Facts()
    use(shared_services.fresh(switches=switches), facts)
    answers = facts.answers()
    assert wrong(answers, switches) == {}
    assert told_statuses(answers) <= sent()


FLIPS = [
    pair
    for one in (
        {"put_merges": True},
        {"empty_is_not_found": False},
        {"removing_missing_is_not_found": True},
        {"read_lag_s": LATE_S},
        {"sends_expires_in": False},
        {"token_lifetime_s": 3},
    )
    for pair in permutations((Switches(), Switches(**one)))  # type: ignore[arg-type]  (each is a switch)
]


@pytest.mark.parametrize(("before", "after"), sample(FLIPS, 4), ids=named)
def test_a_service_that_does_it_otherwise_from_now_on_is_told_as_it_is_now(
    shared_services: SharedServices, before: Switches, after: Switches
) -> None:
    """The earlier value stands behind it, with its day."""
    facts = Facts()
    use(shared_services.fresh(switches=before), facts)
    facts.wait(timedelta(minutes=1))
    use(shared_services.fresh(switches=after), facts)
    answers = {question: told.partition("; before: ")[0] for question, told in facts.answers().items()}
    assert (wrong(answers, after), not_seen(answers, after)) == ({}, set())


@pytest.mark.parametrize("switches", sample(WITHOUT_TROUBLE, 2), ids=named)
def test_nothing_is_asked_so_as_to_learn(
    shared_services: SharedServices, operation_log: OperationLog, switches: Switches
) -> None:
    """The service sees the same operations of a client that learns nothing."""
    seen = []
    for on_end in (None, ignore):
        operation_log.operations.clear()
        use(shared_services.fresh(switches=switches), Facts(), on_end)
        seen.append([*operation_log.operations])
    assert seen[0] == seen[1] != []
