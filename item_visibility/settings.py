"""The configuration: from environment variables, secrets.toml, or else the demo.

Every mistake raises a SettingsError, so a typo never leads silently to the demo. The
error says where the mistake is, and contains no value that may be a secret.
"""

import re
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Literal, cast, get_args
from zlib import crc32

import platformdirs

from item_visibility.access.claims import (
    DEFAULT_HOURS,
    DEFAULT_ROLES_CLAIM,
    SignInRules,
)
from item_visibility.client.addresses import (
    STRAIGHT,
    Route,
    check_address,
    check_auth_url,
    check_base_url,
    service_of,
)
from item_visibility.client.token import ClientCredentials
from item_visibility.errors import OtherEnvironmentError, ReadOnlyError, SettingsError
from item_visibility.storage.private_files import make_private_folder

PREFIX = "ITEM_VISIBILITY_"
_CONNECTION_KEYS = (
    "base_url",
    "auth_url",
    "client_id",
    "client_secret",
    "client_secret_file",
)
_AUTH_KEYS = (
    "redirect_uri",
    "cookie_secret",
    "client_id",
    "client_secret",
    "server_metadata_url",
)
"""The keys of [auth], all required. Streamlit's key `client_kwargs` is allowed too."""

_SIGN_IN_KEYS = ("issuer", "roles_claim", "hours")
_ROUTE_KEYS = ("ca_file", "proxy", "read_only", "concurrency")
"""If a connection has no value for one of these keys, the variable's value is used."""

_OTHER_KEYS = (
    "demo",
    "open",
    "database_url",
    "database_url_file",
    "log",
    "log_level",
    "access_log",
)
_VARIABLES = (
    *_CONNECTION_KEYS,
    *_ROUTE_KEYS,
    *_OTHER_KEYS,
    *(f"sign_in_{key}" for key in _SIGN_IN_KEYS),
)

EnvironmentColor = Literal["blue", "green", "yellow", "gray", "red"]
"""The colours of environments. An environment is red only if its settings say so."""

DEFAULT_CONCURRENCY = 8

OPEN_TO_EVERYONE = "yes-everyone-may-write"
"""The value of `ITEM_VISIBILITY_OPEN` that lets everybody write without a sign-in."""

DEMO_NAME = "Demo"
_DEMO_CLIENT = "demo"

_DISCOVERY = "/.well-known/openid-configuration"
_AUTH_ADDRESSES = (
    ("redirect_uri", "https://visibility.example.com", "/oauth2callback"),
    ("server_metadata_url", "https://login.example.com/realms/company", _DISCOVERY),
)
"""For each address in [auth]: its key, how an example begins, and how it must end."""

_LEAST_SECRET = 32

_BARE = ("read_only", "concurrency", "hours")
"""The keys of secrets.toml whose values may be written without quotes."""
_YES = ("true", "yes", "on", "1")
_FLAG = (*_YES, "false", "no", "off", "0")
_WORDS: Mapping[str, Sequence[str]] = {
    "read_only": _FLAG,
    "demo": _FLAG,
    "open": (OPEN_TO_EVERYONE,),
    "color": get_args(EnvironmentColor),
    "log": ("text", "json"),
    "log_level": ("info", "debug", "warning"),
}
"""The settings that accept only certain values, with these values."""
_NUMBERS: Mapping[str, tuple[str, int, int]] = {
    # With more than 64, jobs are not faster.
    "concurrency": ("[0-9]{1,3}", DEFAULT_CONCURRENCY, 64),
    "hours": (r"[0-9]{1,3}(\.[0-9]{1,6})?", DEFAULT_HOURS, 168),
}
"""The pattern, default and highest value of each setting that is a number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """The settings of one service. The addresses of a demo are empty until it runs.

    `concurrency` is the number of items that a job changes at the same time.
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
        """The key of this service in our own database: its address, or "Demo".

        It stays the same when the environment is renamed, and when a demo starts on
        another port.
        """
        return DEMO_NAME if self.is_demo else service_of(self.base_url)

    def refuse_when_read_only(self) -> None:
        """Raise ReadOnlyError if this environment is read-only."""
        if self.is_read_only:
            raise ReadOnlyError(
                f"{self.name} is read-only here: nothing was changed.",
                advice="To make changes possible, ask whoever runs this dashboard.",
            )

    def refuse_change_of(self, environment_name: str) -> None:
        """Raise OtherEnvironmentError if the screen shows another environment."""
        if environment_name != self.name:
            raise OtherEnvironmentError(
                f"This change was not made in the environment {self.name}. Nothing "
                "was changed.",
                advice="Load the page again, and make the change there.",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The whole configuration. The first environment is the default.

    `database_url` is the address of our own database, and may contain a password. If
    there is no sign-in, only this machine is served unless `is_open` is True. `ca_file`
    contains certificates to trust in addition to the system's.
    """

    environments: tuple[Environment, ...]
    database_url: str = field(repr=False)
    data_folder: Path
    is_open: bool = False
    sign_in: SignInRules | None = None
    ca_file: Path | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all environments, in the order of the settings."""
        return tuple(environment.name for environment in self.environments)

    def environment(self, name: str | None = None) -> Environment:
        """Return the environment with this name, or the first one for None.

        Raises SettingsError.
        """
        for environment in self.environments:
            if name in (None, environment.name):
                return environment
        raise SettingsError(
            f"There is no environment named {name}.",
            advice=f"Choose one that is configured: {', '.join(self.names)}.",
        )


@dataclass(frozen=True, slots=True)
class Section:
    """Settings from the environment variables, or from a section of secrets.toml.

    The names of the variables begin with `prefix`.
    """

    name: str
    location: str
    values: Mapping[str, str] = field(repr=False)
    prefix: str = ""

    @contextmanager
    def located(self) -> Iterator[None]:
        """Add the location of this section to a SettingsError that the block raises."""
        try:
            yield
        except SettingsError as error:
            message = f"{self.location}: {error.message}"
            raise SettingsError(message, advice=error.advice) from None

    def label(self, key: str) -> str:
        """Return the key as it is written in the settings."""
        return f"{self.prefix}{key}".upper() if self.prefix else key

    def text(self, key: str) -> str:
        """Return the value, or an empty text when it is not set."""
        return self.values.get(key, "")

    def has_any(self, keys: Iterable[str]) -> bool:
        """True when at least one of these keys is set."""
        return any(map(self.text, keys))

    def require(self, keys: Iterable[str]) -> None:
        """Raise SettingsError when neither a key nor its `<key>_file` is set."""
        missing = [
            self.label(key) for key in keys if not self.has_any((key, f"{key}_file"))
        ]
        if missing:
            raise SettingsError(
                f"{', '.join(missing)} must be set.",
                advice="Set what is missing, or remove the related settings.",
            )

    def word(self, key: str) -> str:
        """Return the value in lower case, or an empty text.

        Raises SettingsError if it is not in `_WORDS`.
        """
        word = self.text(key).strip().lower()
        if word and word not in _WORDS[key]:
            raise SettingsError(
                f"{self.label(key)} is not one of: {', '.join(_WORDS[key])}.",
                advice="Write one of these.",
            )
        return word

    def flag(self, key: str) -> bool:
        """Return the value as a boolean; False when it is not set."""
        return self.word(key) in _YES

    def number(self, key: str) -> float:
        """Return the value as a number above 0, or the default.

        Raises SettingsError for other values.
        """
        pattern, default, most = _NUMBERS[key]
        written = self.text(key).strip() or str(default)
        number = float(written) if re.fullmatch(pattern, written) else 0.0
        if not 0 < number <= most:
            raise SettingsError(
                f"{self.label(key)} is not a number up to {most}.",
                advice=f"The usual value is {default}.",
            )
        return number

    def secret(self, key: str) -> str:
        """Return the value, or the first line of the file in `<key>_file`.

        Empty if neither is set.
        """
        value = self.text(key)
        file = self.text(f"{key}_file")
        label = self.label(f"{key}_file")
        if value and file:
            raise SettingsError(
                f"{self.label(key)} and {label} are both set.",
                advice="Remove one of them.",
            )
        return read_secret_file(Path(file), label=label) if file else value


def read_variables(environ: Mapping[str, str]) -> Section:
    """Read the environment variables of this program.

    An empty variable counts as not set.
    """
    ours = {name: value for name, value in environ.items() if name.startswith(PREFIX)}
    allowed = [f"{PREFIX}{key}".upper() for key in _VARIABLES]
    _refuse_unknown(ours, allowed, "The environment")
    values = {name.removeprefix(PREFIX).lower(): value for name, value in ours.items()}
    return Section("default", "The connection in the environment", values, PREFIX)


def _read_secrets(path: Path | None) -> Mapping[str, object]:
    if path is None or not path.exists():
        return {}
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:  # ValueError: it is not UTF-8, or not TOML
        raise SettingsError(
            f"{path} cannot be read as TOML: {error}.",
            advice="Check that this program's user may read it, and compare it with"
            " secrets.toml.example.",
        ) from None


def _table(path: Path | None, name: str, value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise SettingsError(
            f"[{name}] in {path} is not a table.",
            advice=f"Write [{name}] above its keys.",
        )
    return value


def _section(
    path: Path | None, name: str, value: object, keys: Iterable[str]
) -> Section:
    location = f"[{name}] in {path}"
    table = _table(path, name, value)
    _refuse_unknown(table, keys, location)
    for key, setting in table.items():
        if not isinstance(setting, str) and key not in _BARE:
            raise SettingsError(
                f"{location}: {key} is not a text.", advice="Put the value in quotes."
            )
    values = {key: str(setting) for key, setting in table.items()}
    return Section(name.removeprefix("connections."), location, values)


def read_settings(
    environ: Mapping[str, str],
    *,
    secrets_path: Path | None = None,
    data_folder: Path | None = None,
    may_be_demo: bool = False,
    needs_service: bool = True,
) -> Settings:
    """Read the settings from the variables and from secrets.toml. Raises SettingsError.

    `data_folder` is the folder for our own files; None means the user's data folder.
    With `ITEM_VISIBILITY_DEMO=true`, the result is the demo's settings. They are also
    the result if no service is configured, there is no sign-in and `may_be_demo` is
    True. In all other cases without a service, `needs_service=True` raises
    SettingsError, and False returns settings without environments.
    """
    folder = data_folder or user_folder()
    variables = read_variables(environ)
    secrets = _read_secrets(secrets_path)

    # The log is set up elsewhere. Here, invalid values are refused before the start.
    for key in ("log", "log_level"):
        variables.word(key)

    # Without a service, the settings are the demo's.
    demo = Environment(
        name=DEMO_NAME,
        base_url="",
        auth_url="",
        credentials=ClientCredentials(_DEMO_CLIENT, _DEMO_CLIENT),
        is_read_only=variables.flag("read_only"),
        is_demo=True,
        concurrency=int(variables.number("concurrency")),
    )
    settings = Settings(
        environments=(demo,),
        database_url=sqlite_url(folder / "demo-records.sqlite"),
        data_folder=folder,
        is_open=bool(variables.word("open")),
        ca_file=_route(variables).ca_file,
    )
    if variables.flag("demo"):
        return settings

    # Read the sign-in and the services.
    sign_in = _sign_in(secrets, secrets_path, variables)
    connections = _connections(secrets, secrets_path, variables)
    environments = tuple(_environment(section, variables) for section in connections)
    if not environments and may_be_demo and sign_in is None:
        environments = settings.environments
    if not environments and needs_service:
        raise SettingsError(
            "No service is configured.",
            advice=f"Set {PREFIX}BASE_URL, {PREFIX}AUTH_URL, {PREFIX}CLIENT_ID and"
            f" {PREFIX}CLIENT_SECRET, or write a connection into"
            " .streamlit/secrets.toml. `item-visibility demo` needs neither.",
        )

    database_url = variables.secret("database_url")
    return replace(
        settings,
        environments=environments,
        database_url=database_url or sqlite_url(folder / "records.sqlite"),
        sign_in=sign_in,
    )


def _connections(
    secrets: Mapping[str, object], path: Path | None, variables: Section
) -> list[Section]:
    """Return the sections of all services. The one in the variables is the first."""
    keys = (*_CONNECTION_KEYS, *_ROUTE_KEYS, "color")
    tables = _table(path, "connections", secrets.get("connections", {}))
    sections = [
        _section(path, f"connections.{name}", table, keys)
        for name, table in tables.items()
    ]
    if not variables.has_any(_CONNECTION_KEYS):
        return sections
    others = [section for section in sections if section.name != variables.name]
    return [variables, *others]


def _environment(connection: Section, variables: Section) -> Environment:
    """Read one environment.

    It is read-only if the section or a variable sets `read_only`.
    """
    defaults = {key: connection.text(key) or variables.text(key) for key in _ROUTE_KEYS}
    connection = replace(connection, values={**connection.values, **defaults})

    # Without a colour in the settings, the name decides: the same each time, never red.
    colors = _WORDS["color"]
    own_color = colors[crc32(connection.name.encode()) % (len(colors) - 1)]

    with connection.located():
        if connection.name == DEMO_NAME:
            raise SettingsError(
                f"{DEMO_NAME} is the name of the bundled demo.",
                advice="Give the connection another name.",
            )
        connection.require(("base_url", "auth_url", "client_id", "client_secret"))
        client_id = connection.text("client_id")
        return Environment(
            name=connection.name,
            base_url=check_base_url(connection.text("base_url")),
            auth_url=check_auth_url(connection.text("auth_url")),
            credentials=ClientCredentials(
                client_id, connection.secret("client_secret")
            ),
            is_read_only=variables.flag("read_only") or connection.flag("read_only"),
            color=cast("EnvironmentColor", connection.word("color") or own_color),
            concurrency=int(connection.number("concurrency")),
            route=_route(connection),
        )


def _route(section: Section) -> Route:
    ca_file = section.text("ca_file")
    proxy = section.text("proxy")
    return Route(ca_file=Path(ca_file) if ca_file else None, proxy=proxy)


def _sign_in(
    secrets: Mapping[str, object], path: Path | None, variables: Section
) -> SignInRules | None:
    """Read the rules of the sign-in; None if there is no sign-in. Raises SettingsError.

    Variables override the section [sign_in]. The section [auth] belongs to Streamlit,
    which reads it too.
    """
    ours = _section(path, "sign_in", secrets.get("sign_in", {}), _SIGN_IN_KEYS)
    if variables.has_any(f"sign_in_{key}" for key in _SIGN_IN_KEYS):
        values = {
            key: variables.text(f"sign_in_{key}") or ours.text(key)
            for key in _SIGN_IN_KEYS
        }
        location = "The sign-in in the environment"
        ours = Section("sign_in", location, values, f"{PREFIX}SIGN_IN_")

    if "auth" not in secrets:
        if ours.values:
            raise SettingsError(
                f"{ours.location} has settings, but [auth] is missing.",
                advice="Add [auth] to secrets.toml.",
            )
        return None
    auth = _auth_section(secrets["auth"], path, variables)
    with ours.located():
        hours = ours.number("hours")
    address = auth.text("server_metadata_url")
    return SignInRules(
        issuer=ours.text("issuer") or address.removesuffix(_DISCOVERY),
        client_id=auth.text("client_id"),
        roles_claim=ours.text("roles_claim") or DEFAULT_ROLES_CLAIM,
        lasts=timedelta(hours=hours),
    )


def _auth_section(value: object, path: Path | None, variables: Section) -> Section:
    """Read and check the section [auth]. Raises SettingsError."""
    table = _table(path, "auth", value)
    ours = {key: table[key] for key in table if key != "client_kwargs"}
    auth = _section(path, "auth", ours, _AUTH_KEYS)
    if variables.text("open"):
        raise SettingsError(
            f"{variables.label('open')} lets everyone write, but people sign in here.",
            advice="Remove this variable, or remove the sign-in from the settings.",
        )

    with auth.located():
        auth.require(_AUTH_KEYS)
        if len(auth.text("cookie_secret")) < _LEAST_SECRET:
            raise SettingsError(
                f"cookie_secret has fewer than {_LEAST_SECRET} characters.",
                advice="Use a random text: whoever guesses it can sign in as anybody.",
            )
        for key, start, ending in _AUTH_ADDRESSES:
            example = f"{start}{ending}"
            address = auth.text(key)
            with_port = address.replace("{port}", "8501")
            check_address(with_port, name=f"address in {key}", example=example)
            if not address.endswith(ending):
                raise SettingsError(
                    f"{key} does not end in {ending}.",
                    advice=f"Write it like {example}.",
                )
    return auth


def user_folder() -> Path:
    """Return this user's data folder, which may not exist yet."""
    return platformdirs.user_data_path("item-visibility", appauthor=False)


def make_folder(folder: Path) -> None:
    """Create the folder for our own files, and check that we can write to it.

    Raises SettingsError.
    """
    try:
        make_private_folder(folder)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise SettingsError(
            f"The folder for this program's own files cannot be written: {folder}"
            f" ({error.strerror}).",
            advice="Allow this program's user to write there, or choose another place"
            " for the database, such as"
            " ITEM_VISIBILITY_DATABASE_URL=sqlite:////path/to/records.sqlite.",
        ) from None


def sqlite_url(path: Path) -> str:
    """Return the URL by which SQLAlchemy opens this SQLite file."""
    return f"sqlite:///{path}"


def read_secret_file(path: Path, *, label: str) -> str:
    """Return the first line of the file.

    `label` is what error messages call the setting.
    """
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise SettingsError(
            f"The file in {label} cannot be read: {path}.",
            advice="Check the path, and that this program's user may read the file.",
        ) from None
    if not lines or not lines[0]:
        raise SettingsError(
            f"The file in {label} is empty: {path}.",
            advice="Write the secret into its first line.",
        )
    return lines[0]


def _refuse_unknown(
    names: Iterable[str], allowed: Iterable[str], location: str
) -> None:
    allowed = tuple(allowed)
    unknown = sorted(set(names).difference(allowed))
    if unknown:
        raise SettingsError(
            f"{location} has an unknown setting: {', '.join(unknown)}.",
            advice=f"The known settings are {', '.join(allowed)}.",
        )
