"""Shared parts of the commands: options, the configuration, and the exit status of commands on a list."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypedDict, TypeVar

import click

from item_visibility.cli.new_files import require_new
from item_visibility.files.csv_file import Encoding
from item_visibility.saving.bulk import BulkAction
from item_visibility.settings.settings import Settings, read_settings
from item_visibility.use_cases.bulk.lists import HiddenCells

_ACTIONS = {
    "add": BulkAction.ADD,
    "remove": BulkAction.REMOVE,
    "set": BulkAction.SET,
    "withdraw": BulkAction.WITHDRAW,
}
_Function = TypeVar("_Function", bound=Callable[..., object])
_Value = TypeVar("_Value")


class StatusCommand(click.Command):
    """A command that gives status 2 a meaning. Usage errors end with 1, as all errors do."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options."""
        with _errors_as_status_1():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command."""
        with _errors_as_status_1():
            return super().invoke(ctx)


class _WrongUsageError(click.UsageError):
    """A usage error with status 1."""

    exit_code = 1


class OneOf(click.ParamType[_Value]):
    """An option with a fixed set of words, each of which stands for a value."""

    def __init__(self, values: Mapping[str, _Value]) -> None:
        self._values = values
        self.name = "|".join(values)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002  (click's signature)
        """Return the words, for the help."""
        return f"[{self.name}]"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> _Value:
        """Return the value; a usage error for another word."""
        found = [meant for word, meant in self._values.items() if value in {word, meant}]
        if not found:
            self.fail(f"It is one of {', '.join(self._values)}.", param, ctx)
        return found[0]


class OfList(TypedDict):
    """The options of a list, as click gives them."""

    encoding: Encoding
    supplier: str | None
    action: BulkAction | None
    prune: bool
    accept_suggestions: bool
    as_is: bool
    sheet: str | None
    hidden: HiddenCells | None
    ignored: tuple[str, ...]


environment_option = click.option(
    "--env", "environment_name", help="The name of the environment; default: the first one."
)
_list_file = click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
encoding_option = click.option(
    "--encoding",
    type=OneOf({one.value: one for one in Encoding}),
    default=Encoding.UTF_8,
    help="How a CSV file writes characters; default: utf-8.",
)
sheet_option = click.option("--sheet", help="The name of the sheet of a workbook that is the list.")
hidden_option = click.option(
    "--hidden",
    type=OneOf({one.value: one for one in HiddenCells}),
    help="What to do with rows and columns that the file hides.",
)
_supplier = click.option("--supplier", help="The supplier of every row, for a file that names none.")


def of_list(command: _Function) -> _Function:
    """Give a command the options of a list."""
    options = (
        _list_file,
        environment_option,
        encoding_option,
        sheet_option,
        hidden_option,
        click.option(
            "--ignore-column",
            "ignored",
            multiple=True,
            metavar="NAME",
            help="A column that is not to be read, by its heading or its letter; may be given again.",
        ),
        _supplier,
        click.option(
            "--action",
            type=OneOf(_ACTIONS),
            help="What every row asks for, for a file that does not say it; default: add.",
        ),
        click.option(
            "--prune",
            is_flag=True,
            help="Take away who can see a named item and is not named by FILE; else they are left alone.",
        ),
        click.option(
            "--accept-suggestions", is_flag=True, help="Put the suggested ids in place of damaged ones."
        ),
        click.option("--as-is", is_flag=True, help="Take ids that look damaged as they are."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def rows_file(option: str, help_: str) -> Callable[[_Function], _Function]:
    """Return an option for a new .xlsx file that some rows are written to."""
    return click.option(
        option, type=click.Path(dir_okay=False, path_type=Path), callback=_new_xlsx, help=help_
    )


def _new_xlsx(_: click.Context, parameter: click.Parameter, file: Path | None) -> Path | None:
    if file is not None:
        if file.suffix.lower() != ".xlsx":
            raise click.UsageError(f"The name of the file for --{parameter.name} ends in .xlsx.")
        require_new(file)
    return file


def read_our_settings(*, needs_service: bool = True) -> Settings:
    """Read the configuration of this working folder."""
    return read_settings(
        os.environ, secrets_path=Path(".streamlit/secrets.toml"), needs_service=needs_service
    )


@contextmanager
def _errors_as_status_1() -> Iterator[None]:
    try:
        yield
    except click.UsageError as error:
        raise _WrongUsageError(error.format_message(), error.ctx) from None
