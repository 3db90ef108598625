"""Printing, progress, and the files that commands write."""

import errno
import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from item_visibility.errors import ItemVisibilityError


@contextmanager
def plain_errors() -> Iterator[None]:
    """End the command with status 1 and a plain sentence, without a traceback, for the errors of this block.

    A reader that stops early, such as `head`, is not an error. Status 2 is left to `plan`.
    """
    for stream in [one for one in (sys.stdout, sys.stderr) if isinstance(one, io.TextIOWrapper)]:
        stream.reconfigure(errors="backslashreplace")  # an id never ends a command
    try:
        yield
    except click.UsageError as error:
        error.show()
        raise click.exceptions.Exit(1) from None
    except ItemVisibilityError as error:
        raise click.ClickException(f"{error.message}\n{error.advice}") from None
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise
        what = "The output" if error.filename is None else str(error.filename)
        raise click.ClickException(f"{what} cannot be used: {error.strerror or error}.") from None


def printable(text: str) -> str:
    """Return the text for a terminal, with control and invisible characters escaped."""
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii") for sign in text
    )


@contextmanager
def progress(length: int, label: str) -> Iterator[Callable[[int], None]]:
    """Draw a progress bar on a terminal, and nothing elsewhere. Call the result with the number done."""
    is_terminal = sys.stderr.isatty()
    with click.progressbar(length=length, label=label, file=sys.stderr, hidden=not is_terminal) as bar:
        yield lambda done: bar.update(done - bar.pos)


def require_new(_: click.Context, __: click.Parameter, file: Path | None) -> Path | None:
    """Refuse a file that exists or cannot be created, before any work is done for it: a click callback."""
    if file is not None:
        try:
            file.open("xb").close()
            file.unlink()
        except FileExistsError:
            reason = f"{file} already exists, and is never overwritten."
            raise click.ClickException(f"{reason} Nothing was sent.") from None
        except OSError as error:
            raise click.ClickException(
                f"{file} cannot be written: {error.strerror}. Nothing was sent."
            ) from None
    return file


def write_new(file: Path, content: bytes) -> None:
    """Write a new file, in full or not at all."""
    try:
        with file.open("xb") as stream:
            try:
                stream.write(content)
            except OSError:
                file.unlink()
                raise
    except OSError as error:
        raise click.ClickException(f"{file} cannot be written: {error.strerror}.") from None
