"""The service, run in a thread of this process on its own loopback port."""

import socket
import threading
from types import TracebackType
from typing import Self

import uvicorn

from item_visibility_service.http.application import Service, create_service
from item_visibility_service.http.handlers import OnOperation
from item_visibility_service.http.raw_path_protocol import HttpParser, http_protocol
from item_visibility_service.service_settings import ServiceSettings, check_host

_READY_WITHIN_S = 30
_STOP_WITHIN_S = 15
_FINISH_CALLS_WITHIN_S = 3


def start_embedded(
    settings: ServiceSettings,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    http: HttpParser = "auto",
    on_operation: OnOperation | None = None,
) -> "EmbeddedService":
    """Start a service and return it once it answers. Port 0 takes any free port. Stop it after use.

    Raises ServiceSettingsError, and OSError when the port is taken.
    """
    check_host(settings, host)
    listener = _listen(host, port)
    try:
        service = create_service(settings, on_operation=on_operation)
    except BaseException:
        listener.close()
        raise
    return EmbeddedService(service, listener, http=http)


def _listen(host: str, port: int) -> socket.socket:
    """Return a listening socket that is marked as TCP.

    `socket.create_server` leaves the protocol at 0. asyncio then delays small answers (Python 3.11):
    every answer with a body takes 40 ms.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family, backlog=2048)
    return socket.socket(listener.family, listener.type, socket.IPPROTO_TCP, fileno=listener.detach())


class EmbeddedService:
    """A running service. As a context manager it stops at the end of the block.

    Attributes:
        base_url: {base_url}, which ends in `/v1`.
        auth_url: {auth_url}.
        service: the switches, the store, and everything else that HTTP does not offer.
    """

    def __init__(self, service: Service, listener: socket.socket, *, http: HttpParser) -> None:
        host, port = listener.getsockname()[:2]
        self._listener = listener
        self.service = service
        self.auth_url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        self.base_url = f"{self.auth_url}/v1"
        config = uvicorn.Config(
            service.asgi,
            http=http_protocol(http),
            lifespan="off",
            log_config=None,  # the host process decides about logs
            access_log=False,
            timeout_graceful_shutdown=_FINISH_CALLS_WITHIN_S,
        )
        self._server = _ReportingServer(config)
        self._thread = threading.Thread(
            target=self._server.run, args=([listener],), name="item-visibility-service", daemon=True
        )
        self._thread.start()
        if not self._server.is_ready.wait(_READY_WITHIN_S):
            self.stop()
            raise TimeoutError("The embedded service did not start in time.")

    def stop(self) -> None:
        """Let running calls end, then close the port and the database. A second call does nothing."""
        self._server.should_exit = True
        self._thread.join(_STOP_WITHIN_S)
        self._listener.close()
        self.service.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


class _ReportingServer(uvicorn.Server):
    """A server that tells when it is ready. Outside the main thread uvicorn leaves signals alone."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_ready = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.is_ready.set()
