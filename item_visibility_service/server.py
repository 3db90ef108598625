"""Runs the service as a program, or in a thread of this process."""

import logging
import signal
import socket
import sys
import threading
from types import FrameType
from typing import NoReturn, Self

import uvicorn

from item_visibility_service.application import OnOperation, Service
from item_visibility_service.settings import ServiceSettings, check_host

logger = logging.getLogger(__name__)

_STOP_TIMEOUT_S = 15
_FINISH_CALLS_TIMEOUT_S = 3
_MAX_HEADER_BYTES = 64 * 1024
"""uvicorn itself refuses headers of more than 16 KB that arrive in parts.

A token can be longer.
"""


def run_service(settings: ServiceSettings, *, host: str, port: int) -> None:
    """Serve until Ctrl-C or SIGTERM. Both end the process with status 0.

    Raises ServiceSettingsError if the service cannot start.
    """
    check_host(settings, host)
    signal.signal(signal.SIGINT, _exit)
    signal.signal(signal.SIGTERM, _exit)
    service = Service(settings)
    logger.info("The service starts on %s, port %d.", host, port)
    try:
        uvicorn.Server(_config(service, host=host, port=port)).run()
    finally:
        service.close()


class EmbeddedService:
    """Starts a service in a thread, at `base_url` and `auth_url`.

    Leaving its `with` block stops it. Port 0 means any free port. The switches and the
    store are in `service`. Raises ServiceSettingsError, and OSError if the port is in
    use.
    """

    def __init__(
        self,
        settings: ServiceSettings,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        on_operation: OnOperation | None = None,
    ) -> None:
        check_host(settings, host)

        # Open the port first, so that no database is made if it is in use.
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        server = socket.create_server((host, port), family=family, backlog=2048)
        # With protocol 0, which create_server sets, asyncio (Python 3.11) delays small
        # answers by 40 ms.
        listener = socket.socket(
            server.family, server.type, socket.IPPROTO_TCP, fileno=server.detach()
        )

        try:
            self.service = Service(settings, on_operation=on_operation)
        except BaseException:
            listener.close()
            raise

        self._listener = listener
        host, port = listener.getsockname()[:2]
        shown_host = f"[{host}]" if ":" in host else host
        self.auth_url = f"http://{shown_host}:{port}"
        self.base_url = f"{self.auth_url}/v1"

        # Calls wait in the listener's backlog until the server accepts them.
        self._server = uvicorn.Server(_config(self.service))
        self._thread = threading.Thread(
            target=self._server.run,
            args=([listener],),
            name="item-visibility-service",
            daemon=True,
        )
        self._thread.start()

    def stop(self) -> None:
        """Wait for running calls, then close the port and the database.

        A second call does nothing.
        """
        self._server.should_exit = True
        self._thread.join(_STOP_TIMEOUT_S)
        self._listener.close()
        self.service.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _config(service: Service, *, host: str = "", port: int = 0) -> uvicorn.Config:
    return uvicorn.Config(
        service.asgi,
        host=host,
        port=port,
        # In uvicorn 0.54, httptools removes a number sign and the text after it from a
        # path.
        http="h11",
        h11_max_incomplete_event_size=_MAX_HEADER_BYTES,
        # A request to open a web socket with long headers would never be answered.
        ws="none",
        lifespan="off",
        # The host process decides about logs.
        log_config=None,
        # The lines of the access log would contain whole addresses, and so ids.
        access_log=False,
        timeout_graceful_shutdown=_FINISH_CALLS_TIMEOUT_S,
    )


def _exit(_signal: int, _frame: FrameType | None) -> NoReturn:
    sys.exit(0)  # uvicorn has finished its calls
