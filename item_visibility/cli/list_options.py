"""What several commands share: the options to read a list, and the desk of an environment."""

import os
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TypeVar

import click

from item_visibility.access.access import command_line_user
from item_visibility.bootstrap.open_desk import Use, open_desk
from item_visibility.lists.reader import Encoding
from item_visibility.saving.bulk import BulkAction
from item_visibility.settings.settings import Settings, read_settings
from item_visibility.use_cases.bulk_lists import HiddenCells
from item_visibility.use_cases.desk import Desk

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


def _options(*options: Callable[[_Function], _Function]) -> Callable[[_Function], _Function]:
    """Return a decorator that gives a command these options."""

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
"""The options to read any file."""

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
"""FILE, the environment, and what ListOptions holds."""


def read_our_settings(*, needs_service: bool = True) -> Settings:
    """Read the configuration of this working folder."""
    return read_settings(
        os.environ, secrets_path=Path(".streamlit/secrets.toml"), needs_service=needs_service
    )


def opened_desk(environment_name: str | None, use: Use) -> closing[Desk]:
    """Open the desk of the machine's user for a block, and close it at its end."""
    return closing(open_desk(read_our_settings(), environment_name, person=command_line_user, use=use))
