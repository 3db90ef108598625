"""Reads of an item's list until it shows what it should. Note N11."""

from collections.abc import Callable

from item_visibility.api.identifiers import ItemKey
from item_visibility.api.operations import Visibilities
from item_visibility.errors import ItemVisibilityError
from item_visibility.timings_and_retries import READ_BACK_DELAYS_S


class ListReader:
    """Reads one item's list.

    `seen` is the list as last read, and None when that read failed; then `error` says why.
    """

    def __init__(
        self,
        visibilities: Visibilities,
        item: ItemKey,
        *,
        sleep: Callable[[float], None],
        seen: frozenset[str] | None = None,
    ) -> None:
        self.seen = seen
        self.error: ItemVisibilityError | None = None
        self._visibilities = visibilities
        self._item = item
        self._sleep = sleep

    def forget(self) -> None:
        """Mark the last read as out of date, because a write is in progress."""
        self.seen = None

    def read(self) -> None:
        """Read once. An item with nothing recorded has no recipients. Note N4."""
        try:
            self.seen, self.error = self._visibilities.get_visibilities(self._item) or frozenset(), None
        except ItemVisibilityError as error:
            self.seen, self.error = None, error

    def wait_and_read(self, delay_s: float) -> None:
        """Wait, then read once more."""
        self._sleep(delay_s)
        self.read()

    def read_until(self, is_enough: Callable[[frozenset[str]], bool]) -> None:
        """Read, and again after each delay, until `is_enough` accepts the list."""
        self.read()
        for delay_s in READ_BACK_DELAYS_S:
            if self.seen is not None and is_enough(self.seen):
                return
            self.wait_and_read(delay_s)
