"""Paths and ids that could be read in two ways are read as they were sent, or refused.

Note N1.
"""

import socket
from collections.abc import Iterator
from http.client import HTTPResponse
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.exceptions import HTTPException

from item_visibility_service.requests import read_segment
from item_visibility_service.server import EmbeddedService
from item_visibility_service.store import Item
from tests.support.bundled_service import ITEMS_PATH, fetch_token

contract = pytest.mark.contract

PREFIX = ITEMS_PATH.encode()
ITEM = Item("S", "I")
IDENTIFIERS = st.text(
    st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=160
).filter(lambda text: text not in {".", ".."})


def status_of(
    service: EmbeddedService, method: str, target: bytes, *, host: tuple[str, ...] = ()
) -> int:
    """Send this target exactly, on a new connection, and return the status.

    `host` gives Host headers.
    """
    here, port = service.auth_url.removeprefix("http://").split(":")
    token = f"Authorization: Bearer {fetch_token(service)}"
    lines = (
        *(host or [f"Host: {here}:{port}"]),
        token,
        "Connection: close",
        "Content-Length: 0",
        "",
        "",
    )
    first_line = b"%s %s HTTP/1.1\r\n" % (method.encode(), target)
    with socket.create_connection((here, int(port)), timeout=60) as connection:
        connection.sendall(first_line + "\r\n".join(lines).encode())
        with HTTPResponse(connection, method=method) as answer:
            answer.begin()
            return answer.status


@pytest.fixture
def filled_service(service: EmbeddedService) -> Iterator[EmbeddedService]:
    service.service.store.replace(ITEM, frozenset({"R", "Q"}))
    yield service
    assert service.service.store.recipients(ITEM) == ("Q", "R")


@given(text=IDENTIFIERS)
def test_a_segment_is_read_as_the_identifier_that_was_encoded(text: str) -> None:
    assert read_segment("id", quote(text, safe="")) == text


@pytest.mark.parametrize(
    ("raw", "detail"),
    [
        ("", "id is empty."),
        ("%2E%2e", "id is '..', which many programs remove from a path."),
        ("%", "id has a percent sign without two hexadecimal digits after it."),
        ("%+1", "id has a percent sign without two hexadecimal digits after it."),
        ("%ff", "id is not UTF-8."),
        ("%1f", "id contains a control character or half of a surrogate pair."),
        ("a" * 201, "id has 201 characters; 200 are allowed."),
        ("%F0%9F%9B%8D" * 167, "id has more than 2000 bytes when percent-encoded."),
    ],
)
def test_a_refused_segment_has_a_reason(raw: str, detail: str) -> None:
    with pytest.raises(HTTPException) as caught:
        read_segment("id", raw)
    assert caught.value.status_code == 400
    assert caught.value.detail == detail


@contract
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(hostile=IDENTIFIERS)
def test_any_identifier_arrives(service: EmbeddedService, hostile: str) -> None:
    path = f"{ITEMS_PATH}/S/I/recipient/{quote(hostile, safe='')}".encode()
    assert status_of(service, "PUT", path) == 204
    assert hostile in service.service.store.recipients(ITEM)


AMBIGUOUS_PATHS = [
    b"/S/I/recipient/..",
    b"/S/I/recipient/.",
    b"/S/I/recipient/%2e%2e",
    b"/S/I/recipient/%2E.",
    b"/S/I/recipient/../recipient/R",
    b"/S/./I",
    b"/S/x/../I",
    b"/../itemvisibilities/S/I",
    b"/S/I/recipient/",
    b"/S/I/recipient/R/",
    b"//I",
    b"/S/",
    b"/S//recipient/R",
    b"/S/I/recipient/%",
    b"/S/I/recipient/%2",
    b"/S/I/recipient/%zz",
    b"/S/I/recipient/%ff",
    b"/S/I/recipient/%c3",
    b"/S/I/recipient/%ed%a0%80",
    b"/S/I/recipient/%c0%af",
    b"/S/I/recipient/a%00",
    b"/S/I/recipient/%0a",
    b"/S/I/recipient/%7f",
    b"/S/I/recipient/%c2%85",
    b"/S/I/recipient/" + b"a" * 201,
    b"/S/I/recipient/" + b"%F0%9F%9B%8D" * 167,
    b"/S/I?x/recipient/R",
    b"/S/I/recipient/R?x=1",
    b"/S/I#/recipient/R",
    b"/S/I/recipient/R#",
    b"/S/I/recipient/\xc3\xa4",
]
UNKNOWN_PATHS = [
    b"/S/I/recipient",
    b"/S/I/recipient/R/x",
    b"/S/I/Recipient/R",
    b"/S/I/%72ecipient/R",
    b"/S/I/recipient/a/b",
    b"/x/S/I/recipient/R",
    b"",
]


@contract
@pytest.mark.parametrize(
    ("path", "status"),
    [
        *((path, 400) for path in AMBIGUOUS_PATHS),
        *((path, 404) for path in UNKNOWN_PATHS),
    ],
)
def test_a_path_with_two_readings_changes_nothing(
    filled_service: EmbeddedService, path: bytes, status: int
) -> None:
    assert status_of(filled_service, "DELETE", PREFIX + path) == status


@contract
def test_an_absolute_address_is_a_path_with_its_host(service: EmbeddedService) -> None:
    target = service.auth_url.encode() + PREFIX + b"/S/I/recipient/R"
    status = status_of(service, "PUT", target)
    assert status == 204
    assert service.service.store.recipients(ITEM) == ("R",)


@contract
@pytest.mark.parametrize(
    "host", [("No: host",), ("Host: 127.0.0.1", "host: 127.0.0.1")]
)
def test_a_request_has_exactly_one_host(
    service: EmbeddedService, host: tuple[str, ...]
) -> None:
    assert status_of(service, "GET", b"/healthz", host=host) == 400
    assert status_of(service, "GET", b"/healthz") == 200
