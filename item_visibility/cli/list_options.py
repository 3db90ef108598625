"""Options that several commands share: the environment, and how to read a list."""

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

import click

from item_visibility.lists.reader import Encoding
from item_visibility.saving.bulk import BulkAction
from item_visibility.settings.settings import Settings, read_settings
from item_visibility.use_cases.bulk.lists import HiddenCells

_Function = TypeVar("_Function", bound=Callable[..., object])
_Enum = TypeVar("_Enum", bound=Enum)


class EnumChoice(click.Choice[_Enum]):
    """A choice of an enum's values, typed as their first word."""

    def normalize_choice(self, choice: object, ctx: click.Context | None) -> str:  # noqa: ARG002  (click's signature)
        """Return the word for a value."""
        return str(choice.value).partition(" ")[0] if isinstance(choice, Enum) else str(choice)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOptions:
    """The options given with a list.

    With `prune`, a list that names no action sets its items exactly: recipients not named are removed.
    `accept_suggestions` replaces damaged ids with the suggestions; `as_is` then uses damaged ids as they
    are. `hidden` is the choice for hidden rows and columns. The columns that `ignored` names, by heading
    or letters, are not read.
    """

    encoding: Encoding = Encoding.UTF_8
    supplier: str | None = None
    action: BulkAction | None = None
    prune: bool = False
    accept_suggestions: bool = False
    as_is: bool = False
    sheet: str | None = None
    hidden: HiddenCells | None = None
    ignored: tuple[str, ...] = ()


environment_option = click.option(
    "--env", "environment_name", help="The name of the environment; default: the first one."
)
existing_file = click.Path(exists=True, dir_okay=False, path_type=Path)
new_file = click.Path(dir_okay=False, path_type=Path)


def reading_options(command: _Function) -> _Function:
    """Give a command the options to read any file: encoding, sheet, hidden cells."""
    for option in (
        click.option(
            "--hidden", type=EnumChoice(HiddenCells), help="Use or skip rows and columns hidden in the file."
        ),
        click.option("--sheet", help="The name of the sheet of a workbook to read."),
        click.option(
            "--encoding",
            type=EnumChoice(Encoding),
            default=Encoding.UTF_8,
            help="The encoding of a CSV file; default: utf-8.",
        ),
    ):
        command = option(command)
    return command


def list_options(command: Callable[..., object]) -> Callable[..., object]:
    """Give a command FILE, the environment and the options of a list, as one ListOptions."""

    @click.argument("file", type=existing_file)
    @environment_option
    @reading_options
    @click.option(
        "--ignore-column",
        "ignored",
        multiple=True,
        metavar="NAME",
        help="A column to ignore, by its heading or letter; may be repeated.",
    )
    @click.option("--supplier", help="The supplier of every row, if the file has none.")
    @click.option(
        "--action",
        type=EnumChoice(BulkAction),
        help="The action of every row, if the file has none; default: add.",
    )
    @click.option(
        "--prune",
        is_flag=True,
        help="Remove recipients of the items in FILE that are missing from FILE; otherwise they are kept.",
    )
    @click.option("--accept-suggestions", is_flag=True, help="Replace damaged ids with the suggested ones.")
    @click.option("--as-is", is_flag=True, help="Use ids that look damaged as they are.")
    @functools.wraps(command)
    def with_options(*context: click.Context, **values: Any) -> object:  # noqa: ANN401  (as click gives them)
        options = ListOptions(**{field.name: values.pop(field.name) for field in fields(ListOptions)})
        return command(*context, options=options, **values)

    return with_options


def read_our_settings(*, needs_service: bool = True) -> Settings:
    """Read the configuration of this working folder."""
    return read_settings(
        os.environ, secrets_path=Path(".streamlit/secrets.toml"), needs_service=needs_service
    )
