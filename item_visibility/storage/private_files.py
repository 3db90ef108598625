"""Files that only their owner can read, whatever the umask."""

import logging
import os
from contextlib import suppress
from pathlib import Path

from sqlalchemy.engine import make_url

logger = logging.getLogger(__name__)

_OTHERS = 0o077
_BESIDE = ("", "-wal", "-shm")
"""The suffixes of a SQLite database's files."""


def make_private_folder(folder: Path) -> None:
    """Make the folder and its parents, or close it to other users. Raises OSError."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _close_to_others(folder, 0o700)


def make_private_database(database_url: str) -> None:
    """Make an empty SQLite file, or close an existing one to other users.

    Other databases are ignored.
    """
    url = make_url(database_url)
    path = url.database or ""
    if url.get_backend_name() != "sqlite" or path.startswith("file:"):
        return

    # The code that opens the database reports the error.
    with suppress(OSError):
        os.close(os.open(path, os.O_RDONLY | os.O_CREAT, 0o600))
    for suffix in _BESIDE:
        _close_to_others(Path(f"{path}{suffix}"), 0o600)


def _close_to_others(path: Path, mode: int) -> None:
    try:
        if path.stat().st_mode & _OTHERS:
            path.chmod(mode)
    except FileNotFoundError:
        return
    except OSError:
        logger.warning(
            "%s can be read by other users, and its permissions could not be changed.",
            path,
        )
