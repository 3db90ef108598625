"""The commands `item-visibility demo` and `dashboard`: they open it, and Ctrl-C ends it cleanly."""

import os
import runpy
import signal
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Iterable, MutableMapping
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn

import click

from item_visibility.cli.options import read_our_settings
from item_visibility.cli.ports import (
    EVERYWHERE,
    PORT,
    first_free_port,
    name_in_address,
    require_free,
)
from item_visibility.settings.values import OPEN_TO_EVERYONE
from item_visibility.settings.variables_and_secrets import PREFIX

DASHBOARD_PORT = 8501
OWN_ADDRESSES = ("127.0.0.1", "::1", "localhost")
BROWSER_TRIES = 240
BROWSER_WAIT_S = 0.25
"""A cold start takes seconds; who waited a minute has opened the address by hand."""


@click.command()
@click.option(
    "--host",
    type=click.Choice(OWN_ADDRESSES),
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on; a demo is for this machine only.",
)
@click.option(
    "--port", type=PORT, default=DASHBOARD_PORT, show_default=True, help="The next free one if taken."
)
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
def demo(*, host: str, port: int, no_browser: bool) -> None:
    """Open the dashboard on the bundled service with sample data, whatever is configured."""
    end_well_on_signals()
    free_port = first_free_port(host, port)
    if free_port != port:
        click.echo(f"Port {port} is taken by another program; using {free_port}.")
    click.echo(f"The demo opens on http://{name_in_address(host)}:{free_port} (Ctrl-C ends it).")
    configure_demo(os.environ)
    if not no_browser:
        open_browser(host, free_port)
    run_dashboard(streamlit_options(host=host, port=free_port))


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=PORT, default=DASHBOARD_PORT, show_default=True, help="The port to listen on.")
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
def dashboard(*, host: str, port: int, no_browser: bool) -> None:
    """Open the dashboard on the configured service; with nothing configured, on the demo."""
    end_well_on_signals()
    settings = read_our_settings()
    environment = settings.environment()
    if host not in OWN_ADDRESSES and not settings.is_open:
        raise click.ClickException(
            f"There is no sign-in, so the dashboard serves this machine only, and not {host}.\n"
            f"To let whoever reaches it read and change what it shows: {PREFIX}OPEN={OPEN_TO_EVERYONE}"
        )
    require_free(host, port)
    address = f"http://{name_in_address(host)}:{port}"
    click.echo(f"The dashboard ({environment.name}) opens on {address} (Ctrl-C ends it).")
    if settings.is_open:
        click.echo("There is no sign-in: whoever reaches it can read and change what it shows.")
    if not no_browser:
        open_browser(host, port)
    run_dashboard(streamlit_options(host=host, port=port))


def app_path() -> Path:
    """Return the dashboard's `app.py`: in the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "dashboard" / "app.py"
    return installed if installed.exists() else package.parent / "app.py"


def configure_demo(environ: MutableMapping[str, str]) -> None:
    """Remove all our settings from `environ`, and set the demo."""
    for name in [name for name in environ if name.startswith(PREFIX)]:
        del environ[name]
    environ[f"{PREFIX}DEMO"] = "true"


def streamlit_options(*, host: str, port: int) -> tuple[str, ...]:
    """Return the options of `streamlit run`. The command itself prints the address, and opens it."""
    return (
        str(app_path()),
        f"--server.address={host}",
        f"--server.port={port}",
        f"--browser.serverAddress={name_in_address(host)}",
        "--logger.hideWelcomeMessage=true",
        "--server.headless=true",
    )


def open_browser(host: str, port: int) -> None:
    """Open the dashboard in the person's browser once it answers; do nothing where there is no screen.

    Streamlit 1.67 opens none for an `st.App`.
    """
    if sys.platform != "linux" or os.environ.keys() & {"DISPLAY", "WAYLAND_DISPLAY"}:
        threading.Thread(target=_open_once_it_answers, args=(host, port), name="browser", daemon=True).start()


def _open_once_it_answers(host: str, port: int) -> None:
    near = "127.0.0.1" if host in EVERYWHERE else host
    for _ in range(BROWSER_TRIES):
        with suppress(OSError):
            socket.create_connection((near, port), timeout=1).close()
            webbrowser.open(f"http://{name_in_address(host)}:{port}")
            return
        time.sleep(BROWSER_WAIT_S)


def end_well_on_signals() -> None:
    """Let Ctrl-C and SIGTERM end this process with status 0, and without a traceback.

    Streamlit 1.67 alone ends with status 1 and "Aborted!": its server restores the signal handling when
    it has stopped. While the server runs, it handles the signals itself. Before, nothing is open, and
    afterwards everything is closed. So the process ends at once. An exception could be caught by a module
    that is being imported just then, and the signal lost.
    """
    signal.signal(signal.SIGINT, _end)
    signal.signal(signal.SIGTERM, _end)


def run_dashboard(options: Iterable[str]) -> None:
    """Run `streamlit run` within this process, so that nothing is left behind. Ends the process."""
    sys.stdout.flush()
    sys.argv = ["streamlit", "run", *options]
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)


def _end(_signal: int, _frame: FrameType | None) -> NoReturn:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, RuntimeError, ValueError):  # closed, or interrupted in the middle of writing
            stream.flush()
    os._exit(0)
