"""Paths that want to be read in two ways: each is answered in the one that was sent, or refused."""

import string
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from item_visibility_service.embedded import EmbeddedService
from item_visibility_service.http.accepted_ids import Item
from tests.support.bundled_service import ITEMS_PATH, RawAnswer, fetch_token, open_client, send_raw

pytestmark = pytest.mark.contract

PREFIX = ITEMS_PATH.encode()
KEPT = Item("S", "I")
HOSTILE_IDS = (
    "x/recipient/y",
    "/",
    "a/b",
    "a//b",
    "/recipient/",
    "%",
    "%2F",
    "%252F",
    "100%",
    "a b",
    " ",
    " a ",
    "a+b",
    "a?b",
    "?",
    "a#b",
    "#",
    "a&b=c",
    ";",
    "a;b=c",
    ":",
    "04012345678901:276",
    "...",
    ".a",
    "a.",
    "a.b",
    "~",
    "-",
    "\\",
    "..\\",
    "*bold*",
    "[a]",
    "<b>",
    '"',
    "'",
    "`",
    "$TOKEN",
    "{x}",
    "ä",
    "e\u0301",
    "\u00e9",
    "ß",
    "日本",
    "\N{SHOPPING BAGS}",
    "\u202eabc",
    "\ufeff",
    "\u200b",
    "\u2028",
    "\u3000",
    "\ue000",
    "\ufffd",
    "\U0010ffff",
    "recipient",
    "null",
    "0000815",
    "1e5",
    "a" * 200,
)


def authorised(service: EmbeddedService, method: str, target: bytes) -> RawAnswer:
    """The answer to a request with a good token."""
    return send_raw(service, method, target, headers={"Authorization": f"Bearer {fetch_token(service)}"})


def encoded(identifier: str) -> str:
    """The identifier as one segment of a path."""
    return quote(identifier, safe="")


@pytest.fixture
def kept_service(parsed_service: EmbeddedService) -> Iterator[EmbeddedService]:
    """A service with an item that no call of the test names; it is there after the test as before."""
    parsed_service.service.store.replace(KEPT, frozenset({"R", "Q"}))
    yield parsed_service
    assert parsed_service.service.store.recipients(KEPT) == ("Q", "R")


def test_hostile_identifiers_arrive_in_every_place(parsed_service: EmbeddedService) -> None:
    """Percent-encoded, every identifier is kept character for character."""
    store = parsed_service.service.store
    with open_client(parsed_service) as client:
        statuses = {
            client.put(f"/{encoded(supplier)}/{encoded(item)}/recipient/{encoded(hostile)}").status_code
            for hostile in HOSTILE_IDS
            for supplier, item in ((hostile, "I"), ("S", hostile))
        }

    assert statuses == {204}
    kept = [
        (store.recipients(Item(hostile, "I")), store.recipients(Item("S", hostile)))
        for hostile in HOSTILE_IDS
    ]
    assert kept == [((hostile,), (hostile,)) for hostile in HOSTILE_IDS]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    hostile=st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=60).filter(
        lambda text: text not in {".", ".."}
    )
)
def test_any_identifier_arrives(service: EmbeddedService, hostile: str) -> None:
    """The service keeps any id that a client can encode."""
    path = f"{ITEMS_PATH}/S/I/recipient/{encoded(hostile)}".encode()

    assert authorised(service, "PUT", path).status == 204
    assert hostile in service.service.store.recipients(KEPT)


@pytest.mark.parametrize(
    "path",
    [
        b"/S/I/recipient/..",
        b"/S/I/recipient/.",
        b"/S/I/recipient/%2e%2e",
        b"/S/I/recipient/%2E.",
        b"/S/I/recipient/../recipient/R",
        b"/S/./I",
        b"/S/x/../I",
        b"/../itemvisibilities/S/I",
        b"/S/I/recipient/",
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
    ],
)
def test_a_path_with_two_readings_is_400(kept_service: EmbeddedService, path: bytes) -> None:
    """Nothing is removed by a call that some program on the way may read otherwise: Note N1."""
    answer = authorised(kept_service, "DELETE", PREFIX + path)

    assert answer.status == 400


@pytest.mark.parametrize(
    "path",
    [
        b"/S/I/recipient/R/",
        b"/S/I/recipient",
        b"/S/I/recipient/R/x",
        b"/S/I/Recipient/R",
        b"/S/I/%72ecipient/R",
        b"/S/I/recipient/a/b",
        b"/x/S/I/recipient/R",
        b"",
    ],
)
def test_an_address_that_is_nearly_right_is_404(kept_service: EmbeddedService, path: bytes) -> None:
    """No guess is made at what was meant."""
    assert authorised(kept_service, "DELETE", PREFIX + path).status == 404


def test_characters_that_need_no_encoding_stand_for_themselves(parsed_service: EmbeddedService) -> None:
    """Encoded or not, they are the same identifier."""
    plain = (string.punctuation.translate(str.maketrans("", "", "#%/?")) + "aZ09").encode()

    status = authorised(parsed_service, "PUT", PREFIX + b"/S/I/recipient/" + plain).status

    assert (status, parsed_service.service.store.recipients(KEPT)) == (204, (plain.decode(),))


def test_an_absolute_address_is_a_path_with_its_host(parsed_service: EmbeddedService) -> None:
    """HTTP wants servers to understand it."""
    target = parsed_service.auth_url.encode() + PREFIX + b"/S/I/recipient/R"

    status = authorised(parsed_service, "PUT", target).status

    assert (status, parsed_service.service.store.recipients(KEPT)) == (204, ("R",))
