"""The service as a separate program."""

import logging
import signal
import sys
from types import FrameType
from typing import NoReturn

import uvicorn

from item_visibility_service.http.application import Service, create_service
from item_visibility_service.http.raw_path_protocol import http_protocol
from item_visibility_service.sample.load import load_sample
from item_visibility_service.service_settings import ServiceSettings, check_host, demo_settings
from item_visibility_service.storage.visibility_store import usable_at_start

logger = logging.getLogger(__name__)


def run_service(settings: ServiceSettings, *, host: str, port: int) -> None:
    """Serve until Ctrl-C or SIGTERM; both end the process with status 0.

    Raises ServiceSettingsError before it starts to serve.
    """
    _serve(_prepare(settings, host), host=host, port=port)


def run_sample_service(database_url: str, *, host: str, port: int) -> None:
    """Serve the sample data to the client `demo` with the secret `demo`, on loopback only."""
    service = _prepare(demo_settings(database_url), host)
    with usable_at_start():
        load_sample(service.store)
    _serve(service, host=host, port=port)


def _prepare(settings: ServiceSettings, host: str) -> Service:
    check_host(settings, host)
    signal.signal(signal.SIGINT, _end)
    signal.signal(signal.SIGTERM, _end)
    return create_service(settings)


def _serve(service: Service, *, host: str, port: int) -> None:
    logger.info("The service starts on %s, port %d.", host, port)
    try:
        uvicorn.run(
            service.asgi,
            host=host,
            port=port,
            http=http_protocol("auto"),
            lifespan="off",
            log_config=None,  # whoever starts this process decides about its log
            access_log=False,  # its lines hold whole addresses, and so ids
            timeout_graceful_shutdown=3,
        )
    finally:
        service.close()


def _end(_signal: int, _frame: FrameType | None) -> NoReturn:
    """Exit with status 0. uvicorn first lets its calls end, then raises the signal again."""
    sys.exit(0)
