"""Demo controls: the open points of the specification as switches, in plain words."""

from dataclasses import dataclass
from typing import Protocol

from item_visibility.client.identifiers import ItemKey


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoSwitches:
    """Switches for the bundled service where the specification is silent. Notes N3, N4, N11."""

    put_merges: bool = False
    """setVisibilities adds to the list that is there, instead of replacing it."""
    empty_is_not_found: bool = True
    """An item without recipients answers 404, instead of an empty list."""
    read_lag_s: float = 0.0
    """Seconds that reads stay behind changes."""
    failing_share: float = 0.0
    """The share of calls that fail, from 0 to 1."""


class DemoControls(Protocol):
    """Controls for the bundled service of a demo."""

    def read_switches(self) -> DemoSwitches:
        """Return the current switches."""

    def set_switches(self, switches: DemoSwitches) -> None:
        """Set all switches. They take effect with the next call."""

    def someone_else_edits(self, item: ItemKey) -> None:
        """Add one recipient to the item and remove one, as somebody at another screen would."""

    def reset(self) -> None:
        """Restore the sample data and the switches of a new demo."""
