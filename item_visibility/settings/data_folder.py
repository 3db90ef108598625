"""The folder for this program's own files."""

import tempfile
from pathlib import Path

import platformdirs

from item_visibility.errors import SettingsError
from item_visibility.storage.database.private_files import make_private_folder


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
