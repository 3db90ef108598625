"""The log of a program that serves: one line a record, with its time in UTC, its level and who wrote it.

A repeated fault is written once a minute, with how often it came.
"""

import json
import logging
import logging.config
import threading
import time
import traceback
from collections.abc import Callable
from datetime import UTC, datetime

from item_visibility.settings.settings import LogSettings
from item_visibility.timeouts import SAME_FAULT_AGAIN_S

_SERVERS = ("streamlit", "uvicorn", "websockets")
_OURS = ("item_visibility", "item_visibility_service", "components")
_FACTS = ("request_id", "took_ms")
_MOST_FAULTS = 200
"""The limit of faults counted at once; then counting begins afresh."""


def write_log(settings: LogSettings) -> None:
    """Write what this process logs to its error stream, also warnings of its servers and of Python.

    Streamlit gives each of its loggers an output of its own. Those made by now write here instead.
    """
    quiet = {"level": "WARNING", "handlers": [], "propagate": True}
    made = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in _SERVERS]
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"line": {"()": JsonLine if settings.form == "json" else TextLine}},
            "filters": {"once a minute": {"()": OnceAMinute}},
            "handlers": {
                "stderr": {
                    "class": "logging.StreamHandler",
                    "filters": ["once a minute"],
                    "formatter": "line",
                }
            },
            "root": {"level": "WARNING", "handlers": ["stderr"]},
            "loggers": dict.fromkeys(made, quiet)
            | {name: {"level": settings.level.upper()} for name in _OURS},
        }
    )
    logging.captureWarnings(capture=True)


class TextLine(logging.Formatter):
    """`2026-11-22T10:30:00.123Z INFO who: what request_id=…`, and an error's traceback below it, indented."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line. Text in a message cannot begin a line of its own."""
        line = f"{_time(record)} {record.levelname} {record.name}: {_printable(record.getMessage())}"
        facts = "".join(f" {name}={_printable(str(fact))}" for name, fact in _facts(record).items())
        below = "".join(f"\n  {_printable(one)}" for one in _error(record).splitlines())
        return f"{line}{facts}{below}"


class JsonLine(logging.Formatter):
    """One JSON object: time, level, logger, message; request_id, took_ms and error where there are any."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the object in one line."""
        facts = {
            "time": _time(record),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        error = _error(record)
        return json.dumps(facts | _facts(record) | ({"error": error} if error else {}))


class OnceAMinute(logging.Filter):
    """Passes a warning or an error, then holds the same one back for a minute.

    Two are the same when logger and message are. The next one says how many were held back. `clock` counts
    seconds.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._lock = threading.Lock()
        self._faults: dict[tuple[str, str], tuple[float, int]] = {}
        """When each fault was written last, and how often it was held back since."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True when the record is to be written."""
        if record.levelno < logging.WARNING or record.exc_info:
            return True
        now_s, message = self._clock(), record.getMessage()
        key = (record.name, message)
        with self._lock:
            written_at_s, count = self._faults.get(key, (now_s - SAME_FAULT_AGAIN_S, 0))
            for_s = now_s - written_at_s
            if for_s < SAME_FAULT_AGAIN_S:
                self._faults[key] = (written_at_s, count + 1)
                return False
            if len(self._faults) >= _MOST_FAULTS:
                self._faults.clear()
            self._faults[key] = (now_s, 0)
        if count:
            record.msg, record.args = f"{message} ({count} times more in {round(for_s)} s)", None
        return True


def _time(record: logging.LogRecord) -> str:
    at = datetime.fromtimestamp(record.created, UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z"


def _facts(record: logging.LogRecord) -> dict[str, object]:
    """Return what whoever wrote the record gave beside its message."""
    return {name: vars(record)[name] for name in _FACTS if vars(record).get(name, "") != ""}


def _error(record: logging.LogRecord) -> str:
    return "".join(traceback.format_exception(record.exc_info[1])) if record.exc_info else ""


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)
