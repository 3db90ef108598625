"""What several commands share: options, the desk, errors, progress and new files."""

import errno
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from enum import Enum
from functools import partial, reduce
from pathlib import Path
from typing import TypeVar

import click

from item_visibility.access.people import machine_user
from item_visibility.bootstrap.open_desk import Use, open_desk
from item_visibility.errors import ItemVisibilityError
from item_visibility.lists.headings import COLUMNS
from item_visibility.lists.reader import Encoding
from item_visibility.lists.table import HiddenCells
from item_visibility.model.job import BulkAction
from item_visibility.settings import Settings, read_settings
from item_visibility.use_cases.desk import Desk

_UNUSED = frozenset({"-", "ignore"})
"""Words for a column that is not used, in the option --columns."""

_Function = TypeVar("_Function", bound=Callable[..., object])
_Enum = TypeVar("_Enum", bound=Enum)


class EnumChoice(click.Choice[_Enum]):
    """An option for an enum. Users type the first word of a value."""

    def normalize_choice(
        self,
        choice: object,
        ctx: click.Context | None,  # noqa: ARG002  (click's signature)
    ) -> str:
        """Return the word that users type for a value."""
        if isinstance(choice, Enum):
            return str(choice.value).partition(" ")[0]
        return str(choice)


environment_option = click.option(
    "--env",
    "environment_name",
    help="The name of the environment. Default: the first one.",
)
existing_file = click.Path(exists=True, dir_okay=False, path_type=Path)
new_file = click.Path(dir_okay=False, path_type=Path)


def require_new(
    _: click.Context, option: click.Parameter, file: Path | None
) -> Path | None:
    """Refuse an output file that exists or cannot be created.

    Click calls this before the command starts.
    """
    if file is None:
        return None
    if option.name in {"failed", "skipped"} and file.suffix.lower() != ".xlsx":
        raise click.UsageError(f"The file for --{option.name} must end in .xlsx.")
    try:
        file.open("xb").close()
        file.unlink()
    except OSError as error:
        raise click.ClickException(
            f"{file} cannot be written: {error.strerror}. Nothing was sent."
        ) from None
    return file


def _options(
    *options: Callable[[_Function], _Function],
) -> Callable[[_Function], _Function]:
    return lambda command: reduce(
        lambda decorated, option: option(decorated), reversed(options), command
    )


def read_columns(
    _: click.Context, __: click.Parameter, text: str | None
) -> tuple[str, ...]:
    """Return the meaning of each column. That of an unused column is an empty text."""
    if text is None:
        return ()
    names = [name.strip().lower() for name in text.split(",")]
    columns = tuple("" if name in _UNUSED else name for name in names)
    for name in columns:
        if name and name not in COLUMNS:
            words = ", ".join(COLUMNS)
            raise click.BadParameter(
                f"{name!r} is not one of {words}, or - for a column that is not used."
            )
        if name and columns.count(name) > 1:
            raise click.BadParameter(f"{name!r} occurs twice.")
    if "item" not in columns:
        raise click.BadParameter("one column must be the item.")
    return columns


reading_options = _options(
    click.option(
        "--encoding",
        type=EnumChoice(Encoding),
        default=Encoding.UTF_8,
        help="The encoding of a CSV file. Default: utf-8.",
    ),
    click.option("--sheet", help="The name of the sheet to read from a workbook."),
    click.option(
        "--hidden",
        type=EnumChoice(HiddenCells),
        help="Use or skip the hidden rows and columns of the list.",
    ),
    click.option(
        "--columns",
        callback=read_columns,
        metavar="NAME,NAME,…",
        help=(
            "The columns of a list without headings, in order: "
            f"{', '.join(COLUMNS)}, or - for a column"
            " that is not used."
        ),
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
        help="The heading or letter of a column to ignore. Can be given several times.",
    ),
    click.option(
        "--supplier", help="The supplier of every row, if the file has no such column."
    ),
    click.option(
        "--action",
        type=EnumChoice(BulkAction),
        help="The action of every row, if the file has no such column. Default: add.",
    ),
    click.option(
        "--prune",
        is_flag=True,
        help="Also remove recipients that FILE does not list for an item. Otherwise "
        "they are kept.",
    ),
    click.option(
        "--accept-suggestions",
        is_flag=True,
        help="Replace damaged ids with the suggested ones.",
    ),
    click.option(
        "--as-is",
        is_flag=True,
        help=(
            "Use texts unchanged even if they do not look like ids. Names, several "
            "ids in a cell, and known"
            " ids beside other text are still refused."
        ),
    ),
    click.option(
        "--skipped",
        type=new_file,
        callback=require_new,
        help="A new .xlsx for the rows that were skipped, each with its reason.",
    ),
)


def read_our_settings(*, needs_service: bool = True) -> Settings:
    """Read the configuration from the environment variables and this working folder."""
    return read_settings(
        os.environ,
        secrets_path=Path(".streamlit/secrets.toml"),
        needs_service=needs_service,
    )


def opened_desk(environment_name: str | None, use: Use) -> closing[Desk]:
    """Open a desk for this machine's user.

    It is closed at the end of the `with` block.
    """
    person = partial(machine_user, " (command line)")
    return closing(
        open_desk(read_our_settings(), environment_name, person=person, use=use)
    )


@contextmanager
def plain_errors() -> Iterator[None]:
    """Print an error of the block as a sentence without a traceback.

    The exit status is then 1: only `plan` uses 2. A closed pipe, as after `| head`, is
    not an error.
    """
    streams = (sys.stdout, sys.stderr)
    for stream in [item for item in streams if isinstance(item, io.TextIOWrapper)]:
        # An id may contain letters that the terminal cannot show.
        stream.reconfigure(errors="backslashreplace")
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
        raise click.ClickException(
            f"{what} cannot be used: {error.strerror or error}."
        ) from None


@contextmanager
def progress(length: int, label: str) -> Iterator[Callable[[int], None]]:
    """Draw a progress bar if stderr is a terminal.

    Yield a function that sets the progress.
    """
    is_terminal = sys.stderr.isatty()
    with click.progressbar(
        length=length, label=label, file=sys.stderr, hidden=not is_terminal
    ) as bar:
        yield lambda done: bar.update(done - bar.pos)


def write_new(file: Path, content: bytes) -> None:
    """Write a new file, and delete it again if it cannot be written in full."""
    try:
        with file.open("xb") as stream:
            try:
                stream.write(content)
            except OSError:
                file.unlink()
                raise
    except OSError as error:
        raise click.ClickException(
            f"{file} cannot be written: {error.strerror}."
        ) from None
