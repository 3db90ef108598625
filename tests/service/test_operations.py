"""The five operations over HTTP, on each database, also when calls fail on demand.

Spec: "Endpoints".
"""

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import httpx
import pytest
from starlette.types import Message, Scope

from item_visibility_service import requests, store
from item_visibility_service.application import Service
from item_visibility_service.sample_data import invented_names
from item_visibility_service.server import EmbeddedService
from item_visibility_service.settings import ServiceSettings
from item_visibility_service.store import Change, Item, Store, StoreUnavailableError
from item_visibility_service.switches import Failure, LaggingReads, Switches
from tests.support.bundled_service import (
    CLIENT_ID,
    CLIENT_SECRET,
    ITEMS_PATH,
    OperationLog,
    open_client,
    run_bundled,
    sqlite_url,
)
from tests.support.waiting import HandClock

contract = pytest.mark.contract

KEY = Item("S", "I")
ITEM = "/S/I"
RECIPIENT = "/S/I/recipient/r"
NOTHING = (404, b"", None)
PROBLEM = "application/problem+json"
UNREADABLE = "contains a control character or half of a surrogate pair."


def answer_of(response: httpx.Response) -> tuple[int, bytes, str | None]:
    return response.status_code, response.content, response.headers.get("content-type")


@contract
def test_a_list_is_returned_sorted_without_duplicates(service: EmbeddedService) -> None:
    """Repetition and order have no meaning (Note N10), and no cache may answer."""
    with open_client(service) as client:
        before = answer_of(client.get(ITEM))
        set_answer = answer_of(client.put(ITEM, json=["b", "a", "b"]))
        read = client.get(ITEM)
        head = client.head(ITEM)
    # Spec: "Errors"; Note N4.
    assert before == NOTHING
    assert set_answer == (204, b"", None)
    assert answer_of(read) == (200, b'["a","b"]', "application/json")
    assert answer_of(head) == (200, b"", "application/json")
    assert head.headers["content-length"] == "9"
    assert read.headers["cache-control"] == "no-store"


@contract
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [("DELETE", RECIPIENT, None), ("DELETE", ITEM, None), ("PUT", ITEM, [])],
)
def test_a_repeated_removal_is_also_a_204(
    service: EmbeddedService, method: str, path: str, body: list[str] | None
) -> None:
    with open_client(service) as client:
        places = (RECIPIENT, RECIPIENT, "/S/J/recipient/r")
        added = [client.put(place).status_code for place in places]
        removed = [answer_of(client.request(method, path, json=body)) for _ in range(2)]
        assert added == [204] * 3
        assert removed == [(204, b"", None)] * 2
        assert answer_of(client.get(ITEM)) == NOTHING
        assert client.get("/S/J").json() == ["r"]


@contract
@pytest.mark.parametrize(
    ("path", "allowed"),
    [(ITEM, {"DELETE", "GET", "HEAD", "PUT"}), (RECIPIENT, {"DELETE", "PUT"})],
)
def test_a_405_lists_the_allowed_methods(
    service: EmbeddedService, path: str, allowed: set[str]
) -> None:
    with open_client(service) as client:
        answer = client.patch(path)
    assert answer_of(answer)[::2] == (405, PROBLEM)
    assert set(answer.headers["allow"].split(", ")) == allowed


@contract
@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b"", "The body is not JSON."),
        (b"[", "The body is not JSON."),
        (b"\xef\xbb\xbf[]", "The body is not JSON."),
        (b'["\xff"]', "The body is not JSON."),
        ('["a"]'.encode("utf-16"), "The body is not JSON."),
        (b"[" * 100_000, "The body is not JSON."),
        (b"[" + b"9" * 5000 + b"]", "The body is not JSON."),
        (b"{}", "The body is not an array."),
        (b'"a"', "The body is not an array."),
        (b"null", "The body is not an array."),
        (b'["a", 1]', "An element of the array is not a string."),
        (b'["a", null]', "An element of the array is not a string."),
        (b'["a", ["b"]]', "An element of the array is not a string."),
        (b'["a", ""]', "Element 1 of the list is empty."),
        (
            b'["a", ".."]',
            "Element 1 of the list is '..', which many programs remove from a path.",
        ),
        (b'["a\\u0000"]', f"Element 0 of the list {UNREADABLE}"),
        (b'["\\ud800"]', f"Element 0 of the list {UNREADABLE}"),
    ],
)
def test_a_body_that_is_not_a_list_of_identifiers_changes_nothing(
    service: EmbeddedService, body: bytes, detail: str
) -> None:
    """The answer is a 400 with a reason. Note N6."""
    with open_client(service) as client:
        client.put(ITEM, json=["present"])
        answer = client.put(
            ITEM, content=body, headers={"Content-Type": "application/json"}
        )
        assert answer_of(answer)[::2] == (400, PROBLEM)
        assert answer.json() == {
            "status": 400,
            "title": "Bad Request",
            "detail": detail,
        }
        assert client.get(ITEM).json() == ["present"]


@contract
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 415),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/jsonx"}, 415),
        ({"Content-Type": "application/json", "Content-Encoding": "gzip"}, 415),
        (
            {
                "Content-Type": "Application/JSON; charset=utf-8",
                "Content-Encoding": "Identity",
            },
            204,
        ),
    ],
)
def test_a_body_must_be_declared_as_json(
    service: EmbeddedService, headers: dict[str, str], status: int
) -> None:
    with open_client(service) as client:
        assert client.put(ITEM, content=b"[]", headers=headers).status_code == status


@contract
def test_a_body_that_is_too_large_is_413(service: EmbeddedService) -> None:
    """32 MiB are allowed.

    After a refusal, the connection can be used again. Note N12.
    """
    with open_client(service) as client:
        headers = {"Content-Type": "application/json"}
        answer = client.put(ITEM, content=b" " * (32 * 2**20 + 1), headers=headers)
        assert answer_of(answer)[::2] == (413, PROBLEM)
        assert client.put(ITEM, json=["a"]).status_code == 204


@contract
@pytest.mark.parametrize("is_merged", [False, True])
def test_an_item_has_no_more_recipients_than_a_list_may(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, is_merged: bool
) -> None:
    monkeypatch.setattr(store, "MAX_RECIPIENTS", 2)
    monkeypatch.setattr(requests, "MAX_RECIPIENTS", 2)
    switches = Switches(put_merges=is_merged)
    with (
        run_bundled(sqlite_url(tmp_path), switches=switches) as running,
        open_client(running) as client,
    ):
        first = client.put(ITEM, json=["a"])
        second = client.put("/S/I/recipient/b")
        again = client.put("/S/I/recipient/b")
        beyond = client.put("/S/I/recipient/c")
        too_long = client.put(ITEM, json=["a", "b", "c"])
        merged = client.put(ITEM, json=["a", "c"])
        recipients = client.get(ITEM).json()
    assert first.status_code == 204
    assert second.status_code == 204
    assert again.status_code == 204
    assert beyond.status_code == 400
    assert beyond.json()["detail"] == "An item has at most 100000 recipients."
    assert too_long.status_code == 400
    assert merged.status_code == (400 if is_merged else 204)
    assert recipients == (["a", "b"] if is_merged else ["a", "c"])


@contract
@pytest.mark.parametrize(
    "path", ["/", "/x", "/v1", "/v1/itemvisibilities/S", "/v2/itemvisibilities/S/I"]
)
def test_other_addresses_are_404_with_a_problem_detail(
    service: EmbeddedService, path: str
) -> None:
    answer = httpx.get(service.auth_url + path, trust_env=False)
    assert answer_of(answer)[::2] == (404, PROBLEM)
    assert answer.json()["status"] == 404


@contract
@pytest.mark.parametrize(
    ("error", "status", "retry_after", "detail", "logged"),
    [
        (
            StoreUnavailableError("away"),
            503,
            "1",
            "The database does not answer. It is unknown whether the call was applied.",
            {"PUT: 204": logging.INFO, "PUT: 503": logging.WARNING},
        ),
        (
            ZeroDivisionError("inside"),
            500,
            None,
            "The service has a defect. It is unknown whether the call was applied.",
            # The server itself logs the error.
            {"PUT: 204": logging.INFO},
        ),
    ],
)
def test_a_fault_is_a_problem_detail_and_is_logged_without_ids(  # noqa: PLR0913, PLR0917  (a case has four parts)
    service: EmbeddedService,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    status: int,
    retry_after: str | None,
    detail: str,
    logged: dict[str, int],
) -> None:
    caplog.set_level(logging.INFO, "item_visibility_service")
    monkeypatch.setattr(service.service.store, "add", Mock(side_effect=error))
    with open_client(service) as client:
        caplog.clear()
        client.get(ITEM)
        client.put(ITEM, json=[], headers={"X-Request-ID": "a" * 999})
        answer = client.put(RECIPIENT)
    assert answer_of(answer)[::2] == (status, PROBLEM)
    assert answer.headers.get("retry-after") == retry_after
    assert answer.json()["status"] == status
    assert answer.json()["detail"] == detail
    ours = [
        record
        for record in caplog.records
        if record.name == "item_visibility_service.application"
    ]
    assert {record.getMessage(): record.levelno for record in ours} == logged
    assert vars(ours[0])["request_id"] == "a" * 64


@pytest.fixture
def bare_service(tmp_path: Path) -> Iterator[Service]:
    service = Service(ServiceSettings(sqlite_url(tmp_path), CLIENT_ID, CLIENT_SECRET))
    yield service
    service.close()


def replies(service: Service, scope: Scope, *messages: Message) -> list[Message]:
    sent: list[Message] = []
    incoming = iter(messages)

    async def receive() -> Message:
        return next(incoming)

    async def send(message: Message) -> None:
        sent.append(message)

    async def answer() -> None:
        await service.asgi(scope, receive, send)

    asyncio.run(answer())
    return sent


def test_a_body_that_breaks_off_is_not_applied(bare_service: Service) -> None:
    bare_service.store.add(KEY, "present")
    token = bare_service._own_tokens.issue(CLIENT_ID, lifetime_s=60)  # noqa: SLF001  (issues one without a request)
    scope: Scope = {
        "type": "http",
        "method": "PUT",
        "path": f"{ITEMS_PATH}/S/I",
        "raw_path": f"{ITEMS_PATH}/S/I".encode(),
        "query_string": b"",
        "headers": [
            (b"authorization", f"Bearer {token}".encode()),
            (b"content-type", b"application/json"),
        ],
    }
    begun: Message = {"type": "http.request", "body": b'["a"]', "more_body": True}
    sent = replies(bare_service, scope, begun, {"type": "http.disconnect"})
    assert sent[0]["status"] == 400
    assert bare_service.store.recipients(KEY) == ("present",)


def test_a_websocket_is_refused(bare_service: Service) -> None:
    scope: Scope = {
        "type": "websocket",
        "path": "/v1",
        "raw_path": b"/v1",
        "headers": [],
    }
    sent = replies(bare_service, scope, {"type": "websocket.connect"})
    assert [message["type"] for message in sent] == ["websocket.close"]


@contract
@pytest.mark.parametrize("path", [ITEM, "/S/I/recipient/r"])
def test_removing_what_is_missing_can_be_a_404_with_a_problem(
    service: EmbeddedService, path: str
) -> None:
    """Note N5. Spec: "Errors"."""
    service.service.switches = Switches(removing_missing_is_not_found=True)
    with open_client(service) as client:
        answer = client.delete(path)
    assert answer.json() == {
        "status": 404,
        "title": "Not Found",
        "detail": "There was nothing to remove.",
    }


@contract
@pytest.mark.parametrize(
    ("failure", "answered", "applied"),
    [
        (Failure.ERROR_BEFORE, (500, None), ()),
        (Failure.ERROR_AFTER, (500, None), ("r",)),
        (Failure.UNAVAILABLE, (503, "1"), ()),
    ],
)
def test_calls_can_fail_before_and_after_they_are_applied(
    service: EmbeddedService,
    operation_log: OperationLog,
    failure: Failure,
    answered: tuple[int, str | None],
    applied: tuple[str, ...],
) -> None:
    service.service.switches = Switches(failing_share=1, failures=(failure,))
    with open_client(service) as client:
        answer = client.put("/S/I/recipient/r")
    assert (answer.status_code, answer.headers.get("retry-after")) == answered
    assert answer.json()["status"] == answer.status_code
    assert service.service.store.recipients(KEY) == applied
    assert len(operation_log.operations) == len(applied)


@contract
def test_a_share_of_the_changes_can_be_refused_once(
    service: EmbeddedService, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = Switches(
        failing_share=0.3, failures=(Failure.BROKEN_OFF,), refuses_once=True
    )
    monkeypatch.setattr(service.service._failures, "_chance", lambda: 1.0)  # noqa: SLF001  (only the planned failure)
    paths = [f"/S/I/recipient/{number}" for number in range(7)]
    with open_client(service) as client:
        service.service.switches = failing
        first = [client.put(path).status_code for path in paths]
        again = client.put(paths[0]).status_code

        service.service.switches = Switches()
        service.service.switches = failing
        afresh = client.put(paths[0]).status_code
    assert first == [409, 204, 204, 409, 204, 204, 409]
    assert again == 204
    assert afresh == 409


@contract
def test_an_answer_can_break_off_after_the_call_was_applied(
    service: EmbeddedService,
) -> None:
    service.service.switches = Switches(failing_share=1, failures=(Failure.BROKEN_OFF,))
    with open_client(service) as client, pytest.raises(httpx.RemoteProtocolError):
        client.put("/S/I/recipient/r")
    assert service.service.store.recipients(KEY) == ("r",)


@contract
@pytest.mark.parametrize(
    ("present", "newcomer"),
    [
        ([], "9522000010007"),
        (["a", "b"], "9522000010007"),
        (["9522000010007"], "9522000020006"),
        (
            sorted(recipient_id for recipient_id, _ in invented_names().recipients),
            "someone-else-1",
        ),
    ],
)
def test_the_demo_can_act_as_another_user(
    service: EmbeddedService, present: list[str], newcomer: str
) -> None:
    service.service.store.replace(KEY, frozenset(present))
    change = service.service.someone_else_edits(KEY)
    assert change == Change(added=frozenset({newcomer}), removed=frozenset(present[:1]))
    assert service.service.store.recipients(KEY) == tuple(
        sorted([*present[1:], newcomer])
    )


def test_a_lagging_read_shows_the_state_of_five_seconds_ago(
    sqlite_store: Store, clock: HandClock
) -> None:
    reads = LaggingReads(sqlite_store, clock)
    reads.set_lag(5)
    other = Item("S", "J")
    sqlite_store.add(other, "z")
    reads.change(KEY, lambda: sqlite_store.replace(KEY, frozenset({"a", "b"})))
    clock.move(2)
    reads.change(KEY, lambda: sqlite_store.replace(KEY, frozenset({"b", "c"})))
    clock.move(2)
    reads.change(KEY, lambda: sqlite_store.remove_all(KEY))

    seen = []
    for _ in range(5):
        clock.move(1)
        seen.append(reads.recipients(KEY))
    assert seen == [("a", "b"), ("a", "b"), ("b", "c"), ("b", "c"), ()]
    assert reads.recipients(other) == ("z",)
