"""An environment that came to another address: said once, because everything looks empty there."""

from collections.abc import Callable

from item_visibility.desk.names import or_else
from item_visibility.records.named_addresses import AddressChange

__all__ = ["AddressChange", "AddressDesk", "address_lines"]


class AddressDesk:
    """When the environment came to the address that it has now, and whether somebody has read of it.

    `change` is None while it never had another one.
    """

    def __init__(self, change: AddressChange | None, *, note_told: Callable[[], None]) -> None:
        self.change = change
        self._note_told = note_told
        self._is_told = change is None or change.is_told

    @property
    def untold(self) -> AddressChange | None:
        """The change, until somebody has read of it."""
        return None if self._is_told else self.change

    def told(self) -> None:
        """Say it no more; when our own database cannot be used, not before the next start."""
        self._is_told = True
        or_else(None, self._note_told)


def address_lines(change: AddressChange, *, environment: str, service: str) -> tuple[str, ...]:
    """What happened, what became of what was recorded before, and how to see it."""
    return (
        f"{environment} is at {service} now. Before it was at {change.service_before}.",
        "What was recorded there (history, drafts, parked items, names, sets, jobs) is not shown here.",
        "To see it, set the address back.",
    )
