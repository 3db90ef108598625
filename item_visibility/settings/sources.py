"""The sources of settings: the `ITEM_VISIBILITY_*` variables, and the sections of secrets.toml.

A mistake is a SettingsError that names the place, and repeats no value that may be a secret.
"""

import difflib
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from item_visibility.errors import SettingsError

PREFIX = "ITEM_VISIBILITY_"
CONNECTION_KEYS = ("base_url", "auth_url", "client_id", "client_secret", "client_secret_file")
AUTH_KEYS = ("redirect_uri", "cookie_secret", "client_id", "client_secret", "server_metadata_url")
"""The keys that the section [auth] must have. Streamlit knows more, of which we take one."""

SIGN_IN_KEYS = ("issuer", "roles_claim", "hours")
_ROUTE_KEYS = ("ca_file", "proxy", "read_only", "concurrency")
_OTHER_KEYS = ("demo", "open", "database_url", "database_url_file", "log", "log_level", "access_log")
_VARIABLES = (*CONNECTION_KEYS, *_ROUTE_KEYS, *_OTHER_KEYS, *(f"sign_in_{key}" for key in SIGN_IN_KEYS))
_BARE = {"read_only": (bool,), "concurrency": (int,), "hours": (int, float)}
"""The keys of secrets.toml whose values may also be written without quotes."""

_YES, _NO = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


@dataclass(frozen=True, slots=True)
class Section:
    """The settings from one place. `location` begins a sentence; `prefix` turns a key into its variable."""

    name: str
    location: str
    values: Mapping[str, str] = field(repr=False)
    prefix: str = ""

    def label(self, key: str) -> str:
        """Return the key as the person wrote it."""
        return f"{self.prefix}{key}".upper() if self.prefix else key

    def text(self, key: str) -> str:
        """Return the value, or an empty text when it is not set."""
        return self.values.get(key, "")

    def has_any(self, keys: Iterable[str]) -> bool:
        """True when one of the keys is set."""
        return any(map(self.text, keys))

    def require(self, keys: Iterable[str], *, advice: str) -> None:
        """Raise SettingsError when a key is not set. In `a|b`, either is enough."""
        choices = [key.split("|") for key in keys]
        missing = [" or ".join(map(self.label, choice)) for choice in choices if not self.has_any(choice)]
        if missing:
            raise SettingsError(
                f"{self.location} is not complete. Missing: {', '.join(missing)}.", advice=advice
            )

    def word(self, key: str, allowed: Sequence[str]) -> str:
        """Return the value, which must be one of these words, in lower case; empty when it is not set."""
        word = self.text(key).strip().lower()
        if word and word not in allowed:
            raise SettingsError(
                f"{self._place(key)} is none of {', '.join(allowed)}.", advice="Write one of them."
            )
        return word

    def flag(self, key: str) -> bool:
        """Return the value as True or False; False when it is not set."""
        return self.word(key, (*_YES, *_NO)) in _YES

    def number(self, key: str, pattern: str, *, default: float, most: float) -> float:
        """Return a number above 0 and up to `most`, written as the pattern says."""
        written = self.text(key).strip() or str(default)
        number = float(written) if re.fullmatch(pattern, written) else 0.0
        if not 0 < number <= most:
            raise SettingsError(
                f"{self._place(key)} is not a number up to {most}.", advice=f"{default} is usual."
            )
        return number

    def secret(self, key: str) -> str:
        """Return the value, or the first line of the file that `<key>_file` names; empty without both."""
        file = f"{key}_file"
        if self.text(key) and self.text(file):
            raise SettingsError(
                f"{self.location} has {self.label(key)} and {self.label(file)}.",
                advice="Keep one of the two.",
            )
        if self.text(file):
            return read_secret_file(Path(self.text(file)), label=self.label(file))
        return self.text(key)

    def checked(self, key: str, check: Callable[[str], str]) -> str:
        """Return the checked value. An error names its place."""
        try:
            return check(self.text(key))
        except SettingsError as error:
            raise SettingsError(f"{self._place(key)}: {error.message}", advice=error.advice) from None

    def _place(self, key: str) -> str:
        return self.label(key) if self.prefix else f"{self.location}, {key}"


def read_variables(environ: Mapping[str, str]) -> Section:
    """Read our variables. An empty one counts as not set."""
    ours = {name: value for name, value in environ.items() if name.startswith(PREFIX)}
    _refuse_unknown(ours, [f"{PREFIX}{key}".upper() for key in _VARIABLES], "The environment")
    values = {name.removeprefix(PREFIX).lower(): value for name, value in ours.items()}
    return Section("default", "The connection in the environment", values, PREFIX)


@dataclass(frozen=True, slots=True)
class SecretsFile:
    """The content of secrets.toml; nothing when there is no such file."""

    path: Path | None
    tables: Mapping[str, object] = field(repr=False)

    @property
    def connections(self) -> tuple[Section, ...]:
        """The connections, in the order of the file."""
        tables = self.tables.get("connections", {})
        if not isinstance(tables, dict):
            raise SettingsError(
                f"{self.path} has a value named connections.", advice="Write tables: [connections.<name>]."
            )
        keys = (*CONNECTION_KEYS, *_ROUTE_KEYS, "color")
        return tuple(self._section(f"connections.{name}", one, keys) for name, one in tables.items())

    @property
    def auth(self) -> Section | None:
        """The section [auth], which Streamlit reads too; None when there is none."""
        table = self.tables.get("auth")
        if isinstance(table, dict):
            table = {key: value for key, value in table.items() if key != "client_kwargs"}
        return None if table is None else self._section("auth", table, AUTH_KEYS)

    def sign_in(self, variables: Section) -> Section:
        """Return our own settings of a sign-in: from the variables, else from the section [sign_in]."""
        section = self._section("sign_in", self.tables.get("sign_in", {}), SIGN_IN_KEYS)
        ours = {key: value for key in SIGN_IN_KEYS if (value := variables.text(f"sign_in_{key}"))}
        if not ours:
            return section
        values = {**section.values, **ours}
        return Section("sign_in", "The sign-in in the environment", values, f"{PREFIX}SIGN_IN_")

    def _section(self, name: str, table: object, keys: Iterable[str]) -> Section:
        location = f"[{name}] in {self.path}"
        if not isinstance(table, dict):
            raise SettingsError(f"{location} is not a table.", advice=f"Write [{name}] and its keys below.")
        _refuse_unknown(table, keys, location)
        values = {}
        for key, value in table.items():
            if type(value) not in _BARE.get(key, ()) and not isinstance(value, str):
                raise SettingsError(f"{key} of {location} is not a text.", advice="Put the value in quotes.")
            values[key] = value if isinstance(value, str) else str(value)
        return Section(name.removeprefix("connections."), location, values)


def read_secrets(path: Path | None) -> SecretsFile:
    """Read secrets.toml, if there is one."""
    if path is None or not path.exists():
        return SecretsFile(path, {})
    try:
        return SecretsFile(path, tomllib.loads(path.read_text("utf-8")))
    except (OSError, UnicodeDecodeError):
        raise SettingsError(
            f"{path} cannot be read.",
            advice="Check that this program's user may read the file, and that it is UTF-8.",
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(
            f"{path} is not valid TOML: {error}.", advice="Compare it with secrets.toml.example."
        ) from None


def read_secret_file(path: Path, *, label: str) -> str:
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
            f"The file that {label} names is empty: {path}.", advice="Write the secret into its first line."
        )
    return lines[0]


def _refuse_unknown(names: Iterable[str], known: Iterable[str], location: str) -> None:
    known = tuple(known)
    unknown = sorted(set(names) - set(known))
    if unknown:
        close = [one for name in unknown for one in difflib.get_close_matches(name, known, n=1, cutoff=0.85)]
        guess = f"Did you mean {', '.join(close)}? " if close else ""
        raise SettingsError(
            f"{location} has a setting that is not known: {', '.join(unknown)}.",
            advice=f"{guess}Known are {', '.join(known)}.",
        )
