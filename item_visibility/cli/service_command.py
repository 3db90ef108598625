"""The command `item-visibility service`: serves the bundled Item Visibilities service."""

import os
from pathlib import Path

import click

from item_visibility.cli.ports import PORT, require_free
from item_visibility.settings.data_folder import make_folder, sqlite_url, user_folder
from item_visibility.settings.log_settings import read_log_settings
from item_visibility.settings.variables_and_secrets import read_secret_file
from item_visibility.wiring.log_lines import write_log
from item_visibility_service.server import run_sample_service, run_service
from item_visibility_service.service_settings import ServiceSettings

SERVICE_PORT = 8000


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=PORT, default=SERVICE_PORT, show_default=True, help="The port to listen on.")
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
    require_free(host, port)
    write_log(read_log_settings(os.environ))
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


def _service_file(name: str) -> str:
    make_folder(user_folder())
    return sqlite_url(user_folder() / name)
