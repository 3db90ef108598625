"""The access log: who did what, and what was refused."""

import logging
from enum import StrEnum

from item_visibility.access.people import Person

ACCESS_LOG = "item_visibility.access_log"
"""The name of the logger for sign-ins, reads, exports, changes and refusals."""


class Event(StrEnum):
    """The events of the access log."""

    SIGN_IN = "sign-in"
    SIGN_IN_REFUSED = "sign-in refused"
    SIGN_OUT = "sign-out"
    SIGN_INS_ENDED = "sign-ins ended"
    REFUSED = "refused"
    READ = "read"
    EXPORT = "export"
    CHANGE = "change"


def log_access(
    event: Event, person: Person | None, *, item_count: int = 0, request_id: str = ""
) -> None:
    """Write a line to the access log. `person` is None for an unknown person.

    `request_id` is the id of a single request, or the key of a save or job, which sends
    many requests.
    """
    facts: dict[str, object] = {
        "request_id": request_id,
        "item_count": item_count or "",
    }
    if person is not None:
        role = "none" if person.role is None else person.role.word
        facts |= {"person": person.key, "person_name": person.name, "role": role}
    logging.getLogger(ACCESS_LOG).info(event, extra=facts)
