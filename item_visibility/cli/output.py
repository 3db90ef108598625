"""Printing, progress, and the files that commands write."""

import errno
import io
import logging
import os
import secrets
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
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
        forget_output()
        what = "The output" if error.filename is None else str(error.filename)
        notes = " ".join(getattr(error, "__notes__", ()))
        reason = f"{what} cannot be used: {error.strerror or error}. {notes}"
        raise click.ClickException(reason.rstrip()) from None


@contextmanager
def if_output_fails(note: str) -> Iterator[None]:
    """Add a note to an error of this block about the changes made so far."""
    try:
        yield
    except OSError as error:
        error.add_note(note)
        raise


def forget_output() -> None:
    """Drop output that could not be written. Otherwise Python would try again at exit."""
    with suppress(OSError, ValueError):  # a replaced stream in tests has no file number
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def printable(text: str) -> str:
    """Return the text for a terminal, with control and invisible characters escaped."""
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii") for sign in text
    )


@contextmanager
def no_log_lines() -> Iterator[None]:
    """Print no log lines in this block: the command reports the same itself."""
    logger, nowhere = logging.getLogger("item_visibility"), logging.NullHandler()
    logger.addHandler(nowhere)  # Python prints warnings that have no handler
    try:
        yield
    finally:
        logger.removeHandler(nowhere)


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
    part = file.with_name(f"{file.name}.{secrets.token_hex(4)}.part")
    try:
        if file.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        try:
            part.write_bytes(content)
            part.rename(file)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise click.ClickException(f"{file} cannot be written: {error.strerror}.") from None
