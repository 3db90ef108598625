"""Finds who asks: whom the provider or the proxy names, or the user of this machine where nobody signs in."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from item_visibility.errors import SignInError
from item_visibility.people.claims import person_of_claims
from item_visibility.people.machine_user import machine_user
from item_visibility.people.person import Person
from item_visibility.people.proxy_headers import person_of_headers
from item_visibility.people.sign_in_rules import ProviderRules, SignInRules


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """The claims and headers that a window brought when it was opened, at `opened_at`.

    `claims` are those of the provider's cookie, with `is_logged_in`; one of `peers` sent the `headers`.
    """

    claims: Mapping[str, object]
    headers: Mapping[str, str]
    peers: tuple[str, ...]
    opened_at: datetime


def person_who_asks(rules: SignInRules | None, asking: Asking, *, now: datetime) -> Person:
    """Return the person, with a role or without. Raises SignInError when nobody is signed in."""
    if rules is None:
        return machine_user()
    if not isinstance(rules, ProviderRules):
        return person_of_headers(asking.headers, rules, peers=asking.peers, began_at=asking.opened_at)
    if asking.claims.get("is_logged_in") is not True:
        raise SignInError("Nobody is signed in here. Nothing was changed.", advice="Sign in.")
    return person_of_claims(asking.claims, rules, now=now)
