"""The command `item-visibility service`: serves the bundled Item Visibilities service."""

import os
from pathlib import Path

import click

from item_visibility.bootstrap.log_lines import write_log
from item_visibility.cli.ports import PORT, require_free
from item_visibility.settings.settings import make_folder, sqlite_url, user_folder
from item_visibility.settings.sources import read_log_settings, read_secret_file
from item_visibility_service.server import run_service
from item_visibility_service.settings import OtherIssuer, ServiceSettings, demo_settings, holds_password

SERVICE_PORT = 8000
_FILE = click.Path(path_type=Path)


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=PORT, default=SERVICE_PORT, show_default=True, help="The port to listen on.")
@click.option(
    "--database-url",
    help="sqlite:///file, or postgresql://… without a password; default: a file in the user's data folder.",
)
@click.option(
    "--database-url-file", type=_FILE, help="Its first line is the database's address, password included."
)
@click.option("--sample", is_flag=True, help="With sample data, for the client demo with the secret demo.")
@click.option(
    "--client-id",
    help="The client that may ask for tokens; with --issuer, the one whose tokens are accepted.",
)
@click.option("--client-secret-file", type=_FILE, help="Its first line is the client's secret.")
@click.option("--issuer", help="Accept the tokens of this issuer, such as Keycloak, and give none.")
@click.option("--audience", default="", help="With --issuer: the audience that its tokens must be for.")
@click.option("--jwks-url", default="", help="With --issuer: where its keys are; else the issuer is asked.")
@click.option("--ca-file", type=_FILE, help="With --issuer: certificates to trust besides the system's.")
def service(  # noqa: PLR0913  (one argument an option)
    *,
    host: str,
    port: int,
    database_url: str | None,
    database_url_file: Path | None,
    sample: bool,
    client_id: str | None,
    client_secret_file: Path | None,
    issuer: str | None,
    audience: str,
    jwks_url: str,
    ca_file: Path | None,
) -> None:
    """Serve the bundled Item Visibilities service."""
    require_free(host, port)
    write_log(read_log_settings(os.environ))
    database = _read_database_url(database_url, database_url_file)
    if sample and (client_id or client_secret_file or issuer):
        raise click.UsageError(
            "With --sample the client is demo: leave --client-id, --client-secret-file and --issuer out."
        )
    if not issuer and (audience or jwks_url or ca_file):
        raise click.UsageError("--audience, --jwks-url and --ca-file belong to --issuer: give it too.")
    if issuer and client_secret_file:
        raise click.UsageError("With --issuer this service gives no tokens: leave --client-secret-file out.")
    if sample:
        settings = demo_settings(database or _service_file("sample-service.sqlite"))
    elif issuer:
        accepted = OtherIssuer(
            url=issuer, audience=audience, client_id=client_id or "", jwks_url=jwks_url, ca_file=ca_file
        )
        settings = ServiceSettings(database or _service_file("service.sqlite"), issuer=accepted)
    elif client_id and client_secret_file:
        secret = read_secret_file(client_secret_file, label="--client-secret-file")
        settings = ServiceSettings(database or _service_file("service.sqlite"), client_id, secret)
    else:
        raise click.UsageError(
            "Give --client-id and --client-secret-file, or --issuer, or --sample for a try."
        )
    run_service(settings, host=host, port=port)


def _read_database_url(url: str | None, file: Path | None) -> str | None:
    """Return the database's address, if one was given. Everybody on a machine can read its command lines."""
    if url and file:
        raise click.UsageError("Give --database-url or --database-url-file, not both.")
    if url and holds_password(url):
        raise click.UsageError(
            "Others can read a password in --database-url. Write the address into a file that only this"
            " program's user may read, and give --database-url-file."
        )
    return read_secret_file(file, label="--database-url-file") if file else url


def _service_file(name: str) -> str:
    make_folder(user_folder())
    return sqlite_url(user_folder() / name)
