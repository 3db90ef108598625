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
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import NoReturn

import click

from item_visibility.cli.ports import (
    EVERYWHERE,
    PORT,
    BasePath,
    HostName,
    first_free_port,
    name_in_address,
    require_free,
)
from item_visibility.cli.shared_options import read_our_settings
from item_visibility.settings.settings import OPEN_TO_EVERYONE
from item_visibility.settings.sources import PREFIX
from item_visibility.timeouts import BROWSER_CONNECT_S, BROWSER_TRIES, BROWSER_WAIT_S

DASHBOARD_PORT = 8501
OWN_ADDRESSES = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True)
class Location:
    """The address of a dashboard, and the path below which it stands, without slashes at its ends."""

    host: str
    port: int
    base_path: str = ""

    @property
    def address(self) -> str:
        """The address that opens it on this machine."""
        address = f"http://{name_in_address(self.host)}:{self.port}"
        return f"{address}/{self.base_path}/" if self.base_path else address


_base_path_option = click.option(
    "--base-path",
    type=BasePath(),
    default="",
    help="The path in front of all addresses, such as /visibility.",
)


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
@_base_path_option
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
def demo(*, host: str, port: int, base_path: str, no_browser: bool) -> None:
    """Open the dashboard on the bundled service with sample data, whatever is configured."""
    end_well_on_signals()
    free_port = first_free_port(host, port)
    if free_port != port:
        click.echo(f"Port {port} is taken by another program; using {free_port}.")
    location = Location(host, free_port, base_path)
    click.echo(f"The demo opens on {location.address} (Ctrl-C ends it).")
    configure_demo(os.environ)
    if not no_browser:
        open_browser(location)
    run_dashboard(streamlit_options(location))


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=PORT, default=DASHBOARD_PORT, show_default=True, help="The port to listen on.")
@_base_path_option
@click.option(
    "--allowed-host",
    "allowed_hosts",
    type=HostName(),
    multiple=True,
    help="A name that people open it by, besides localhost; may be given again.",
)
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
def dashboard(
    *, host: str, port: int, base_path: str, allowed_hosts: tuple[str, ...], no_browser: bool
) -> None:
    """Open the dashboard on the configured service."""
    end_well_on_signals()
    settings = read_our_settings()
    environment = settings.environment()
    has_sign_in = settings.sign_in is not None
    if host not in OWN_ADDRESSES and not (has_sign_in or settings.is_open):
        raise click.ClickException(
            f"There is no sign-in, so the dashboard serves this machine only, and not {host}.\n"
            f"To let whoever reaches it read and change what it shows: {PREFIX}OPEN={OPEN_TO_EVERYONE}"
        )
    require_free(host, port)
    location = Location(host, port, base_path)
    click.echo(f"The dashboard ({environment.name}) opens on {location.address} (Ctrl-C ends it).")
    if settings.is_open and not has_sign_in:
        click.echo("There is no sign-in: whoever reaches it can read and change what it shows.")
    if not no_browser:
        open_browser(location)
    run_dashboard(streamlit_options(location, allowed_hosts))


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
    environ[f"{PREFIX}LOG_LEVEL"] = "warning"  # its terminal tells where it opens


def streamlit_options(location: Location, allowed_hosts: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the options of `streamlit run`. The command itself prints the address, and opens it."""
    names = [*OWN_ADDRESSES, *allowed_hosts] if allowed_hosts else []
    return (
        str(app_path()),
        f"--server.address={location.host}",
        f"--server.port={location.port}",
        *([f"--server.baseUrlPath={location.base_path}"] if location.base_path else []),
        *(f"--server.allowedHosts={name}" for name in names),
        f"--browser.serverAddress={name_in_address(location.host)}",
        "--logger.hideWelcomeMessage=true",
        "--server.headless=true",
    )


def open_browser(location: Location) -> None:
    """Open the dashboard in the person's browser once it answers; do nothing where there is no screen.

    Streamlit 1.67 opens none for an `st.App`.
    """
    if sys.platform != "linux" or os.environ.keys() & {"DISPLAY", "WAYLAND_DISPLAY"}:
        threading.Thread(target=_open_once_it_answers, args=(location,), name="browser", daemon=True).start()


def _open_once_it_answers(location: Location) -> None:
    near = "127.0.0.1" if location.host in EVERYWHERE else location.host
    for _ in range(BROWSER_TRIES):
        with suppress(OSError):
            socket.create_connection((near, location.port), timeout=BROWSER_CONNECT_S).close()
            webbrowser.open(location.address)
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
