"""The state of the fault service and the effect of each operation on it."""

import json
import threading
from collections import Counter
from collections.abc import Iterable
from typing import Self
from urllib.parse import unquote

from item_visibility.client import operations
from tests.support.fault_service.calls import (
    OPERATION_BY_SHAPE,
    STANDARD,
    Call,
    FaultChoice,
    LoggedCall,
    Semantics,
    no_fault,
)
from tests.support.fault_service.http import FaultServer
from tests.support.fault_service.tokens import TokenEndpoint


class FaultService:
    """The five operations and the token endpoint on a port of 127.0.0.1, with faults on demand.

    `items` holds the recipients of each (supplier, supplier item id); an item without recipients is
    not in it. `hang_s` is the time before the connection of a hanging call is cut. `tokens` is the
    token endpoint; every call must carry one of its tokens.
    """

    def __init__(
        self,
        semantics: Semantics = STANDARD,
        *,
        choose_fault: FaultChoice = no_fault,
        hang_s: float = 1.2,
        retry_after_s: int = 1,
    ) -> None:
        self.semantics = semantics
        self.choose_fault = choose_fault
        self.hang_s = hang_s
        self.retry_after_s = retry_after_s
        self.tokens = TokenEndpoint()
        self.items: dict[tuple[str, str], list[str]] = {}
        self.log: list[LoggedCall] = []
        self.crashes: list[str] = []
        self.is_stopping = threading.Event()
        self._lock = threading.Lock()
        self._numbers: Counter[tuple[str, str, str, str | None]] = Counter()
        self._server = FaultServer(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        self.auth_url = f"http://127.0.0.1:{self._server.server_port}"
        self.base_url = f"{self.auth_url}/v1"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop listening and cut every connection; raise AssertionError if the service itself failed."""
        self.is_stopping.set()
        self._server.shutdown()
        self._server.cut_connections()
        self._server.server_close()
        self._thread.join(5)
        assert not self.crashes, self.crashes

    def recipients_of(self, supplier: str, supplier_item_id: str) -> frozenset[str]:
        """Return the recipients that can really see the item."""
        with self._lock:
            return frozenset(self.items.get((supplier, supplier_item_id), ()))

    def begin(self, semantics: Semantics, choose_fault: FaultChoice = no_fault) -> None:
        """Start over: no items, no log, calls counted from 1; tokens stay valid."""
        with self._lock:
            self.semantics = semantics
            self.choose_fault = choose_fault
            self.items.clear()
            self.log.clear()
            self._numbers.clear()

    def fill(self, supplier: str, supplier_item_id: str, recipients: Iterable[str]) -> None:
        """Set the item's recipients without a call."""
        with self._lock:
            self._keep((supplier, supplier_item_id), list(dict.fromkeys(recipients)))

    def asked(self, operation: str) -> list[LoggedCall]:
        """Return the calls of one operation, in order."""
        with self._lock:
            return [entry for entry in self.log if entry.call.operation == operation]

    def read_call(self, method: str, raw_path: bytes, body: bytes) -> Call | None:
        """Return the call in a request, or None if it is none of the five operations."""
        segments = raw_path.decode("ascii").removeprefix("/v1/itemvisibilities/").split("/")
        operation = OPERATION_BY_SHAPE.get((method, len(segments)))
        if operation is None:
            return None
        supplier, item, *rest = (unquote(segment, errors="strict") for segment in segments)
        recipient_id = rest[1] if rest else None
        recipients = tuple(json.loads(body)) if operation == operations.SET_VISIBILITIES.name else None
        with self._lock:
            self._numbers[operation, supplier, item, recipient_id] += 1
            number = self._numbers[operation, supplier, item, recipient_id]
        return Call(operation, supplier, item, recipient_id, recipients, raw_path, number)

    def apply(self, call: Call) -> tuple[int, list[str]]:
        """Run the call and return its status and the recipients that it read."""
        key = (call.supplier, call.supplier_item_id)
        with self._lock:
            recipients = list(self.items.get(key, ()))
            match call.operation:
                case operations.GET_VISIBILITIES.name:
                    is_unknown = not recipients and self.semantics.empty_is_404
                    return (404 if is_unknown else 200), recipients
                case operations.SET_VISIBILITIES.name:
                    kept = recipients if self.semantics.put_merges else []
                    self._keep(key, list(dict.fromkeys([*kept, *(call.recipients or ())])))
                    return 204, []
                case operations.REMOVE_VISIBILITIES.name:
                    self._keep(key, [])
                    return self._removed(is_missing=not recipients), []
                case operations.ADD_VISIBILITY.name:
                    self._keep(key, list(dict.fromkeys([*recipients, call.recipient_id or ""])))
                    return 204, []
                case _:
                    is_missing = call.recipient_id not in recipients
                    self._keep(key, [one for one in recipients if one != call.recipient_id])
                    return self._removed(is_missing=is_missing), []

    def note(self, entry: LoggedCall) -> None:
        """Add a call to the log."""
        with self._lock:
            self.log.append(entry)

    def _removed(self, *, is_missing: bool) -> int:
        return 404 if is_missing and self.semantics.missing_is_404 else 204

    def _keep(self, key: tuple[str, str], recipients: list[str]) -> None:
        if recipients:
            self.items[key] = recipients
        else:
            self.items.pop(key, None)
