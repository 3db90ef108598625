"""From the headers of a proxy to a person: only of the proxy that is named."""

from datetime import timedelta
from ipaddress import ip_network

import pytest

from item_visibility.errors import SignInError
from item_visibility.people.person import Role
from item_visibility.people.proxy_headers import person_of_headers
from item_visibility.people.sign_in_rules import ProxyRules
from tests.people.signing_in import NOW

RULES = ProxyRules(trusted=(ip_network("10.0.0.5/32"), ip_network("::1/128")))
SENT = {
    "x-forwarded-user": "4f7a",
    "X-Forwarded-Preferred-Username": "anna",
    "X-Forwarded-Groups": "staff, item-visibility-editor",
}


@pytest.mark.parametrize("peer", ["10.0.0.5", "::ffff:10.0.0.5", "::1", "127.0.0.1"])
def test_the_named_proxy_says_who_asks(peer: str) -> None:
    """It said so when the window was opened, and that lasts a working day."""
    person = person_of_headers(SENT, RULES, peers=(peer,), began_at=NOW)
    assert (person.key, person.name, person.role) == ("proxy 4f7a", "anna", Role.EDITOR)
    assert person.ends_at == NOW + timedelta(hours=8)


@pytest.mark.parametrize("peer", ["10.0.0.6", "192.0.2.1", "", "proxy", "10.0.0.5, 10.0.0.6"])
def test_a_header_from_elsewhere_signs_nobody_in(peer: str) -> None:
    """Anybody can send a header."""
    with pytest.raises(SignInError):
        person_of_headers(SENT, RULES, peers=(peer,), began_at=NOW)


@pytest.mark.parametrize("user", ["", "  "])
def test_a_proxy_that_names_nobody_signs_nobody_in(user: str) -> None:
    """It lets a request through without a sign-in where it is told to."""
    with pytest.raises(SignInError):
        person_of_headers(SENT | {"x-forwarded-user": user}, RULES, peers=("::1",), began_at=NOW)


@pytest.mark.parametrize("groups", ["", "item-visibility-editors", "Item-Visibility-Editor", "staff;x"])
def test_only_an_exact_group_gives_a_role(groups: str) -> None:
    """A similar name is no name."""
    sent = SENT | {"X-Forwarded-Groups": groups}
    assert person_of_headers(sent, RULES, peers=("::1",), began_at=NOW).role is None


def test_who_has_no_name_is_shown_by_the_id() -> None:
    """The proxy need not send a name."""
    assert person_of_headers({"X-Forwarded-User": "4f7a"}, RULES, peers=("::1",), began_at=NOW).name == "4f7a"


def test_an_id_that_cannot_be_read_is_shown_as_unnamed() -> None:
    """There is always something to read."""
    sent = {"X-Forwarded-User": "\u202e"}
    assert person_of_headers(sent, RULES, peers=("::1",), began_at=NOW).name == "unnamed"
