"""A notice that the environment has a new address, shown once because everything looks empty there."""

from collections.abc import Callable

from item_visibility.storage.addresses import AddressChange
from item_visibility.storage.fallback import or_else

__all__ = ["AddressChange", "AddressDesk", "address_lines"]


class AddressDesk:
    """The last address change of the environment, and whether somebody has read the notice.

    `change` is None if the address never changed.
    """

    def __init__(self, change: AddressChange | None, *, mark_read: Callable[[], None]) -> None:
        self.change = change
        self._mark_read = mark_read
        self._is_read = change is None or change.is_read

    @property
    def unread(self) -> AddressChange | None:
        """The change, until somebody has read the notice."""
        return None if self._is_read else self.change

    def mark_read(self) -> None:
        """Stop showing the notice; only until the next start if our own database cannot be used."""
        self._is_read = True
        or_else(None, self._mark_read)


def address_lines(change: AddressChange, *, environment: str, service: str) -> tuple[str, ...]:
    """Return the notice: the change, where earlier records are, and how to see them."""
    return (
        f"{environment} is at {service} now. Before it was at {change.service_before}.",
        "Not shown: what was recorded there (history, names, sets, jobs).",
        "To see it, set the address back.",
    )
