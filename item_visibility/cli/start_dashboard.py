"""Starting the dashboard: its file, a free port, and a process that Ctrl-C ends cleanly."""

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

from item_visibility.errors import SettingsError
from item_visibility.settings.sources import PREFIX

PORTS_TRIED = 100

BROWSER_TRIES = 240
BROWSER_WAIT_S = 0.25
"""A cold start takes seconds; who waited a minute has opened the address by hand."""
EVERYWHERE = frozenset({"0.0.0.0", "::"})  # noqa: S104  (recognised, not listened on)


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


def first_free_port(host: str, port: int) -> int:
    """Return this port, or the next free one at this address. SettingsError when there is none."""
    for candidate in range(port, min(port + PORTS_TRIED, 65536)):
        if is_free(host, candidate):
            return candidate
    raise SettingsError(f"No port from {port} on is free.", advice="Choose another one with --port.")


def is_free(host: str, port: int) -> bool:
    """True when a server can listen there now."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError:
        return False
    return True


def name_in_address(host: str) -> str:
    """Return the host for an address that opens here. If all are listened on, that is localhost."""
    return "localhost" if host in EVERYWHERE else bracketed(host)


def bracketed(host: str) -> str:
    """Return the host as written before a port."""
    return f"[{host}]" if ":" in host else host


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
