"""Files that only their owner can read.

With the usual umask, everybody on the machine could read them.
"""

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
    """Make the folder and its parents.

    If it exists, remove other users' permissions. Raises OSError.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _close_to_others(folder, 0o700)


def make_private_database(database_url: str) -> None:
    """Make an empty SQLite file.

    If it exists, remove other users' permissions. Ignore other databases.
    """
    url = make_url(database_url)
    path = url.database or ""
    if url.get_backend_name() != "sqlite" or path.startswith("file:"):
        return
    with suppress(OSError):  # the code that opens the database reports the error
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
