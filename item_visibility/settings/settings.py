"""The configuration: the environment first, then `.streamlit/secrets.toml`, then the demo.

Reads its arguments and the files that they name, and writes nothing. Every mistake is a SettingsError
that names it: a typo must never lead silently to the demo, or to half a connection.
"""

import re
import tempfile
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import metadata
from pathlib import Path
from typing import Literal, get_args
from zlib import crc32

import platformdirs

from item_visibility.access.sign_in import SignInRules
from item_visibility.client.addresses import STRAIGHT, Route, check_auth_url, check_base_url, service_of
from item_visibility.client.token import ClientCredentials
from item_visibility.errors import ReadOnlyError, SettingsError
from item_visibility.settings.sign_in import read_sign_in
from item_visibility.settings.sources import (
    PREFIX,
    WrittenSettings,
    hidden_environ,
    read_connections,
    read_database_url,
    read_log_settings,
    read_secret_file,
    read_secrets,
    read_variables,
)
from item_visibility.storage.private_files import make_private_folder

EnvironmentColor = Literal["blue", "green", "yellow", "gray", "red"]
"""The colours that tell environments apart. Red is only taken where it is written."""

DEFAULT_CONCURRENCY = 8
MOST_CONCURRENCY = 64
"""The limit of job items worked on at once: more is no faster, and no kindness."""

OPEN_TO_EVERYONE = "yes-everyone-may-write"
"""The value of `ITEM_VISIBILITY_OPEN` where everybody who reaches the dashboard may read and write."""

DEMO_NAME = "Demo"
_DEMO_CLIENT = "demo"
_COLORS: tuple[EnvironmentColor, ...] = get_args(EnvironmentColor)
_YES = frozenset({"true", "1", "yes", "on"})
_NO = frozenset({"false", "0", "no", "off", ""})


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """One service to work with. In a demo the addresses are empty until it runs.

    `concurrency` is how many items of a job are worked on at once.
    """

    name: str
    base_url: str
    auth_url: str
    credentials: ClientCredentials = field(repr=False)
    is_read_only: bool = False
    is_demo: bool = False
    color: EnvironmentColor = "blue"
    concurrency: int = DEFAULT_CONCURRENCY
    route: Route = STRAIGHT

    @property
    def service(self) -> str:
        """The key of our own records: the service's address, whatever name it has here.

        A demo is at another port each time, and has its records to itself.
        """
        return DEMO_NAME if self.is_demo else service_of(self.base_url)

    def refuse_when_read_only(self) -> None:
        """Raise ReadOnlyError if writing is refused."""
        if self.is_read_only:
            raise ReadOnlyError(
                f"{self.name} is read-only here: nothing was changed.",
                advice="Ask whoever runs this dashboard if changes should be possible.",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The whole configuration. The first environment is the default.

    `database_url` is where our own records are kept; it may hold a password. Where nobody signs in,
    `sign_in` is None; then only this machine is served, unless `is_open` says otherwise. `ca_file` holds
    certificates to trust besides the system's.
    """

    environments: tuple[Environment, ...]
    database_url: str = field(repr=False)
    data_folder: Path
    is_open: bool = False
    sign_in: SignInRules | None = None
    ca_file: Path | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all environments, in the order in which they were written."""
        return tuple(environment.name for environment in self.environments)

    def only(self, name: str) -> "Settings":
        """Return the same settings with this environment alone. SettingsError if there is none."""
        return replace(self, environments=(self.environment(name),))

    def environment(self, name: str | None = None) -> Environment:
        """Return the environment of exactly this name, or the first one for None. Else SettingsError."""
        for environment in self.environments:
            if name in (None, environment.name):
                return environment
        raise SettingsError(
            f"There is no environment named {name}.",
            advice=f"Choose one that is configured: {', '.join(self.names)}.",
        )


def read_settings(
    environ: Mapping[str, str],
    *,
    secrets_path: Path | None = None,
    data_folder: Path | None = None,
    needs_service: bool = False,
) -> Settings:
    """Read the settings from the variables, and from secrets.toml if there is one.

    `data_folder` is where our own files go; None is the user's data folder. Raises SettingsError.
    `ITEM_VISIBILITY_DEMO=true` is the demo, whatever other service is configured. So is no service at all,
    unless `needs_service` makes that an error.
    """
    environ = hidden_environ(environ)
    folder = data_folder or user_folder()
    variables = read_variables(environ)
    read_log_settings(environ)  # a wrong word is told where all others are
    is_open = _is_open(variables)
    is_read_only = _is_yes(variables, "read_only")
    if _is_yes(variables, "demo"):
        return Settings(
            environments=(_demo(is_read_only=is_read_only, concurrency=_concurrency(variables)),),
            database_url=sqlite_url(folder / "demo-records.sqlite"),
            data_folder=folder,
            is_open=is_open,
        )
    concurrency, route = _concurrency(variables), _route(variables)
    secrets = read_secrets(secrets_path)
    sign_in = read_sign_in(secrets, secrets_path, variables)
    written = [variables] if variables.has_connection else []
    written += [
        connection
        for connection in read_connections(secrets, secrets_path)
        if connection.name not in {one.name for one in written}
    ]
    if needs_service and not written:
        raise SettingsError(
            "No service is configured.",
            advice=f"Set {PREFIX}BASE_URL, {PREFIX}AUTH_URL, {PREFIX}CLIENT_ID and {PREFIX}CLIENT_SECRET, or "
            "write a connection into .streamlit/secrets.toml. `item-visibility demo` needs neither.",
        )
    environments = tuple(
        _environment(one, is_read_only=is_read_only, concurrency=concurrency, route=route) for one in written
    )
    return Settings(
        environments=environments or (_demo(is_read_only=is_read_only, concurrency=concurrency),),
        database_url=read_database_url(variables) or sqlite_url(folder / "records.sqlite"),
        data_folder=folder,
        is_open=is_open,
        sign_in=sign_in,
        ca_file=route.ca_file,
    )


def _is_open(variables: WrittenSettings) -> bool:
    """True when everyone may write; SettingsError for any word but the one that says so."""
    written = variables.values.get("open", "")
    if written not in {"", OPEN_TO_EVERYONE}:
        raise SettingsError(
            f"{variables.label('open')} does not say {OPEN_TO_EVERYONE}.",
            advice="Write just that to serve other machines without a sign-in, or leave it out.",
        )
    return bool(written)


def _demo(*, is_read_only: bool, concurrency: int) -> Environment:
    credentials = ClientCredentials(client_id=_DEMO_CLIENT, client_secret=_DEMO_CLIENT)
    return Environment(
        name=DEMO_NAME,
        base_url="",
        auth_url="",
        credentials=credentials,
        is_read_only=is_read_only,
        is_demo=True,
        concurrency=concurrency,
    )


def _environment(
    connection: WrittenSettings, *, is_read_only: bool, concurrency: int, route: Route
) -> Environment:
    """Return one environment. It is read-only if the variable or its own entry says so.

    Its concurrency, certificates and proxy come from its own entry, else from the variables.
    """
    if connection.name == DEMO_NAME:
        raise SettingsError(
            f"{connection.location} has the name of the bundled demo.",
            advice="Give the connection another name.",
        )
    _require_complete(connection)
    values = connection.values
    return Environment(
        name=connection.name,
        base_url=_checked(check_base_url, connection, "base_url"),
        auth_url=_checked(check_auth_url, connection, "auth_url"),
        credentials=ClientCredentials(client_id=str(values["client_id"]), client_secret=_secret(connection)),
        is_read_only=is_read_only or _is_yes(connection, "read_only"),
        color=_color(connection),
        concurrency=_concurrency(connection, otherwise=concurrency),
        route=_route(connection, otherwise=route),
    )


def _color(connection: WrittenSettings) -> EnvironmentColor:
    """Return the colour as written, or one that is always the same for the same name."""
    written = connection.values.get("color", "")
    for color in _COLORS:
        if color == written:
            return color
    if written:
        raise SettingsError(
            f"{connection.location}, {connection.label('color')}: there is no colour {written}.",
            advice=f"Write one of {', '.join(_COLORS)}, or leave it out.",
        )
    return _COLORS[crc32(connection.name.encode()) % (len(_COLORS) - 1)]


def _concurrency(connection: WrittenSettings, *, otherwise: int = DEFAULT_CONCURRENCY) -> int:
    """Return how many items of a job are worked on at once."""
    written = connection.values.get("concurrency", "").strip()
    if not written:
        return otherwise
    if not re.fullmatch(r"[0-9]{1,3}", written) or not 1 <= int(written) <= MOST_CONCURRENCY:
        raise SettingsError(
            f"{connection.label('concurrency')} is not a number from 1 to {MOST_CONCURRENCY}.",
            advice=f"Write how many items of a job are to be saved at once; {DEFAULT_CONCURRENCY} is usual.",
        )
    return int(written)


def _route(connection: WrittenSettings, *, otherwise: Route = STRAIGHT) -> Route:
    """Return the certificates and the proxy. Errors give the location, and repeat no password."""
    ca_file, proxy = connection.values.get("ca_file"), connection.values.get("proxy")
    try:
        return Route(ca_file=Path(ca_file) if ca_file else otherwise.ca_file, proxy=proxy or otherwise.proxy)
    except SettingsError as error:
        raise SettingsError(f"{connection.location}: {error.message}", advice=error.advice) from None


def _checked(check: Callable[[str], str], connection: WrittenSettings, key: str) -> str:
    """Return the checked address of this key. Errors give its location, and do not repeat the address."""
    try:
        return check(connection.values[key])
    except SettingsError as error:
        where = f"{connection.location}, {connection.label(key)}"
        raise SettingsError(f"{where}: {error.message}", advice=error.advice) from None


def _require_complete(connection: WrittenSettings) -> None:
    secret = [key for key in ("client_secret", "client_secret_file") if connection.values.get(key)]
    missing = [
        connection.label(key)
        for key in ("base_url", "auth_url", "client_id")
        if not connection.values.get(key)
    ]
    if not secret:
        missing.append(f"{connection.label('client_secret')} (or {connection.label('client_secret_file')})")
    if missing:
        raise SettingsError(
            f"{connection.location} is not complete. Missing: {', '.join(missing)}.",
            advice="Set what is missing, or remove the rest.",
        )
    if len(secret) > 1:
        raise SettingsError(
            f"{connection.location} has {connection.label(secret[0])} and {connection.label(secret[1])}.",
            advice="Keep one of the two.",
        )


def _secret(connection: WrittenSettings) -> str:
    if inline := connection.values.get("client_secret"):
        return inline
    label, path = connection.label("client_secret_file"), Path(connection.values["client_secret_file"])
    return read_secret_file(path, label=label)


def _is_yes(connection: WrittenSettings, key: str) -> bool:
    word = connection.values.get(key, "").strip().lower()
    if word not in _YES | _NO:
        raise SettingsError(
            f"{connection.label(key)} is neither true nor false.", advice="Write true or false."
        )
    return word in _YES


def user_folder() -> Path:
    """Return the folder of this user; it may not be there yet."""
    return platformdirs.user_data_path("item-visibility", appauthor=False)


def make_folder(folder: Path) -> None:
    """Create the folder for our own files, and check that it can be written. SettingsError when not."""
    try:
        make_private_folder(folder)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise SettingsError(
            f"The folder for this program's own files cannot be written: {folder} ({error.strerror}).",
            advice="Give this user the right to write there, or name another place for the database,"
            " such as ITEM_VISIBILITY_DATABASE_URL=sqlite:////path/to/records.sqlite.",
        ) from None


def sqlite_url(path: Path) -> str:
    """Return the address of a SQLite file for SQLAlchemy."""
    return f"sqlite:///{path}"


def version() -> str:
    """Return the installed version, or in a checkout that is not installed, that of its project file."""
    try:
        return metadata.version("item-visibility")
    except metadata.PackageNotFoundError:
        project = Path(__file__).resolve().parents[2] / "pyproject.toml"
        return str(tomllib.loads(project.read_text("utf-8"))["project"]["version"])
