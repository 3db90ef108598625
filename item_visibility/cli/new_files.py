"""The files that commands write: none is overwritten, and each is written in full or not at all."""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click


def require_new(file: Path) -> None:
    """Refuse a file that already exists, or cannot be created, before any work is done for it."""
    try:
        file.open("xb").close()
        file.unlink()
    except FileExistsError:
        raise click.ClickException(
            f"{file} is there already, and is never overwritten. Nothing was sent."
        ) from None
    except FileNotFoundError:
        raise click.ClickException(f"The folder of {file} is not there. Nothing was sent.") from None
    except OSError as error:
        raise click.ClickException(f"{file} cannot be written: {error.strerror}. Nothing was sent.") from None


@contextmanager
def new_file(file: Path) -> Iterator[BinaryIO]:
    """Open a new file for writing. It gets its name when all is written, and is removed when that fails."""
    part = file.with_name(f"{file.name}.{secrets.token_hex(4)}.part")
    try:
        if file.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        try:
            with part.open("xb") as target:
                yield target
            part.rename(file)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise click.ClickException(f"{file} cannot be written: {error.strerror}.") from None
