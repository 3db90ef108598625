"""The commands that run until Ctrl-C: `demo`, `dashboard` and `service`."""

import logging
import os
import runpy
import signal
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import click

from item_visibility import __version__
from item_visibility.bootstrap.log_lines import JsonLine, write_log
from item_visibility.cli.contradictions import refuse_contradictions_in_service
from item_visibility.cli.shared import read_our_settings
from item_visibility.settings import (
    OPEN_TO_EVERYONE,
    PREFIX,
    make_folder,
    read_secret_file,
    read_variables,
    sqlite_url,
    user_folder,
)
from item_visibility.timeouts import BROWSER_CONNECT_S, BROWSER_TRIES, BROWSER_WAIT_S
from item_visibility_service.server import run_service
from item_visibility_service.settings import (
    OtherIssuer,
    ServiceSettings,
    ServiceSettingsError,
    demo_settings,
    holds_password,
)

DASHBOARD_PORT = 8501
SERVICE_PORT = 8000
OWN_ADDRESSES = ("127.0.0.1", "::1", "localhost")

_PORT = click.IntRange(1, 65535)
_FILE = click.Path(path_type=Path)

_dashboard_port = click.option(
    "--port",
    type=_PORT,
    default=DASHBOARD_PORT,
    show_default=True,
    help="The port to listen on.",
)
_base_path = click.option(
    "--base-path",
    default="",
    help="All pages are under this path, such as /visibility.",
)
_no_browser = click.option("--no-browser", is_flag=True, help="Do not open a browser.")


@click.command()
@click.option(
    "--host",
    type=click.Choice(OWN_ADDRESSES),
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on. Other machines cannot open a demo.",
)
@_dashboard_port
@_base_path
@_no_browser
def demo(*, host: str, port: int, base_path: str, no_browser: bool) -> None:
    """Open the dashboard on the bundled service with sample data.

    The configuration is ignored.
    """
    require_free(host, port)
    click.echo(f"The demo opens on {_address(host, port, base_path)} (Ctrl-C ends it).")

    for name in tuple(os.environ):
        if name.startswith(PREFIX):
            del os.environ[name]
    os.environ[f"{PREFIX}DEMO"] = "true"
    # The address must stay in view in the terminal.
    os.environ[f"{PREFIX}LOG_LEVEL"] = "warning"
    _run_dashboard(host, port, base_path, is_opened=not no_browser)


@click.command()
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="The address to listen on."
)
@_dashboard_port
@_base_path
@click.option(
    "--allowed-host",
    "allowed_hosts",
    multiple=True,
    help="A host name of the dashboard besides localhost. Can be given several times.",
)
@_no_browser
def dashboard(
    *,
    host: str,
    port: int,
    base_path: str,
    allowed_hosts: tuple[str, ...],
    no_browser: bool,
) -> None:
    """Open the dashboard on the configured service."""
    settings = read_our_settings()
    environment = settings.environment()
    has_sign_in = settings.sign_in is not None
    if host not in OWN_ADDRESSES and not (has_sign_in or settings.is_open):
        raise click.ClickException(
            "There is no sign-in, so the dashboard can only listen on this machine,"
            f" not on {host}.\n"
            "If everyone who can reach it may read and change visibilities, set"
            f" {PREFIX}OPEN={OPEN_TO_EVERYONE}"
        )

    require_free(host, port)
    _say(
        f"The dashboard ({environment.name}) opens on "
        f"{_address(host, port, base_path)} (Ctrl-C ends it)."
    )
    if settings.is_open and not has_sign_in:
        _say(
            "There is no sign-in: everyone who can reach it can read and change "
            "visibilities."
        )
    _run_dashboard(host, port, base_path, allowed_hosts, is_opened=not no_browser)


@click.command()
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="The address to listen on."
)
@click.option(
    "--port",
    type=_PORT,
    default=SERVICE_PORT,
    show_default=True,
    help="The port to listen on.",
)
@click.option(
    "--database-url",
    help="sqlite:///file, or postgresql://… without a password. Default: a file in "
    "the user's data folder.",
)
@click.option(
    "--database-url-file",
    type=_FILE,
    help="A file with the database's address, which can contain a password.",
)
@click.option(
    "--sample",
    is_flag=True,
    help="Use sample data. The client id and the secret are both 'demo'.",
)
@click.option(
    "--client-id",
    default="",
    help="The only client that is accepted. Without --issuer, it gets its tokens "
    "from this service.",
)
@click.option(
    "--client-secret-file", type=_FILE, help="A file with the client's secret."
)
@click.option(
    "--issuer",
    default="",
    help="Accept only the tokens of this issuer, such as Keycloak.",
)
@click.option(
    "--audience", default="", help="With --issuer: the audience that tokens must have."
)
def service(  # noqa: PLR0913  (one argument an option)
    *,
    host: str,
    port: int,
    database_url: str | None,
    database_url_file: Path | None,
    sample: bool,
    client_id: str,
    client_secret_file: Path | None,
    issuer: str,
    audience: str,
) -> None:
    """Serve the bundled Item Visibilities service."""
    if [sample, bool(issuer), bool(client_secret_file)].count(True) != 1:
        raise click.UsageError(
            "Give one of --sample, --issuer, or --client-secret-file (and --client-id)."
        )
    refuse_contradictions_in_service(
        is_sample=sample,
        client_id=client_id,
        has_issuer=bool(issuer),
        audience=audience,
        has_two_databases=bool(database_url and database_url_file),
    )
    if database_url and holds_password(database_url):
        raise click.UsageError(
            "Other users of this machine can read a password in --database-url."
            " Write the address to a file that only this program's user can read, and"
            " give --database-url-file."
        )
    require_free(host, port)
    write_log(read_variables(os.environ))

    # Find the database.
    if database_url_file:
        database = read_secret_file(database_url_file, label="--database-url-file")
    elif database_url:
        database = database_url
    else:
        make_folder(user_folder())
        file = "sample-service.sqlite" if sample else "service.sqlite"
        database = sqlite_url(user_folder() / file)

    # Serve until Ctrl-C.
    try:
        if sample:
            settings = demo_settings(database)
        elif client_secret_file:
            secret = read_secret_file(client_secret_file, label="--client-secret-file")
            settings = ServiceSettings(database, client_id, secret)
        else:
            accepted = OtherIssuer(url=issuer, audience=audience, client_id=client_id)
            settings = ServiceSettings(database, issuer=accepted)
        run_service(replace(settings, version=__version__), host=host, port=port)
    except ServiceSettingsError as error:
        raise click.ClickException(str(error)) from None


def _run_dashboard(
    host: str,
    port: int,
    base_path: str,
    allowed_hosts: Sequence[str] = (),
    *,
    is_opened: bool,
) -> None:
    """Run `streamlit run` in this process.

    `app.py` is in the package, or beside it in a checkout.
    """
    exit_on_signals()
    if is_opened:
        open_browser(_address(host, port, base_path))

    package = Path(__file__).resolve().parents[1]
    installed = package / "dashboard" / "app.py"
    app = installed if installed.exists() else package.parent / "app.py"

    options = [
        f"--server.address={host}",
        f"--server.port={port}",
        f"--server.baseUrlPath={base_path.strip('/')}",
    ]
    if allowed_hosts:
        names = (*OWN_ADDRESSES, *allowed_hosts)
        options += [f"--server.allowedHosts={name}" for name in names]
    options += [
        f"--browser.serverAddress={_near(host)}",
        "--logger.hideWelcomeMessage=true",
        "--server.headless=true",
    ]

    sys.stdout.flush()
    sys.argv = ["streamlit", "run", str(app), *options]
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)


def open_browser(address: str) -> None:
    """Open the browser as soon as the dashboard answers.

    Streamlit 1.67 does not do this for an `st.App`.
    """

    def open_once_it_answers() -> None:
        url = urlsplit(address)
        for _ in range(BROWSER_TRIES):
            with suppress(OSError):
                server = (url.hostname, url.port)
                socket.create_connection(server, timeout=BROWSER_CONNECT_S).close()
                webbrowser.open(address)
                return
            time.sleep(BROWSER_WAIT_S)

    # On a Linux machine without a display, there is no browser to open.
    displays = os.environ.keys() & {"DISPLAY", "WAYLAND_DISPLAY"}
    if sys.platform != "linux" or displays:
        threading.Thread(
            target=open_once_it_answers, name="browser", daemon=True
        ).start()


def _say(words: str) -> None:
    if read_variables(os.environ).word("log") == "json":
        record = logging.LogRecord(__name__, logging.INFO, "", 0, words, None, None)
        words = JsonLine().format(record)
    click.echo(words)


def exit_on_signals() -> None:
    """Let Ctrl-C and SIGTERM end this process with status 0 and without a traceback.

    Streamlit 1.67 restores our handler when its server stops. Without our handler, the
    process would end with status 1 and "Aborted!". The handler raises no exception,
    because a module that is being imported could catch it.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: os._exit(0))


def require_free(host: str, port: int) -> None:
    """Raise ClickException if a server cannot use this address and port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError:
        raise click.ClickException(
            f"Port {port} of {host} cannot be used:"
            " another program uses it, or it is not an address of this machine.\n"
            "Choose another one with --port or --host."
        ) from None


def _address(host: str, port: int, base_path: str) -> str:
    """Return the dashboard's web address, as seen from this machine."""
    address = f"http://{_near(host)}:{port}"
    folder = base_path.strip("/")
    return f"{address}/{folder}/" if folder else address


def _near(host: str) -> str:
    if host in {"0.0.0.0", "::"}:  # noqa: S104  (recognised, not listened on)
        return "localhost"
    return f"[{host}]" if ":" in host else host
