"""The command `item-visibility export`: who can see many items, as a file."""

import time
from pathlib import Path

import click

from item_visibility.bootstrap.open_desk import Use
from item_visibility.cli.list_options import (
    EnumChoice,
    environment_option,
    existing_file,
    new_file,
    opened_desk,
    reading_options,
)
from item_visibility.cli.output import progress, require_new, write_new
from item_visibility.lists.reader import Encoding
from item_visibility.lists.writer import FileKind
from item_visibility.saving.in_words import many
from item_visibility.timeouts import LOOK_AT_JOB_EVERY_S
from item_visibility.use_cases.bulk_lists import HiddenCells


@click.command()
@environment_option
@click.option("--supplier", help="All known items of this supplier; with --items, the supplier of its rows.")
@click.option(
    "--items", "list_file", type=existing_file, help="The items in this file (columns supplier, item)."
)
@reading_options
@click.option(
    "--format",
    "kind",
    type=EnumChoice(FileKind),
    required=True,
    help="xlsx is safe in a spreadsheet; csv and json are for programs.",
)
@click.option("-o", "file", type=new_file, callback=require_new, required=True, help="The file to create.")
def export(  # noqa: PLR0913  (one argument an option)
    *,
    environment_name: str | None,
    supplier: str | None,
    list_file: Path | None,
    encoding: Encoding,
    sheet: str | None,
    hidden: HiddenCells | None,
    kind: FileKind,
    file: Path,
) -> None:
    """Read who can see items now, one by one, and write it to a new file.

    Without --supplier and --items: all items that are known here.
    """
    with opened_desk(environment_name, Use.LOOK) as desk:
        if list_file is None:
            items = desk.exports.known_items(supplier)
        else:
            content = list_file.read_bytes()
            table = desk.bulk.lists.read_file(content, encoding=encoding, sheet=sheet, hidden=hidden)
            items = desk.exports.items_in(table, supplier=supplier)
        exported = desk.exports.start(items, kind)
        with progress(len(items), "Reading") as advance:
            while not exported.has_ended:
                time.sleep(LOOK_AT_JOB_EVERY_S)
                advance(exported.read)
    if exported.error is not None:
        raise exported.error
    write_new(file, exported.content)
    click.echo(f"{many(exported.rows, 'row')} of {many(len(items), 'item')}: written to {file}.")
    if exported.unseen_items:
        click.echo(f"Items without recipients, and so without a row: {exported.unseen_items:,}.")
