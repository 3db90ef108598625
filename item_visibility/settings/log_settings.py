"""The form of the log: as text or as JSON, and from which level on."""

from collections.abc import Mapping
from dataclasses import dataclass

from item_visibility.errors import SettingsError
from item_visibility.settings.variables_and_secrets import PREFIX, hidden_environ

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
