"""The command `item-visibility`: demo, dashboard, service, doctor, many items, upkeep of the history."""

import errno
import os
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import click
import platformdirs

from item_visibility.cli.doctor_text import report_lines
from item_visibility.cli.export_command import export
from item_visibility.cli.history_command import SECRETS_PATH, history
from item_visibility.cli.plan_and_apply import apply, plan
from item_visibility.cli.start_dashboard import (
    bracketed,
    configure_demo,
    end_well_on_signals,
    first_free_port,
    is_free,
    name_in_address,
    open_browser,
    run_dashboard,
    streamlit_options,
)
from item_visibility.cli.terminal import forget_output, print_any_text
from item_visibility.errors import ItemVisibilityError
from item_visibility.settings.values import read_secret_file, read_settings, sqlite_url
from item_visibility.wiring.open_desk import make_folder, open_desk_to_look
from item_visibility_service.server import run_sample_service, run_service
from item_visibility_service.service_settings import ServiceSettings, ServiceSettingsError

DASHBOARD_PORT = 8501
SERVICE_PORT = 8000
OWN_ADDRESSES = ("127.0.0.1", "::1", "localhost")

_port = click.IntRange(1, 65535)


class PlainGroup(click.Group):
    """A group of commands that print errors in plain words, with status 1 and no traceback."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command."""
        print_any_text()
        try:
            return super().invoke(ctx)
        except ItemVisibilityError as error:
            raise click.ClickException(f"{error.message}\n{error.advice}") from None
        except ServiceSettingsError as error:
            raise click.ClickException(str(error)) from None
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise
            forget_output()
            what = "The output" if error.filename is None else str(error.filename)
            raise click.ClickException(f"{what} cannot be used: {error.strerror or error}.") from None


def _tell_version(ctx: click.Context, _option: click.Parameter, is_asked: bool) -> None:  # noqa: FBT001  (click's signature)
    if is_asked:
        click.echo(_version())
        ctx.exit()


@click.group(cls=PlainGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_tell_version,
    help="Tell the version.",
)
def main() -> None:
    """See and change which recipients can see a supplier's item."""


for _command in (plan, apply, export, history):
    main.add_command(_command)


@main.command()
@click.option(
    "--host",
    type=click.Choice(OWN_ADDRESSES),
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on; a demo is for this machine only.",
)
@click.option(
    "--port", type=_port, default=DASHBOARD_PORT, show_default=True, help="The next free one if taken."
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


@main.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=_port, default=DASHBOARD_PORT, show_default=True, help="The port to listen on.")
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
def dashboard(*, host: str, port: int, no_browser: bool) -> None:
    """Open the dashboard on the configured service; with nothing configured, on the demo."""
    end_well_on_signals()
    environment = read_settings(os.environ, secrets_path=SECRETS_PATH).environment()
    _require_free(host, port)
    address = f"http://{name_in_address(host)}:{port}"
    click.echo(f"The dashboard ({environment.name}) opens on {address} (Ctrl-C ends it).")
    if not no_browser:
        open_browser(host, port)
    run_dashboard(streamlit_options(host=host, port=port))


@main.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=_port, default=SERVICE_PORT, show_default=True, help="The port to listen on.")
@click.option(
    "--database-url", help="sqlite:///file or postgresql://…; default: a file in the user's data folder."
)
@click.option("--sample", is_flag=True, help="With sample data, for the client demo with the secret demo.")
@click.option("--client-id", help="The client that may ask for tokens.")
@click.option(
    "--client-secret-file", type=click.Path(path_type=Path), help="Its first line is the client's secret."
)
def service(  # noqa: PLR0913  (one argument an option)
    *,
    host: str,
    port: int,
    database_url: str | None,
    sample: bool,
    client_id: str | None,
    client_secret_file: Path | None,
) -> None:
    """Serve the bundled Item Visibilities service."""
    _require_free(host, port)
    if sample and (client_id or client_secret_file):
        raise click.UsageError("With --sample the client is demo: leave --client-id and its file out.")
    if sample:
        run_sample_service(database_url or _service_file("sample-service.sqlite"), host=host, port=port)
    elif client_id and client_secret_file:
        secret = read_secret_file(client_secret_file, label="--client-secret-file")
        database_url = database_url or _service_file("service.sqlite")
        run_service(ServiceSettings(database_url, client_id, secret), host=host, port=port)
    else:
        raise click.UsageError("Give --client-id and --client-secret-file, or --sample for a try.")


@main.command()
@click.option("--env", "environment_name", help="The name of the environment; default: the first one.")
def doctor(*, environment_name: str | None) -> None:
    """Examine the connection, as the connection page does; status 0 when all is well, else 1."""
    desk = open_desk_to_look(read_settings(os.environ, secrets_path=SECRETS_PATH), environment_name)
    try:
        report = desk.examine(None)
    finally:
        desk.close()
    for line in report_lines(report):
        click.echo(line)
    sys.exit(0 if report.is_ok else 1)


def _require_free(host: str, port: int) -> None:
    if not is_free(host, port):
        raise click.ClickException(
            f"{bracketed(host)}:{port} cannot be used:"
            " another program has it, or it is no address of this machine.\n"
            "Choose another one with --port or --host."
        )


def _service_file(name: str) -> str:
    folder = platformdirs.user_data_path("item-visibility", appauthor=False)
    make_folder(folder)
    return sqlite_url(folder / name)


def _version() -> str:
    """Return the installed version, or in a checkout that is not installed, that of its project file."""
    try:
        return metadata.version("item-visibility")
    except metadata.PackageNotFoundError:
        project = Path(__file__).resolve().parents[2] / "pyproject.toml"
        return str(tomllib.loads(project.read_text("utf-8"))["project"]["version"])
