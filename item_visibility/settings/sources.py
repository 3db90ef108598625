"""The sources of settings: the `ITEM_VISIBILITY_*` variables, and the connections of secrets.toml."""

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from item_visibility.client.secrets import SecretText
from item_visibility.errors import SettingsError

PREFIX = "ITEM_VISIBILITY_"
SIGN_IN = "sign_in"
"""The section of our own settings of a sign-in, and the beginning of their variables."""

SIGN_IN_KEYS = ("issuer", "roles_claim", "role_viewer", "role_editor", "role_admin", "hours")
AUTH_KEYS = ("redirect_uri", "cookie_secret", "client_id", "client_secret", "server_metadata_url")
"""The keys that the section [auth] must hold. Streamlit knows more, of which we take one."""

_MORE_OF_AUTH = "client_kwargs"
DEFAULT_NAME = "default"
_CONNECTION_KEYS = ("base_url", "auth_url", "client_id", "client_secret", "client_secret_file")
_ROUTE_KEYS = ("ca_file", "proxy")
_FILE_KEYS = (*_CONNECTION_KEYS, *_ROUTE_KEYS, "read_only", "color", "concurrency")
_BARE = {"read_only": (bool,), "concurrency": (int,), "hours": (int, float)}
"""The keys whose values may also be written without quotes: a truth, and numbers."""

_VARIABLE_KEYS = (
    *(*_CONNECTION_KEYS, *_ROUTE_KEYS, "read_only", "concurrency", "demo", "open"),
    *("database_url", "database_url_file"),
    *("log", "log_level"),
    *(f"{SIGN_IN}_{key}" for key in SIGN_IN_KEYS),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenSettings:
    """The settings that somebody wrote in one place, of a service or of the sign-in, not checked yet.

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


def hidden_environ(environ: Mapping[str, str]) -> Mapping[str, str]:
    """Return the same variables. A traceback with local variables shows none of their values."""
    return {name: SecretText(value) for name, value in environ.items()}


def read_variables(environ: Mapping[str, str]) -> WrittenSettings:
    """Read the connection `default` from the variables. An empty variable counts as not set."""
    ours = {name: value for name, value in environ.items() if name.startswith(PREFIX)}
    known = [f"{PREFIX}{key.upper()}" for key in _VARIABLE_KEYS]
    _refuse_unknown(ours, known=known, location="The environment")
    values = {name.removeprefix(PREFIX).lower(): value for name, value in ours.items()}
    return WrittenSettings(
        name=DEFAULT_NAME, location="The connection in the environment", values=values, key_prefix=PREFIX
    )


def read_secrets(path: Path | None) -> Mapping[str, object]:
    """Return what stands in secrets.toml; nothing when there is no such file."""
    return _read_toml(path) if path is not None and path.exists() else {}


def read_connections(written: Mapping[str, object], path: Path | None) -> tuple[WrittenSettings, ...]:
    """Return the connections in secrets.toml, in the order of the file."""
    tables = written.get("connections", {})
    if not isinstance(tables, dict):
        raise SettingsError(
            f"{path} has a value named connections.", advice="Write tables: [connections.<name>]."
        )
    return tuple(
        _connection(str(name), table, f"[connections.{name}] in {path}") for name, table in tables.items()
    )


def read_auth(written: Mapping[str, object], path: Path | None) -> WrittenSettings | None:
    """Return the section [auth], which Streamlit reads too; None when there is none."""
    if "auth" not in written:
        return None
    location = f"[auth] in {path}"
    table = _table(written["auth"], location, known=(*AUTH_KEYS, _MORE_OF_AUTH))
    texts = {key: value for key, value in table.items() if key != _MORE_OF_AUTH}
    return WrittenSettings(name="auth", location=location, values=_texts(texts, location))


def read_sign_in_section(
    written: Mapping[str, object], path: Path | None, variables: WrittenSettings
) -> WrittenSettings:
    """Return our own settings of a sign-in: a variable, else the section [sign_in], else nothing."""
    location = f"[{SIGN_IN}] in {path}"
    table = _table(written.get(SIGN_IN, {}), location, known=SIGN_IN_KEYS)
    ours = {key: variables.values.get(f"{SIGN_IN}_{key}") for key in SIGN_IN_KEYS}
    set_here = {key: value for key, value in ours.items() if value}
    return WrittenSettings(
        name=SIGN_IN,
        location="The sign-in in the environment" if set_here else location,
        values={**_texts(table, location), **set_here},
        key_prefix=f"{PREFIX}{SIGN_IN.upper()}_" if set_here else "",
    )


def read_database_url(variables: WrittenSettings) -> str:
    """Return the address of the records' database, or the first line of the file that holds it."""
    written, file = variables.values.get("database_url", ""), variables.values.get("database_url_file")
    if written and file:
        raise SettingsError(
            f"There are {variables.label('database_url')} and {variables.label('database_url_file')}.",
            advice="Keep one of the two.",
        )
    return read_secret_file(Path(file), label=variables.label("database_url_file")) if file else written


def read_secret_file(path: Path, *, label: str) -> SecretText:
    """Return the first line of the file, without its line end. `label` is the person's name for it."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise SettingsError(
            f"The file that {label} names cannot be read: {path}.",
            advice="Check the path, and that this program's user may read the file.",
        ) from None
    if not lines or not lines[0]:
        raise SettingsError(
            f"The file that {label} names is empty: {path}.",
            advice="Write the secret into its first line.",
        )
    return SecretText(lines[0])


def _read_toml(path: Path) -> Mapping[str, object]:
    try:
        return _hidden_table(tomllib.loads(path.read_text("utf-8")))
    except (OSError, UnicodeDecodeError):
        raise SettingsError(
            f"{path} cannot be read.",
            advice="Check that this program's user may read the file, and that it is UTF-8.",
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(
            f"{path} is not valid TOML: {error}.", advice="Compare it with secrets.toml.example."
        ) from None


def _hidden_table(table: Mapping[str, object]) -> Mapping[str, object]:
    """Return the table with texts that show themselves to nobody: which ones are secrets is not known yet."""
    return {key: _hidden(one) for key, one in table.items()}


def _hidden(value: object) -> object:
    if isinstance(value, dict):
        return _hidden_table(value)
    if isinstance(value, list):
        return [_hidden(one) for one in value]
    return SecretText(value) if isinstance(value, str) else value


def _connection(name: str, table: object, location: str) -> WrittenSettings:
    values = _table(table, location, known=_FILE_KEYS)
    return WrittenSettings(name=name, location=location, values=_texts(values, location))


def _table(table: object, location: str, *, known: Iterable[str]) -> Mapping[str, object]:
    """Return the table; SettingsError when it is none, or has a key that is not known."""
    section = location.partition("]")[0] + "]"
    if not isinstance(table, dict):
        raise SettingsError(f"{location} is not a table.", advice=f"Write {section} and its keys below.")
    _refuse_unknown(table, known=known, location=location)
    return table


def _texts(table: Mapping[str, object], location: str) -> Mapping[str, str]:
    """Return the values as texts. Some may also be written without quotes."""
    values = {}
    for key, value in table.items():
        if type(value) in _BARE.get(key, ()):
            values[key] = str(value)
        elif isinstance(value, str):
            values[key] = value
        else:
            raise SettingsError(f"{key} of {location} is not a text.", advice="Put the value in quotes.")
    return values


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


FORMS = ("text", "json")
LEVELS = ("info", "debug", "warning")


@dataclass(frozen=True, slots=True)
class LogSettings:
    """The form of a line, and the lowest level of our own that is written."""

    form: str = "text"
    level: str = "info"


def read_log_settings(environ: Mapping[str, str]) -> LogSettings:
    """Read `ITEM_VISIBILITY_LOG` and `ITEM_VISIBILITY_LOG_LEVEL`. SettingsError for another word."""
    environ = hidden_environ(environ)
    return LogSettings(
        form=_word(environ, f"{PREFIX}LOG", FORMS) or LogSettings().form,
        level=_word(environ, f"{PREFIX}LOG_LEVEL", LEVELS) or LogSettings().level,
    )


def _word(environ: Mapping[str, str], variable: str, known: tuple[str, ...]) -> str:
    word = environ.get(variable, "").strip().lower()
    if word and word not in known:
        raise SettingsError(
            f"{variable} is none of {', '.join(known)}.", advice=f"Write one of them; {known[0]} is usual."
        )
    return word
