"""From the headers of an authenticating proxy to a person."""

from collections.abc import Mapping
from datetime import datetime

from item_visibility.errors import SignInError
from item_visibility.people.claims import readable_name
from item_visibility.people.person import Person
from item_visibility.people.sign_in_rules import ProxyRules

_ISSUER = "proxy"


def person_of_headers(
    headers: Mapping[str, str], rules: ProxyRules, *, peers: tuple[str, ...], began_at: datetime
) -> Person:
    """Return the person whom the proxy names, with a role or without.

    One of `peers` is at the other end of the connection; none of them was named by a header. `began_at` is
    when the window was opened: the proxy checked the sign-in then. Raises SignInError when any of them is not
    the proxy, or the proxy names nobody.
    """
    sent = {name.lower(): value for name, value in headers.items()}
    subject = sent.get(rules.user_header.lower(), "").strip()
    if not peers or not all(map(rules.trusts, peers)) or not subject:
        raise SignInError(
            "Nobody is signed in here. Nothing was changed.",
            advice="Open the dashboard at its usual address, and sign in there.",
        )
    groups = sent.get(rules.groups_header.lower(), "").split(",")
    return Person(
        issuer=_ISSUER,
        subject=subject,
        name=readable_name(sent.get(rules.name_header.lower())) or readable_name(subject) or "unnamed",
        role=rules.role_names.highest(group.strip() for group in groups),
        began_at=began_at,
        ends_at=began_at + rules.lasts,
    )
