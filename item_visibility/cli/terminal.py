"""Writes to a terminal or a pipe: any text, a full disk, a reader that stops early, a progress bar."""

import errno
import io
import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import click

from item_visibility.settings.settings import Environment
from item_visibility.use_cases.address_change import AddressChange, address_lines

Advance = Callable[[int], None]
"""Told how many are done by now."""


def print_any_text() -> None:
    """Print unencodable characters as escapes, so that an id never ends a command."""
    for stream in [one for one in (sys.stdout, sys.stderr) if isinstance(one, io.TextIOWrapper)]:
        stream.reconfigure(errors="backslashreplace")


@contextmanager
def told_or_else(what_is_so: str) -> Iterator[None]:
    """Print in this block. If that fails, end the command with `what_is_so` in the error.

    A reader that stops early, such as `head`, is no error.
    """
    try:
        yield
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise
        forget_output()
        raise click.ClickException(f"The output cannot be written: {error.strerror}. {what_is_so}") from None


def forget_output() -> None:
    """Drop output that could not be written. Otherwise Python would try again at exit."""
    with suppress(OSError, ValueError):  # its stand-in in tests has no file number
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def printable(text: str) -> str:
    """Return the text for a terminal, with control and invisible characters escaped."""
    return "".join(sign if sign.isprintable() else _escaped(sign) for sign in text)


def tell_address(change: AddressChange | None, environment: Environment) -> None:
    """Print on the error stream that the environment's address changed, unless that was noticed before."""
    if change is not None and change.is_new:
        for line in address_lines(change, environment=environment.name, service=environment.service):
            click.echo(printable(line), err=True)


@contextmanager
def log_untold() -> Iterator[None]:
    """Print nothing of what is logged in this block: the command tells it itself."""
    logger, nowhere = logging.getLogger("item_visibility"), logging.NullHandler()
    logger.addHandler(nowhere)  # Python prints warnings that nobody handles
    try:
        yield
    finally:
        logger.removeHandler(nowhere)


@contextmanager
def progress(length: int, label: str) -> Iterator[Advance]:
    """Draw a progress bar on a terminal; elsewhere nothing is drawn."""
    is_terminal = sys.stderr.isatty()
    with click.progressbar(length=length, label=label, file=sys.stderr, hidden=not is_terminal) as bar:
        yield lambda done: bar.update(done - bar.pos)


def _escaped(sign: str) -> str:
    return sign.encode("unicode_escape").decode("ascii")
