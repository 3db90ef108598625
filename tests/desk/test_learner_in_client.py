"""The client makes each call as it is asked for, whatever comes of what is learned when it ends."""

from unittest.mock import Mock

import httpx
import pytest

from item_visibility import IdentifierError, ItemKey, NotAllowedError, NotFoundError
from item_visibility.api import requests
from item_visibility.api.client import VisibilityClient
from item_visibility.api.operations import REQUEST_TOKEN
from item_visibility.api.requests import Request
from item_visibility.desk.connection.fact_words import AT_ONCE, REPLACES, OpenPoint
from item_visibility.desk.connection.learner import Learner
from tests.support.scripted_transport import (
    AUTH_URL,
    BASE_URL,
    CLIENT_ID,
    CLIENT_SECRET,
    NO_CONTENT,
    ScriptedTransport,
    problem,
    recipients,
)
from tests.support.waiting import HandClock

ITEM = ItemKey("S", "I")


class Lesson:
    """A client on a script, and the facts that it learned."""

    def __init__(self, *steps: httpx.Response | Exception) -> None:
        self.noted: list[tuple[str, str]] = []
        self.transport = ScriptedTransport(*steps)
        clock = HandClock()
        learner = Learner(lambda fact, value, _call, _note: self.noted.append((fact, value)))
        self.client = VisibilityClient(
            BASE_URL,
            AUTH_URL,
            CLIENT_ID,
            CLIENT_SECRET,
            transport=self.transport,
            sleep=clock.sleep,
            clock=clock,
            now=clock.now,
            on_end=learner.ended,
        )


def test_each_operation_is_sent_as_asked_and_learned_from() -> None:
    """Reads show a change at once, a list replaces, and removing again what is gone is answered 404."""
    lesson = Lesson(
        NO_CONTENT,
        recipients("a", "b"),
        NO_CONTENT,
        recipients("b", "c"),
        NO_CONTENT,
        problem(404),
        NO_CONTENT,
    )
    lesson.client.add_visibility(ITEM, "a")
    lesson.client.get_visibilities(ITEM)
    lesson.client.set_visibilities(ITEM, iter(["b", "c"]))
    lesson.client.get_visibilities(ITEM)
    lesson.client.remove_visibility(ITEM, "c")
    with pytest.raises(NotFoundError):
        lesson.client.remove_visibility(ITEM, "c")
    lesson.client.remove_visibilities(ITEM)
    assert lesson.noted == [
        (OpenPoint.LAG, AT_ONCE),
        (OpenPoint.SET, REPLACES),
        (OpenPoint.REMOVE_MISSING, "404"),
    ]
    path = "/some/v1/itemvisibilities/S/I"
    assert lesson.transport.lines == [
        f"PUT {path}/recipient/a",
        f"GET {path}",
        f"PUT {path}",
        f"GET {path}",
        f"DELETE {path}/recipient/c",
        f"DELETE {path}/recipient/c",
        f"DELETE {path}",
    ]
    assert lesson.transport.calls[2].content == b'["b", "c"]'


def test_what_is_read_while_everything_is_removed_says_nothing_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another window reads the list as it was; then an addition is a new one."""
    lesson = Lesson(recipients("a"), NO_CONTENT, NO_CONTENT)
    remove = requests.remove_visibilities

    def read_meanwhile(base_url: str, item: ItemKey) -> requests.Request:
        lesson.client.get_visibilities(item)
        return remove(base_url, item)

    monkeypatch.setattr(requests, "remove_visibilities", read_meanwhile)
    lesson.client.remove_visibilities(ITEM)
    lesson.client.add_visibility(ITEM, "a")
    assert lesson.noted == []


def test_what_was_not_sent_is_not_learned_from() -> None:
    """Ids that no path can carry, and a list that is none."""
    lesson = Lesson(NO_CONTENT)
    with pytest.raises(IdentifierError):
        lesson.client.add_visibility(ITEM, "..")
    with pytest.raises(IdentifierError):
        lesson.client.set_visibilities(ITEM, "abc")
    assert (lesson.noted, lesson.transport.calls) == ([], [])


def test_a_fault_in_learning_harms_no_call(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Its outcome counts, not what could be learned; the log tells of the fault."""
    lesson = Lesson(recipients("a"))
    monkeypatch.setattr(Learner, "read", Mock(side_effect=ZeroDivisionError))
    assert lesson.client.get_visibilities(ITEM) == {"a"}
    assert "A call could not be learned from" in caplog.text


def test_a_change_that_may_have_been_sent_without_a_record_makes_the_list_unknown() -> None:
    """Then an addition may be a new one, whatever the list was before."""
    lesson = Lesson(recipients("a"), ZeroDivisionError(), NO_CONTENT)
    lesson.client.get_visibilities(ITEM)
    with pytest.raises(ZeroDivisionError):
        lesson.client.remove_visibility(ITEM, "a")
    lesson.client.add_visibility(ITEM, "a")
    assert lesson.noted == []


def test_a_failed_read_is_not_learned_from() -> None:
    """It shows nothing of the change before it."""
    lesson = Lesson(NO_CONTENT, problem(403))
    lesson.client.add_visibility(ITEM, "a")
    with pytest.raises(NotAllowedError):
        lesson.client.get_visibilities(ITEM)
    assert lesson.noted == []


def test_a_call_that_is_about_no_item_is_not_learned_from() -> None:
    """A token is asked for by the client itself."""
    noted: list[object] = []
    learner = Learner(lambda _fact, _value, call, _note: noted.append(call))
    learner.ended(Request(REQUEST_TOKEN, AUTH_URL), [], None)
    assert noted == []
