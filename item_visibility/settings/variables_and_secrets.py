"""The sources of settings: the `ITEM_VISIBILITY_*` variables, and the connections of secrets.toml."""

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from item_visibility.errors import SettingsError

PREFIX = "ITEM_VISIBILITY_"
DEFAULT_NAME = "default"
_CONNECTION_KEYS = ("base_url", "auth_url", "client_id", "client_secret", "client_secret_file")
_ROUTE_KEYS = ("ca_file", "proxy")
_FILE_KEYS = (*_CONNECTION_KEYS, *_ROUTE_KEYS, "read_only", "color", "concurrency")
_BARE_KEYS = ("read_only", "concurrency")
"""What may also be written without quotes: a truth, and a number."""

_VARIABLE_KEYS = (
    *(*_CONNECTION_KEYS, *_ROUTE_KEYS, "read_only", "concurrency", "database_url", "demo", "open"),
    *("log", "log_level"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """The settings that somebody wrote for one service, not checked yet.

    `location` is where they stand, in words that begin a sentence. `key_prefix` turns a key into what the
    person wrote.
    """

    name: str
    location: str
    values: Mapping[str, str] = field(repr=False)
    key_prefix: str = ""

    @property
    def has_connection(self) -> bool:
        """True when any setting of a connection was written."""
        return any(self.values.get(key) for key in _CONNECTION_KEYS)

    def label(self, key: str) -> str:
        """Return the key as the person wrote it."""
        return f"{self.key_prefix}{key.upper()}" if self.key_prefix else key


def read_variables(environ: Mapping[str, str]) -> Connection:
    """Read the connection `default` from the variables. An empty variable counts as not set."""
    ours = {name: value for name, value in environ.items() if name.startswith(PREFIX)}
    known = [f"{PREFIX}{key.upper()}" for key in _VARIABLE_KEYS]
    _refuse_unknown(ours, known=known, location="The environment")
    values = {name.removeprefix(PREFIX).lower(): value for name, value in ours.items()}
    return Connection(
        name=DEFAULT_NAME, location="The connection in the environment", values=values, key_prefix=PREFIX
    )


def read_connections(secrets_path: Path | None) -> tuple[Connection, ...]:
    """Read the connections in secrets.toml, in the order of the file; none when there is no such file."""
    if secrets_path is None or not secrets_path.exists():
        return ()
    written = _read_toml(secrets_path)
    if "auth" in written:
        raise SettingsError(
            f"{secrets_path} has a section [auth], but this version knows no sign-in.",
            advice="Take the section out. Without a sign-in the dashboard serves its own machine only.",
        )
    tables = written.get("connections", {})
    if not isinstance(tables, dict):
        raise SettingsError(
            f"{secrets_path} has a value named connections.", advice="Write tables: [connections.<name>]."
        )
    return tuple(_connection(str(name), table, secrets_path) for name, table in tables.items())


def _read_toml(path: Path) -> Mapping[str, object]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        raise SettingsError(
            f"{path} cannot be read.",
            advice="Check that this program's user may read the file, and that it is UTF-8.",
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(
            f"{path} is not valid TOML: {error}.", advice="Compare it with secrets.toml.example."
        ) from None


def _connection(name: str, table: object, path: Path) -> Connection:
    location = f"[connections.{name}] in {path}"
    if not isinstance(table, dict):
        raise SettingsError(
            f"{location} is not a table.", advice=f"Write [connections.{name}] and its keys below."
        )
    _refuse_unknown(table, known=_FILE_KEYS, location=location)
    values = {}
    for key, value in table.items():
        is_bare = isinstance(value, bool) if key == "read_only" else type(value) is int
        if key in _BARE_KEYS and is_bare:
            values[key] = str(value)
        elif isinstance(value, str):
            values[key] = value
        else:
            raise SettingsError(f"{key} of {location} is not a text.", advice="Put the value in quotes.")
    return Connection(name=name, location=location, values=values)


def _refuse_unknown(names: Iterable[str], *, known: Iterable[str], location: str) -> None:
    known = tuple(known)
    unknown = sorted(set(names) - set(known))
    if not unknown:
        return
    guesses = [
        guess for name in unknown for guess in difflib.get_close_matches(name, known, n=1, cutoff=0.85)
    ]
    meant = f"Did you mean {', '.join(guesses)}? " if guesses else ""
    raise SettingsError(
        f"{location} has a setting that is not known: {', '.join(unknown)}.",
        advice=f"{meant}Known are {', '.join(known)}.",
    )
