"""A check over a whole test run: every operation that ran is the one that was asked for.

While `operations_run_as_asked` is active, every client in this process records its successful calls, and
every bundled service records the operations it ran, with their paths. At the end, each operation must
match its path, and each success seen by a client must have its own operation in the service.
Tests that call the service in other ways only add operations that ran.
"""

import threading
from collections import Counter, defaultdict
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

import pytest

from item_visibility.client.answers import Result, Success
from item_visibility.client.operations import Request
from item_visibility.client.transport import BearerAuth, Http
from item_visibility_service.application import OnOperation, Operation, Service
from item_visibility_service.server import EmbeddedService
from item_visibility_service.store import Item
from tests.support.fault_service.calls import OPERATION_BY_SHAPE

PREFIX = "/v1/itemvisibilities/"
SEGMENTS = {name: segments for (_, segments), name in OPERATION_BY_SHAPE.items()}


def is_what_the_path_says(operation: Operation) -> bool:
    """True when the ids of the operation match its path, parsed in the simplest way."""
    segments = operation.raw_path.decode("ascii").split(PREFIX, 1)[-1].split("/")
    ids = [operation.item.supplier, operation.item.supplier_item_id]
    ids += [] if operation.recipient_id is None else ["recipient", operation.recipient_id]
    is_read_alike = [unquote(segment, errors="strict") for segment in segments] == ids
    return is_read_alike and len(segments) == SEGMENTS[operation.operation_id]


class OperationLog:
    """The calls that succeeded and the operations that ran, by the port of the service. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: dict[Service, Counter[Operation]] = defaultdict(Counter)
        self._run: dict[Service, Counter[Operation]] = defaultdict(Counter)
        self._services: dict[int, Service] = {}

    def ask(self, request: Request, result: Result) -> None:
        """Record a client's call if it succeeded."""
        if request.item is None or not isinstance(result, Success):
            return
        parts = urlsplit(request.url)
        operation = Operation(
            request.operation.name,
            Item(request.item.supplier, request.item.supplier_item_id),
            request.recipient_id,
            parts.path.encode("ascii"),
        )
        with self._lock:
            if parts.port in self._services:
                self._asked[self._services[parts.port]][operation] += 1

    def run(self, service: Service, operation: Operation) -> None:
        """Record an operation that a service ran."""
        with self._lock:
            self._run[service][operation] += 1

    def open(self, service: Service, port: int) -> None:
        """Record the port of a service."""
        with self._lock:
            self._services[port] = service

    def close(self, port: int) -> None:
        """Forget the port: another service may get it next."""
        with self._lock:
            self._services.pop(port, None)

    def differences(self) -> list[str]:
        """Return operations that do not match their path, and successes without an operation."""
        misread = [
            f"run, but not what the path says: {operation}"
            for operations in self._run.values()
            for operation in operations
            if not is_what_the_path_says(operation)
        ]
        missing = [
            f"done {count} times more often than run: {operation}"
            for service, operations in self._asked.items()
            for operation, count in (operations - self._run[service]).items()
        ]
        return misread + missing


@pytest.fixture(scope="session", autouse=True)
def operations_run_as_asked() -> Iterator[OperationLog]:
    """Record every client and every bundled service of this process, and compare them at the end."""
    log = OperationLog()
    with pytest.MonkeyPatch.context() as patch:
        watch_clients(log, patch)
        watch_services(log, patch)
        yield log
    assert log.differences() == []


def watch_clients(log: OperationLog, patch: pytest.MonkeyPatch) -> None:
    """Record each exchange of each client."""
    send = Http.send

    def watched(
        http: Http,
        request: Request,
        auth: BearerAuth | None = None,
        *,
        attempt: int = 1,
    ) -> Result:
        result = send(http, request, auth, attempt=attempt)
        log.ask(request, result)
        return result

    patch.setattr(Http, "send", watched)


def watch_services(log: OperationLog, patch: pytest.MonkeyPatch) -> None:
    """Record each operation of each bundled service, and its port."""
    create, embed, stop = Service.__init__, EmbeddedService.__init__, EmbeddedService.stop

    def watched_create(
        service: Service, *settings: object, on_operation: OnOperation | None = None, **others: object
    ) -> None:
        def write_down(operation: Operation) -> None:
            log.run(service, operation)
            if on_operation is not None:
                on_operation(operation)

        create(service, *settings, on_operation=write_down, **others)  # type: ignore[arg-type]  # passed through

    def watched_embed(
        embedded: EmbeddedService, service: Service, *others: object, **options: object
    ) -> None:
        embed(embedded, service, *others, **options)  # type: ignore[arg-type]  # passed through
        log.open(service, urlsplit(embedded.base_url).port or 0)

    def watched_stop(embedded: EmbeddedService) -> None:
        log.close(urlsplit(embedded.base_url).port or 0)
        stop(embedded)

    patch.setattr(Service, "__init__", watched_create)
    patch.setattr(EmbeddedService, "__init__", watched_embed)
    patch.setattr(EmbeddedService, "stop", watched_stop)
