"""The five operations as the rest of the program sees them. Spec: "Endpoints"."""

from collections.abc import Iterable
from typing import Protocol

from item_visibility.api.identifiers import ItemKey


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
