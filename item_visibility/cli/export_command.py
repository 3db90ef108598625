"""The command `item-visibility export`: who can see many items, as a file."""

from contextlib import closing
from pathlib import Path

import click

from item_visibility.access.access import command_line_user
from item_visibility.bootstrap.open_desk import open_desk_to_look
from item_visibility.cli.new_files import new_file, require_new
from item_visibility.cli.shared_options import (
    OneOf,
    encoding_option,
    environment_option,
    hidden_option,
    read_our_settings,
    sheet_option,
)
from item_visibility.cli.terminal import progress, tell_address
from item_visibility.files.csv_file import Encoding
from item_visibility.saving.in_words import many
from item_visibility.use_cases.bulk.lists import HiddenCells
from item_visibility.use_cases.exports import ExportKind


@click.command()
@environment_option
@click.option("--supplier", help="All known items of this supplier; with --items, the supplier of its rows.")
@click.option(
    "--items",
    "list_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The items that this file names (columns supplier, item).",
)
@encoding_option
@sheet_option
@hidden_option
@click.option(
    "--format",
    "kind",
    type=OneOf({one.value: one for one in ExportKind}),
    required=True,
    help="xlsx is exact, and safe in a spreadsheet; excel-csv is for a look with one; csv and json are exact,"
    " for programs: a spreadsheet could run what stands in csv.",
)
@click.option("-o", "file", type=click.Path(dir_okay=False, path_type=Path), required=True, help="The file.")
def export(  # noqa: PLR0913  (one argument an option)
    *,
    environment_name: str | None,
    supplier: str | None,
    list_file: Path | None,
    encoding: Encoding,
    sheet: str | None,
    hidden: HiddenCells | None,
    kind: ExportKind,
    file: Path,
) -> None:
    """Write who can see items now, read one by one, to a file that is not there yet.

    Without --supplier and --items, all items that are known here.
    """
    require_new(file)
    with closing(open_desk_to_look(read_our_settings(), environment_name, person=command_line_user)) as desk:
        tell_address(desk.address.change, desk.environment)
        if list_file is None:
            items = desk.exports.known_items(supplier)
        else:
            named = desk.bulk.read_file(list_file.read_bytes(), encoding=encoding, sheet=sheet, hidden=hidden)
            items = desk.exports.items_in(named, supplier=supplier)
        with progress(len(items), "Reading") as advance:
            exported = desk.exports.export(items, kind, on_read=advance)
    with new_file(file) as target:
        target.write(exported.content)
    click.echo(f"{many(exported.rows, 'row')} of {many(len(items), 'item')}: written to {file}.")
    if exported.unseen_items:
        click.echo(f"Items that nobody can see, so that they have no row: {exported.unseen_items:,}.")
