"""The five operations over HTTP, with each parser and on each database. Spec: "Endpoints"."""

from pathlib import Path

import httpx
import pytest

from item_visibility_service.embedded import EmbeddedService
from item_visibility_service.open_points.switches import Switches
from item_visibility_service.storage import visibility_store
from tests.support.bundled_service import OperationLog, open_client, run_bundled, send_raw, sqlite_url

pytestmark = pytest.mark.contract

ITEM = "/S/I"
RECIPIENT = "/S/I/recipient/r"
NOTHING = (404, b"", None)


def answer_of(response: httpx.Response) -> tuple[int, bytes, str | None]:
    """The parts that a client goes by: status, body and media type."""
    return response.status_code, response.content, response.headers.get("content-type")


def test_an_item_without_recipients_is_404_without_content(parsed_service: EmbeddedService) -> None:
    """The specification gives this 404 no content. Spec: "Errors"; Note N4."""
    with open_client(parsed_service) as client:
        assert answer_of(client.get(ITEM)) == NOTHING


def test_a_set_list_is_read_sorted_and_each_once(parsed_service: EmbeddedService) -> None:
    """Repetition and order of a list say nothing: Note N10."""
    with open_client(parsed_service) as client:
        set_answer = answer_of(client.put(ITEM, json=["b", "a", "b"]))

        assert set_answer == (204, b"", None)
        assert answer_of(client.get(ITEM)) == (200, b'["a","b"]', "application/json")


def test_a_recipient_is_added_and_removed(parsed_service: EmbeddedService) -> None:
    """One recipient a call; a second call finds it done already."""
    with open_client(parsed_service) as client:
        added = [client.put(RECIPIENT).status_code for _ in range(2)]
        read = client.get(ITEM).json()
        removed = [client.delete(RECIPIENT).status_code for _ in range(2)]

        assert (added, read, removed) == ([204, 204], ["r"], [204, 204])
        assert answer_of(client.get(ITEM)) == NOTHING


def test_all_recipients_are_removed(parsed_service: EmbeddedService) -> None:
    """Of this item, and of no other."""
    with open_client(parsed_service) as client:
        client.put(ITEM, json=["a", "b"])
        client.put("/S/J", json=["a"])

        answer = answer_of(client.delete(ITEM))

        assert answer == (204, b"", None)
        assert (client.get(ITEM).status_code, client.get("/S/J").json()) == (404, ["a"])


def test_an_empty_list_removes_all(parsed_service: EmbeddedService) -> None:
    """An empty array is a list like any other."""
    with open_client(parsed_service) as client:
        client.put(ITEM, json=["a"])

        assert client.put(ITEM, json=[]).status_code == 204
        assert client.get(ITEM).status_code == 404


def test_head_answers_as_get_without_content(parsed_service: EmbeddedService) -> None:
    """A probe learns the length and gets no list."""
    with open_client(parsed_service) as client:
        client.put(ITEM, json=["a"])

        answer = client.head(ITEM)

        assert answer_of(answer) == (200, b"", "application/json")
        assert answer.headers["content-length"] == "5"


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        (ITEM, "DELETE, GET, HEAD, OPTIONS, PUT"),
        (RECIPIENT, "DELETE, OPTIONS, PUT"),
    ],
)
def test_options_and_405_say_what_is_allowed(service: EmbeddedService, path: str, allowed: str) -> None:
    """A wrong method is told the right ones."""
    with open_client(service) as client:
        options, patch = client.options(path), client.patch(path)

    assert (options.status_code, options.headers["allow"]) == (204, allowed)
    assert (patch.status_code, patch.headers["allow"]) == (405, allowed)
    assert patch.json() == {
        "status": 405,
        "title": "Method Not Allowed",
        "detail": "PATCH is not known here.",
    }


def test_answers_of_reads_are_not_to_be_kept(service: EmbeddedService) -> None:
    """A list from a cache would be an old one."""
    with open_client(service) as client:
        client.put(ITEM, json=["a"])

        assert client.get(ITEM).headers["cache-control"] == "no-store"


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
            "Element 1 of the list is '..', which many programs take for a folder and leave out.",
        ),
        (
            b'["a\\u0000"]',
            "Element 0 of the list holds a control character or half of a surrogate pair.",
        ),
        (b'["\\ud800"]', "Element 0 of the list holds a control character or half of a surrogate pair."),
    ],
)
def test_a_body_that_is_no_list_of_identifiers_changes_nothing(
    service: EmbeddedService, body: bytes, detail: str
) -> None:
    """It is refused with words, and the list stays as it was: Note N6."""
    with open_client(service) as client:
        client.put(ITEM, json=["kept"])

        answer = client.put(ITEM, content=body, headers={"Content-Type": "application/json"})

        assert answer_of(answer)[::2] == (400, "application/problem+json")
        assert answer.json() == {"status": 400, "title": "Bad Request", "detail": detail}
        assert client.get(ITEM).json() == ["kept"]


@pytest.mark.parametrize(
    ("headers", "detail"),
    [
        ({}, "The body has to be application/json."),
        ({"Content-Type": "text/plain"}, "The body has to be application/json."),
        ({"Content-Type": "application/jsonx"}, "The body has to be application/json."),
        (
            {"Content-Type": "application/json", "Content-Encoding": "gzip"},
            "The body has to be sent as it is, not compressed.",
        ),
    ],
)
def test_a_body_of_another_kind_is_415(
    service: EmbeddedService, headers: dict[str, str], detail: str
) -> None:
    """A body that is not called JSON is not read as JSON."""
    with open_client(service) as client:
        answer = client.put(ITEM, content=b"[]", headers=headers)

    assert answer.json() == {"status": 415, "title": "Unsupported Media Type", "detail": detail}


def test_the_media_type_may_have_parameters_and_capitals(service: EmbeddedService) -> None:
    """A media type is compared as HTTP compares it."""
    with open_client(service) as client:
        headers = {"Content-Type": "Application/JSON; charset=utf-8", "Content-Encoding": "Identity"}

        assert client.put(ITEM, content=b'["a"]', headers=headers).status_code == 204


def test_a_body_that_is_too_large_is_413(parsed_service: EmbeddedService) -> None:
    """32 MiB are allowed, and the connection can be used again: Note N12."""
    with open_client(parsed_service) as client:
        headers = {"Content-Type": "application/json"}

        answer = client.put(ITEM, content=b" " * (32 * 2**20 + 1), headers=headers)

        assert answer_of(answer)[::2] == (413, "application/problem+json")
        assert client.put(ITEM, json=["a"]).status_code == 204


@pytest.mark.parametrize(("count", "status"), [(100_000, 204), (100_001, 400)])
def test_a_list_holds_at_most_100_000_recipients(service: EmbeddedService, count: int, status: int) -> None:
    """The limit is ours: Note N12."""
    with open_client(service) as client:
        answer = client.put(ITEM, json=[str(number) for number in range(count)], timeout=60)

    assert answer.status_code == status


@pytest.mark.parametrize("is_merged", [False, True])
def test_an_item_holds_no_more_recipients_than_a_list_may(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, is_merged: bool
) -> None:
    """They may come in any way: one more is refused, and one that is there already is not one more."""
    monkeypatch.setattr(visibility_store, "MAX_RECIPIENTS", 2)
    switches = Switches(put_merges=is_merged)
    with run_bundled(sqlite_url(tmp_path), switches=switches) as running, open_client(running) as client:
        filled = [client.put(ITEM, json=["a"]), client.put("/S/I/recipient/b")]
        again = client.put("/S/I/recipient/b")
        beyond = client.put("/S/I/recipient/c")
        merged = client.put(ITEM, json=["a", "c"])
        recipients = client.get(ITEM).json()

    assert [answer.status_code for answer in (*filled, again, beyond)] == [204, 204, 204, 400]
    assert beyond.json()["detail"] == "An item has at most 100000 recipients."
    assert (merged.status_code, recipients) == ((400, ["a", "b"]) if is_merged else (204, ["a", "c"]))


@pytest.mark.parametrize("host", [{"Host": None}, {"host": "127.0.0.1"}])
def test_a_request_names_one_host(parsed_service: EmbeddedService, host: dict[str, str | None]) -> None:
    """None and two are 400, with each parser: RFC 9112, section 3.2."""
    answer = send_raw(parsed_service, "GET", b"/healthz", headers=host)
    assert (answer.status, send_raw(parsed_service, "GET", b"/healthz").status) == (400, 200)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/x",
        "/v1",
        "/v1/",
        "/v1/itemvisibilities/S",
        "/v1/itemvisibilities/S/I/",
        "/v2/itemvisibilities/S/I",
    ],
)
def test_other_addresses_are_404(service: EmbeddedService, path: str) -> None:
    """They are told apart from an item without recipients by their problem detail."""
    answer = httpx.get(service.auth_url + path, trust_env=False)

    assert answer.json() == {
        "status": 404,
        "title": "Not Found",
        "detail": "There is nothing at this address.",
    }
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.peer
def test_the_operations_work_on_postgresql(postgres_url: str, operation_log: OperationLog) -> None:
    """The same answers, from another thread and another database."""
    with run_bundled(postgres_url, operation_log) as running, open_client(running) as client:
        answers = [
            client.get(ITEM).status_code,
            client.put(ITEM, json=["b", "a", "c"]).status_code,
            client.put(RECIPIENT).status_code,
            client.delete("/S/I/recipient/a").status_code,
            client.get(ITEM).json(),
            client.delete(ITEM).status_code,
            client.get(ITEM).status_code,
            httpx.get(f"{running.auth_url}/healthz", trust_env=False).json(),
        ]

    assert answers == [404, 204, 204, 204, ["b", "c", "r"], 204, 404, {"status": "ok"}]


def test_every_operation_is_told_with_the_path_that_was_sent(
    service: EmbeddedService, operation_log: OperationLog
) -> None:
    """A listener can hold what was understood against what was asked."""
    with open_client(service) as client:
        client.get(ITEM)
        client.put(ITEM, json=["a"])
        client.put("/S/%C3%A4/recipient/a%2Fb")
        client.delete(RECIPIENT)
        client.delete(ITEM)

    told = [
        (run.operation_id, run.supplier, run.supplier_item_id, run.recipient_id, run.raw_path)
        for run in operation_log.operations
    ]
    assert told == [
        ("getVisibilities", "S", "I", None, b"/v1/itemvisibilities/S/I"),
        ("setVisibilities", "S", "I", None, b"/v1/itemvisibilities/S/I"),
        ("addVisibility", "S", "ä", "a/b", b"/v1/itemvisibilities/S/%C3%A4/recipient/a%2Fb"),
        ("removeVisibility", "S", "I", "r", b"/v1/itemvisibilities/S/I/recipient/r"),
        ("removeVisibilities", "S", "I", None, b"/v1/itemvisibilities/S/I"),
    ]


def test_a_service_that_gives_its_own_tokens_is_ready_when_its_database_answers(
    service: EmbeddedService,
) -> None:
    """It needs no keys of anybody."""
    answer = httpx.get(f"{service.auth_url}/readyz", trust_env=False)

    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
