"""The five operations: the one table of their names, methods and words. Spec: "Endpoints"."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from item_visibility.client.identifiers import ItemKey


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: its operationId, its method, and the words for it: the `thing` is `done`.

    `may_repeat` is True when a request whose outcome is unknown may be sent again. Note N17.
    """

    name: str
    method: str
    thing: str
    done: str
    may_repeat: bool = False

    @property
    def is_read(self) -> bool:
        """True for the only operation that changes nothing."""
        return self.method == "GET"


GET_VISIBILITIES = Operation("getVisibilities", "GET", "list", "read", may_repeat=True)
SET_VISIBILITIES = Operation("setVisibilities", "PUT", "list", "set")
REMOVE_VISIBILITIES = Operation("removeVisibilities", "DELETE", "list", "emptied")
ADD_VISIBILITY = Operation("addVisibility", "PUT", "recipient", "added", may_repeat=True)
REMOVE_VISIBILITY = Operation("removeVisibility", "DELETE", "recipient", "removed", may_repeat=True)

REQUEST_TOKEN = Operation("requestToken", "POST", "token", "requested")
"""The request to the token endpoint: not one of the five, named by us."""

OPERATIONS = (
    GET_VISIBILITIES,
    ADD_VISIBILITY,
    REMOVE_VISIBILITY,
    SET_VISIBILITIES,
    REMOVE_VISIBILITIES,
    REQUEST_TOKEN,
)
"""All of them. New ones go to the end: records hold their places."""


class Visibilities(Protocol):
    """Reads and changes which recipients can see an item.

    Every method raises IdentifierError before anything is sent, TokenError when there is no
    access token, and CallError when the call did not succeed.
    """

    def get_visibilities(self, item: ItemKey) -> frozenset[str] | None:
        """Return all recipients that can see the item, or None for a 404. Spec: "Endpoints"; Note N4."""

    def set_visibilities(self, item: ItemKey, recipients: Iterable[str]) -> None:
        """Set the recipients of the item from a list. The specification does not say whether others stay.

        Spec: "Endpoints"; Note N3.
        """

    def remove_visibilities(self, item: ItemKey) -> None:
        """Remove all recipients of the item. Spec: "Endpoints"."""

    def add_visibility(self, item: ItemKey, recipient_id: str) -> None:
        """Make the item visible for one recipient. Spec: "Endpoints"."""

    def remove_visibility(self, item: ItemKey, recipient_id: str) -> None:
        """Remove the visibility of the item for one recipient. Spec: "Endpoints"."""
