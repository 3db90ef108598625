"""The dashboard: `streamlit run app.py`.

This file starts the server with its middleware and probes.
`components/menu_and_header.py` draws every page.
"""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio.to_thread
import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from streamlit.runtime.scriptrunner import get_script_run_ctx

from components.middleware import (
    AllowedRequests,
    BasePath,
    SecurityHeaders,
    SignInCookies,
    content_security_policy,
    is_here,
    paths_of,
)
from components.notices import show_unexpected_error
from components.server_limits import (
    HeaderLimit,
    accept_long_headers,
    allow_many_windows,
)
from components.session import (
    desks,
    is_open_to_everyone,
    is_ready,
    metrics_text,
    start_log,
    trusted_certificates,
    warm_up,
)
from item_visibility import __version__
from item_visibility.bootstrap.metrics import MEDIA_TYPE

MENU_AND_HEADER = Path(__file__).resolve().parent / "components" / "menu_and_header.py"
BASE_PATH = str(st.get_option("server.baseUrlPath") or "")


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """Open the default environment and load large packages before the first request."""
    start_log()
    accept_long_headers()
    allow_many_windows()
    await anyio.to_thread.run_sync(warm_up)
    gc.collect()
    gc.freeze()  # Streamlit 1.67 collects garbage after every run: skip lasting objects
    try:
        with trusted_certificates():
            desks.is_launched = True
            yield
    finally:
        desks.is_launched = False
        await anyio.to_thread.run_sync(desks.close)


async def answer_alive(_: Request) -> Response:
    """Return 200: this process is running."""
    return PlainTextResponse("alive\n")


async def answer_ready(_: Request) -> Response:
    """Return 200 if the dashboard can be used, otherwise 503.

    503 means that its configuration or its database cannot be used.
    """
    if desks.is_launched and await anyio.to_thread.run_sync(is_ready):
        return PlainTextResponse(f"ready {__version__}\n")
    return PlainTextResponse("not ready\n", status_code=503)


async def answer_metrics(request: Request) -> Response:
    """Return the metrics for Prometheus.

    Requests from other machines are refused.
    """
    if not is_here(request.scope):
        return PlainTextResponse(
            "Only programs on this machine can read the metrics.\n", status_code=403
        )

    text = await anyio.to_thread.run_sync(metrics_text)
    return PlainTextResponse(text, media_type=MEDIA_TYPE)


def probes() -> list[Route]:
    """Return the routes of the probes, each at the root and below the base path."""
    answers = {
        "healthz": answer_alive,
        "readyz": answer_ready,
        "metrics": answer_metrics,
    }
    routes = []
    for name, answer in answers.items():
        routes += [Route(path, answer) for path in paths_of(name, BASE_PATH)]
    return routes


app = st.App(
    MENU_AND_HEADER,
    lifespan=lifespan,
    routes=probes(),
    middleware=[
        Middleware(SecurityHeaders, policy=content_security_policy()),
        Middleware(HeaderLimit, base_path=BASE_PATH),
        Middleware(
            AllowedRequests,
            is_open=is_open_to_everyone,
            allowed_hosts=st.get_option("server.allowedHosts"),
            base_path=BASE_PATH,
        ),
        Middleware(BasePath, base_path=BASE_PATH),
        Middleware(SignInCookies, base_path=BASE_PATH),
    ],
    on_script_error=show_unexpected_error,
)

if __name__ == "__main__":
    if get_script_run_ctx(suppress_warning=True) is None:
        app.run()
    else:  # a script runner such as AppTest runs this file: draw the same frame
        from components.menu_and_header import draw_frame

        draw_frame()
