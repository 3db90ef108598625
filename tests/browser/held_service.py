"""A service that waits with the changes of an item as long as a test wants."""

import threading

from item_visibility.client.operations import GET_VISIBILITIES
from item_visibility_service.application import Operation
from item_visibility_service.store import Item
from tests.support.bundled_service import OperationLog

_AT_MOST_S = 60


class HoldingLog(OperationLog):
    """Logs every operation, and holds the changes of an item until they are released."""

    def __init__(self) -> None:
        super().__init__()
        self._held: Item | None = None
        self._is_waiting = threading.Event()
        self._is_released = threading.Event()

    def __call__(self, operation: Operation) -> None:
        super().__call__(operation)
        if operation.operation_id != GET_VISIBILITIES.name and self._held == operation.item:
            self._is_waiting.set()
            self._is_released.wait(_AT_MOST_S)

    def hold(self, item: Item) -> None:
        self._is_waiting.clear()
        self._is_released.clear()
        self._held = item

    def wait_for_change(self) -> None:
        assert self._is_waiting.wait(_AT_MOST_S)

    def release(self) -> None:
        self._held = None
        self._is_released.set()

    def changes(self, item: Item) -> list[tuple[str, str | None]]:
        """The changes of this item that arrived, in order."""
        return [
            (one.operation_id, one.recipient_id)
            for one in self.operations
            if one.operation_id != GET_VISIBILITIES.name and one.item == item
        ]
