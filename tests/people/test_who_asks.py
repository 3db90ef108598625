"""The person who asks: by the claims of a provider, by the headers of a proxy, or by nobody's word."""

from collections.abc import Mapping
from ipaddress import ip_network

import pytest

from item_visibility.errors import SignInError
from item_visibility.people.machine_user import machine_user
from item_visibility.people.sign_in_rules import ProxyRules
from item_visibility.people.true_peer import true_peers
from item_visibility.people.who_asks import Asking, person_who_asks
from tests.people.signing_in import NOW, RULES, claims

PROXY = ProxyRules(trusted=(ip_network("10.0.0.5/32"),))
HEADERS = {"x-forwarded-user": "anna", "x-forwarded-groups": "item-visibility-editor"}


def asking(
    said: Mapping[str, object] | None = None, headers: Mapping[str, str] | None = None, *peers: str
) -> Asking:
    """The things that a window brought along."""
    return Asking(claims=said or {}, headers=headers or {}, peers=peers, opened_at=NOW)


def test_where_nobody_signs_in_it_is_the_user_of_this_machine() -> None:
    """A browser may send anything."""
    brought = asking({"is_logged_in": True, "sub": "x"}, HEADERS, "10.0.0.5")
    assert person_who_asks(None, brought, now=NOW) == machine_user()


def test_the_provider_names_the_person() -> None:
    """Its word stands in the cookie."""
    brought = asking(claims() | {"is_logged_in": True})
    assert person_who_asks(RULES, brought, now=NOW).name == "Anna Muster"


@pytest.mark.parametrize("word", [False, None, "true", 1])
def test_without_its_word_nobody_is_signed_in(word: object) -> None:
    """Also when claims are there, and whatever the headers say."""
    with pytest.raises(SignInError, match="Nobody is signed in"):
        person_who_asks(RULES, asking(claims() | {"is_logged_in": word}, HEADERS, "10.0.0.5"), now=NOW)


def test_the_proxy_names_the_person() -> None:
    """And a provider's word counts for nothing then."""
    brought = asking(claims() | {"is_logged_in": True}, HEADERS, "10.0.0.5")
    assert person_who_asks(PROXY, brought, now=NOW).key == "proxy anna"


@pytest.mark.parametrize("peers", [(), ("10.0.0.6",), ("10.0.0.5", "10.0.0.6")])
def test_headers_from_elsewhere_sign_nobody_in(peers: tuple[str, ...]) -> None:
    """Each address that may be at the other end must be the proxy's."""
    with pytest.raises(SignInError):
        person_who_asks(PROXY, asking({}, HEADERS, *peers), now=NOW)


@pytest.mark.parametrize(
    ("client", "port", "forwarded_for", "peers"),
    [
        ("10.0.0.5", 4711, "", ("10.0.0.5",)),
        ("10.0.0.5", 4711, "203.0.113.9", ("10.0.0.5",)),
        ("10.0.0.1", 4711, "10.0.0.10", ("10.0.0.1",)),
        ("203.0.113.9", 0, "203.0.113.9", ("127.0.0.1", "::1")),
        ("10.0.0.5", 4711, "10.0.0.5", ()),
        ("10.0.0.5", 4711, "10.0.0.5:4711, 192.0.2.1", ()),
        ("fe80::5", 4711, "[fe80::5]:4711", ()),
    ],
)
def test_a_client_that_a_header_names_is_not_taken_for_the_other_end(
    client: str, port: int, forwarded_for: str, peers: tuple[str, ...]
) -> None:
    """Anybody can write the header, and uvicorn believes some of them."""
    assert true_peers(client, port, forwarded_for=forwarded_for) == peers


def test_whoever_the_server_believes_must_be_the_proxy() -> None:
    """With an asterisk that is everybody, and so nobody."""
    believed = true_peers("10.0.0.5", 0, forwarded_for="10.0.0.5", believed="*")
    assert not any(map(PROXY.trusts, believed))
