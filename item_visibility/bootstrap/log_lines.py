"""The log of the dashboard and the bundled service: text or JSON, times in UTC."""

import json
import logging
import logging.config
import traceback
from datetime import UTC, datetime
from pathlib import Path

from item_visibility import __version__
from item_visibility.access.access_log import ACCESS_LOG
from item_visibility.errors import SettingsError
from item_visibility.model.words import one_line
from item_visibility.settings import Section

_SERVERS = ("streamlit", "uvicorn", "websockets")
_OURS = ("item_visibility", "item_visibility_service", "components")
_FACTS = ("person", "person_name", "role", "item_count", "request_id", "took_ms")

logger = logging.getLogger(__name__)


def write_log(variables: Section) -> None:
    """Send the log of this process to stderr, with our version in the first line.

    Warnings of Streamlit, uvicorn and Python are included. The access log is separate
    and always JSON. Raises SettingsError if the file of the access log cannot be
    written, or if a log setting has an unknown value.
    """
    line = JsonLine if variables.word("log") == "json" else TextLine
    access = _access_handler(variables.text("access_log"))

    # The servers have made loggers with handlers of their own.
    quiet = {"level": "WARNING", "handlers": [], "propagate": True}
    servers = [
        name
        for name in logging.root.manager.loggerDict
        if name.partition(".")[0] in _SERVERS
    ]
    loggers: dict[str, object] = dict.fromkeys(servers, quiet)

    level = (variables.word("log_level") or "info").upper()
    for name in _OURS:
        loggers[name] = {"level": level}
    loggers[ACCESS_LOG] = {"level": "INFO", "handlers": ["access"], "propagate": False}

    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"line": {"()": line}, "json": {"()": JsonLine}},
            "handlers": {
                "stderr": {"class": "logging.StreamHandler", "formatter": "line"},
                "access": access | {"formatter": "json"},
            },
            "root": {"level": "WARNING", "handlers": ["stderr"]},
            "loggers": loggers,
        }
    )
    logging.captureWarnings(capture=True)
    logger.info("Version %s starts.", __version__)


def _access_handler(place: str) -> dict[str, str]:
    """Return the handler for the access log.

    `place` is a file, "stdout", or empty for no log.
    """
    if not place:
        return {"class": "logging.NullHandler"}
    if place == "stdout":
        return {"class": "logging.StreamHandler", "stream": "ext://sys.stdout"}

    try:
        Path(place).touch(mode=0o600)
    except OSError as error:
        raise SettingsError(
            f"The access log cannot be written: {place} ({error.strerror}).",
            advice=(
                "Name another file in ITEM_VISIBILITY_ACCESS_LOG, or set it to stdout."
            ),
        ) from None
    return {
        "class": "logging.handlers.WatchedFileHandler",
        "filename": place,
        "encoding": "utf-8",
    }


class TextLine(logging.Formatter):
    """Writes `2026-11-22T10:30:00.123Z INFO logger: message request_id=…`.

    A traceback follows on lines of its own.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the line.

        Line breaks in the message are escaped, so that it cannot imitate other lines.
        """
        message = one_line(record.getMessage())
        line = f"{_time(record)} {record.levelname} {record.name}: {message}"
        for name, fact in _facts(record).items():
            line += f" {name}={one_line(str(fact))}"
        for error_line in _error(record).splitlines():
            line += f"\n  {one_line(error_line)}"
        return line


class JsonLine(logging.Formatter):
    """Writes each record as a JSON object in one line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        facts: dict[str, object] = {
            "time": _time(record),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        facts |= _facts(record)
        error = _error(record)
        if error:
            facts["error"] = error
        return json.dumps(facts)


def _time(record: logging.LogRecord) -> str:
    time = datetime.fromtimestamp(record.created, UTC)
    return f"{time:%Y-%m-%dT%H:%M:%S}.{time.microsecond // 1000:03d}Z"


def _facts(record: logging.LogRecord) -> dict[str, object]:
    return {
        name: vars(record)[name] for name in _FACTS if vars(record).get(name, "") != ""
    }


def _error(record: logging.LogRecord) -> str:
    if not record.exc_info:
        return ""
    return "".join(traceback.format_exception(record.exc_info[1]))
