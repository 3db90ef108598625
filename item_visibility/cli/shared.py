"""What several commands share: options, the environment, plain errors, progress and new files."""

import errno
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TypeVar

import click

from item_visibility.access.access import machine_user
from item_visibility.bootstrap.open_desk import Use, open_desk
from item_visibility.errors import ItemVisibilityError
from item_visibility.lists.reader import Encoding
from item_visibility.saving.job import BulkAction
from item_visibility.settings import Settings, read_settings
from item_visibility.use_cases.bulk_lists import HiddenCells
from item_visibility.use_cases.desk import Desk

_Function = TypeVar("_Function", bound=Callable[..., object])
_Enum = TypeVar("_Enum", bound=Enum)


class EnumChoice(click.Choice[_Enum]):
    """A choice of an enum's values, typed as their first word."""

    def normalize_choice(self, choice: object, ctx: click.Context | None) -> str:  # noqa: ARG002  (click's signature)
        """Return the word for a value."""
        return str(choice.value).partition(" ")[0] if isinstance(choice, Enum) else str(choice)


environment_option = click.option(
    "--env", "environment_name", help="The name of the environment; default: the first one."
)
existing_file = click.Path(exists=True, dir_okay=False, path_type=Path)
new_file = click.Path(dir_okay=False, path_type=Path)


def _options(*options: Callable[[_Function], _Function]) -> Callable[[_Function], _Function]:

    def decorate(command: _Function) -> _Function:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


reading_options = _options(
    click.option(
        "--encoding",
        type=EnumChoice(Encoding),
        default=Encoding.UTF_8,
        help="The encoding of a CSV file; default: utf-8.",
    ),
    click.option("--sheet", help="The name of the sheet of a workbook to read."),
    click.option(
        "--hidden", type=EnumChoice(HiddenCells), help="Use or skip rows and columns hidden in the file."
    ),
)
list_options = _options(
    click.argument("file", type=existing_file),
    environment_option,
    reading_options,
    click.option(
        "--ignore-column",
        "ignored",
        multiple=True,
        metavar="NAME",
        help="A column to ignore, by its heading or letter; may be repeated.",
    ),
    click.option("--supplier", help="The supplier of every row, if the file has none."),
    click.option(
        "--action",
        type=EnumChoice(BulkAction),
        help="The action of every row, if the file has none; default: add.",
    ),
    click.option(
        "--prune",
        is_flag=True,
        help="Remove recipients of the items in FILE that are missing from FILE; otherwise they are kept.",
    ),
    click.option("--accept-suggestions", is_flag=True, help="Replace damaged ids with the suggested ones."),
    click.option("--as-is", is_flag=True, help="Use ids that look damaged as they are."),
)


def read_our_settings(*, needs_service: bool = True) -> Settings:
    """Read the configuration of this working folder."""
    return read_settings(
        os.environ, secrets_path=Path(".streamlit/secrets.toml"), needs_service=needs_service
    )


def opened_desk(environment_name: str | None, use: Use) -> closing[Desk]:
    """Open the desk of the machine's user for a block, and close it at its end."""
    person = partial(machine_user, " (command line)")
    return closing(open_desk(read_our_settings(), environment_name, person=person, use=use))


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
